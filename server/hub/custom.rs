//! The tools of a folder that are not ours: read from definitions and servers, and read again when those change.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::mpsc::Sender;
use std::sync::{Arc, OnceLock};

use parking_lot::{Mutex, RwLock};
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::watch;

use super::nearness::Nearness;
use super::stage::{Change, Stage};
use super::watch_files;
use crate::base::OURS;
use crate::catalogue::discovery::Directory;
use crate::catalogue::{self, Problem};
use crate::registry::{Activities, Activity, Registry};
use crate::session::Session;
use crate::upstream::Upstreams;
use crate::upstream::consents::Consents;
use crate::workspace::config;

/// Definition files of one folder at most.
const FILES: usize = 20_000;

/// Where it is told that tools, or what is wrong with them, changed in any folder.
#[derive(Debug)]
pub struct News {
    /// Goes up with the problems of definitions.
    pub problems: watch::Sender<u64>,
    stage: Arc<Stage>,
}

impl News {
    /// News that are told on that stage too.
    pub fn new(stage: Arc<Stage>) -> Self {
        Self { problems: watch::Sender::default(), stage }
    }

    /// The tools are others.
    pub fn tools_changed(&self) {
        self.stage.changed(Change::Tools);
    }
}

/// A folder's tools.
pub struct Custom {
    session: Arc<Session>,
    registry: Arc<Registry>,
    upstreams: Upstreams,
    news: Arc<News>,
    /// What the editor holds of the settings.
    client: Mutex<Option<Value>>,
    problems: Mutex<Vec<Problem>>,
    /// What could not be taken from servers, a sentence each.
    left_out: Mutex<Vec<String>>,
    /// Made when tools are looked for first, and anew when they are others.
    directory: RwLock<Option<Arc<Directory>>>,
    nearness: Arc<Nearness>,
    /// Held while everything is read.
    reading: Mutex<()>,
    nudge: Arc<OnceLock<Sender<()>>>,
    /// Where servers run; nowhere on a command line that runs none.
    runtime: Option<Handle>,
}

impl Custom {
    /// Reads a folder's tools.
    pub fn open(session: Arc<Session>, activities: Arc<Activities>, news: Arc<News>) -> Arc<Self> {
        let nudge = Arc::<OnceLock<Sender<()>>>::default();
        let nudged = nudge.clone();
        let changed = Arc::new(move || {
            if let Some(nudge) = nudged.get() {
                // A watcher that is gone has nobody to tell.
                let _ = nudge.send(());
            }
        });
        let embeddings = session.settings().embeddings.clone();
        let custom = Arc::new(Self {
            upstreams: Upstreams::new(
                session.clone(),
                Arc::new(Consents::below(session.state().base())),
                changed,
            ),
            registry: Arc::new(Registry::new(Vec::new(), activities)),
            session,
            news,
            client: Mutex::default(),
            problems: Mutex::default(),
            left_out: Mutex::default(),
            directory: RwLock::default(),
            nearness: Arc::new(Nearness::new(embeddings)),
            reading: Mutex::default(),
            nudge,
            runtime: Handle::try_current().ok(),
        });
        custom.read();
        custom
    }

