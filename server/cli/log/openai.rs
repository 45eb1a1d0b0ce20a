//! The log as messages of the OpenAI chat API: each call with its answer.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::journal::JournalEntry;
use crate::protocol::EventType;

/// Calls that wait for their answers. The API wants a call together with its answer, so a call without an answer is not
/// printed.
#[derive(Debug, Default)]
pub(super) struct CallPairs {
    calls: HashMap<String, Value>,
}

impl CallPairs {
    /// The messages that an entry completes.
    pub(super) fn complete_messages(&mut self, entry: &JournalEntry) -> Vec<Value> {
        let Some(id) = entry.call_id() else { return Vec::new() };
        let content = match entry.kind() {
            Some(EventType::ToolCall) => {
                self.calls.insert(id.to_owned(), call_message(id, entry));
                return Vec::new();
            }
            Some(EventType::ToolResult) => entry.body.get("result"),
            Some(EventType::ToolError) => entry.body.get("error"),
            _ => return Vec::new(),
        };
        let Some(call) = self.calls.remove(id) else { return Vec::new() };
        let content = content.map(|content| match content {
            Value::String(text) => text.clone(),
            content => content.to_string(),
        });
        vec![call, json!({ "role": "tool", "tool_call_id": id, "content": content.unwrap_or_default() })]
    }
}

fn call_message(id: &str, entry: &JournalEntry) -> Value {
    let args = entry.body.get("args").cloned().unwrap_or_default();
    let tool = entry.body.get("tool").and_then(Value::as_str).unwrap_or_default();
    // The API allows no dots in a function's name.
    let name: String =
        tool.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect();
    let function = json!({ "name": name, "arguments": args.to_string() });
    json!({
        "role": "assistant",
        "content": args.get("why").and_then(Value::as_str),
        "tool_calls": [{ "id": id, "type": "function", "function": function }],
    })
}
