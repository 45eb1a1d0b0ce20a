//! The calls of a session, counted.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use crate::journal::JournalEntry;
use crate::protocol::{Door, EventType, Origin};

/// The calls of one session by the way that they came, and who made them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallTally {
    /// All calls.
    pub calls: u64,
    /// Calls that no code ran: their callers filled the results.
    pub latent: u64,
    /// The number of calls that came by each door.
    pub ways: BTreeMap<Door, u64>,
    /// The names of the agents that called.
    pub agents: BTreeSet<String>,
}

impl CallTally {
    /// Counts what an entry of the session's log tells of a call.
    pub(super) fn count_entry(&mut self, entry: &JournalEntry) {
        match entry.kind() {
            Some(EventType::ToolCall) => {
                self.calls += 1;
                let origin = entry.body.get("origin").and_then(|origin| Origin::deserialize(origin).ok());
                if let Some(origin) = origin {
                    *self.ways.entry(origin.door).or_default() += 1;
                    self.agents.extend(origin.agent);
                }
            }
            Some(EventType::ToolResult) => self.latent += u64::from(entry.is_filled()),
            _ => {}
        }
    }
}
