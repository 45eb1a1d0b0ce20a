//! OpenAI's Responses, as Codex speaks it.

use serde_json::{Value, json};

use super::{Asked, Dialect, Move, Turn, event, text};

pub(super) const DIALECT: Dialect = Dialect { is_path: |path| path.ends_with("/responses"), read, write };

/// Tools of servers come in groups: `mcp__wherefore` with `fs_read` in it is returned here as `mcp__wherefore/fs_read`.
fn read(body: &Value) -> Turn {
    let mut tools = Vec::new();
    for tool in body["tools"].as_array().into_iter().flatten() {
        let name = tool["name"].as_str().unwrap_or_default();
        match tool["tools"].as_array() {
            Some(inner) => {
                let inner = inner.iter().filter_map(|tool| tool["name"].as_str());
                tools.extend(inner.map(|tool| format!("{name}/{tool}")));
            }
            None => tools.push(name.to_owned()),
        }
    }
    let items = body["input"].as_array().into_iter().flatten();
    let is_result = |item: &&Value| item["type"].as_str().is_some_and(|kind| kind.ends_with("_call_output"));
    let results = items.filter(is_result);
    Turn { tools, results: results.map(|item| text(&item["output"])).collect(), ..Turn::default() }
}

fn write(asked: &Asked<'_>, next: &Move, count: usize) -> String {
    let is_custom = |name: &str| {
        let mut tools = asked.body["tools"].as_array().into_iter().flatten();
        tools.any(|tool| tool["type"] == "custom" && tool["name"] == name)
    };
    let item = match next {
        // Such a tool takes a text, and no arguments.
        Move::Call(tool, arguments) if is_custom(tool) => json!({
            "type": "custom_tool_call", "id": format!("ctc_{count}"), "call_id": format!("call_{count}"),
            "name": tool, "input": arguments["input"], "status": "completed",
        }),
        Move::Call(tool, arguments) => {
            let mut item = json!({
                "type": "function_call", "id": format!("fc_{count}"), "call_id": format!("call_{count}"),
                "name": tool, "arguments": arguments.to_string(),
            });
            let grouped = asked.turn.tools.iter().find_map(|name| name.strip_suffix(&format!("/{tool}")));
            if let Some(group) = grouped {
                item["namespace"] = json!(group);
            }
            item
        }
        Move::Say(words) => json!({
            "type": "message", "id": format!("msg_{count}"), "role": "assistant",
            "content": [{ "type": "output_text", "text": words, "annotations": [] }],
        }),
    };
    let id = format!("resp_{count}");
    let usage = json!({
        "input_tokens": 1, "input_tokens_details": null, "output_tokens": 1, "output_tokens_details": null,
        "total_tokens": 2,
    });
    let response =
        json!({ "id": id, "object": "response", "status": "completed", "output": [item], "usage": usage });
    if !asked.streams() {
        return response.to_string();
    }
    let events = [
        json!({ "type": "response.created", "response": { "id": id } }),
        json!({ "type": "response.output_item.added", "output_index": 0, "item": item }),
        json!({ "type": "response.output_item.done", "output_index": 0, "item": item }),
        json!({ "type": "response.completed", "response": response }),
    ];
    events.iter().map(|data| event(data["type"].as_str(), data)).collect()
}
