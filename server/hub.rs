//! One process, several workspaces: what every door asks of.

mod consent;
mod custom;
mod discovery;
mod documents;
mod folder;
mod nearness;
mod note_files;
mod requests;
mod search;
mod stage;
mod sweeping;
mod telling;
mod trail;
mod watch_files;

use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use serde_json::Value;
use tokio::sync::{broadcast, watch};

use crate::base::WorkspacePath;
pub use crate::catalogue::Problem;
use crate::memory::collect::Occasion;
use crate::pipeline::fault_envelope;
use crate::ports::{Caller, Clock, Editor, SystemClock};
use crate::protocol::{
    Act, CancelAnswer, CancelParams, Code, CollectAnswer, CollectParams, ComposeAnswer, ComposeParams,
    DecideAnswer, DecideParams, Envelope, Fault, HintOutcome, HintParams, Notice, Proposal, ProposalsAnswer,
    ProposalsParams, RawCall, Settings, StatusAnswer, ToolSummary, UndoAnswer, UndoParams, WorkingSetAnswer,
};
use crate::registry::{Activities, Format, Tool, compose, render};
use crate::session::{Connected, SessionOptions};
pub use documents::DocumentEvent;
pub use folder::Folder;
pub use nearness::Nearness;
pub use stage::Change;
use stage::Stage;

/// How a hub is made.
#[derive(Clone, Debug)]
pub struct HubOptions {
    /// The editor at the other end, or [`crate::ports::NoEditor`].
    pub editor: Arc<dyn Editor>,
    /// Whether short-lived processes of one day share a session log: the command line's.
    pub shared_log: bool,
    /// The person's state folder: [`crate::base::person::state`], or another where nothing of theirs is to be touched.
    pub state: Option<PathBuf>,
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
pub struct Hub(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// Whether short-lived processes of one day share a session log.
    shared_log: bool,
    state: Option<PathBuf>,
    stage: Arc<Stage>,
    clock: Arc<dyn Clock>,
    folders: RwLock<Vec<Arc<Folder>>>,
    client_settings: RwLock<Option<Value>>,
    roots: watch::Sender<Vec<String>>,
    news: Arc<custom::News>,
}

impl Hub {
    /// A hub with no workspace yet.
    pub fn new(options: HubOptions) -> Self {
        let stage = Arc::new(Stage::new(options.editor));
        Self(Arc::new(Inner {
            shared_log: options.shared_log,
            state: options.state,
            news: Arc::new(custom::News::new(stage.clone())),
            stage,
            clock: Arc::new(SystemClock),
            folders: RwLock::default(),
            client_settings: RwLock::default(),
            roots: watch::Sender::default(),
        }))
    }

    /// Serves the folder at an absolute path too. One that is served already is left as it is.
    ///
    /// # Errors
    /// NOT_FOUND where there is no such folder.
    pub fn add_root(&self, path: &str) -> Result<(), Fault> {
        if self.folders().iter().any(|folder| folder.session().root() == path) {
            return Ok(());
        }
        let options = SessionOptions {
            editor: self.0.stage.clone(),
            clock: self.0.clock.clone(),
            shared_log: self.0.shared_log,
            state: self.0.state.clone(),
        };
        let folder = Folder::open(path, options, self.0.news.clone())?;
        if let Some(client) = &*self.0.client_settings.read().unwrap_or_else(PoisonError::into_inner) {
            folder.configure(Some(client));
        }
        self.0.folders.write().unwrap_or_else(PoisonError::into_inner).push(Arc::new(folder));
        self.0.roots.send_replace(self.roots());
        self.0.news.tools_changed();
        Ok(())
    }

    /// Serves a folder no longer; its log is closed.
    pub fn remove_root(&self, path: &str) {
        let mut folders = self.0.folders.write().unwrap_or_else(PoisonError::into_inner);
        for folder in folders.extract_if(.., |folder| folder.session().root() == path) {
            folder.close();
        }
        drop(folders);
        self.0.roots.send_replace(self.roots());
        self.0.news.tools_changed();
    }

