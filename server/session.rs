//! The one owner of a workspace's state, and the scope of work in flight.

mod finder;
mod finding;
mod governing;
mod indexing;
mod nearness;
mod open;
mod scope;
mod seen;
mod shown;
mod taking;
mod texts;
mod troubles;
mod working;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::{Mutex, RwLock};

pub use finder::Finder;
pub use finding::{Meant, Wanted, Where};
pub use nearness::Nearness;
pub use scope::{Scope, Snapshot, is_unsaved, text_of, text_seen, unencodable};
pub use shown::Shown;

use crate::base::ids::Counter;
use serde_json::Value;

use crate::base::uri::uri_of;
use crate::base::{CallId, WorkspacePath};
use crate::journal::{Journal, Mark, Posted};
use crate::memory::Memory;
use crate::ports::{Clock, Editor};
use crate::protocol::{Fault, LogEvent, Notice, Origin, Settings};
use crate::rules::Opener;
use crate::workspace::{Document, Documents, Files, Governance, Root, State, Store};

/// What one workspace folder holds while a process serves it.
#[derive(Debug)]
pub struct Session {
    store: Arc<Store>,
    governance: RwLock<Arc<Governance>>,
    /// What the editor holds of the settings. Held while settings are read.
    client: Mutex<Option<Value>>,
    documents: Documents,
    memory: Memory,
    finder: Finder,
    nearness: Nearness,
    editor: Arc<dyn Editor>,
    clock: Arc<dyn Clock>,
    /// Opened at the first event: an editor that only looks at a folder leaves no trace in it.
    log: OnceLock<OpenLog>,
    opening: Mutex<()>,
    shared_log: bool,
    agents: Mutex<BTreeSet<String>>,
    /// The connections of agents, by name.
    connections: Mutex<BTreeSet<String>>,
    calls: AtomicU64,
    running: AtomicU32,
    /// Calls by how they ended, hunks by what became of them.
    totals: Mutex<BTreeMap<String, u64>>,
    seen: Mutex<seen::Seen>,
    troubles: troubles::Troubles,
    /// Which opening of the root the settings were read from.
    root_seen: AtomicU64,
    shown: Shown,
}

#[derive(Debug)]
struct OpenLog {
    journal: Journal,
    calls: Counter,
}

/// How a session is opened.
#[derive(Clone, Debug)]
pub struct SessionOptions {
    /// The editor at the other end.
    pub editor: Arc<dyn Editor>,
    /// The time of day.
    pub clock: Arc<dyn Clock>,
    /// Whether short-lived processes of one day share a log: the command line's.
    pub shared_log: bool,
    /// The person's state folder: [`crate::base::person::state`].
    pub state: Option<PathBuf>,
}

impl Session {
    /// Opens the workspace at `path`.
    ///
    /// # Errors
    /// NOT_FOUND where there is no such folder.
    pub fn open(path: &str, options: SessionOptions) -> Result<Self, Fault> {
        let root = Arc::new(Root::open(Path::new(path))?);
        let state = Arc::new(State::new(root, options.state));
        // What a process that was killed left half-written. Where it cannot be swept now it is the next time.
        let _ = state.sweep();
        let store = Arc::new(Store::new(state));
        let governance = Governance::load(&store, None, None);
        let settings = governance.settings();
        let memory = Memory::new(store.clone(), options.clock.clone(), settings.memory.half_life_min);
        let nearness = Nearness::new(settings.embeddings.clone(), governance.no_model().cloned());
        governance
            .warnings()
            .iter()
            .for_each(|warning| options.editor.tell(Notice::Trouble(warning.clone())));
        Ok(Self {
            store,
            governance: RwLock::new(Arc::new(governance)),
            client: Mutex::default(),
            documents: Documents::default(),
            memory,
            finder: Finder::default(),
            nearness,
            editor: options.editor,
            clock: options.clock,
            log: OnceLock::new(),
            opening: Mutex::new(()),
            shared_log: options.shared_log,
            agents: Mutex::default(),
            connections: Mutex::default(),
            calls: AtomicU64::new(0),
            running: AtomicU32::new(0),
            totals: Mutex::default(),
            seen: Mutex::default(),
            troubles: troubles::Troubles::default(),
            root_seen: AtomicU64::new(0),
            shown: Shown::new(options.shared_log),
        })
    }

    /// The workspace's absolute path.
    pub fn root(&self) -> &str {
        self.store.root().path()
    }

    /// The `file:` URI of a path in it.
    pub fn uri(&self, path: &WorkspacePath) -> String {
        let root = self.root();
        match path.is_root() {
            true => uri_of(root),
            false => uri_of(&format!("{}/{path}", root.trim_end_matches('/'))),
        }
    }

    /// Its id: the name of its log's folder. Empty before the first event.
    pub fn id(&self) -> &str {
        self.opened_journal().map_or("", Journal::session)
    }

    /// The files, behind the rules as they hold now: for nobody whom the person said yes to. A call's own are
    /// [`Scope::files`].
    pub fn files(&self) -> Files {
        self.files_for(Opener::Unasked)
    }

    /// The files, behind the rules as they hold now, for whoever opens them.
    pub fn files_for(&self, opener: Opener) -> Files {
        Files::new(self.store.state().clone(), self.governance().rules().clone(), opener)
    }

    /// Our own folder in the workspace: documents.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// What this machine keeps of the workspace, outside of it.
    pub fn state(&self) -> &State {
        self.store.state()
    }

    /// What the editor has open.
    pub fn documents(&self) -> &Documents {
        &self.documents
    }

