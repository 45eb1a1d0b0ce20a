//! What a session log has of each call: what was asked, how it ended, and what the person decided on its changes.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::journal::{Entry, Item, Log, Values};
use crate::protocol::{EventType, Fault};

/// What marks a value as taken out of the log.
const REDACTED: &str = "[redacted:";

/// A session, as far as it can be made again.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// The session.
    pub session: String,
    /// The root that it worked in.
    pub root: String,
    /// Its calls, in order.
    pub calls: Vec<RecordedCall>,
    /// What was wrong with the log, a sentence each.
    pub problems: Vec<String>,
}

/// One call of a log.
#[derive(Clone, Debug, Default)]
pub struct RecordedCall {
    /// Its id.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// Its arguments, as they were logged.
    pub args: Map<String, Value>,
    /// What it answered, under `result`, or how it failed, under `error`; nothing where the log has no end of it.
    pub ended: Option<Value>,
    /// The policy that its change fell under.
    pub policy: Option<String>,
    /// Decisions on its change before it was answered.
    pub decided: Vec<Decided>,
    /// Decisions on its change afterwards.
    pub decided_later: Vec<Decided>,
}

/// What became of one hunk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decided {
    /// The hunk.
    pub hunk: String,
    /// Whether it was accepted.
    pub accepted: bool,
    /// The person's word.
    pub reason: Option<String>,
    /// What the person had it add in place of what was proposed.
    pub text: Option<String>,
}

impl RecordedCall {
    /// Whether a secret was taken out of its arguments, so that nobody can make it as it was.
    pub fn is_redacted(&self) -> bool {
        Value::Object(self.args.clone()).to_string().contains(REDACTED)
    }
}

impl Recording {
    /// Reads a log.
    ///
    /// # Errors
    /// Those of the disk.
    pub fn read(log: &Log) -> Result<Self, Fault> {
        let mut recording = Self::default();
        let mut places: HashMap<String, usize> = HashMap::new();
        for item in log.items(Values::Whole)? {
            match item? {
                Item::Entry(entry) => recording.take(&entry, &mut places),
                Item::Garbage(..) => recording.problems.push("a part of the log is no event".to_owned()),
            }
        }
        Ok(recording)
    }

    fn take(&mut self, entry: &Entry, places: &mut HashMap<String, usize>) {
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
            let call =
                RecordedCall { id: id.to_owned(), tool: text("tool"), args, ..RecordedCall::default() };
            return self.calls.push(call);
        }
        let Some(call) = places.get(id).and_then(|at| self.calls.get_mut(*at)) else { return };
        let ended = |key: &str| {
            let value = entry.body.get(key).cloned().unwrap_or_default();
            Some(Value::Object(Map::from_iter([(key.to_owned(), value)])))
        };
        match kind {
            Some(EventType::ToolResult) => call.ended = ended("result"),
            Some(EventType::ToolError) => call.ended = ended("error"),
            Some(EventType::Proposal) => call.policy = Some(text("policy")),
            // What a policy decided the policy decides again.
            Some(EventType::Decision) if matches!(&*text("by"), "person" | "client") => {
                let hunks = entry.body.get("hunks").and_then(Value::as_array);
                let decided = hunks.into_iter().flatten().filter_map(decided);
                match call.ended {
                    None => call.decided.extend(decided),
                    Some(_) => call.decided_later.extend(decided),
                }
            }
            _ => {}
        }
    }
}

fn decided(hunk: &Value) -> Option<Decided> {
    let text = |key: &str| hunk.get(key).and_then(Value::as_str).map(str::to_owned);
    let accepted = match hunk.get("state")?.as_str()? {
        "accepted" => true,
        "rejected" => false,
        _ => return None,
    };
    Some(Decided { hunk: text("id")?, accepted, reason: text("reason"), text: text("text") })
}
