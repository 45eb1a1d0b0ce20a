//! The hub: one process that serves several workspace folders, and the editors that are attached to it.

mod adopt_changes;
mod agent_runs;
mod answer_operation;
mod attached_commands;
mod broken_off;
mod call_form;
mod call_message;
mod calling;
mod client_files;
mod command_tokens;
mod definition_files;
mod discovery;
mod documents;
mod editor_registry;
mod environment_choice;
mod environments;
mod error;
mod folder;
mod folder_watch;
mod held_elsewhere;
mod kept_apart;
mod model_result;
mod native;
mod note_files;
mod notify_files;
mod operation;
mod outside;
mod repository;
mod send_message;
mod sweep;
mod tool_similarity;
mod toolbox;
mod trail;
mod unusable_activity;
mod watch_files;

use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::RwLock;
use serde_json::Value;
use tokio::sync::{broadcast, watch};

use crate::base::WorkspacePath;
use crate::base::clock::{Clock, SystemClock};
pub use crate::catalogue::DefinitionProblem;
use crate::ports::Editor;
use crate::protocol::EditorNotice;
use crate::sandbox::SandboxLauncher;
use crate::session::{PresenceGuard, SessionOptions};
use crate::workspace::{DocumentStore, WorkspaceError};
pub use crate::workspace::{EditorId, TextChange, TextEdits};
pub use agent_runs::{AgentRun, AgentRuns, NewRun};
pub use attached_commands::{AttachedCommands, AttachedState};
pub(crate) use call_form::{CallLabel, read_call};
pub(crate) use call_message::read_message_calls;
pub use calling::CallBatch;
pub use client_files::ClientFiles;
pub use command_tokens::{CommandPermit, CommandTokenError, CommandTokens, ConfinedCommand};
pub use discovery::ToolLookup;
pub use documents::DocumentEvent;
use editor_registry::EditorRegistry;
pub use editor_registry::HubChange;
use error::ServedFolderError;
pub use folder::ServedFolder;
pub use model_result::{FROM_THE_PERSON, RESULT, fault_object, model_result, undot_names};
pub use native::NativeCall;
pub(crate) use native::tighten_judgement;
pub use operation::{
    CALL, CALL_ALL, CALL_ALL_DESCRIPTION, CALL_DESCRIPTION, CallToolParams, FindOperation, call_all_schema,
    call_schema, read_operation,
};
pub use tool_similarity::ToolSimilarity;

/// The options of a hub.
#[derive(Clone, Debug)]
pub struct HubOptions {
    /// The editor at the other end, or [`crate::ports::NoEditor`].
    pub editor: Arc<dyn Editor>,
    /// True where short-lived processes of one day share a session log: the command line's.
    pub shared_log: bool,
    /// The person's state folder: [`crate::base::person::state_dir`], or another one that leaves theirs untouched.
    pub state: Option<PathBuf>,
    /// The builder of the sandboxes that commands run in: this program, or another one in a test.
    pub launcher: SandboxLauncher,
    /// The environment for tools, as chosen at the start of the process.
    pub environment: Option<String>,
}

/// The location and the text of a session log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogDocument {
    /// Its URI as a virtual document, `wherefore://log/SESSION`.
    pub uri: String,
    /// Its absolute path.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// The workspaces that this process serves. Cheap to clone; every clone is the same hub.
#[derive(Clone, Debug)]
pub struct Hub(Arc<HubState>);

#[derive(Debug)]
struct HubState {
    /// True where short-lived processes of one day share a session log.
    shared_log: bool,
    state: Option<PathBuf>,
    launcher: SandboxLauncher,
    environment: Option<String>,
    editors: Arc<EditorRegistry>,
    documents: Arc<DocumentStore>,
    clock: Arc<dyn Clock>,
    folders: RwLock<Vec<Arc<ServedFolder>>>,
    client_settings: RwLock<Option<Value>>,
    roots: watch::Sender<Vec<String>>,
    notifier: Arc<toolbox::ToolboxNotifier>,
    agents: AgentRuns,
}

