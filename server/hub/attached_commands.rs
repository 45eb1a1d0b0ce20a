//! Commands that run at their callers', on the terminals of those: permitted, logged and reviewed like the server's own.
//!
//! # Invariants
//!
//! - No command at the server outlives the agent that waits for it.
//!   Test: `a_command_at_the_server_ends_with_its_agent`

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::{Notify, oneshot, watch};
use tokio::time::timeout;

use crate::ports::{AttachedCommand, AttachedGrant, AttachedReport, Caller};
use crate::protocol::{Code, Fault};

/// Keys of ended commands that are remembered, for who asks about one late.
const REMEMBERED_KEYS: usize = 256;
/// The time that a command is waited for that has not begun: its two requests may overtake each other.
const BEGUN: Duration = Duration::from_secs(10);

/// The attached commands of a folder, by the keys that their callers chose.
#[derive(Clone, Debug, Default)]
pub struct AttachedCommands(Arc<AttachedSeats>);

#[derive(Debug, Default)]
struct AttachedSeats {
    running: Mutex<HashMap<String, Arc<AttachedSeat>>>,
    ended_keys: Mutex<VecDeque<String>>,
    /// Notified when a command begins or ends.
    changed: Notify,
}

/// The stage of an attached command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AttachedState {
    /// The rules or the person have not decided yet.
    #[default]
    Asked,
    /// It may run.
    Granted(AttachedGrant),
    /// Its call has ended.
    Over,
}

/// The channels of an attached command.
#[derive(Debug)]
struct AttachedSeat {
    state: watch::Sender<AttachedState>,
    report: Mutex<Option<oneshot::Sender<AttachedReport>>>,
    reported: Mutex<Option<oneshot::Receiver<AttachedReport>>>,
}

/// The caller of an attached command, while its call lasts.
#[derive(Debug)]
pub struct AttachedCaller {
    commands: AttachedCommands,
    key: String,
    seat: Arc<AttachedSeat>,
    is_allowed: bool,
}

impl AttachedCommands {
    /// Begins the call of a command.
    ///
    /// # Errors
    /// INVALID_ARGS where the key is taken.
    pub fn begin_call(&self, key: &str) -> Result<AttachedCaller, Fault> {
        let (report, reported) = oneshot::channel();
        let (report, reported) = (Mutex::new(Some(report)), Mutex::new(Some(reported)));
        let seat =
            Arc::new(AttachedSeat { state: watch::Sender::new(AttachedState::Asked), report, reported });
        let mut taken = self.0.running.lock();
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
    pub async fn await_grant(&self, key: &str) -> AttachedState {
        let Ok(Some(seat)) = timeout(BEGUN, self.await_begin(key)).await else { return AttachedState::Over };
        let mut states = seat.state.subscribe();
        let decided = states.wait_for(|state| *state != AttachedState::Asked).await;
        decided.map_or(AttachedState::Over, |state| *state)
    }

    /// The seat of a command once it has begun; nothing where it has ended.
    async fn await_begin(&self, key: &str) -> Option<Arc<AttachedSeat>> {
        loop {
            let changed = self.0.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if let Some(seat) = self.0.running.lock().get(key).cloned() {
                return Some(seat);
            }
            if self.0.ended_keys.lock().iter().any(|ended| ended == key) {
                return None;
            }
            changed.await;
        }
    }

    /// Hands over how the command ended. Gives whether somebody waits for it.
    pub fn deliver_report(&self, key: &str, report: AttachedReport) -> bool {
        let seat = self.0.running.lock().get(key).cloned();
        let sender = seat.and_then(|seat| seat.report.lock().take());
        sender.is_some_and(|sender| sender.send(report).is_ok())
    }
}

impl AttachedCaller {
    /// The same, of a command that a person was asked about at the caller's and said yes to, or not.
    pub fn with_allowed(self, is_allowed: bool) -> Self {
        let mut caller = self;
        caller.is_allowed = is_allowed;
        caller
    }
}

impl Drop for AttachedCaller {
    fn drop(&mut self) {
        let seats = &self.commands.0;
        let mut ended = seats.ended_keys.lock();
        ended.push_back(self.key.clone());
        if ended.len() > REMEMBERED_KEYS {
            ended.pop_front();
        }
        drop(ended);
        seats.running.lock().remove(&self.key);
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
    fn run(&self, grant: AttachedGrant) -> BoxFuture<'_, Result<AttachedReport, Fault>> {
        async move {
            let gone = || Fault::new(Code::Cancelled, "the process that runs the command is gone");
            let reported = self.seat.reported.lock().take().ok_or_else(gone)?;
            self.seat.state.send_replace(AttachedState::Granted(grant));
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
        let caller = commands.begin_call("k").unwrap();
        assert!(commands.begin_call("k").is_err());
        let report = AttachedReport { exit_code: Some(3), ..AttachedReport::default() };
        let (ended, ()) = tokio::join!(caller.run(AttachedGrant { layered: true, network: None }), async {
            let granted = AttachedState::Granted(AttachedGrant { layered: true, network: None });
            assert_eq!(commands.await_grant("k").await, granted);
            assert!(commands.deliver_report("k", report.clone()));
        });
        assert_eq!(ended.unwrap(), report);
        drop(caller);
        assert_eq!(commands.await_grant("k").await, AttachedState::Over);
        assert!(!commands.deliver_report("k", report));
    }

    #[tokio::test]
    async fn who_asks_before_a_command_begins_waits_for_it() {
        let commands = AttachedCommands::default();
        let (state, caller) = tokio::join!(commands.await_grant("k"), async {
            tokio::task::yield_now().await;
            let caller = commands.begin_call("k").unwrap();
            let _ = timeout(Duration::from_millis(1), caller.run(AttachedGrant::default())).await;
            caller
        });
        assert_eq!(state, AttachedState::Granted(AttachedGrant::default()));
        drop(caller);
    }

    #[tokio::test]
    async fn who_waits_for_a_grant_learns_that_the_call_has_ended() {
        let commands = AttachedCommands::default();
        let caller = commands.begin_call("k").unwrap();
        let waiting = commands.await_grant("k");
        drop(caller);
        assert_eq!(waiting.await, AttachedState::Over);
    }
}
