//! Calls of models that make no native ones, where the server holds an answer to a schema while it is written: the tools stand in
//! the prompt, and each answer is an object with the model's words and its calls.

use serde_json::{Map, Value, json};

use crate::model::{ModelCall, ModelFacts, ModelMessage, ModelReply, ModelRequest, ToolSpec};

/// Calls of one answer.
const CALLS: usize = 8;
/// Members of a schema that say nothing of an answer's form, or that grammars of servers do not know.
const LEFT_OUT: [&str; 8] =
    ["description", "default", "examples", "title", "pattern", "format", "$schema", "additionalProperties"];

/// How such a model is to answer.
const FORM: &str = "\
You call tools by answering with one JSON object: {\"say\": \"words for the person, or nothing\", \"calls\": [{\"_tool\": \
\"NAME\", …arguments}]}. Each answer makes a call; task_complete ends the task, also where you only answer or need to ask. The tools, each with the schema of its arguments:";

/// Whether a model is asked in this form.
pub(super) fn is_meant(facts: &ModelFacts) -> bool {
    facts.native_calls == Some(false) && facts.constrained == Some(true)
}

/// The request in the form that the model takes: native calls, or words and calls in one object.
pub(super) fn fitted(facts: &ModelFacts, request: ModelRequest) -> ModelRequest {
    if !is_meant(facts) || request.tools.is_empty() {
        return request;
    }
    let mut system = format!("{}\n\n{FORM}", request.system);
    for ToolSpec { name, description, schema } in &request.tools {
        let arguments = schema.get("properties").cloned().unwrap_or_default();
        let required = schema.get("required").cloned().unwrap_or_else(|| json!([]));
        system.push_str(&format!("\n- {name}: {}\n  {arguments} required: {required}", description.trim()));
    }
    let mut messages: Vec<ModelMessage> = Vec::new();
    for message in request.messages.into_iter().map(spelled) {
        match (messages.last_mut(), message) {
            // Two in a row are refused by some servers.
            (Some(ModelMessage::User { text }), ModelMessage::User { text: more }) => {
                text.push_str("\n\n");
                text.push_str(&more);
            }
            (_, message) => messages.push(message),
        }
    }
    let output_schema = Some(schema(&request.tools));
    ModelRequest { system, messages, tools: Vec::new(), output_schema, ..request }
}

/// A message with its calls and results as words.
fn spelled(message: ModelMessage) -> ModelMessage {
    match message {
        ModelMessage::Assistant { text, calls, .. } => {
            let calls: Vec<Value> = calls.iter().map(call).collect();
            let text = json!({ "say": text, "calls": calls }).to_string();
            ModelMessage::Assistant { text, calls: Vec::new(), state: None }
        }
        ModelMessage::ToolResult { name, text, failed, .. } => {
            let outcome = if failed { "failed" } else { "answered" };
            ModelMessage::User { text: format!("{name} {outcome}: {text}") }
        }
        words => words,
    }
}

fn call(call: &ModelCall) -> Value {
    let mut made = Map::from_iter([("_tool".to_owned(), Value::String(call.name.clone()))]);
    if let Ok(Value::Object(arguments)) = serde_json::from_str(&call.arguments) {
        made.extend(arguments);
    }
    Value::Object(made)
}

/// What an answer is held to.
fn schema(tools: &[ToolSpec]) -> Value {
    let items: Vec<Value> = tools
        .iter()
        .map(|tool| {
            let mut properties = Map::from_iter([("_tool".to_owned(), json!({ "const": tool.name }))]);
            let own = tool.schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
            properties.extend(own);
            let required = tool.schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
            let required: Vec<Value> = [json!("_tool")].into_iter().chain(required).collect();
            let mut item = json!({ "type": "object", "properties": properties, "required": required });
            if let Some(definitions) = tool.schema.get("$defs") {
                item["$defs"] = definitions.clone();
            }
            plain(&mut item);
            item["additionalProperties"] = json!(false);
            item
        })
        .collect();
    json!({
        "type": "object",
        "properties": {
            "say": { "type": "string" },
            "calls": { "type": "array", "minItems": 1, "maxItems": CALLS, "items": { "anyOf": items } },
        },
        "required": ["say", "calls"],
        "additionalProperties": false,
    })
}

