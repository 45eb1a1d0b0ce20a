//! Calls of models without native calls, whose server holds an answer to a schema while it is written: the tools are in
//! the prompt, and each answer is an object with the model's text and its calls.

use serde_json::{Map, Value, json};

use super::short_prompt;
use crate::model::{ModelCall, ModelFacts, ModelMessage, ModelReply, ModelRequest, ToolSpec};

/// Calls of one answer.
const CALLS: usize = 8;
/// Members of a schema that do not affect an answer's form, or that servers' grammars do not support.
const LEFT_OUT: [&str; 8] =
    ["description", "default", "examples", "title", "pattern", "format", "$schema", "additionalProperties"];

/// The answer format for such a model.
const FORM: &str = "\
You call tools by answering with one JSON object: {\"say\": \"words for the person, or nothing\", \"calls\": [{\"_tool\": \
\"NAME\", …arguments}]}. Each answer makes a call; task_complete ends the task, also where you only answer or need to ask. The tools, each with the schema of its arguments:";

/// The answer format for a model with the short prompt.
const SHORT_FORM: &str = "\
Answer with one call, as one JSON object. The tools with their arguments (`?`: may be left out):";

/// An example task before the person's own, which explains the form to a small model better than any description.
const EXAMPLE: [(&str, &str); 2] = [
    (
        "Write the file colour.txt. Its content is the one word: green",
        r#"{"_tool":"fs_write","path":"colour.txt","content":"green","why":"Note down the colour that was named"}"#,
    ),
    (
        r#"fs_write answered: {"status":"applied","path":"colour.txt"}"#,
        r#"{"_tool":"task_complete","summary":"Wrote colour.txt.","why":"The colour is noted down"}"#,
    ),
];
/// The temperature of such an answer: with a higher one, a small model soon digresses.
const CHANCE: f32 = 0.3;

/// Members of a result that a small model cannot use: it quotes no hash, and waits for no proposal.
const UNTOLD: [&str; 3] = ["proposal", "hash", "created"];

/// The form in which a model answers.
#[derive(Clone, Copy, Debug)]
pub(super) enum AnswerStyle<'a> {
    /// Words, and calls by the whole schemas of the tools.
    Whole,
    /// A single call, after an example.
    Short {
        /// The tool that the next answer may not call, since its last call led nowhere.
        barred: Option<&'a str>,
    },
}

/// Characters of a sentence of a short answer: a small model may not find an end.
const SENTENCE: u64 = 200;
/// The arguments that are sentences.
const SENTENCES: [&str; 2] = ["why", "summary"];

/// The text that is sent in addition to the tools if the prompt is short.
pub(super) fn short_form() -> String {
    let example = EXAMPLE.iter().flat_map(|(asked, answered)| [*asked, *answered]);
    [SHORT_FORM].into_iter().chain(example).collect::<Vec<_>>().join("\n")
}

/// Returns whether a model needs this form.
pub(super) fn needs_constrained_form(facts: &ModelFacts) -> bool {
    facts.native_calls == Some(false) && facts.constrained == Some(true)
}

/// The request in the form that the model takes: native calls, or text and calls in one object.
pub(super) fn fit_request(facts: &ModelFacts, request: ModelRequest, form: AnswerStyle<'_>) -> ModelRequest {
    if !needs_constrained_form(facts) || request.tools.is_empty() {
        return request;
    }
    let is_short = matches!(form, AnswerStyle::Short { .. });
    let mut messages: Vec<ModelMessage> = Vec::new();
    let mut system = request.system;
    if is_short {
        system.push_str(&format!("\n\n{SHORT_FORM}"));
        request
            .tools
            .iter()
            .for_each(|tool| system.push_str(&format!("\n{}", short_prompt::tool_signature(tool))));
        for (asked, answered) in EXAMPLE {
            messages.push(ModelMessage::User { text: asked.to_owned() });
            messages.push(ModelMessage::Assistant {
                text: answered.to_owned(),
                calls: Vec::new(),
                state: None,
            });
        }
    } else {
        system.push_str(&format!("\n\n{FORM}"));
        for ToolSpec { name, description, schema } in &request.tools {
            let arguments = schema.get("properties").cloned().unwrap_or_default();
            let required = schema.get("required").cloned().unwrap_or_else(|| json!([]));
            system
                .push_str(&format!("\n- {name}: {}\n  {arguments} required: {required}", description.trim()));
        }
    }
    for message in request.messages.into_iter().map(|message| spell_message(message, is_short)) {
        match (messages.last_mut(), message) {
            // Two in a row are refused by some servers.
            (Some(ModelMessage::User { text }), ModelMessage::User { text: more }) => {
                text.push_str("\n\n");
                text.push_str(&more);
            }
            (_, message) => messages.push(message),
        }
    }
    let output_schema = Some(match form {
        AnswerStyle::Whole => answer_schema(&request.tools),
        AnswerStyle::Short { barred } => one_call_schema(&request.tools, barred),
    });
    let temperature = request.temperature.or(is_short.then_some(CHANCE));
    ModelRequest { system, messages, tools: Vec::new(), output_schema, temperature, ..request }
}

