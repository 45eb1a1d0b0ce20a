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
        // It asks for a verdict on the conversation now and then, as an object.
        Move::Say(_) if asked.body["generationConfig"]["responseMimeType"] == "application/json" => {
            let config = &asked.body["generationConfig"];
            let schema = ["responseJsonSchema", "responseSchema"].map(|name| &config[name]);
            let schema = schema.into_iter().find(|schema| schema.is_object());
            json!({ "text": least_value(schema.unwrap_or(&Value::Null)).to_string() })
        }
        Move::Say(words) => json!({ "text": words }),
    };
    let answer = json!({
        "candidates": [{ "index": 0, "content": { "role": "model", "parts": [part] }, "finishReason": "STOP" }],
        "usageMetadata": { "promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2 },
    });
    if asked.streams() { event(None, &answer) } else { answer.to_string() }
}

/// The least value of a schema: no words, 0, false.
fn least_value(schema: &Value) -> Value {
    let kind = schema["type"].as_str().unwrap_or("object").to_lowercase();
    match kind.as_str() {
        "string" => schema["enum"].get(0).cloned().unwrap_or_else(|| json!("")),
        "number" | "integer" => json!(0),
        "boolean" => json!(false),
        "array" => json!([]),
        _ => {
            let members = schema["properties"].as_object().into_iter().flatten();
            members.map(|(name, member)| (name.clone(), least_value(member))).collect()
        }
    }
}
