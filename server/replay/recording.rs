//! Reads each call of a session log: its request, its end, and the person's decisions on its changes.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::journal::{JournalEntry, LogItem, LogReader, ValueMode};
use crate::protocol::{EventType, Fault};

/// The mark of a value that was taken out of the log.
const REDACTED: &str = "[redacted:";

/// A session that can be repeated.
#[derive(Clone, Debug, Default)]
pub struct SessionRecording {
    /// The session.
    pub session: String,
    /// The root that it worked in.
    pub root: String,
    /// Its calls, in order.
    pub calls: Vec<SessionCall>,
    /// The problems of the log, a sentence each.
    pub problems: Vec<String>,
}

/// A call of a log.
#[derive(Clone, Debug, Default)]
pub struct SessionCall {
    /// Its id.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// Its arguments, as they were logged.
    pub args: Map<String, Value>,
    /// The answer under `result`, or the failure under `error`; nothing where the log has no end of it.
    pub outcome: Option<Value>,
    /// The policy that its change fell under.
    pub policy: Option<String>,
    /// Decisions on its change before it was answered.
    pub decisions: Vec<RecordedDecision>,
    /// Decisions on its change afterwards.
    pub later_decisions: Vec<RecordedDecision>,
}

/// The decision on one hunk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedDecision {
    /// The hunk.
    pub hunk: String,
    /// True where it was accepted.
    pub accepted: bool,
    /// The person's word.
    pub reason: Option<String>,
    /// The person's own lines in place of the proposed ones.
    pub text: Option<String>,
}

impl SessionCall {
    /// Returns whether a secret was taken out of its arguments, so that the call cannot be repeated.
    pub fn is_redacted(&self) -> bool {
        Value::Object(self.args.clone()).to_string().contains(REDACTED)
    }
}

impl SessionRecording {
    /// Reads a log.
    ///
    /// # Errors
    /// The error of the disk.
    pub fn read_log(log: &LogReader) -> Result<Self, Fault> {
        let mut recording = Self::default();
        let mut places: HashMap<String, usize> = HashMap::new();
        for item in log.items(ValueMode::Whole)? {
            match item? {
                LogItem::Entry(entry) => recording.take_entry(&entry, &mut places),
                LogItem::Garbage(..) => recording.problems.push("a part of the log is no event".to_owned()),
            }
        }
        Ok(recording)
    }

    fn take_entry(&mut self, entry: &JournalEntry, places: &mut HashMap<String, usize>) {
        let text = |key: &str| entry.body.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let kind = entry.kind();
        if kind == Some(EventType::SessionStart) {
            self.session = text("session");
            self.root = text("root");
        }
        let Some(id) = entry.call_id() else { return };
        self.problems.extend(entry.problems.iter().map(|problem| format!("{id}: {problem}")));
        if kind == Some(EventType::ToolCall) {
            let args = entry.body.get("args").and_then(Value::as_object).cloned().unwrap_or_default();
            places.insert(id.to_owned(), self.calls.len());
            let call = SessionCall { id: id.to_owned(), tool: text("tool"), args, ..SessionCall::default() };
            return self.calls.push(call);
        }
        let Some(call) = places.get(id).and_then(|at| self.calls.get_mut(*at)) else { return };
        let ended = |key: &str| {
            let value = entry.body.get(key).cloned().unwrap_or_default();
            Some(Value::Object(Map::from_iter([(key.to_owned(), value)])))
        };
        match kind {
            Some(EventType::ToolResult) => call.outcome = ended("result"),
            Some(EventType::ToolError) => call.outcome = ended("error"),
            Some(EventType::Proposal) => call.policy = Some(text("policy")),
            // The decisions of a policy are made again by the policy.
            Some(EventType::Decision) if matches!(&*text("by"), "person" | "client") => {
                let hunks = entry.body.get("hunks").and_then(Value::as_array);
                let decided = hunks.into_iter().flatten().filter_map(read_decision);
                match call.outcome {
                    None => call.decisions.extend(decided),
                    Some(_) => call.later_decisions.extend(decided),
                }
            }
            _ => {}
        }
    }
}

fn read_decision(hunk: &Value) -> Option<RecordedDecision> {
    let text = |key: &str| hunk.get(key).and_then(Value::as_str).map(str::to_owned);
    let accepted = match hunk.get("state")?.as_str()? {
        "accepted" => true,
        "rejected" => false,
        _ => return None,
    };
    Some(RecordedDecision { hunk: text("id")?, accepted, reason: text("reason"), text: text("text") })
}
