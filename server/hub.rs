//! One process, several workspaces: the folders that are served, and the editors that are attached.

mod adopting;
mod agent_runs;
mod attached;
mod client_files;
mod definitions;
mod discovery;
mod documents;
mod editor_registry;
mod error;
mod folder;
mod native;
mod note_files;
mod operation;
mod outside;
mod sending;
mod sweeping;
mod telling;
mod told;
mod tool_similarity;
mod toolbox;
mod trail;
mod watch_files;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::RwLock;
use serde_json::Value;
use tokio::sync::{broadcast, watch};

use crate::base::WorkspacePath;
use crate::base::clock::{Clock, SystemClock};
pub use crate::catalogue::Problem;
use crate::ports::Editor;
use crate::protocol::{Notice, SlotStatus};
use crate::sandbox::Launcher;
use crate::session::{Connected, SessionOptions};
use crate::workspace::{Document, DocumentStore, WorkspaceError};
pub use crate::workspace::{EditorId, Edits, TextChange};
pub use agent_runs::{AgentRun, AgentRuns, NewRun};
pub use attached::{AttachedCommands, AttachedState};
pub use client_files::ClientFiles;
pub use discovery::Look;
pub use documents::DocumentEvent;
use editor_registry::EditorRegistry;
pub use editor_registry::HubChange;
use error::ServedFolderError;
pub use folder::Folder;
pub use native::{ShownChange, ShownOutcome};
pub use operation::{CALL, CALL_DESCRIPTION, CallToolParams, Operation, call_schema};
pub use told::{FROM_THE_PERSON, RESULT, fault_object, told, undotted};
pub use tool_similarity::ToolSimilarity;

/// How a hub is made.
#[derive(Clone, Debug)]
pub struct HubOptions {
    /// The editor at the other end, or [`crate::ports::NoEditor`].
    pub editor: Arc<dyn Editor>,
    /// Whether short-lived processes of one day share a session log: the command line's.
    pub shared_log: bool,
    /// The person's state folder: [`crate::base::person::state`], or another where nothing of theirs is to be touched.
    pub state: Option<PathBuf>,
    /// What builds the sandboxes that commands run in: this program, or another where it is a test.
    pub launcher: Launcher,
}

/// Where a session log is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogPlace {
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
    /// Whether short-lived processes of one day share a session log.
    shared_log: bool,
    state: Option<PathBuf>,
    launcher: Launcher,
    editors: Arc<EditorRegistry>,
    documents: Arc<DocumentStore>,
    clock: Arc<dyn Clock>,
    folders: RwLock<Vec<Arc<Folder>>>,
    client_settings: RwLock<Option<Value>>,
    roots: watch::Sender<Vec<String>>,
    slot: RwLock<Option<SlotStatus>>,
    news: Arc<toolbox::News>,
    agents: AgentRuns,
}

