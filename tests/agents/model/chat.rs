//! OpenAI's chat completions, as OpenCode speaks it to a model of one's own.

use serde_json::{Value, json};

use super::{Asked, Dialect, Move, Turn, event, text};

pub(super) const DIALECT: Dialect =
    Dialect { is_path: |path| path.ends_with("/chat/completions"), read, write };

fn read(body: &Value) -> Turn {
    let names = body["tools"].as_array().into_iter().flatten();
    let tools = names.filter_map(|tool| tool["function"]["name"].as_str().map(str::to_owned)).collect();
    let messages = body["messages"].as_array().into_iter().flatten();
    let results = messages.filter(|message| message["role"] == "tool");
    Turn { tools, results: results.map(|message| text(&message["content"])).collect(), ..Turn::default() }
}

fn write(asked: &Asked<'_>, next: &Move, count: usize) -> String {
    let (message, reason) = match next {
        Move::Call(tool, arguments) => {
            let function = json!({ "name": asked.turn.name_of(tool), "arguments": arguments.to_string() });
            let call = json!({ "index": 0, "id": format!("call_{count}"), "type": "function", "function": function });
            (json!({ "role": "assistant", "content": null, "tool_calls": [call] }), "tool_calls")
        }
        Move::Say(words) => (json!({ "role": "assistant", "content": words }), "stop"),
    };
    let whole = |kind: &str, choice: Value| {
        json!({
            "id": format!("chat_{count}"), "object": kind, "created": 1, "model": asked.body["model"],
            "choices": [choice],
            "usage": { "prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2 },
        })
    };
    if !asked.streams() {
        return whole("chat.completion", json!({ "index": 0, "message": message, "finish_reason": reason }))
            .to_string();
    }
    let chunk = |delta: Value, reason: Value| {
        let choice = json!({ "index": 0, "delta": delta, "finish_reason": reason });
        event(None, &whole("chat.completion.chunk", choice))
    };
    chunk(message, Value::Null) + &chunk(json!({}), json!(reason)) + "data: [DONE]\n\n"
}