impl Hub {
    /// A hub with no workspace yet.
    pub fn new(options: HubOptions) -> Self {
        let editors = Arc::new(EditorRegistry::new(options.editor));
        Self(Arc::new(HubState {
            shared_log: options.shared_log,
            launcher: options.launcher,
            environment: options.environment,
            state: options.state,
            notifier: Arc::new(toolbox::ToolboxNotifier::new(editors.clone())),
            editors,
            documents: Arc::default(),
            clock: Arc::new(SystemClock),
            folders: RwLock::default(),
            client_settings: RwLock::default(),
            roots: watch::Sender::default(),
            agents: AgentRuns::default(),
        }))
    }

    /// Serves the folder at an absolute path too. One that is served already is left as it is.
    ///
    /// # Errors
    /// NOT_FOUND where there is no such folder.
    pub fn add_root(&self, path: &str) -> Result<(), WorkspaceError> {
        if self.folders().iter().any(|folder| folder.root() == path) {
            return Ok(());
        }
        let options = SessionOptions {
            editor: self.0.editors.clone(),
            documents: self.0.documents.clone(),
            clock: self.0.clock.clone(),
            shared_log: self.0.shared_log,
            state: self.0.state.clone(),
        };
        let folder = ServedFolder::open(
            path,
            options,
            self.0.launcher.clone(),
            self.0.notifier.clone(),
            self.0.environment.clone(),
        )?;
        if let Some(client) = &*self.0.client_settings.read() {
            folder.toolbox().configure(Some(client));
        }
        let folder = Arc::new(folder);
        self.0.folders.write().push(folder.clone());
        // The command line is gone before anything changes.
        if !self.0.shared_log {
            broken_off::start_taking_in(&folder);
            outside::start_watching(&folder);
            held_elsewhere::start_notifier(&folder);
        }
        self.place_documents();
        self.0.roots.send_replace(self.roots());
        self.0.notifier.tools_changed();
        Ok(())
    }

    /// Serves a folder no longer; its log is closed.
    pub fn remove_root(&self, path: &str) {
        let mut folders = self.0.folders.write();
        for folder in folders.extract_if(.., |folder| folder.root() == path) {
            folder.close();
        }
        drop(folders);
        self.place_documents();
        self.0.roots.send_replace(self.roots());
        self.0.notifier.tools_changed();
    }

    /// An editor came: what only one can do is asked of it from now on.
    pub fn attach_editor(&self, editor: Arc<dyn Editor>) {
        for folder in self.folders() {
            let governance = folder.session().workspace().governance();
            governance
                .warnings()
                .iter()
                .for_each(|warning| editor.tell(EditorNotice::Trouble(warning.clone())));
        }
        self.0.editors.add_editor(editor);
        self.folders().iter().for_each(|folder| folder.session().files().known_files().wanted.notify_one());
    }

    /// Takes that editor away, after its documents were closed. With the last one go the settings that it sent.
    pub fn detach_editor(&self, editor: &Arc<dyn Editor>) {
        self.0.editors.remove_editor(editor);
        if self.0.editors.is_empty() {
            self.settings_changed(None);
        }
        self.0.editors.tell(EditorNotice::WorkingSet);
    }

    /// An agent's connection of that name works in a folder, until what it returns is dropped. Its calls run in `environment`, if
    /// it has one of its own.
    pub fn connect_agent(&self, root: &str, name: &str, environment: Option<&str>) -> Option<PresenceGuard> {
        let folder = self.folder_at(Some(root)).ok()?;
        let connected = folder.session().presence().add_connection(name, environment);
        folder.session().files().known_files().wanted.notify_one();
        Some(connected)
    }

    /// Returns a receiver of every change from now on.
    pub fn subscribe_changes(&self) -> broadcast::Receiver<HubChange> {
        self.0.editors.subscribe_changes()
    }

