//! The tools of a folder: ours, those that the person and the project define, and those of servers. All are read again
//! when what they come from changes, and put in place of those before at once.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::mpsc::Sender;
use std::sync::{Arc, OnceLock};

use parking_lot::{Mutex, RwLock};
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::watch;

use super::editor_registry::{EditorRegistry, HubChange};
use super::tool_similarity::ToolSimilarity;
use super::{definitions, watch_files};
use crate::base::OURS;
use crate::catalogue::discovery::Directory;
use crate::catalogue::{self, Catalogue, Problem};
use crate::execution::Executor;
use crate::registry::{Activities, AnyActivity, Registry};
use crate::session::Session;
use crate::tools::DEFINITIONS;
use crate::upstream::Upstreams;
use crate::upstream::consents::Consents;
use crate::workspace::config;

/// Where it is told that tools, or what is wrong with them, changed in any folder.
#[derive(Debug)]
pub struct News {
    /// Goes up with the problems of definitions.
    pub problems: watch::Sender<u64>,
    /// Goes up where settings were read, and with editors and folders that come and go.
    pub standing: watch::Sender<u64>,
    editors: Arc<EditorRegistry>,
}

impl News {
    /// News that are told to those editors' listeners too.
    pub fn new(editors: Arc<EditorRegistry>) -> Self {
        Self { problems: watch::Sender::default(), standing: watch::Sender::default(), editors }
    }

    /// Settings were read, or an editor or a folder came or went.
    pub fn stands_otherwise(&self) {
        self.standing.send_modify(|count| *count += 1);
    }

    /// The tools are others.
    pub fn tools_changed(&self) {
        self.editors.changed(HubChange::Tools);
    }
}

/// The tools of a folder, and what runs them.
pub struct Toolbox {
    session: Arc<Session>,
    registry: Arc<Registry>,
    upstreams: Upstreams,
    news: Arc<News>,
    problems: Mutex<Vec<Problem>>,
    /// What could not be taken from servers, a sentence each.
    left_out: Mutex<Vec<String>>,
    /// Made when tools are looked for first, and anew when they are others.
    directory: RwLock<Option<Arc<Directory>>>,
    similarity: Arc<ToolSimilarity>,
    /// Held while everything is read.
    reading: Mutex<()>,
    nudge: Arc<OnceLock<Sender<()>>>,
    /// Where servers run; nowhere on a command line that runs none.
    runtime: Option<Handle>,
}

impl Toolbox {
    /// Reads a folder's tools.
    pub(crate) fn open(
        session: Arc<Session>,
        activities: Arc<Activities>,
        executor: Arc<Executor>,
        news: Arc<News>,
    ) -> Arc<Self> {
        let nudge = Arc::<OnceLock<Sender<()>>>::default();
        let nudged = nudge.clone();
        let changed = Arc::new(move || {
            if let Some(nudge) = nudged.get() {
                // A watcher that is gone has nobody to tell.
                let _ = nudge.send(());
            }
        });
        let embeddings = session.workspace().settings().embeddings.clone();
        let toolbox = Arc::new(Self {
            upstreams: Upstreams::new(
                session.clone(),
                Arc::new(Consents::below(session.workspace().state().base())),
                executor,
                changed,
            ),
            registry: Arc::new(Registry::new(Vec::new(), activities)),
            session,
            news,
            problems: Mutex::default(),
            left_out: Mutex::default(),
            directory: RwLock::default(),
            similarity: Arc::new(ToolSimilarity::new(embeddings)),
            reading: Mutex::default(),
            nudge,
            runtime: Handle::try_current().ok(),
        });
        toolbox.read();
        toolbox
    }

    /// Reads it all again whenever a file that it comes from changes, for as long as the folder is served.
    pub fn watch(self: &Arc<Self>) {
        match watch_files::start(self) {
            Ok(nudge) => drop(self.nudge.set(nudge)),
            Err(error) => {
                tracing::warn!("{}: changes are not watched: {error}", self.session.workspace().root())
            }
        }
    }

    /// The tools.
    pub fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// The servers.
    pub fn upstreams(&self) -> &Upstreams {
        &self.upstreams
    }

    /// The tools, to be looked through.
    pub fn directory(&self) -> Arc<Directory> {
        if let Some(directory) = &*self.directory.read() {
            return directory.clone();
        }
        let mut place = self.directory.write();
        let tools = self.registry.tools();
        let make = || Arc::new(Directory::of_definitions(tools.iter().map(|tool| tool.def())));
        place.get_or_insert_with(make).clone()
    }

