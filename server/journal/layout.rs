//! The layout of an event: the fields in its YAML block, for people and programs, and the fields in its comment alone.

use serde_json::{Map, Value};

use super::seal::SEALED;
use crate::protocol::Event;

/// The members of a result that tell of a proposed change: its proposal and decisions tell the same.
const OF_A_CHANGE: [&str; 14] = [
    "status",
    "proposal",
    "path",
    "paths",
    "hunks",
    "hash",
    "bytes",
    "unsaved",
    "text",
    "created",
    "next_action",
    "placed",
    "note",
    "replaced",
];

/// Returns the fields of this event that a reader of the log needs; the others are facts for programs.
fn shown(event: &Event, body: &Map<String, Value>) -> &'static [&'static str] {
    match event {
        Event::ToolCall { .. } => &["tool", "args", "environment", "warnings"],
        // The outcome of a change is in its proposal and decisions.
        Event::ToolResult { .. } if body.get("result").is_some_and(is_change_alone) => &[],
        Event::ToolResult { .. } => &["result"],
        Event::ToolError { .. } => &["error"],
        Event::Proposal { .. } if stands_elsewhere(body) => &[],
        Event::Proposal { .. } => &["files"],
        // The lines that a person changed are recorded here alone.
        Event::Decision { hunks, .. } if hunks.iter().any(|hunk| hunk.text.is_some()) => &["hunks"],
        Event::Hint { .. } => &["paths"],
        Event::ContextAssembly { .. } => &["included", "cut", "left_out"],
        Event::ModelInput { .. } => &["system", "messages", "dropped"],
        Event::ModelOutput { .. } => &["text", "thinking", "calls", "repaired", "error"],
        Event::AgentEnd { .. } => &["text", "usage"],
        Event::NativeEdit { .. } => &["told"],
        Event::PersonMessage { .. } => &["message"],
        Event::RepositoryDecision { .. } => &["changes", "problems"],
        Event::Recovery { .. } => &["reason", "kept"],
        Event::SessionEnd { .. } => &["totals"],
        Event::SessionStart { .. }
        | Event::CommandEnd { .. }
        | Event::Decision { .. }
        | Event::Undo { .. }
        | Event::UserApproval { .. }
        | Event::NativeRefusal { .. }
        | Event::OutsideChanges { .. }
        | Event::ApartDecision { .. } => &[],
    }
}

/// Splits the fields of an event into those that are shown and the facts.
pub(super) fn split(event: &Event, body: Map<String, Value>) -> (Map<String, Value>, Map<String, Value>) {
    let keys = shown(event, &body);
    body.into_iter().partition(|(key, value)| keys.contains(&key.as_str()) && !is_empty(value))
}

/// Returns whether a result tells of a proposed change and of nothing else, such as the output of a command.
fn is_change_alone(result: &Value) -> bool {
    let members = result.as_object().filter(|members| members.contains_key("proposal"));
    members.is_some_and(|members| members.keys().all(|key| OF_A_CHANGE.contains(&key.as_str())))
}

/// Returns whether every diff of a proposal is stored outside of the log file: it is large, or repeats its call's arguments.
fn stands_elsewhere(body: &Map<String, Value>) -> bool {
    let files = body.get("files").and_then(Value::as_object);
    files.is_some_and(|files| files.values().all(|diff| diff.get(SEALED).is_some()))
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::String(text) => text.is_empty(),
        Value::Null => true,
        _ => false,
    }
}
