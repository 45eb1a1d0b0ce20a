//! The session log of a folder: opened at the first event, with the ids of calls and the totals that it ends with.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use super::call_tally::CallTally;
use super::open_log;
use super::troubles::SessionTroubles;
use super::workspace::Workspace;
use crate::base::CallId;
use crate::base::OWN_DIR;
use crate::base::clock::Clock;
use crate::base::ids::IdCounter;
use crate::journal::{
    Journal, JournalError, LogItem, LogKeeper, LogReader, PostedEvent, ValueMode, WriteMark,
};
use crate::protocol::LogEvent;

/// The log of one session.
#[derive(Debug)]
pub struct SessionLog {
    pub(super) workspace: Arc<Workspace>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) troubles: Arc<SessionTroubles>,
    /// True where short-lived processes of one day share it.
    pub(super) shared: bool,
    /// Opened at the first event: an editor that only looks at a folder leaves no trace in it.
    log: OnceLock<OpenLog>,
    opening: Mutex<()>,
    /// The calls by their outcome, and the hunks by their state.
    totals: Mutex<BTreeMap<String, u64>>,
}

#[derive(Debug)]
pub(super) struct OpenLog {
    pub journal: Journal,
    pub calls: IdCounter,
}

impl SessionLog {
    /// A log that is not open yet.
    pub(super) fn new(
        workspace: Arc<Workspace>,
        clock: Arc<dyn Clock>,
        troubles: Arc<SessionTroubles>,
        shared: bool,
    ) -> Self {
        let (log, opening, totals) = (OnceLock::new(), Mutex::default(), Mutex::default());
        Self { workspace, clock, troubles, shared, log, opening, totals }
    }

    /// The session's id: the name of the log's folder. Empty before the first event.
    pub fn id(&self) -> &str {
        self.journal_if_open().map_or("", Journal::session)
    }

    /// Counts the calls in the log of a session of this folder, also of an earlier process. A log that cannot be read has none.
    pub fn tally_of(&self, session: &str) -> CallTally {
        let (root, state) = (self.workspace.root(), self.workspace.state().folder().base_folder());
        let dir = Path::new(root).join(OWN_DIR).join("sessions").join(session);
        let items = LogReader::open(&dir, &LogKeeper::open_existing(state, root))
            .and_then(|log| log.items(ValueMode::Sealed));
        let mut tally = CallTally::default();
        for item in items.into_iter().flatten() {
            if let Ok(LogItem::Entry(entry)) = item {
                tally.count_entry(&entry);
            }
        }
        tally
    }

    /// The session that was opened last, by an earlier process: their names begin with the time.
    pub fn last_session(&self) -> Option<String> {
        self.workspace.store().list_dir("sessions").ok()?.into_iter().max()
    }

    /// The absolute path of the log of a session.
    pub fn log_path(&self, session: &str) -> String {
        format!(
            "{}/.wherefore/sessions/{session}/session-log.md",
            self.workspace.root().trim_end_matches('/')
        )
    }

    /// The log, opened at the first use.
    ///
    /// # Errors
    /// The error that keeps it from being written; the next use tries again.
    pub fn journal(&self) -> Result<&Journal, JournalError> {
        self.open_once().map(|log| &log.journal)
    }

    /// The log where it is open.
    pub fn journal_if_open(&self) -> Option<&Journal> {
        self.log.get().map(|log| &log.journal)
    }

    /// The id of the next call.
    ///
    /// # Errors
    /// As [`SessionLog::journal`].
    pub fn next_call(&self) -> Result<CallId, JournalError> {
        self.open_once().map(|log| log.calls.next().into())
    }

    /// Writes an event.
    ///
    /// # Errors
    /// The error that keeps it from being written.
    pub fn write_event(&self, event: impl Into<LogEvent>) -> Result<WriteMark, JournalError> {
        self.journal()?.append(event.into())
    }

    /// Posts an event, to be written soon: see [`Journal::post`].
    ///
    /// # Errors
    /// The error that keeps the log from being opened.
    pub fn post_event(&self, event: impl Into<LogEvent>) -> Result<PostedEvent, JournalError> {
        Ok(self.journal()?.post(event))
    }

    /// Counts towards the totals that the log ends with.
    pub fn count_total(&self, what: &str) {
        *self.totals.lock().entry(what.to_owned()).or_default() += 1;
    }

    /// Ends the log, where it was opened.
    pub(super) fn close(&self) {
        if let Some(log) = self.log.get() {
            let totals = self.totals.lock().clone();
            // A fault here cannot be reported any more; the log's reader sees that its end is missing.
            let _ = log.journal.close(totals);
        }
    }

    fn open_once(&self) -> Result<&OpenLog, JournalError> {
        if let Some(log) = self.log.get() {
            return Ok(log);
        }
        let _opening = self.opening.lock();
        if let Some(log) = self.log.get() {
            return Ok(log);
        }
        let log = open_log::open_log(self)?;
        Ok(self.log.get_or_init(|| log))
    }
}
