//! The person's messages to agents: each is kept until its agent has a result to carry it, and delivered once.
//!
//! # Invariants
//!
//! - No message of the person is delivered twice, to another agent than its own, or with a closed file's text, and
//!   none decides on a hunk.
//!   Test: `of_two_sessions_of_one_agent_the_one_meant_is_told`, `the_newest_messages_outlive_the_process`,
//!   `a_comment_goes_to_whom_the_hunk_is_of_and_decides_nothing`,
//!   `lines_are_quoted_as_the_editor_shows_them_and_no_closed_text_leaves`
//! - No text passes for the person's words or for wherefore's in a message to an agent.
//!   Test: `no_text_of_a_message_passes_for_words_of_ours`, `no_tool_speaks_as_the_person`

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::presence::Presence;
use super::troubles::SessionTroubles;
use super::workspace::Workspace;
use crate::base::clock::Clock;
use crate::base::{ids, run_blocking};
use crate::protocol::{Origin, PersonMessage, WAITING_MESSAGES};
use crate::workspace::WorkspaceError;

/// The state folder of messages.
const FOLDER: &str = "messages";
/// The age up to which a message of an earlier process is kept: its sender has gone on by then.
const OLDEST: SignedDuration = SignedDuration::from_hours(14 * 24);

/// Whom a message is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageRecipient {
    /// The first agent that calls.
    Anyone,
    /// An agent of that name, with or without its version.
    Named(String),
    /// The agent that made such a call.
    Caller(Origin),
}

/// A message that waits.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct UndeliveredMessage {
    to: MessageRecipient,
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
    waiting: Mutex<Option<Vec<UndeliveredMessage>>>,
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
    pub fn put_message(&self, to: MessageRecipient, message: PersonMessage) -> (usize, bool) {
        let mut waiting = self.waiting.lock();
        let waiting = waiting.get_or_insert_with(|| self.load_left());
        let mut new = UndeliveredMessage { to, message, file: None };
        match self.store_message(&new) {
            Ok(file) => new.file = Some(file),
            Err(error) => self.troubles.report_trouble(format!(
                "a message to an agent is kept in memory alone, and lost with this process: {error}"
            )),
        }
        waiting.push(new);
        let too_many = waiting.len().saturating_sub(WAITING_MESSAGES);
        for old in waiting.drain(..too_many) {
            self.claim_file(&old);
        }
        (waiting.len(), too_many > 0)
    }

    /// Takes the messages for the maker of a call, each once.
    pub fn take_messages(&self, caller: &Origin) -> Vec<PersonMessage> {
        let mut waiting = self.waiting.lock();
        let waiting = waiting.get_or_insert_with(|| self.load_left());
        if waiting.is_empty() {
            return Vec::new();
        }
        let is_for = |message: &mut UndeliveredMessage| self.is_for(&message.to, caller);
        let mine: Vec<UndeliveredMessage> = waiting.extract_if(.., is_for).collect();
        mine.into_iter().filter(|message| self.claim_file(message)).map(|waiting| waiting.message).collect()
    }

    fn is_for(&self, to: &MessageRecipient, caller: &Origin) -> bool {
        match to {
            MessageRecipient::Anyone => caller.is_agent(),
            MessageRecipient::Named(name) => caller.is_named(name),
            MessageRecipient::Caller(meant) => self.presence.is_same_agent(meant, caller),
        }
    }

    /// Takes a message's file away: of two processes one brings the message. Where that fails it is brought all the same:
    /// better twice than never.
    fn claim_file(&self, waiting: &UndeliveredMessage) -> bool {
        let Some(file) = &waiting.file else { return true };
        run_blocking(|| self.workspace.state().remove_file(file)).unwrap_or(true)
    }

    fn store_message(&self, waiting: &UndeliveredMessage) -> Result<String, WorkspaceError> {
        // The names keep their order: several messages may be sent within the millisecond of a message's time.
        let file = format!("{FOLDER}/{}-{}.json", self.clock.now().as_nanosecond(), ids::unique_word());
        let json = serde_json::to_vec(waiting).unwrap_or_default();
        run_blocking(|| self.workspace.state().write_file(&file, &json))?;
        Ok(file)
    }

    /// Returns the messages that earlier processes left, oldest first; those that are too old or cannot be read are
    /// removed.
    fn load_left(&self) -> Vec<UndeliveredMessage> {
        let state = self.workspace.state();
        let names = run_blocking(|| state.list_folder(FOLDER)).unwrap_or_default();
        let files = names.into_iter().map(|name| format!("{FOLDER}/{name}"));
        let mut left: Vec<UndeliveredMessage> = files.filter_map(|file| self.read_message(file)).collect();
        left.sort_by(|a, b| a.message.sent.cmp(&b.message.sent));
        left
    }

    fn read_message(&self, file: String) -> Option<UndeliveredMessage> {
        let state = self.workspace.state();
        let bytes = run_blocking(|| state.read_file(&file)).ok()??;
        let read = serde_json::from_slice::<UndeliveredMessage>(&bytes).ok();
        let fresh = read.filter(|waiting| {
            let sent: Option<Timestamp> = waiting.message.sent.parse().ok();
            sent.is_some_and(|sent| self.clock.now().duration_since(sent) < OLDEST)
        });
        if fresh.is_none() {
            // A file that stays is read and refused again the next time.
            let _ = run_blocking(|| state.remove_file(&file));
        }
        fresh.map(|waiting| UndeliveredMessage { file: Some(file), ..waiting })
    }
}
