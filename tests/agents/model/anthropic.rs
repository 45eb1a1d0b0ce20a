//! Anthropic's Messages, as Claude Code speaks it.

use serde_json::{Value, json};

use super::{Asked, Dialect, Move, Turn, event, text};

pub(super) const DIALECT: Dialect = Dialect { is_path: |path| path.ends_with("/v1/messages"), read, write };

fn read(body: &Value) -> Turn {
    let names = body["tools"].as_array().into_iter().flatten();
    let tools = names.filter_map(|tool| tool["name"].as_str().map(str::to_owned)).collect();
    let parts =
        body["messages"].as_array().into_iter().flatten().flat_map(|message| message["content"].as_array());
    let results = parts.flatten().filter(|part| part["type"] == "tool_result");
    Turn { tools, results: results.map(|part| text(&part["content"])).collect(), ..Turn::default() }
}

fn write(asked: &Asked<'_>, next: &Move, count: usize) -> String {
    let (block, delta, reason) = match next {
        Move::Call(tool, input) => (
            json!({ "type": "tool_use", "id": format!("toolu_{count}"), "name": asked.turn.name_of(tool), "input": input }),
            json!({ "type": "input_json_delta", "partial_json": input.to_string() }),
            "tool_use",
        ),
        Move::Say(words) => (
            json!({ "type": "text", "text": words }),
            json!({ "type": "text_delta", "text": words }),
            "end_turn",
        ),
    };
    let usage = json!({ "input_tokens": 1, "output_tokens": 1 });
    let mut message = json!({
        "id": format!("msg_{count}"), "type": "message", "role": "assistant", "model": asked.body["model"],
        "content": [block], "stop_reason": reason, "stop_sequence": null, "usage": usage,
    });
    if !asked.streams() {
        return message.to_string();
    }
    message["content"] = json!([]);
    message["stop_reason"] = Value::Null;
    let mut start = block;
    for (key, empty) in [("input", json!({})), ("text", json!(""))] {
        if start.get(key).is_some() {
            start[key] = empty;
        }
    }
    let events = [
        json!({ "type": "message_start", "message": message }),
        json!({ "type": "content_block_start", "index": 0, "content_block": start }),
        json!({ "type": "content_block_delta", "index": 0, "delta": delta }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": reason, "stop_sequence": null }, "usage": usage }),
        json!({ "type": "message_stop" }),
    ];
    events.iter().map(|data| event(data["type"].as_str(), data)).collect()
}
