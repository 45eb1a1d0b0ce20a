//! The log as messages of the OpenAI chat API: each call with its answer.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::journal::Entry;
use crate::protocol::EventType;

/// Calls that wait for their answers. A call and its answer are given together, since the API wants them so;
/// a call that has none is not given.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    calls: HashMap<String, Value>,
}

impl Pairs {
    /// The messages that an entry completes.
    pub(super) fn messages(&mut self, entry: &Entry) -> Vec<Value> {
        let Some(id) = entry.call_id() else { return Vec::new() };
        let content = match entry.kind() {
            Some(EventType::ToolCall) => {
                self.calls.insert(id.to_owned(), call(id, entry));
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

fn call(id: &str, entry: &Entry) -> Value {
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