/// Leaves out what says nothing of the form.
fn plain(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.retain(|name, value| !LEFT_OUT.contains(&name.as_str()) || value.is_object());
            for (name, value) in members.iter_mut() {
                match (name.as_str(), value) {
                    // The names in it are those of arguments.
                    ("properties", Value::Object(properties)) => properties.values_mut().for_each(plain),
                    ("const" | "enum", _) => {}
                    (_, value) => plain(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(plain),
        _ => {}
    }
}

/// Takes an answer in this form as words and calls; whether it is one.
pub(super) fn take(reply: &mut ModelReply) -> bool {
    let Ok(Value::Object(mut answer)) = serde_json::from_str(reply.text.trim()) else { return false };
    let Some(Value::Array(calls)) = answer.shift_remove("calls") else { return false };
    let say = answer.get("say").and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut taken = Vec::new();
    for made in calls {
        let Value::Object(mut made) = made else { return false };
        let Some(Value::String(name)) = made.shift_remove("_tool") else { return false };
        let arguments = Value::Object(made).to_string();
        taken.push(ModelCall { name, arguments, ..ModelCall::default() });
    }
    reply.text = say;
    reply.calls = taken;
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> ModelRequest {
        let schema = json!({
            "type": "object",
            "properties": {
                "path": { "type": "string", "description": "The file.", "pattern": "^a" },
                "format": { "type": "string", "enum": ["title", "x"] },
            },
            "required": ["path"],
            "additionalProperties": false,
        });
        let tool = ToolSpec { name: "fs_read".to_owned(), description: "Reads.".to_owned(), schema };
        let call =
            ModelCall { id: "1".into(), name: "fs_read".into(), arguments: r#"{"path":"a"}"#.to_owned() };
        let result = ModelMessage::ToolResult {
            call_id: "1".into(),
            name: "fs_read".into(),
            text: "gone".into(),
            failed: true,
        };
        let messages = vec![
            ModelMessage::User { text: "Do it".to_owned() },
            ModelMessage::Assistant { text: "Look.".to_owned(), calls: vec![call], state: None },
            result,
            ModelMessage::User { text: "Go on".to_owned() },
        ];
        ModelRequest { system: "S".to_owned(), messages, tools: vec![tool], ..ModelRequest::default() }
    }

    fn facts(native_calls: Option<bool>, constrained: Option<bool>) -> ModelFacts {
        ModelFacts { native_calls, constrained, ..ModelFacts::default() }
    }

    #[test]
    fn only_a_model_without_native_calls_behind_a_server_that_holds_it_is_asked_so() {
        for (native, constrained) in
            [(None, Some(true)), (Some(true), Some(true)), (Some(false), None), (Some(false), Some(false))]
        {
            assert_eq!(fitted(&facts(native, constrained), request()), request());
        }
        let fitted = fitted(&facts(Some(false), Some(true)), request());
        assert!(fitted.tools.is_empty() && fitted.system.contains("fs_read: Reads."), "{}", fitted.system);
        let said = [
            ModelMessage::User { text: "Do it".to_owned() },
            ModelMessage::Assistant {
                text: r#"{"say":"Look.","calls":[{"_tool":"fs_read","path":"a"}]}"#.to_owned(),
                calls: Vec::new(),
                state: None,
            },
            ModelMessage::User { text: "fs_read failed: gone\n\nGo on".to_owned() },
        ];
        assert_eq!(fitted.messages, said);
        let schema = fitted.output_schema.unwrap();
        let item = &schema["properties"]["calls"]["items"]["anyOf"][0];
        assert_eq!(item["properties"]["_tool"], json!({ "const": "fs_read" }));
        assert_eq!(item["properties"]["path"], json!({ "type": "string" }));
        assert_eq!(
            item["properties"]["format"]["enum"],
            json!(["title", "x"]),
            "an argument may be called so"
        );
        assert_eq!(item["required"], json!(["_tool", "path"]));
    }

    #[test]
    fn an_answer_in_this_form_is_words_and_calls_and_any_other_stays() {
        let text = r#" {"say":"Look.","calls":[{"_tool":"fs_read","path":"a"}]} "#;
        let mut reply = ModelReply { text: text.to_owned(), ..ModelReply::default() };
        assert!(take(&mut reply));
        assert_eq!(
            (&*reply.text, &*reply.calls[0].name, &*reply.calls[0].arguments),
            ("Look.", "fs_read", r#"{"path":"a"}"#)
        );
        for text in ["Look.", r#"{"say":"x"}"#, r#"{"calls":[{"path":"a"}]}"#, r#"{"calls":[1]}"#] {
            let mut reply = ModelReply { text: text.to_owned(), ..ModelReply::default() };
            assert!(!take(&mut reply) && reply.text == text && reply.calls.is_empty(), "{text}");
        }
    }
}
