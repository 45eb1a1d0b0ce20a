//! The tools of a folder: ours, those that the person and the project define, and those of servers. All are read again
//! when what they come from changes, and put in place of those before at once.
//!
//! # Invariants
//!
//! - No project's definition over a tool of the person's servers is used before the person consents.
//!   Test: `a_projects_definition_over_the_persons_server_waits_too`

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::mpsc::Sender;
use std::sync::{Arc, OnceLock};

use parking_lot::{Mutex, RwLock};
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::watch;

use super::definition_files::{self, DefinitionStamps};
use super::editor_registry::{EditorRegistry, HubChange};
use super::environment_choice::EnvironmentChoice;
use super::tool_similarity::ToolSimilarity;
use super::{environments, watch_files};
use crate::base::OWN_DIR;
use crate::catalogue::discovery::ToolDirectory;
use crate::catalogue::{self, DefinitionProblem, OntologyTree, ToolCatalogue};
use crate::execution::CommandExecutor;
use crate::protocol::{EnvironmentAnswer, EnvironmentSource, Surface};
use crate::registry::{Activities, AnyActivity, CompiledTool, EnvironmentActivity, ToolRegistry};
use crate::session::WorkspaceSession;
use crate::tools::DEFINITIONS;
use crate::upstream::Upstreams;
use crate::upstream::consents::Consents;
use crate::workspace::config;

/// Notifies receivers that tools, or the errors of definitions, changed in any folder.
#[derive(Debug)]
pub struct ToolboxNotifier {
    /// Goes up with the problems of definitions.
    pub problems: watch::Sender<u64>,
    editors: Arc<EditorRegistry>,
}

impl ToolboxNotifier {
    /// Returns a notifier that also notifies those editors' subscribers.
    pub fn new(editors: Arc<EditorRegistry>) -> Self {
        Self { problems: watch::Sender::default(), editors }
    }

    /// The tools are others.
    pub fn tools_changed(&self) {
        self.editors.notify_change(HubChange::Tools);
    }
}

/// The tools of a folder, and what runs them.
pub struct Toolbox {
    session: Arc<WorkspaceSession>,
    registry: Arc<ToolRegistry>,
    upstreams: Upstreams,
    notifier: Arc<ToolboxNotifier>,
    problems: Mutex<Vec<DefinitionProblem>>,
    /// The tools that could not be taken from servers, a sentence each.
    left_out: Mutex<Vec<String>>,
    /// The nodes that the tools stand under.
    tree: RwLock<Arc<OntologyTree>>,
    /// Made at the first search for tools, and again when the tools have changed.
    directory: RwLock<Option<Arc<ToolDirectory>>>,
    similarity: Arc<ToolSimilarity>,
    /// Who chose the environment in this process.
    choice: Mutex<EnvironmentChoice>,
    /// A sentence for each problem of the environments in the settings.
    environment_problems: Mutex<Vec<String>>,
    /// The definition files as they were read.
    stamps: Mutex<Arc<DefinitionStamps>>,
    /// Held while everything is read.
    reading: Mutex<()>,
    nudge: Arc<OnceLock<Sender<()>>>,
    /// The runtime of servers; none on a command line that runs none.
    runtime: Option<Handle>,
}

impl Toolbox {
    /// Reads a folder's tools.
    pub(crate) fn open(
        session: Arc<WorkspaceSession>,
        activities: Arc<Activities>,
        executor: Arc<CommandExecutor>,
        news: Arc<ToolboxNotifier>,
        started_in: Option<String>,
    ) -> Arc<Self> {
        let nudge = Arc::<OnceLock<Sender<()>>>::default();
        let nudged = nudge.clone();
        let changed = Arc::new(move || {
            if let Some(nudge) = nudged.get() {
                // A watcher that is gone needs no notice.
                let _ = nudge.send(());
            }
        });
        let embeddings = session.workspace().settings().embeddings.clone();
        let toolbox = Arc::new(Self {
            upstreams: Upstreams::new(
                session.clone(),
                Arc::new(Consents::in_folder(session.workspace().state().folder().base_folder())),
                executor,
                changed,
            ),
            registry: Arc::new(ToolRegistry::new(Vec::new(), activities)),
            session,
            notifier: news,
            problems: Mutex::default(),
            left_out: Mutex::default(),
            tree: RwLock::new(OntologyTree::built_in()),
            directory: RwLock::default(),
            similarity: Arc::new(ToolSimilarity::new(embeddings)),
            choice: Mutex::new(EnvironmentChoice { started: started_in, switched: None }),
            environment_problems: Mutex::default(),
            stamps: Mutex::default(),
            reading: Mutex::default(),
            nudge,
            runtime: Handle::try_current().ok(),
        });
        toolbox.read_all();
        toolbox
    }