    /// The folders served, as they change.
    pub fn watch_roots(&self) -> watch::Receiver<Vec<String>> {
        self.0.roots.subscribe()
    }

    /// A count that goes up whenever other definition files are wrong than before.
    pub fn watch_problems(&self) -> watch::Receiver<u64> {
        self.0.notifier.problems.subscribe()
    }

    /// The editor to ask.
    pub fn editor(&self) -> Arc<dyn Editor> {
        self.0.editors.clone()
    }

    /// Lists the tools of those servers that are taken in and were never listed, and takes them in; waits for that a
    /// while. A person at an editor may be asked whether a project's servers may start.
    pub async fn settle_servers(&self) {
        let folders = self.folders();
        futures::future::join_all(folders.iter().map(|folder| folder.toolbox().settle_servers())).await;
    }

    /// The runs of the built-in agent.
    pub fn agent_runs(&self) -> &AgentRuns {
        &self.0.agents
    }

    /// Returns whether an editor is attached.
    pub fn has_editor(&self) -> bool {
        self.0.editors.attached()
    }

    /// The folders served.
    pub fn folders(&self) -> Vec<Arc<ServedFolder>> {
        self.0.folders.read().clone()
    }

    /// The absolute paths of the folders served.
    pub fn roots(&self) -> Vec<String> {
        self.folders().iter().map(|folder| folder.root().to_owned()).collect()
    }

    /// The folder with the longest root that `path` lies in, and the path inside it.
    pub fn locate_path(&self, path: &str) -> Option<(String, WorkspacePath)> {
        self.folder_of(path).map(|(folder, path)| (folder.root().to_owned(), path))
    }

    fn folder_of(&self, path: &str) -> Option<(Arc<ServedFolder>, WorkspacePath)> {
        let inside = |folder: &Arc<ServedFolder>| {
            Some((folder.clone(), WorkspacePath::parse(folder.root(), path).ok()?))
        };
        self.folders().iter().filter_map(inside).max_by_key(|(folder, _)| folder.root().len())
    }

    /// Returns the folder that holds an absolute path; the only one, or the first, where none is named.
    ///
    /// # Errors
    /// NOT_FOUND where none is open, or none that the path lies in.
    pub fn folder_at(&self, root: Option<&str>) -> Result<Arc<ServedFolder>, ServedFolderError> {
        match root {
            None => self.folders().first().cloned().ok_or(ServedFolderError::NoneOpen),
            Some(path) => self
                .folder_of(path)
                .map(|(folder, _)| folder)
                .ok_or_else(|| ServedFolderError::NotOpen { path: path.to_owned(), roots: self.roots() }),
        }
    }

    /// Returns the folders for an absolute path: the one that it lies in; all where none is named.
    ///
    /// # Errors
    /// NOT_FOUND where it lies in none.
    pub fn folders_for(&self, root: Option<&str>) -> Result<Vec<Arc<ServedFolder>>, ServedFolderError> {
        match root {
            Some(root) => Ok(vec![self.folder_at(Some(root))?]),
            None => Ok(self.folders()),
        }
    }

    /// Notifies the subscribers of a change.
    pub fn notify_change(&self, change: HubChange) {
        self.0.editors.notify_change(change);
    }

    /// The definition files that were refused, of every folder.
    pub fn definition_problems(&self) -> Vec<DefinitionProblem> {
        self.folders().iter().flat_map(|folder| folder.toolbox().problems()).collect()
    }

    /// Takes the settings that the editor holds: they count as the person's. Files are read again too.
    pub fn settings_changed(&self, client: Option<Value>) {
        for folder in self.folders() {
            folder.toolbox().configure(client.as_ref());
        }
        *self.0.client_settings.write() = client;
    }

    /// Ends every server and closes every log.
    pub fn close(&self) {
        self.0.agents.close();
        for folder in self.folders() {
            folder.close();
        }
    }
}
