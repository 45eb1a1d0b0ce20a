//! Commands that run at their callers', on the terminals of those: permitted, logged and reviewed like the server's own.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::{Notify, oneshot, watch};
use tokio::time::timeout;

use crate::ports::{AttachedCommand, AttachedReport, Caller};
use crate::protocol::{Code, Fault};

/// Keys of ended commands that are remembered, for who asks about one late.
const ENDED: usize = 256;
/// How long a command is waited for that has not begun: its two requests may overtake each other.
const BEGUN: Duration = Duration::from_secs(10);

/// The attached commands of a folder, by the keys that their callers chose.
#[derive(Clone, Debug, Default)]
pub struct AttachedCommands(Arc<Seats>);

#[derive(Debug, Default)]
struct Seats {
    taken: Mutex<HashMap<String, Arc<Seat>>>,
    ended: Mutex<VecDeque<String>>,
    /// Told of each command that begins or ends.
    changed: Notify,
}

/// How far an attached command is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AttachedState {
    /// The rules or the person have not decided yet.
    #[default]
    Asked,
    /// It may run; what it changes is to be kept apart, or not.
    Granted {
        /// Whether it is to be kept apart.
        layered: bool,
    },
    /// Its call has ended.
    Over,
}

/// One attached command.
#[derive(Debug)]
struct Seat {
    state: watch::Sender<AttachedState>,
    report: Mutex<Option<oneshot::Sender<AttachedReport>>>,
    reported: Mutex<Option<oneshot::Receiver<AttachedReport>>>,
}

/// The caller of an attached command, while its call lasts.
#[derive(Debug)]
pub struct AttachedCaller {
    commands: AttachedCommands,
    key: String,
    seat: Arc<Seat>,
    is_allowed: bool,
}

impl AttachedCommands {
    /// Begins the call of a command.
    ///
    /// # Errors
    /// INVALID_ARGS where the key is taken.
    pub fn begin(&self, key: &str) -> Result<AttachedCaller, Fault> {
        let (report, reported) = oneshot::channel();
        let (report, reported) = (Mutex::new(Some(report)), Mutex::new(Some(reported)));
        let seat = Arc::new(Seat { state: watch::Sender::new(AttachedState::Asked), report, reported });
        let mut taken = self.0.taken.lock();
        if taken.contains_key(key) {
            return Err(Fault::new(
                Code::InvalidArgs,
                format!("an attached command has the key {key} already"),
            ));
        }
        taken.insert(key.to_owned(), seat.clone());
        drop(taken);
        self.0.changed.notify_waiters();
        Ok(AttachedCaller { commands: self.clone(), key: key.to_owned(), seat, is_allowed: false })
    }

    /// Waits until the command may run, or its call has ended.
    pub async fn granted(&self, key: &str) -> AttachedState {
        let Ok(Some(seat)) = timeout(BEGUN, self.begun(key)).await else { return AttachedState::Over };
        let mut states = seat.state.subscribe();
        let decided = states.wait_for(|state| *state != AttachedState::Asked).await;
        decided.map_or(AttachedState::Over, |state| *state)
    }

    /// The seat of a command once it has begun; nothing where it has ended.
    async fn begun(&self, key: &str) -> Option<Arc<Seat>> {
        loop {
            let changed = self.0.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if let Some(seat) = self.0.taken.lock().get(key).cloned() {
                return Some(seat);
            }
            if self.0.ended.lock().iter().any(|ended| ended == key) {
                return None;
            }
            changed.await;
        }
    }

    /// Hands over how the command ended. Gives whether somebody waits for it.
    pub fn report(&self, key: &str, report: AttachedReport) -> bool {
        let seat = self.0.taken.lock().get(key).cloned();
        let sender = seat.and_then(|seat| seat.report.lock().take());
        sender.is_some_and(|sender| sender.send(report).is_ok())
    }
}

impl AttachedCaller {
    /// The same, of a command that a person was asked about at the caller's and said yes to, or not.
    pub fn allowed(self, is_allowed: bool) -> Self {
        let mut caller = self;
        caller.is_allowed = is_allowed;
        caller
    }
}

impl Drop for AttachedCaller {
    fn drop(&mut self) {
        let seats = &self.commands.0;
        let mut ended = seats.ended.lock();
        ended.push_back(self.key.clone());
        if ended.len() > ENDED {
            ended.pop_front();
        }
        drop(ended);
        seats.taken.lock().remove(&self.key);
        seats.changed.notify_waiters();
        self.seat.state.send_replace(AttachedState::Over);
    }
}

impl Caller for AttachedCaller {
    fn progress(&self, _: &str, _: Option<u32>) {}

    fn log(&self, _: &str, _: Value) {}

    fn command(&self) -> Option<&dyn AttachedCommand> {
        Some(self)
    }
}

impl AttachedCommand for AttachedCaller {
    fn run(&self, layered: bool) -> BoxFuture<'_, Result<AttachedReport, Fault>> {
        async move {
            let gone = || Fault::new(Code::Cancelled, "the process that runs the command is gone");
            let reported = self.seat.reported.lock().take().ok_or_else(gone)?;
            self.seat.state.send_replace(AttachedState::Granted { layered });
            reported.await.map_err(|_| gone())
        }
        .boxed()
    }

    fn is_allowed(&self) -> bool {
        self.is_allowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_command_runs_once_it_is_granted_and_its_end_is_handed_over() {
        let commands = AttachedCommands::default();
        let caller = commands.begin("k").unwrap();
        assert!(commands.begin("k").is_err());
        let report = AttachedReport { exit_code: Some(3), ..AttachedReport::default() };
        let (ended, ()) = tokio::join!(caller.run(true), async {
            assert_eq!(commands.granted("k").await, AttachedState::Granted { layered: true });
            assert!(commands.report("k", report.clone()));
        });
        assert_eq!(ended.unwrap(), report);
        drop(caller);
        assert_eq!(commands.granted("k").await, AttachedState::Over);
        assert!(!commands.report("k", report));
    }

    #[tokio::test]
    async fn who_asks_before_a_command_begins_waits_for_it() {
        let commands = AttachedCommands::default();
        let (state, caller) = tokio::join!(commands.granted("k"), async {
            tokio::task::yield_now().await;
            let caller = commands.begin("k").unwrap();
            let _ = timeout(Duration::from_millis(1), caller.run(false)).await;
            caller
        });
        assert_eq!(state, AttachedState::Granted { layered: false });
        drop(caller);
    }

    #[tokio::test]
    async fn who_waits_for_a_grant_learns_that_the_call_has_ended() {
        let commands = AttachedCommands::default();
        let caller = commands.begin("k").unwrap();
        let waiting = commands.granted("k");
        drop(caller);
        assert_eq!(waiting.await, AttachedState::Over);
    }
}