/// A message with its calls and results as text.
fn spell_message(message: ModelMessage, is_short: bool) -> ModelMessage {
    match message {
        ModelMessage::Assistant { text, calls, .. } => {
            let calls: Vec<Value> = calls.iter().map(call_object).collect();
            let text = match &*calls {
                [one] if is_short => one.to_string(),
                _ => json!({ "say": text, "calls": calls }).to_string(),
            };
            ModelMessage::Assistant { text, calls: Vec::new(), state: None }
        }
        ModelMessage::ToolResult { name, text, failed, .. } => {
            let outcome = if failed { "failed" } else { "answered" };
            let text = if is_short { shorten_result(text) } else { text };
            ModelMessage::User { text: format!("{name} {outcome}: {text}") }
        }
        words => words,
    }
}

/// A result without the members that mean nothing to a small model, and without hunks that have no reason.
fn shorten_result(text: String) -> String {
    let Ok(Value::Object(mut result)) = serde_json::from_str(&text) else { return text };
    UNTOLD.iter().for_each(|name| drop(result.shift_remove(*name)));
    let hunks = result.get("hunks").and_then(Value::as_array);
    if hunks.is_some_and(|hunks| hunks.iter().all(|hunk| hunk.get("reason").is_none())) {
        result.shift_remove("hunks");
    }
    Value::Object(result).to_string()
}

fn call_object(call: &ModelCall) -> Value {
    let mut made = Map::from_iter([("_tool".to_owned(), Value::String(call.name.clone()))]);
    if let Ok(Value::Object(arguments)) = serde_json::from_str(&call.arguments) {
        made.extend(arguments);
    }
    Value::Object(made)
}

/// The schema of an answer.
fn answer_schema(tools: &[ToolSpec]) -> Value {
    json!({
        "type": "object",
        "properties": {
            "say": { "type": "string" },
            "calls": { "type": "array", "minItems": 1, "maxItems": CALLS, "items": { "anyOf": call_forms(tools) } },
        },
        "required": ["say", "calls"],
        "additionalProperties": false,
    })
}

/// The schema of an answer with one call.
fn one_call_schema(tools: &[ToolSpec], barred: Option<&str>) -> Value {
    let allowed: Vec<ToolSpec> = tools.iter().filter(|tool| Some(&*tool.name) != barred).cloned().collect();
    let mut items = call_forms(&allowed);
    for item in &mut items {
        for name in SENTENCES {
            if let Some(Value::Object(sentence)) = item.pointer_mut(&format!("/properties/{name}")) {
                sentence.insert("minLength".to_owned(), json!(1));
                sentence.insert("maxLength".to_owned(), json!(SENTENCE));
            }
        }
    }
    json!({ "anyOf": items })
}

/// The form of a call of each tool.
fn call_forms(tools: &[ToolSpec]) -> Vec<Value> {
    tools
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
            strip_schema(&mut item);
            item["additionalProperties"] = json!(false);
            item
        })
        .collect()
}