    /// An editor came: what only one can do is asked of it from now on.
    pub fn attach(&self, editor: Arc<dyn Editor>) {
        for folder in self.folders() {
            let governance = folder.session().governance();
            governance.warnings().iter().for_each(|warning| editor.tell(Notice::Trouble(warning.clone())));
        }
        self.0.stage.enter(editor);
    }

    /// Takes that editor away, after its documents were closed. With the last one go the settings that it sent.
    pub fn detach(&self, editor: &Arc<dyn Editor>) {
        self.0.stage.leave(editor);
        if self.0.stage.is_empty() {
            self.settings_changed(None);
        }
        self.0.stage.tell(Notice::WorkingSet);
    }

    /// An agent's connection of that name works in a folder, until what it returns is dropped.
    pub fn connect(&self, root: &str, name: &str) -> Option<Connected> {
        self.meant(Some(root)).ok().map(|folder| folder.session().connect(name))
    }

    /// Hears of every change from now on.
    pub fn listen(&self) -> broadcast::Receiver<Change> {
        self.0.stage.listen()
    }

    /// The folders served, as they change.
    pub fn watch_roots(&self) -> watch::Receiver<Vec<String>> {
        self.0.roots.subscribe()
    }

    /// A count that goes up whenever other definition files are wrong than before.
    pub fn watch_problems(&self) -> watch::Receiver<u64> {
        self.0.news.problems.subscribe()
    }

    /// Lists the tools of those servers that are taken in and were never listed, and takes them in; waits for that a
    /// while. A person at an editor may be asked whether a project's servers may start.
    pub async fn settle(&self) {
        let folders = self.folders();
        futures::future::join_all(folders.iter().map(|folder| folder.custom().settle())).await;
    }