    /// The tools in full, each with whether no code runs it in an environment; the folder's where none is named.
    pub fn full_definitions(&self, environment: Option<&str>) -> Vec<(Arc<CompiledTool>, bool)> {
        let registry = self.registry();
        let is_latent = |tool: &CompiledTool| registry.activity_of(tool, environment).is_empty();
        registry.tools().iter().map(|tool| (tool.clone(), is_latent(tool))).collect()
    }

    /// The environment that the tools run in, and what each environment replaces.
    pub fn environment_answer(&self) -> EnvironmentAnswer {
        let chosen = self.environment();
        let words = |all: BTreeMap<String, EnvironmentActivity>| {
            all.into_iter().map(|(tool, activity)| (tool, activity.words)).collect()
        };
        let all = self.registry().activities().environments();
        EnvironmentAnswer {
            environment: chosen.name,
            chosen_by: chosen.by,
            environments: all.into_iter().map(|(name, all)| (name, words(all))).collect(),
            problems: self.environment_problems(),
        }
    }

    /// Returns whether agents find the tools instead of being shown all of them.
    pub fn is_discovery(&self) -> bool {
        let discovery = &self.session.workspace().settings().discovery;
        match discovery.surface {
            Surface::Auto => self.registry().tools().len() > discovery.direct_up_to,
            Surface::Direct => false,
            Surface::Discovery => true,
        }
    }

    /// Reads it all again whenever a file that it comes from changes, for as long as the folder is served.
    pub fn watch_files(self: &Arc<Self>) {
        match watch_files::start_watcher(self) {
            Ok(nudge) => {
                drop(self.nudge.set(nudge));
                let toolbox = Arc::downgrade(self);
                self.registry.changes().look_with(move || {
                    toolbox.upgrade().iter().for_each(|toolbox| toolbox.look_for_changes());
                });
            }
            Err(error) => {
                tracing::warn!("{}: changes are not watched: {error}", self.session.workspace().root())
            }
        }
    }

    /// Reads the definitions again if they changed and the kernel has not reported it yet.
    fn look_for_changes(&self) {
        // Files are looked at without the lock.
        let stamps = self.stamps.lock().clone();
        if stamps.are_old()
            && let Some(nudge) = self.nudge.get()
        {
            self.registry.changes().note();
            // The send fails only if the watcher is gone, which needs no message.
            let _ = nudge.send(());
        }
    }

    /// The tools.
    pub fn registry(&self) -> &Arc<ToolRegistry> {
        &self.registry
    }

    /// The session of the folder.
    pub(super) fn session(&self) -> &WorkspaceSession {
        &self.session
    }

    /// Who chose the environment in this process.
    pub(super) fn choice(&self) -> &Mutex<EnvironmentChoice> {
        &self.choice
    }

    /// Returns a sentence for each problem of the environments in the settings and definitions.
    pub(super) fn environment_problems(&self) -> Vec<String> {
        self.environment_problems.lock().clone()
    }

    /// The servers.
    pub fn upstreams(&self) -> &Upstreams {
        &self.upstreams
    }

    /// The tools, to be looked through.
    pub fn directory(&self) -> Arc<ToolDirectory> {
        if let Some(directory) = &*self.directory.read() {
            return directory.clone();
        }
        let mut place = self.directory.write();
        let tools = self.registry.tools();
        let tree = self.tree.read().clone();
        let make = || Arc::new(ToolDirectory::of_definitions(&tree, tools.iter().map(|tool| tool.def())));
        place.get_or_insert_with(make).clone()
    }

    /// The model that they are found with too.
    pub fn similarity(&self) -> &ToolSimilarity {
        &self.similarity
    }

    /// Keeps that model's vectors of the tools up to date in the background.
    pub fn keep_similarity(self: &Arc<Self>) {
        if let Some(runtime) = &self.runtime {
            self.similarity.keep_filled(self, runtime);
        }
    }

    /// The definition files that were refused.
    pub fn problems(&self) -> Vec<DefinitionProblem> {
        self.problems.lock().clone()
    }

    /// Returns all other problems, a sentence each.
    pub fn troubles(&self) -> Vec<String> {
        let mut all = self.upstreams.problems();
        all.extend(self.left_out.lock().iter().cloned());
        all.extend(self.environment_problems());
        all.extend(self.similarity.model_trouble());
        all
    }

    /// Takes what the editor holds of the settings, and reads their files again. Definitions are read again only where
    /// the servers are others.
    pub fn configure(&self, client: Option<&Value>) {
        let before = self.session.workspace().settings();
        self.session.configure(client);
        self.similarity.configure(self.session.workspace().settings().embeddings.as_ref());
        let now = self.session.workspace().settings();
        let same_servers = now.mcp_servers == before.mcp_servers;
        if !same_servers {
            self.upstreams.configure();
        }
        if !same_servers || now.activities != before.activities || now.environment != before.environment {
            self.read_all();
        }
    }

