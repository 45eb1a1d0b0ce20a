//! Whether the logs of this folder's sessions were altered. They lie in the workspace, where an agent's own tools may write; what
//! is said of a line comes from records outside of it, and nothing of it from a log.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::{Mutex as Turn, OwnedMutexGuard, oneshot};
use tokio::time::timeout;

use super::log::SessionLog;
use crate::base::OURS;
use crate::journal::{Journal, JournalError, Keeper, Log, LogStamp, LogVerdict, verify};

/// How long somebody who asks waits for logs to be read that are not known yet.
const WAIT: Duration = Duration::from_secs(2);
/// How long what is known of this process's own log holds while its own events make it grow: so many times as long as it took
/// to read, and no longer than this.
const HOLDS: (u32, Duration) = (50, Duration::from_secs(5));

/// What is known of the logs of this folder's sessions.
#[derive(Debug)]
pub struct LogChecks {
    log: Arc<SessionLog>,
    checks: Arc<Mutex<HashMap<String, LogCheck>>>,
    /// Held by whoever reads logs.
    turn: Arc<Turn<()>>,
}

/// What was found when a log was last read.
#[derive(Debug)]
struct LogCheck {
    /// How it looked; nothing where that could not be seen.
    stamp: Option<LogStamp>,
    at: Instant,
    /// How long it took to read.
    took: Duration,
    /// The events that this process had written to its own log by then.
    written: u64,
    /// How it stands, where it was altered.
    altered: Option<String>,
}

/// Which of some sessions have logs that were altered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AlteredLogs {
    /// Their names, each with how its log stands.
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

    /// Which of the sessions so named have logs that were altered or cut; a session that has no log here is none of them.
    pub async fn altered(&self, sessions: &BTreeSet<&str>) -> AlteredLogs {
        let asked = Instant::now();
        let unread = self.unread(sessions);
        if !unread.is_empty() {
            let read = async {
                let turn = self.turn.clone().lock_owned().await;
                // Whoever had the turn may have read them.
                let unread = self.unread(sessions);
                let _ = self.read(unread, turn).await;
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

    /// Those whose logs have to be read to know.
    fn unread(&self, sessions: &BTreeSet<&str>) -> Vec<UnreadLog> {
        let all = Path::new(self.log.workspace.root()).join(OURS).join("sessions");
        let (own, written) = (self.log.id(), self.written());
        let mut checks = self.checks.lock();
        let is_own_growth = |session: &str, check: &LogCheck| {
            let holds = HOLDS.1.min(check.took * HOLDS.0);
            session == own && check.written < written && check.at.elapsed() < holds
        };
        let mut unread = Vec::new();
        // A name may come with a note from elsewhere.
        for session in sessions.iter().filter(|session| is_one_name(session)) {
            let folder = all.join(session);
            let stamp = match LogStamp::of(&folder) {
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

    fn written(&self) -> u64 {
        self.log.opened().map_or(0, Journal::written_events)
    }

    /// Reads logs on a thread of its own, which goes on where nobody waits any more.
    fn read(&self, unread: Vec<UnreadLog>, turn: OwnedMutexGuard<()>) -> oneshot::Receiver<()> {
        let (done, ended) = oneshot::channel();
        let keeper = Keeper::existing(self.log.workspace.state().base(), self.log.workspace.root());
        let (checks, written) = (self.checks.clone(), self.written());
        let work = move || {
            for UnreadLog { session, folder, stamp } in unread {
                let began = Instant::now();
                let report = Log::open(&folder, &keeper).and_then(|log| verify(&log));
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
            // Nobody may wait any more.
            let _ = done.send(());
        };
        // Without a thread they stay unread, and whoever asks is told.
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
