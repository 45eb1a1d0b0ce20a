//! Google's generateContent, as Gemini CLI speaks it.

use serde_json::{Value, json};

use super::{Asked, Dialect, Move, Turn, event, text};

pub(super) const DIALECT: Dialect = Dialect {
    is_path: |path| path.ends_with(":generateContent") || path.ends_with(":streamGenerateContent"),
    read,
    write,
};

fn read(body: &Value) -> Turn {
    let lists = body["tools"].as_array().into_iter().flatten();
    let named = lists.flat_map(|list| list["functionDeclarations"].as_array()).flatten();
    let tools = named.filter_map(|tool| tool["name"].as_str().map(str::to_owned)).collect();
    let parts =
        body["contents"].as_array().into_iter().flatten().flat_map(|content| content["parts"].as_array());
    let results = parts.flatten().filter_map(|part| part.get("functionResponse"));
    let said = |result: &Value| {
        let response = &result["response"];
        text(response.get("output").or_else(|| response.get("error")).unwrap_or(response))
    };
    Turn { tools, results: results.map(said).collect(), ..Turn::default() }
}

fn write(asked: &Asked<'_>, next: &Move, _: usize) -> String {
    let part = match next {
        Move::Call(tool, args) => {
            json!({ "functionCall": { "name": asked.turn.name_of(tool), "args": args } })
        }
        Move::Say(words) => json!({ "text": words }),
    };
    let answer = json!({
        "candidates": [{ "index": 0, "content": { "role": "model", "parts": [part] }, "finishReason": "STOP" }],
        "usageMetadata": { "promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2 },
    });
    if asked.streams() { event(None, &answer) } else { answer.to_string() }
}