    /// Reads settings and definitions again. Calls under way keep the tools that they began with.
    pub fn reload(&self) {
        self.session.reconfigure();
        self.similarity.configure(self.session.workspace().settings().embeddings.as_ref());
        self.upstreams.configure();
        self.read_all();
    }

    /// Reads the definitions, and takes in what servers listed.
    pub fn read_all(&self) {
        let _reading = self.reading.lock();
        let activities = self.registry.activities();
        let files = definition_files::read_definitions(&self.session);
        *self.stamps.lock() = Arc::new(DefinitionStamps::of(&self.session, &files));
        let settings = self.session.workspace().settings();
        let is_named = |name: &str| settings.activities.values().any(|tools| tools.contains_key(name));
        let is_known = |name: &str| activities.has_activity(name) || is_named(name);
        let mut loaded = catalogue::load_catalogue(DEFINITIONS, &files, &is_known);
        loaded.raise_remote(&|server, tool| self.upstreams.tool_risk(server, tool));
        let (imported, mut left_out) = self.upstreams.imported_tools();
        let taken = loaded.import_definitions(imported);
        left_out.extend(
            taken.into_iter().map(|(name, by)| format!("{name} is left out: its name is taken by {by}")),
        );
        self.upstreams.take_definitions(&loaded.tools);
        let chosen = self.environment();
        let projects = (chosen.by == EnvironmentSource::Project).then_some(chosen.name.as_str());
        let built = environments::build(&self.session, &mut loaded, &self.upstreams, activities, projects);
        let is_asked = !matches!(chosen.by, EnvironmentSource::Default | EnvironmentSource::Project);
        activities.set_refused(built.refused, is_asked);
        let runs_otherwise = activities.set_environments(built.environments, &chosen.name);
        let unknown = activities.check(&chosen.name).err();
        let refused = |unknown| format!("{unknown}, so tools that environments replace are refused");
        *self.environment_problems.lock() = built.problems.into_iter().chain(unknown.map(refused)).collect();
        *self.left_out.lock() = left_out;
        self.swap_catalogue(loaded, runs_otherwise);
    }

    /// Puts a catalogue, and what runs its tools, in place of the one before.
    fn swap_catalogue(&self, catalogue: ToolCatalogue, runs_otherwise: bool) {
        let run = |def: &catalogue::ToolDef| Some((def.name.clone(), self.upstreams.remote_activity(def)?));
        let remote: HashMap<String, Arc<dyn AnyActivity>> = catalogue.tools.iter().filter_map(run).collect();
        self.registry.activities().set_custom(remote);
        self.registry.set_refused(catalogue.refused);
        self.registry.set_absent(self.upstreams.absent());
        let problems: Vec<DefinitionProblem> = catalogue
            .problems
            .into_iter()
            .map(|problem| definition_files::with_absolute_path(&self.session, problem))
            .collect();
        let before = std::mem::replace(&mut *self.tree.write(), catalogue.tree.clone());
        let is_tree_same = before == catalogue.tree;
        if self.registry.replace_tools(catalogue.tools) || !is_tree_same {
            *self.directory.write() = None;
            self.similarity.tools_changed();
            self.notifier.tools_changed();
        } else if runs_otherwise {
            self.notifier.tools_changed();
        }
        let before = std::mem::replace(&mut *self.problems.lock(), problems.clone());
        if before != problems {
            self.notifier.problems.send_modify(|count| *count += 1);
        }
    }

    /// Lists the tools of servers that are new, and takes them in.
    pub async fn settle_servers(&self) {
        if self.upstreams.list_new_servers().await {
            self.read_all();
        }
    }

    /// Lists them in the background.
    pub fn settle_soon(self: &Arc<Self>) {
        if let Some(runtime) = &self.runtime {
            let toolbox = self.clone();
            runtime.spawn(async move { toolbox.settle_servers().await });
        }
    }

    /// The folders whose files are watched, each with those above it that may have to be made first.
    pub fn watched_places(&self) -> Vec<PathBuf> {
        let own = PathBuf::from(self.session.workspace().root()).join(OWN_DIR);
        let person = config::person_folder();
        let consents = self.session.workspace().state().folder().base_folder().map(PathBuf::from);
        let tools = [Some(own.join("tools")), person.as_ref().map(|folder| folder.join("tools"))];
        let all = [Some(own), person, consents].into_iter().chain(tools);
        all.flatten().collect()
    }
}

impl Drop for Toolbox {
    fn drop(&mut self) {
        self.similarity.close();
        // The watcher finds that there is nothing left to read for.
        if let Some(nudge) = self.nudge.get() {
            let _ = nudge.send(());
        }
    }
}
