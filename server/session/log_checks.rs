//! The checks of this folder's session logs for alterations. The logs are in the workspace, where an agent's own tools may write;
//! statements about a line come from records outside of it, and never from a log.
//!
//! # Invariants
//!
//! - No content of a session log is used for a statement about a line, and no altered log goes unnamed.
//!   Test: `an_altered_log_is_named_and_nothing_that_stands_in_it_is_said`

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::{Mutex as Turn, OwnedMutexGuard, oneshot};
use tokio::time::timeout;

use super::log::SessionLog;
use crate::base::OWN_DIR;
use crate::journal::{Journal, JournalError, LogKeeper, LogReader, LogStamp, LogVerdict, verify_log};

/// The time that somebody who asks waits for logs to be read that are not known yet.
const WAIT: Duration = Duration::from_secs(2);
/// The time that what is known of this process's own log holds while its own events make it grow: so many times as long
/// as it took to read, and no longer than this.
const HOLDS: (u32, Duration) = (50, Duration::from_secs(5));

/// The results of checking the logs of this folder's sessions.
#[derive(Debug)]
pub struct LogChecks {
    log: Arc<SessionLog>,
    checks: Arc<Mutex<HashMap<String, LogCheck>>>,
    /// The lock that is held by the reader of logs.
    turn: Arc<Turn<()>>,
}

/// The result of reading a log.
#[derive(Debug)]
struct LogCheck {
    /// The stamp of the log then; nothing where it could not be read.
    stamp: Option<LogStamp>,
    at: Instant,
    /// The time that it took to read.
    took: Duration,
    /// The events that this process had written to its own log by then.
    written: u64,
    /// The description of the alteration, where it was altered.
    altered: Option<String>,
}

/// The sessions, of some, that have logs which were altered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AlteredLogs {
    /// Their names, each with the state of its log.
    pub altered: BTreeMap<String, String>,
    /// Sessions whose logs are still being read.
    pub unread: Vec<String>,
}

/// A log that has to be read.
#[derive(Debug)]
struct UnreadLog {
    session: String,
    folder: PathBuf,
    stamp: Option<LogStamp>,
}

impl LogChecks {
    /// Of no log anything is known yet.
    pub(super) fn new(log: Arc<SessionLog>) -> Self {
        Self { log, checks: Arc::default(), turn: Arc::default() }
    }

    /// Returns those of the named sessions that have logs which were altered or cut; a session that has no log here is
    /// none of them.
    pub async fn find_altered(&self, sessions: &BTreeSet<&str>) -> AlteredLogs {
        let asked = Instant::now();
        let unread = self.find_unread(sessions);
        if !unread.is_empty() {
            let read = async {
                let turn = self.turn.clone().lock_owned().await;
                // The task that had the turn before may have read them.
                let unread = self.find_unread(sessions);
                let _ = self.read_logs(unread, turn).await;
            };
            let _ = timeout(WAIT, read).await;
        }
        let checks = self.checks.lock();
        let altered = sessions
            .iter()
            .filter_map(|session| Some(((*session).to_owned(), checks.get(*session)?.altered.clone()?)));
        let is_unread = |log: &UnreadLog| checks.get(&log.session).is_none_or(|check| check.at < asked);
        let unread = unread.into_iter().filter(is_unread).map(|log| log.session).collect();
        AlteredLogs { altered: altered.collect(), unread }
    }

    /// Returns the logs among these sessions that have to be read again.
    fn find_unread(&self, sessions: &BTreeSet<&str>) -> Vec<UnreadLog> {
        let all = Path::new(self.log.workspace.root()).join(OWN_DIR).join("sessions");
        let (own, written) = (self.log.id(), self.written_events());
        let mut checks = self.checks.lock();
        let is_own_growth = |session: &str, check: &LogCheck| {
            let holds = HOLDS.1.min(check.took * HOLDS.0);
            session == own && check.written < written && check.at.elapsed() < holds
        };
        let mut unread = Vec::new();
        // A name may come with a note from elsewhere.
        for session in sessions.iter().filter(|session| is_one_name(session)) {
            let folder = all.join(session);
            let stamp = match LogStamp::from_dir(&folder) {
                Ok(stamp) => Some(stamp),
                Err(JournalError::Missing(_)) => {
                    checks.remove(*session);
                    continue;
                }
                Err(_) => None,
            };
            let is_read =
                |check: &LogCheck| stamp.is_some() && (check.stamp == stamp || is_own_growth(session, check));
            if !checks.get(*session).is_some_and(is_read) {
                unread.push(UnreadLog { session: (*session).to_owned(), folder, stamp });
            }
        }
        unread
    }

    fn written_events(&self) -> u64 {
        self.log.journal_if_open().map_or(0, Journal::written_events)
    }

    /// Reads logs on a thread of its own, which goes on where no caller waits any more.
    fn read_logs(&self, unread: Vec<UnreadLog>, turn: OwnedMutexGuard<()>) -> oneshot::Receiver<()> {
        let (done, ended) = oneshot::channel();
        let keeper = LogKeeper::open_existing(
            self.log.workspace.state().folder().base_folder(),
            self.log.workspace.root(),
        );
        let (checks, written) = (self.checks.clone(), self.written_events());
        let work = move || {
            for UnreadLog { session, folder, stamp } in unread {
                let began = Instant::now();
                let report = LogReader::open(&folder, &keeper).and_then(|log| verify_log(&log));
                let altered = match report.map(|report| report.verdict()) {
                    Ok((LogVerdict::Damaged, said)) => Some(said),
                    // A person may have removed it.
                    Ok(_) | Err(JournalError::Missing(_)) => None,
                    Err(error) => Some(format!("not to be read: {error}")),
                };
                let (at, took) = (Instant::now(), began.elapsed());
                checks.lock().insert(session, LogCheck { stamp, at, took, written, altered });
            }
            drop(turn);
            // The receiver may be gone.
            let _ = done.send(());
        };
        // Without a thread they stay unread, which the answer reports.
        let _ = std::thread::Builder::new().name("log-checks".to_owned()).spawn(work);
        ended
    }
}

fn is_one_name(session: &str) -> bool {
    let mut parts = Path::new(session).components();
    matches!((parts.next(), parts.next()), (Some(Component::Normal(name)), None) if name == session)
}

#[cfg(test)]
mod tests {
    use super::is_one_name;

    #[test]
    fn a_name_from_elsewhere_leads_to_no_other_folder() {
        assert!(is_one_name("20260131-090000-1a2b") && is_one_name("with a space"));
        for hostile in ["", ".", "..", "../s", "s/..", "/etc", "s/", "./s", "a/b"] {
            assert!(!is_one_name(hostile), "{hostile:?}");
        }
    }
}
