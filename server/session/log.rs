//! The session log of a folder: opened at the first event, with the ids of calls and the totals that it ends with.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use super::open;
use super::troubles::SessionTroubles;
use super::workspace::Workspace;
use crate::base::CallId;
use crate::base::clock::Clock;
use crate::base::ids::Counter;
use crate::journal::{Journal, JournalError, Mark, Posted};
use crate::protocol::LogEvent;

/// The log of one session.
#[derive(Debug)]
pub struct SessionLog {
    pub(super) workspace: Arc<Workspace>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) troubles: Arc<SessionTroubles>,
    /// Whether short-lived processes of one day share it.
    pub(super) shared: bool,
    /// Opened at the first event: an editor that only looks at a folder leaves no trace in it.
    log: OnceLock<OpenLog>,
    opening: Mutex<()>,
    /// Calls by how they ended, hunks by what became of them.
    totals: Mutex<BTreeMap<String, u64>>,
}

#[derive(Debug)]
pub(super) struct OpenLog {
    pub journal: Journal,
    pub calls: Counter,
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
        self.opened().map_or("", Journal::session)
    }

    /// The log, opened at the first use.
    ///
    /// # Errors
    /// What keeps it from being written; the next use tries again.
    pub fn journal(&self) -> Result<&Journal, JournalError> {
        self.open().map(|log| &log.journal)
    }

    /// The log where it is open.
    pub fn opened(&self) -> Option<&Journal> {
        self.log.get().map(|log| &log.journal)
    }

    /// The id of the next call.
    ///
    /// # Errors
    /// As [`SessionLog::journal`].
    pub fn next_call(&self) -> Result<CallId, JournalError> {
        self.open().map(|log| log.calls.next().into())
    }

    /// Writes an event.
    ///
    /// # Errors
    /// What keeps it from being written.
    pub fn write(&self, event: impl Into<LogEvent>) -> Result<Mark, JournalError> {
        self.journal()?.append(event.into())
    }

    /// Has an event written soon: see [`Journal::post`].
    ///
    /// # Errors
    /// What keeps the log from being opened.
    pub fn post(&self, event: impl Into<LogEvent>) -> Result<Posted, JournalError> {
        Ok(self.journal()?.post(event))
    }

    /// Counts towards the totals that the log ends with.
    pub fn count(&self, what: &str) {
        *self.totals.lock().entry(what.to_owned()).or_default() += 1;
    }

    /// Ends the log, where it was opened.
    pub(super) fn close(&self) {
        if let Some(log) = self.log.get() {
            let totals = self.totals.lock().clone();
            // Nobody is left to tell of a fault here; the log's reader sees that its end is missing.
            let _ = log.journal.close(totals);
        }
    }

    fn open(&self) -> Result<&OpenLog, JournalError> {
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
}