impl Hub {
    /// A hub with no workspace yet.
    pub fn new(options: HubOptions) -> Self {
        let editors = Arc::new(EditorRegistry::new(options.editor));
        Self(Arc::new(HubState {
            shared_log: options.shared_log,
            launcher: options.launcher,
            state: options.state,
            news: Arc::new(toolbox::News::new(editors.clone())),
            editors,
            documents: Arc::default(),
            clock: Arc::new(SystemClock),
            folders: RwLock::default(),
            client_settings: RwLock::default(),
            roots: watch::Sender::default(),
            slot: RwLock::default(),
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
        let folder = Folder::open(path, options, self.0.launcher.clone(), self.0.news.clone())?;
        if let Some(client) = &*self.0.client_settings.read() {
            folder.configure(Some(client));
        }
        let folder = Arc::new(folder);
        self.0.folders.write().push(folder.clone());
        // The command line is gone before anything changes.
        if !self.0.shared_log {
            outside::start(&folder);
        }
        self.place_documents();
        self.0.roots.send_replace(self.roots());
        self.0.news.tools_changed();
        self.0.news.stands_otherwise();
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
        self.0.news.tools_changed();
        self.0.news.stands_otherwise();
    }

    /// An editor came: what only one can do is asked of it from now on.
    pub fn attach(&self, editor: Arc<dyn Editor>) {
        for folder in self.folders() {
            let governance = folder.session().workspace().governance();
            governance.warnings().iter().for_each(|warning| editor.tell(Notice::Trouble(warning.clone())));
        }
        self.0.editors.enter(editor);
        self.0.news.stands_otherwise();
        self.folders().iter().for_each(|folder| folder.session().files().known().called.notify_one());
    }

    /// Takes that editor away, after its documents were closed. With the last one go the settings that it sent.
    pub fn detach(&self, editor: &Arc<dyn Editor>) {
        self.0.editors.leave(editor);
        if self.0.editors.is_empty() {
            self.settings_changed(None);
        }
        self.0.editors.tell(Notice::WorkingSet);
        self.0.news.stands_otherwise();
    }

    /// An agent's connection of that name works in a folder, until what it returns is dropped.
    pub fn connect(&self, root: &str, name: &str) -> Option<Connected> {
        let folder = self.folder(Some(root)).ok()?;
        let connected = folder.session().presence().connect(name);
        folder.session().files().known().called.notify_one();
        Some(connected)
    }

    /// The person selected something else in an editor.
    pub fn selected(&self) {
        self.0.editors.changed(HubChange::Selection);
    }

    /// Hears of every change from now on.
    pub fn listen(&self) -> broadcast::Receiver<HubChange> {
        self.0.editors.listen()
    }

    /// The folders served, as they change.
    pub fn watch_roots(&self) -> watch::Receiver<Vec<String>> {
        self.0.roots.subscribe()
    }

    /// A count that goes up whenever other definition files are wrong than before.
    pub fn watch_problems(&self) -> watch::Receiver<u64> {
        self.0.news.problems.subscribe()
    }

    /// A count that goes up where settings were read, and with editors and folders that come and go.
    pub fn watch_standing(&self) -> watch::Receiver<u64> {
        self.0.news.standing.subscribe()
    }

    /// Tells whoever watches that.
    pub(crate) fn stands_otherwise(&self) {
        self.0.news.stands_otherwise();
    }

    /// The editor to ask.
    pub fn editor(&self) -> Arc<dyn Editor> {
        self.0.editors.clone()
    }

    /// What editors have open, each document once.
    pub(crate) fn documents(&self) -> Vec<Document> {
        let mut seen = BTreeSet::new();
        let all = self.0.documents.all().into_iter().map(|(_, document)| document);
        all.filter(|document| seen.insert(document.uri.clone())).collect()
    }

    /// Lists the tools of those servers that are taken in and were never listed, and takes them in; waits for that a
    /// while. A person at an editor may be asked whether a project's servers may start.
    pub async fn settle(&self) {
        let folders = self.folders();
        futures::future::join_all(folders.iter().map(|folder| folder.toolbox().settle())).await;
    }

    /// The runs of the built-in agent.
    pub fn agents(&self) -> &AgentRuns {
        &self.0.agents
    }

    /// Whether an editor is attached.
    pub fn attached(&self) -> bool {
        self.0.editors.attached()
    }

    /// How the slot of an agent that looks for its editor stands; none where none is wanted.
    pub fn slot(&self) -> Option<SlotStatus> {
        self.0.slot.read().clone()
    }

    /// Notes how that slot stands.
    pub fn note_slot(&self, slot: Option<SlotStatus>) {
        *self.0.slot.write() = slot;
    }

    /// The folders served.
    pub fn folders(&self) -> Vec<Arc<Folder>> {
        self.0.folders.read().clone()
    }

    /// The absolute paths of the folders served.
    pub fn roots(&self) -> Vec<String> {
        self.folders().iter().map(|folder| folder.root().to_owned()).collect()
    }

    /// The folder with the longest root that `path` lies in, and the path inside it.
    pub fn locate(&self, path: &str) -> Option<(String, WorkspacePath)> {
        self.folder_of(path).map(|(folder, path)| (folder.root().to_owned(), path))
    }

    fn folder_of(&self, path: &str) -> Option<(Arc<Folder>, WorkspacePath)> {
        let inside =
            |folder: &Arc<Folder>| Some((folder.clone(), WorkspacePath::parse(folder.root(), path).ok()?));
        self.folders().iter().filter_map(inside).max_by_key(|(folder, _)| folder.root().len())
    }

    /// The folder meant by an absolute path; the only one, or the first, where none is named.
    ///
    /// # Errors
    /// NOT_FOUND where none is open, or none that the path lies in.
    pub fn folder(&self, root: Option<&str>) -> Result<Arc<Folder>, ServedFolderError> {
        match root {
            None => self.folders().first().cloned().ok_or(ServedFolderError::NoneOpen),
            Some(path) => self
                .folder_of(path)
                .map(|(folder, _)| folder)
                .ok_or_else(|| ServedFolderError::NotOpen { path: path.to_owned(), roots: self.roots() }),
        }
    }

    /// The folders meant by an absolute path: the one that it lies in; all where none is named.
    ///
    /// # Errors
    /// NOT_FOUND where it lies in none.
    pub fn meant(&self, root: Option<&str>) -> Result<Vec<Arc<Folder>>, ServedFolderError> {
        match root {
            Some(root) => Ok(vec![self.folder(Some(root))?]),
            None => Ok(self.folders()),
        }
    }

    /// Tells those who listen that something changed.
    pub fn changed(&self, change: HubChange) {
        self.0.editors.changed(change);
    }

    /// The definition files that were refused, of every folder.
    pub fn problems(&self) -> Vec<Problem> {
        self.folders().iter().flat_map(|folder| folder.definition_problems()).collect()
    }

    /// Takes the settings that the editor holds: they count as the person's. Files are read again too.
    pub fn settings_changed(&self, client: Option<Value>) {
        for folder in self.folders() {
            folder.configure(client.as_ref());
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