/// Removes the members that do not affect the form.
pub(super) fn strip_schema(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.retain(|name, value| !LEFT_OUT.contains(&name.as_str()) || value.is_object());
            for (name, value) in members.iter_mut() {
                match (name.as_str(), value) {
                    // The names in it are those of arguments.
                    ("properties", Value::Object(properties)) => {
                        properties.values_mut().for_each(strip_schema)
                    }
                    ("const" | "enum", _) => {}
                    (_, value) => strip_schema(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(strip_schema),
        _ => {}
    }
}

/// Takes an answer in this form as text and calls; returns whether it has this form.
pub(super) fn take_constrained(reply: &mut ModelReply) -> bool {
    let Ok(Value::Object(mut answer)) = serde_json::from_str(reply.text.trim()) else { return false };
    if answer.contains_key("_tool") {
        let Some(call) = call_of_object(answer) else { return false };
        reply.text = String::new();
        reply.calls = vec![call];
        return true;
    }
    let Some(Value::Array(calls)) = answer.shift_remove("calls") else { return false };
    let say = answer.get("say").and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut taken = Vec::new();
    for made in calls {
        let Value::Object(made) = made else { return false };
        let Some(call) = call_of_object(made) else { return false };
        taken.push(call);
    }
    reply.text = say;
    reply.calls = taken;
    true
}

/// The call that an object with `_tool` and its arguments is.
fn call_of_object(mut made: Map<String, Value>) -> Option<ModelCall> {
    let Some(Value::String(name)) = made.shift_remove("_tool") else { return None };
    let arguments = Value::Object(made).to_string();
    Some(ModelCall { name, arguments, ..ModelCall::default() })
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
            assert_eq!(fit_request(&facts(native, constrained), request(), AnswerStyle::Whole), request());
        }
        let fitted = fit_request(&facts(Some(false), Some(true)), request(), AnswerStyle::Whole);
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
    fn with_the_short_prompt_an_answer_is_one_call_after_an_example() {
        let fitted = super::fit_request(
            &facts(Some(false), Some(true)),
            request(),
            AnswerStyle::Short { barred: None },
        );
        assert!(fitted.system.contains("- fs_read(path, format?)"), "{}", fitted.system);
        assert_eq!(fitted.messages.len(), 2 * EXAMPLE.len() + 3);
        let own = &fitted.messages[2 * EXAMPLE.len() + 1];
        let said = ModelMessage::Assistant {
            text: r#"{"_tool":"fs_read","path":"a"}"#.to_owned(),
            calls: Vec::new(),
            state: None,
        };
        assert_eq!(*own, said);
        let schema = fitted.output_schema.unwrap();
        assert_eq!(schema["anyOf"][0]["required"], json!(["_tool", "path"]));
        let barred = super::fit_request(
            &facts(Some(false), Some(true)),
            request(),
            AnswerStyle::Short { barred: Some("fs_read") },
        );
        assert_eq!(barred.output_schema.unwrap()["anyOf"], json!([]));
        for (_, answered) in EXAMPLE {
            let mut reply = ModelReply { text: answered.to_owned(), ..ModelReply::default() };
            assert!(take_constrained(&mut reply) && reply.calls.len() == 1, "{answered}");
        }
    }

    #[test]
    fn a_result_is_told_shortly_and_a_persons_reason_stays() {
        let accepted = r#"{"status":"applied","proposal":"p-1","path":"a","hunks":[{"id":"h1"}],"hash":"x","created":true}"#;
        assert_eq!(shorten_result(accepted.to_owned()), r#"{"status":"applied","path":"a"}"#);
        let rejected = r#"{"status":"rejected","hunks":[{"id":"h1","reason":"keep it"}]}"#;
        assert_eq!(shorten_result(rejected.to_owned()), rejected);
        assert_eq!(shorten_result("cut {".to_owned()), "cut {");
    }

    #[test]
    fn an_answer_in_this_form_is_words_and_calls_and_any_other_stays() {
        let text = r#" {"say":"Look.","calls":[{"_tool":"fs_read","path":"a"}]} "#;
        let mut reply = ModelReply { text: text.to_owned(), ..ModelReply::default() };
        assert!(take_constrained(&mut reply));
        assert_eq!(
            (&*reply.text, &*reply.calls[0].name, &*reply.calls[0].arguments),
            ("Look.", "fs_read", r#"{"path":"a"}"#)
        );
        for text in ["Look.", r#"{"say":"x"}"#, r#"{"calls":[{"path":"a"}]}"#, r#"{"calls":[1]}"#] {
            let mut reply = ModelReply { text: text.to_owned(), ..ModelReply::default() };
            assert!(!take_constrained(&mut reply) && reply.text == text && reply.calls.is_empty(), "{text}");
        }
    }
}