    fn folders(&self) -> Vec<Arc<Folder>> {
        self.0.folders.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The absolute paths of the folders served.
    pub fn roots(&self) -> Vec<String> {
        self.folders().iter().map(|folder| folder.session().root().to_owned()).collect()
    }

    /// The folder with the longest root that `path` lies in, and the path inside it.
    pub fn locate(&self, path: &str) -> Option<(String, WorkspacePath)> {
        self.folder_of(path).map(|(folder, path)| (folder.session().root().to_owned(), path))
    }

    fn folder_of(&self, path: &str) -> Option<(Arc<Folder>, WorkspacePath)> {
        let inside = |folder: &Arc<Folder>| {
            Some((folder.clone(), WorkspacePath::parse(folder.session().root(), path).ok()?))
        };
        self.folders().iter().filter_map(inside).max_by_key(|(folder, _)| folder.session().root().len())
    }

    /// The folder meant by an absolute path; the only one, or the first, where none is named.
    fn meant(&self, root: Option<&str>) -> Result<Arc<Folder>, Fault> {
        let none = || {
            Fault::new(Code::NotFound, "no workspace folder is open")
                .suggest("open a folder, or name one with --root")
        };
        match root {
            None => self.folders().first().cloned().ok_or_else(none),
            Some(path) => self.folder_of(path).map(|(folder, _)| folder).ok_or_else(|| {
                Fault::new(Code::NotFound, format!("{path:?} lies in no open workspace folder"))
                    .hint(self.roots())
                    .suggest("name one of the open folders, or leave it out")
            }),
        }
    }

    /// Takes a call through the pipeline of the folder that it means: the one named, or the one that an absolute
    /// path among its arguments lies in, or the first. Dropping the future cancels it.
    pub async fn call(&self, raw: RawCall, caller: Option<Arc<dyn Caller>>) -> Envelope {
        let named = raw.root.clone().or_else(|| requests::absolute_path(&raw.arguments));
        let folder = match self.meant(named.as_deref()) {
            Err(_) if raw.root.is_none() => self.meant(None),
            found => found,
        };
        match folder {
            Ok(folder) => folder.pipeline().call(raw, caller).await,
            Err(fault) => fault_envelope(String::new(), fault),
        }
    }

    /// Carries out a person's decision, in every folder where none is named.
    ///
    /// # Errors
    /// NOT_FOUND where no hunk is meant by it.
    pub async fn decide(&self, params: DecideParams) -> Result<DecideAnswer, Fault> {
        let folders = match &params.root {
            Some(root) => vec![self.meant(Some(root))?],
            None => self.folders(),
        };
        let mut answer = DecideAnswer { proposals: Vec::new(), problems: Vec::new() };
        let mut last = None;
        for folder in folders {
            folder.session().hear().await?;
            match folder.desk().decide(&params, "person").await {
                Ok(more) => {
                    answer.proposals.extend(more.proposals);
                    answer.problems.extend(more.faults.into_iter().map(|fault| fault.message));
                }
                Err(fault) => last = Some(fault),
            }
        }
        match (answer.proposals.is_empty(), last) {
            (true, Some(fault)) => Err(fault),
            _ => Ok(answer),
        }
    }

    /// Tells a call that runs to stop.
    ///
    /// # Errors
    /// NOT_FOUND where none of that id runs.
    pub fn cancel(&self, params: &CancelParams) -> Result<CancelAnswer, Fault> {
        let folders = match &params.root {
            Some(root) => vec![self.meant(Some(root))?],
            None => self.folders(),
        };
        match folders.iter().any(|folder| folder.pipeline().cancel(&params.call_id)) {
            true => Ok(CancelAnswer { call_id: params.call_id.clone() }),
            false => {
                Err(Fault::new(Code::NotFound, format!("no call {:?} runs: it has ended", params.call_id)))
            }
        }
    }

    /// Decides every pending hunk of one proposal.
    ///
    /// # Errors
    /// As [`Hub::decide`].
    pub async fn decide_all(&self, proposal: &str, act: Act) -> Result<DecideAnswer, Fault> {
        let proposal = Some(proposal.to_owned());
        self.decide(DecideParams { proposal, ..DecideParams::all(act) }).await
    }

    /// Brings a proposal in line with what an editor made of it on its own (a preview that the person confirmed).
    pub fn read_back(&self) {
        for folder in self.folders() {
            folder.desk().refresh(false);
        }
    }

    /// The proposals asked for, oldest first.
    pub fn proposals(&self, params: &ProposalsParams) -> ProposalsAnswer {
        let folders = match &params.root {
            Some(root) => self.meant(Some(root)).into_iter().collect(),
            None => self.folders(),
        };
        let proposals = folders.iter().flat_map(|folder| folder.desk().list(params)).collect();
        ProposalsAnswer { proposals }
    }

    /// The same for an agent: none with a file that the rules close to it.
    pub fn proposals_unasked(&self, root: &str, all: bool) -> Vec<Proposal> {
        let params = ProposalsParams { root: Some(root.to_owned()), all, ..ProposalsParams::default() };
        self.meant(Some(root)).map(|folder| folder.proposals_unasked(&params)).unwrap_or_default()
    }

    /// Takes back what a call changed.
    ///
    /// # Errors
    /// NOT_FOUND where nothing of that call is kept, STALE where later edits overlap.
    pub async fn undo(&self, params: UndoParams) -> Result<UndoAnswer, Fault> {
        let folder = self.meant(params.root.as_deref())?;
        folder.session().hear().await?;
        folder.desk().undo(params.call.as_deref()).await
    }

    /// How things stand.
    pub fn status(&self) -> StatusAnswer {
        StatusAnswer {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            pid: std::process::id(),
            editor: self.0.stage.attached(),
            workspaces: self.folders().iter().map(|folder| folder.status()).collect(),
        }
    }

    /// The tools of a folder.
    pub fn tools(&self, root: Option<&str>) -> Vec<ToolSummary> {
        self.meant(root).map(|folder| folder.tools()).unwrap_or_default()
    }

    /// One tool in full, in a form that a model's API takes.
    ///
    /// # Errors
    /// TOOL_NOT_FOUND, with the nearest names.
    pub fn tool(&self, name: &str, format: Format) -> Result<Value, Fault> {
        let folder = self.meant(None)?;
        let registry = folder.registry();
        let tool = registry.find(name).ok_or_else(|| registry.not_found(name))?;
        Ok(render(tool.def(), format, &registry.activity_of(&tool)))
    }

    /// Every tool of a folder, each with whether no code runs it.
    pub fn definitions(&self, root: Option<&str>) -> Vec<(Arc<Tool>, bool)> {
        let Ok(folder) = self.meant(root) else { return Vec::new() };
        let registry = folder.registry();
        registry.tools().iter().map(|tool| (tool.clone(), registry.activity_of(tool).is_empty())).collect()
    }

    /// The activities behind a folder's tools, to put others in their place.
    ///
    /// # Errors
    /// NOT_FOUND where there is no such folder.
    pub fn activities(&self, root: Option<&str>) -> Result<Arc<Activities>, Fault> {
        self.meant(root).map(|folder| folder.registry().activities().clone())
    }

    /// Tells those who listen that something changed.
    pub fn changed(&self, change: Change) {
        self.0.stage.changed(change);
    }

    /// Several tools in a form that a model fills or a model's API takes.
    ///
    /// # Errors
    /// TOOL_NOT_FOUND, with the nearest names.
    pub fn compose(&self, params: &ComposeParams) -> Result<ComposeAnswer, Fault> {
        let folder = self.meant(params.root.as_deref())?;
        let registry = folder.registry();
        let mut tools = Vec::new();
        for name in &params.tools {
            let tool = registry.find(name).ok_or_else(|| registry.not_found(name))?;
            if !tools.iter().any(|known| Arc::ptr_eq(known, &tool)) {
                tools.push(tool);
            }
        }
        if params.tools.is_empty() {
            tools = registry.tools();
        }
        let tools: Vec<_> = tools.iter().map(|tool| (tool.def(), registry.activity_of(tool))).collect();
        Ok(ComposeAnswer { composed: compose(&tools, params.form) })
    }

    /// The definition files that were refused, of every folder.
    pub fn problems(&self) -> Vec<Problem> {
        self.folders().iter().flat_map(|folder| folder.definition_problems()).collect()
    }

    /// The settings of a folder, or of the first.
    pub fn settings(&self, root: Option<&str>) -> Arc<Settings> {
        self.meant(root).map(|folder| folder.session().settings()).unwrap_or_default()
    }

    /// Takes the settings that the editor holds: they count as the person's. Files are read again too.
    pub fn settings_changed(&self, client: Option<Value>) {
        for folder in self.folders() {
            folder.configure(client.as_ref());
        }
        *self.0.client_settings.write().unwrap_or_else(PoisonError::into_inner) = client;
    }

    /// The session log of a folder, or that of a session by its id.
    ///
    /// # Errors
    /// NOT_FOUND where there is none.
    pub fn log(&self, session: Option<&str>, root: Option<&str>) -> Result<LogPlace, Fault> {
        match session {
            None => self.meant(root)?.log(None),
            Some(session) => {
                let found = self.folders().iter().find_map(|folder| folder.log(Some(session)).ok());
                found.ok_or_else(|| Fault::new(Code::NotFound, format!("there is no session {session:?}")))
            }
        }
    }

    /// The files that matter now, the hottest first.
    pub fn working_set(&self, root: Option<&str>) -> WorkingSetAnswer {
        self.meant(root).map(|folder| folder.working_set()).unwrap_or_default()
    }

    /// Carries out a person's word on a file of the working set.
    ///
    /// # Errors
    /// NOT_FOUND with the nearest names, PERMISSION_DENIED by a rule, INVALID_ARGS for what is no file.
    pub fn hint(&self, params: &HintParams) -> Result<HintOutcome, Fault> {
        self.meant(params.root.as_deref())?.session().hint(params)
    }

    /// Cleans a folder's working set up, at a person's word.
    ///
    /// # Errors
    /// What keeps the log from being written.
    pub fn collect(&self, params: &CollectParams) -> Result<CollectAnswer, Fault> {
        let folder = self.meant(params.root.as_deref())?;
        folder.desk().refresh(false);
        folder.session().collect(Occasion::Request, "person", "Clean the working set up")
    }

    /// Ends every server and closes every log.
    pub fn close(&self) {
        for folder in self.folders() {
            folder.close();
        }
    }
}
