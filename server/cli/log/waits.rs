//! The duration of a call, and the share of it that the person took to decide.

use std::collections::HashMap;

use jiff::Timestamp;
use serde_json::Value;

use crate::base::numbers::format_duration;
use crate::journal::JournalEntry;
use crate::protocol::EventType;

/// The time that the person took over each call that runs.
#[derive(Debug, Default)]
pub(super) struct PersonWaits {
    calls: HashMap<String, CallWait>,
}

#[derive(Debug, Default)]
struct CallWait {
    /// The time at which the person was asked: of the call, or of its proposal.
    since: Option<Timestamp>,
    /// Milliseconds until the last answer.
    ms: f64,
}

impl PersonWaits {
    /// Takes an event, in the order of the log.
    pub(super) fn take_event(&mut self, entry: &JournalEntry) {
        let Some(id) = entry.call_id() else { return };
        let is_person = entry.body.get("by").and_then(Value::as_str) == Some("person");
        match entry.kind() {
            Some(EventType::ToolCall | EventType::Proposal) => {
                let since = entry.time.parse().ok();
                self.calls.entry(id.to_owned()).or_default().since = since;
            }
            Some(EventType::UserApproval) => self.add_answer(id, entry),
            Some(EventType::Decision) if is_person => self.add_answer(id, entry),
            _ => {}
        }
    }

    fn add_answer(&mut self, id: &str, entry: &JournalEntry) {
        let Some(wait) = self.calls.get_mut(id) else { return };
        let now = entry.time.parse::<Timestamp>().ok();
        if let (Some(since), Some(now)) = (wait.since, now) {
            wait.ms += now.duration_since(since).as_millis_f64().max(0.0);
        }
        wait.since = now;
    }

    /// The duration of the call that an event ends, in words: `87 ms`; `26 s, yours` if the person took nearly all of it.
    pub(super) fn duration_text(&self, entry: &JournalEntry) -> String {
        let Some(ms) = entry.body.get("duration_ms").and_then(Value::as_f64) else { return String::new() };
        let waited = entry.call_id().and_then(|id| self.calls.get(id)).map_or(0.0, |wait| wait.ms).min(ms);
        let took = format_duration(ms);
        match waited {
            ..1000.0 => took,
            waited if waited >= 0.9 * ms => format!("{took}, yours"),
            waited => format!("{took}, {} of it yours", format_duration(waited)),
        }
    }
}
