//! The one owner of a workspace's state, and the scope of work in flight.

mod finder;
mod finding;
mod indexing;
mod nearness;
mod open;
mod scope;
mod seen;
mod taking;
mod texts;
mod working;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

pub use finder::Finder;
pub use finding::{Meant, Wanted, Where};
pub use nearness::Nearness;
pub use scope::{Cancel, Scope, Snapshot, is_unsaved, text_of, unencodable};

use crate::base::ids::Counter;
use serde_json::Value;

use crate::base::WorkspacePath;
use crate::base::uri::uri_of;
use crate::journal::{Journal, Mark, Posted};
use crate::memory::Memory;
use crate::ports::{Clock, Editor};
use crate::protocol::{Fault, LogEvent, Origin, Settings};
use crate::rules::Rules;
use crate::workspace::{Document, Documents, Files, Root, Store, config};

/// What one workspace folder holds while a process serves it.
#[derive(Debug)]
pub struct Session {
    files: Files,
    store: Arc<Store>,
    documents: Documents,
    memory: Memory,
    finder: Finder,
    nearness: Nearness,
    settings: RwLock<Arc<Settings>>,
    editor: Arc<dyn Editor>,
    clock: Arc<dyn Clock>,
    /// Opened at the first event: an editor that only looks at a folder leaves no trace in it.
    log: OnceLock<OpenLog>,
    opening: Mutex<()>,
    shared_log: bool,
    problems: Mutex<Vec<String>>,
    agents: Mutex<BTreeSet<String>>,
    /// The connections of agents, by name.
    connections: Mutex<BTreeSet<String>>,
    calls: AtomicU64,
    running: AtomicU32,
    /// Calls by how they ended, hunks by what became of them.
    totals: Mutex<BTreeMap<String, u64>>,
    seen: Mutex<seen::Seen>,
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
}

impl Session {
    /// Opens the workspace at `path`.
    ///
    /// # Errors
    /// NOT_FOUND where there is no such folder.
    pub fn open(path: &str, options: SessionOptions) -> Result<Self, Fault> {
        let root = Arc::new(Root::open(Path::new(path))?);
        let store = Arc::new(Store::new(root));
        // What a process that was killed left half-written. Where it cannot be swept now it is the next time.
        let _ = store.sweep();
        let loaded = config::load(&store, None);
        let (rules, rule_problems) = Rules::new(&loaded.settings.rules, &loaded.project.rules);
        let mut problems = loaded.problems;
        problems.extend(rule_problems);
        let memory = Memory::new(store.clone(), options.clock.clone(), loaded.settings.memory.half_life_min);
        Ok(Self {
            files: Files::new(store.clone(), Arc::new(rules)),
            store,
            documents: Documents::default(),
            memory,
            finder: Finder::default(),
            nearness: Nearness::new(loaded.settings.embeddings.clone(), loaded.no_model),
            settings: RwLock::new(Arc::new(loaded.settings)),
            editor: options.editor,
            clock: options.clock,
            log: OnceLock::new(),
            opening: Mutex::new(()),
            shared_log: options.shared_log,
            problems: Mutex::new(problems),
            agents: Mutex::default(),
            connections: Mutex::default(),
            calls: AtomicU64::new(0),
            running: AtomicU32::new(0),
            totals: Mutex::default(),
            seen: Mutex::default(),
        })
    }

    /// The workspace's absolute path.
    pub fn root(&self) -> &str {
        self.files.root().path()
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

    /// The files, behind the rules.
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// Our own folder.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// What the editor has open.
    pub fn documents(&self) -> &Documents {
        &self.documents
    }

    /// The document that shows a file, whatever symlinks lead to it.
    pub fn document(&self, path: &WorkspacePath) -> Option<Document> {
        let real = self.files.root().resolve(path).ok()?;
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
        self.settings.read().unwrap_or_else(PoisonError::into_inner).clone()
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
    pub fn next_call(&self) -> Result<String, Fault> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.open_log().map(|log| log.calls.next())
    }

    fn open_log(&self) -> Result<&OpenLog, Fault> {
        if let Some(log) = self.log.get() {
            return Ok(log);
        }
        let _opening = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
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
            self.agents.lock().unwrap_or_else(PoisonError::into_inner).insert(agent.clone());
        }
    }

    /// Who called so far.
    pub fn agents(&self) -> Vec<String> {
        self.agents.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// An agent's connection of that name is there, until what it returns is dropped.
    pub fn connect(self: &Arc<Self>, name: &str) -> Connected {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned());
        Connected { session: self.clone(), name: name.to_owned() }
    }

    /// Whether an agent's connection of that name is there.
    pub fn is_connected(&self, name: &str) -> bool {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner).contains(name)
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
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).add(hash, text);
    }

    /// The text of a hash that a caller was shown lately.
    pub fn seen(&self, hash: &str) -> Option<Arc<str>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).get(hash)
    }

    /// Counts towards the totals that the log ends with.
    pub fn count(&self, what: &str) {
        *self.totals.lock().unwrap_or_else(PoisonError::into_inner).entry(what.to_owned()).or_default() += 1;
    }

    /// Ends the log, where it was opened.
    pub fn close(&self) {
        if !self.shared_log {
            self.drop_hints_of_agents();
        }
        self.finder.end();
        self.nearness.end();
        if let Some(log) = self.log.get() {
            let totals = self.totals.lock().unwrap_or_else(PoisonError::into_inner).clone();
            // Nobody is left to tell of a fault here; the log's reader sees that its end is missing.
            let _ = log.journal.close(totals);
        }
    }

    /// Reads the settings files again, with what the editor holds on top of the person's.
    pub fn configure(&self, client: Option<&Value>) {
        let loaded = config::load(&self.store, client);
        *self.problems.lock().unwrap_or_else(PoisonError::into_inner) = loaded.problems;
        self.nearness.configure(loaded.settings.embeddings.as_ref(), loaded.no_model);
        self.memory.set_half_life(loaded.settings.memory.half_life_min);
        *self.settings.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(loaded.settings);
    }

    /// What is wrong with the settings, a sentence each.
    pub fn problems(&self) -> Vec<String> {
        self.problems.lock().unwrap_or_else(PoisonError::into_inner).clone()
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
        self.session.connections.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.name);
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