    /// The document that shows a file, whatever symlinks lead to it.
    pub fn document(&self, path: &WorkspacePath) -> Option<Document> {
        let real = self.store.root().resolve(path).ok()?;
        self.documents.snapshot(&real)
    }

    /// What searches know of the files.
    pub fn finder(&self) -> &Finder {
        &self.finder
    }

    /// The model that files are found with too, where the person set one.
    pub fn nearness(&self) -> &Nearness {
        &self.nearness
    }

    /// Keeps what searches need current from now on: for a process that stays.
    pub fn serve(self: &Arc<Self>) {
        self.finder.serve(self);
        self.nearness.serve();
    }

    /// The editor, or none.
    pub fn editor(&self) -> &dyn Editor {
        &*self.editor
    }

    /// The settings as they hold now.
    pub fn settings(&self) -> Arc<Settings> {
        self.governance().settings().clone()
    }

    /// Now, RFC 3339, to the millisecond.
    pub fn now(&self) -> String {
        format!("{:.3}", self.clock.now())
    }

    /// The session log, opened at the first use.
    ///
    /// # Errors
    /// What keeps it from being written; the next use tries again.
    pub fn journal(&self) -> Result<&Journal, Fault> {
        self.open_log().map(|log| &log.journal)
    }

    /// The session log where it is open.
    pub fn opened_journal(&self) -> Option<&Journal> {
        self.log.get().map(|log| &log.journal)
    }

    /// The id of the next call.
    ///
    /// # Errors
    /// As [`Session::journal`].
    pub fn next_call(&self) -> Result<CallId, Fault> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.follow_root()?;
        self.open_log().map(|log| log.calls.next().into())
    }

    /// Opens the root anew where another folder stands at its path: a checkout made again, or one that was put back.
    /// Its settings count from then on.
    ///
    /// # Errors
    /// NOT_FOUND where the folder was removed.
    pub fn follow_root(&self) -> Result<(), Fault> {
        let opened = self.store.root().renew()?;
        if self.root_seen.swap(opened, Ordering::Relaxed) != opened {
            let client = self.client.lock().clone();
            self.configure(client.as_ref());
            self.report_trouble(format!(
                "another folder stands at {} now; it is worked in from here on",
                self.root()
            ));
        }
        Ok(())
    }

    fn open_log(&self) -> Result<&OpenLog, Fault> {
        if let Some(log) = self.log.get() {
            return Ok(log);
        }
        let _opening = self.opening.lock();
        if let Some(log) = self.log.get() {
            return Ok(log);
        }
        let log = open::open_log(self)?;
        Ok(self.log.get_or_init(|| log))
    }

    /// Writes an event to the log.
    ///
    /// # Errors
    /// What keeps it from being written.
    pub fn write(&self, event: impl Into<LogEvent>) -> Result<Mark, Fault> {
        self.journal()?.append(event.into())
    }

    /// Has an event written to the log soon: see [`Journal::post`].
    ///
    /// # Errors
    /// What keeps the log from being opened.
    pub fn post(&self, event: impl Into<LogEvent>) -> Result<Posted, Fault> {
        Ok(self.journal()?.post(event))
    }

    /// Remembers who called.
    pub fn saw(&self, origin: &Origin) {
        if let Some(agent) = &origin.agent {
            self.agents.lock().insert(agent.clone());
        }
    }

    /// Who called so far.
    pub fn agents(&self) -> Vec<String> {
        self.agents.lock().iter().cloned().collect()
    }

    /// An agent's connection of that name is there, until what it returns is dropped.
    pub fn connect(self: &Arc<Self>, name: &str) -> Connected {
        self.connections.lock().insert(name.to_owned());
        Connected { session: self.clone(), name: name.to_owned() }
    }

    /// Whether an agent's connection of that name is there.
    pub fn is_connected(&self, name: &str) -> bool {
        self.connections.lock().contains(name)
    }

    /// How many calls were made, and how many run now.
    pub fn counts(&self) -> (u64, u32) {
        (self.calls.load(Ordering::Relaxed), self.running.load(Ordering::Relaxed))
    }

    /// Counts a call as running until what it returns is dropped.
    pub fn running(self: &Arc<Self>) -> Running {
        self.running.fetch_add(1, Ordering::Relaxed);
        Running(self.clone())
    }

    /// Remembers a text that a caller was shown.
    pub fn show(&self, hash: &str, text: &str) {
        self.seen.lock().add(hash, text);
    }

    /// The text of a hash that a caller was shown lately.
    pub fn seen(&self, hash: &str) -> Option<Arc<str>> {
        self.seen.lock().get(hash)
    }

    /// Which state of each file an agent was shown.
    pub fn shown(&self) -> &Shown {
        &self.shown
    }

    /// Counts towards the totals that the log ends with.
    pub fn count(&self, what: &str) {
        *self.totals.lock().entry(what.to_owned()).or_default() += 1;
    }

    /// Ends the log, where it was opened.
    pub fn close(&self) {
        if !self.shared_log {
            self.drop_hints_of_agents();
        }
        self.finder.end();
        self.nearness.end();
        if let Some(log) = self.log.get() {
            let totals = self.totals.lock().clone();
            // Nobody is left to tell of a fault here; the log's reader sees that its end is missing.
            let _ = log.journal.close(totals);
        }
    }
}

/// An agent's connection.
#[derive(Debug)]
pub struct Connected {
    session: Arc<Session>,
    name: String,
}

impl Drop for Connected {
    fn drop(&mut self) {
        self.session.connections.lock().remove(&self.name);
    }
}

/// A call that runs.
#[derive(Debug)]
pub struct Running(Arc<Session>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::Relaxed);
    }
}