    /// The model that they are found with too.
    pub fn similarity(&self) -> &ToolSimilarity {
        &self.similarity
    }

    /// Has that model's vectors of them made whenever they change, where nobody waits for it.
    pub fn keep_near(self: &Arc<Self>) {
        if let Some(runtime) = &self.runtime {
            self.similarity.keep(self, runtime);
        }
    }

    /// The definition files that were refused.
    pub fn problems(&self) -> Vec<Problem> {
        self.problems.lock().clone()
    }

    /// What else is not as it should be, a sentence each.
    pub fn troubles(&self) -> Vec<String> {
        let mut all = self.upstreams.problems();
        all.extend(self.left_out.lock().iter().cloned());
        all.extend(self.similarity.trouble());
        all
    }

    /// Takes what the editor holds of the settings, and reads their files again. Definitions are read again only where
    /// the servers are others.
    pub fn configure(&self, client: Option<&Value>) {
        let before = self.session.workspace().settings();
        self.session.configure(client);
        self.similarity.configure(self.session.workspace().settings().embeddings.as_ref());
        self.news.stands_otherwise();
        if self.session.workspace().settings().mcp_servers != before.mcp_servers {
            self.upstreams.configure();
            self.read();
        }
    }

    /// Reads settings and definitions again. Calls under way keep the tools that they began with.
    pub fn reload(&self) {
        self.session.reconfigure();
        self.news.stands_otherwise();
        self.similarity.configure(self.session.workspace().settings().embeddings.as_ref());
        self.upstreams.configure();
        self.read();
    }

    /// Reads the definitions, and takes in what servers listed.
    pub fn read(&self) {
        let _reading = self.reading.lock();
        let activities = self.registry.activities();
        let files = definitions::read(&self.session);
        let mut loaded = catalogue::load(DEFINITIONS, &files, &|name| activities.knows(name));
        loaded.raise_remote(&|server, tool| self.upstreams.risk(server, tool));
        let (imported, mut left_out) = self.upstreams.imported();
        let taken = loaded.import(imported);
        left_out.extend(
            taken.into_iter().map(|(name, by)| format!("{name} is left out: its name is taken by {by}")),
        );
        self.upstreams.define(&loaded.tools);
        *self.left_out.lock() = left_out;
        self.swap(loaded);
    }

    /// Puts a catalogue, and what runs its tools, in place of the one before.
    fn swap(&self, catalogue: Catalogue) {
        let run = |def: &catalogue::ToolDef| Some((def.name.clone(), self.upstreams.activity(def)?));
        let remote: HashMap<String, Arc<dyn AnyActivity>> = catalogue.tools.iter().filter_map(run).collect();
        self.registry.activities().set_custom(remote);
        self.registry.set_refused(catalogue.refused);
        let problems: Vec<Problem> =
            catalogue.problems.into_iter().map(|problem| definitions::at(&self.session, problem)).collect();
        if self.registry.replace(catalogue.tools) {
            *self.directory.write() = None;
            self.similarity.tools_changed();
            self.news.tools_changed();
        }
        let before = std::mem::replace(&mut *self.problems.lock(), problems.clone());
        if before != problems {
            self.news.problems.send_modify(|count| *count += 1);
        }
    }

    /// Lists the tools of servers that are new, and takes them in.
    pub async fn settle(&self) {
        self.upstreams.settle().await;
        self.read();
    }

    /// The same, where nobody waits for it.
    pub fn settle_soon(self: &Arc<Self>) {
        if let Some(runtime) = &self.runtime {
            let toolbox = self.clone();
            runtime.spawn(async move { toolbox.settle().await });
        }
    }

    /// The folders whose files are watched, each with those above it that may have to be made first.
    pub fn places(&self) -> Vec<PathBuf> {
        let own = PathBuf::from(self.session.workspace().root()).join(OURS);
        let person = config::person_folder();
        let consents = self.session.workspace().state().base().map(PathBuf::from);
        let tools = [Some(own.join("tools")), person.as_ref().map(|folder| folder.join("tools"))];
        let all = [Some(own), person, consents].into_iter().chain(tools);
        all.flatten().collect()
    }
}

impl Drop for Toolbox {
    fn drop(&mut self) {
        self.similarity.close();
        // Whoever watches sees that nothing is left to read for.
        if let Some(nudge) = self.nudge.get() {
            let _ = nudge.send(());
        }
    }
}
