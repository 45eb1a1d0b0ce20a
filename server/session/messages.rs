//! What the person says to agents: kept until the agent meant has a result to bring it, and brought once.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::presence::Presence;
use super::troubles::SessionTroubles;
use super::workspace::Workspace;
use crate::base::clock::Clock;
use crate::base::{blocking, ids};
use crate::protocol::{Origin, PersonMessage, WAITING_MESSAGES};
use crate::workspace::WorkspaceError;

/// Where they stand in the state folder.
const FOLDER: &str = "messages";
/// How long a message waits that an earlier process left: who meant it has gone on by then.
const OLDEST: SignedDuration = SignedDuration::from_hours(14 * 24);

/// Whom a message is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recipient {
    /// The first agent that calls.
    Anyone,
    /// An agent of that name, with or without its version.
    Named(String),
    /// The agent that made such a call.
    Caller(Origin),
}

/// A message that waits.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct WaitingMessage {
    to: Recipient,
    message: PersonMessage,
    /// Its file in the state folder; none where it could not be written.
    #[serde(skip)]
    file: Option<String>,
}

/// The messages of one folder that wait.
#[derive(Debug)]
pub struct PersonMessages {
    pub(super) workspace: Arc<Workspace>,
    pub(super) presence: Arc<Presence>,
    pub(super) troubles: Arc<SessionTroubles>,
    pub(super) clock: Arc<dyn Clock>,
    /// Oldest first; read from the state folder at the first use.
    waiting: Mutex<Option<Vec<WaitingMessage>>>,
}

impl PersonMessages {
    /// The messages of a workspace, with what earlier processes left.
    pub(super) fn new(
        workspace: Arc<Workspace>,
        presence: Arc<Presence>,
        troubles: Arc<SessionTroubles>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { workspace, presence, troubles, clock, waiting: Mutex::default() }
    }

    /// Keeps a message for its agent. Gives how many wait then, and whether the oldest had to make room.
    pub fn put(&self, to: Recipient, message: PersonMessage) -> (usize, bool) {
        let mut waiting = self.waiting.lock();
        let waiting = waiting.get_or_insert_with(|| self.left());
        let mut new = WaitingMessage { to, message, file: None };
        match self.keep(&new) {
            Ok(file) => new.file = Some(file),
            Err(error) => self.troubles.report(format!(
                "a message to an agent is kept in memory alone, and lost with this process: {error}"
            )),
        }
        waiting.push(new);
        let too_many = waiting.len().saturating_sub(WAITING_MESSAGES);
        for old in waiting.drain(..too_many) {
            self.claim(&old);
        }
        (waiting.len(), too_many > 0)
    }

    /// The messages for whoever made a call, each given once.
    pub fn take(&self, caller: &Origin) -> Vec<PersonMessage> {
        let mut waiting = self.waiting.lock();
        let waiting = waiting.get_or_insert_with(|| self.left());
        if waiting.is_empty() {
            return Vec::new();
        }
        let is_for = |message: &mut WaitingMessage| self.is_for(&message.to, caller);
        let mine: Vec<WaitingMessage> = waiting.extract_if(.., is_for).collect();
        mine.into_iter().filter(|message| self.claim(message)).map(|waiting| waiting.message).collect()
    }

    fn is_for(&self, to: &Recipient, caller: &Origin) -> bool {
        match to {
            Recipient::Anyone => caller.is_agent(),
            Recipient::Named(name) => caller.is_named(name),
            Recipient::Caller(meant) => self.presence.is_same_agent(meant, caller),
        }
    }

    /// Takes a message's file away: of two processes one brings the message. Where that fails it is brought all the same:
    /// better twice than never.
    fn claim(&self, waiting: &WaitingMessage) -> bool {
        let Some(file) = &waiting.file else { return true };
        blocking(|| self.workspace.state().remove(file)).unwrap_or(true)
    }

    fn keep(&self, waiting: &WaitingMessage) -> Result<String, WorkspaceError> {
        // By name in their order: several may be sent within the millisecond that a message tells.
        let file = format!("{FOLDER}/{}-{}.json", self.clock.now().as_nanosecond(), ids::unique());
        let json = serde_json::to_vec(waiting).unwrap_or_default();
        blocking(|| self.workspace.state().write(&file, &json))?;
        Ok(file)
    }

    /// What earlier processes left, oldest first; what is too old or cannot be read is removed.
    fn left(&self) -> Vec<WaitingMessage> {
        let state = self.workspace.state();
        let names = blocking(|| state.list(FOLDER)).unwrap_or_default();
        let files = names.into_iter().map(|name| format!("{FOLDER}/{name}"));
        let mut left: Vec<WaitingMessage> = files.filter_map(|file| self.read(file)).collect();
        left.sort_by(|a, b| a.message.sent.cmp(&b.message.sent));
        left
    }

    fn read(&self, file: String) -> Option<WaitingMessage> {
        let state = self.workspace.state();
        let bytes = blocking(|| state.read(&file)).ok()??;
        let read = serde_json::from_slice::<WaitingMessage>(&bytes).ok();
        let fresh = read.filter(|waiting| {
            let sent: Option<Timestamp> = waiting.message.sent.parse().ok();
            sent.is_some_and(|sent| self.clock.now().duration_since(sent) < OLDEST)
        });
        if fresh.is_none() {
            // What stays is read and refused again the next time.
            let _ = blocking(|| state.remove(&file));
        }
        fresh.map(|waiting| WaitingMessage { file: Some(file), ..waiting })
    }
}