    /// Reads it all again whenever a file that it comes from changes, for as long as the folder is served.
    pub fn watch(self: &Arc<Self>) {
        match watch_files::start(self) {
            Ok(nudge) => drop(self.nudge.set(nudge)),
            Err(error) => tracing::warn!("{}: changes are not watched: {error}", self.session.root()),
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
    pub fn nearness(&self) -> &Nearness {
        &self.nearness
    }

    /// Has that model's vectors of them made whenever they change, where nobody waits for it.
    pub fn keep_near(self: &Arc<Self>) {
        if let Some(runtime) = &self.runtime {
            self.nearness.keep(self, runtime);
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
        all.extend(self.nearness.trouble());
        all
    }

    /// Takes what the editor holds of the settings, and reads their files again. Definitions are read again only where
    /// the servers are others.
    pub fn configure(&self, client: Option<&Value>) {
        *self.client.lock() = client.cloned();
        let before = self.session.settings();
        self.set(client);
        if self.session.settings().mcp_servers != before.mcp_servers {
            self.upstreams.configure();
            self.read();
        }
    }

    /// Reads the settings' files, with what the editor holds.
    fn set(&self, client: Option<&Value>) {
        self.session.configure(client);
        self.nearness.configure(self.session.settings().embeddings.as_ref());
    }

    /// Reads settings and definitions again. Calls under way keep the tools that they began with.
    pub fn reload(&self) {
        let client = self.client.lock().clone();
        self.set(client.as_ref());
        self.upstreams.configure();
        self.read();
    }

    /// Reads the definitions, and takes in what servers listed.
    pub fn read(&self) {
        let _reading = self.reading.lock();
        let activities = self.registry.activities();
        let mut loaded = catalogue::load(&definitions(&self.session), &|name| activities.knows(name));
        loaded.raise_remote(&|server, tool| self.upstreams.risk(server, tool));
        let (imported, mut left_out) = self.upstreams.imported();
        let taken = loaded.import(imported);
        left_out.extend(
            taken.into_iter().map(|(name, by)| format!("{name} is left out: its name is taken by {by}")),
        );
        self.upstreams.define(&loaded.tools);
        let run = |def: &catalogue::ToolDef| Some((def.name.clone(), self.upstreams.activity(def)?));
        let custom: HashMap<String, Arc<dyn Activity>> = loaded.tools.iter().filter_map(run).collect();
        activities.set_custom(custom);
        self.registry.set_refused(std::mem::take(&mut loaded.refused));
        let problems: Vec<Problem> =
            loaded.problems.into_iter().map(|problem| at(&self.session, problem)).collect();
        if self.registry.replace(loaded.tools) {
            *self.directory.write() = None;
            self.nearness.tools_changed();
            self.news.tools_changed();
        }
        *self.left_out.lock() = left_out;
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
            let custom = self.clone();
            runtime.spawn(async move { custom.settle().await });
        }
    }

    /// The folders whose files are watched, each with those above it that may have to be made first.
    pub fn places(&self) -> Vec<PathBuf> {
        let own = PathBuf::from(self.session.root()).join(OURS);
        let person = config::person_folder();
        let consents = self.session.state().base().map(PathBuf::from);
        let tools = [Some(own.join("tools")), person.as_ref().map(|folder| folder.join("tools"))];
        let all = [Some(own), person, consents].into_iter().chain(tools);
        all.flatten().collect()
    }
}

impl Drop for Custom {
    fn drop(&mut self) {
        self.nearness.close();
        // Whoever watches sees that nothing is left to read for.
        if let Some(nudge) = self.nudge.get() {
            let _ = nudge.send(());
        }
    }
}

/// The person's own definition files, then the folder's. What cannot be read is left out.
fn definitions(session: &Session) -> Vec<(String, String)> {
    let yaml = |name: &String| name.ends_with(".yaml") || name.ends_with(".yml");
    let mut files = Vec::new();
    if let Some(folder) = config::person_folder().map(|folder| folder.join("tools")) {
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.retain(yaml);
        names.sort();
        for path in names.iter().take(FILES).map(|name| folder.join(name)).filter(|path| path.is_file()) {
            if let Ok(bytes) = std::fs::read(&path) {
                files.push((path.display().to_string(), String::from_utf8_lossy(&bytes).into_owned()));
            }
        }
    }
    let store = session.store();
    let names = store.list("tools").unwrap_or_default();
    let read = |name: &String| {
        let path = format!("tools/{name}");
        let text = String::from_utf8_lossy(&store.read(&path).ok()??).into_owned();
        Some((format!("{OURS}/{path}"), text))
    };
    files.extend(names.iter().filter(|name| yaml(name)).take(FILES).filter_map(read));
    files
}

fn at(session: &Session, problem: Problem) -> Problem {
    match problem.path.starts_with('/') {
        true => problem,
        false => {
            Problem { path: format!("{}/{}", session.root().trim_end_matches('/'), problem.path), ..problem }
        }
    }
}
