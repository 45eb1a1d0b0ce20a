//! The calls of a message that holds several: the Tool Protocol's `calls`, a bare list, or a model's answer as its API gives
//! it.

use serde_json::{Map, Value};

use crate::protocol::{Code, Fault};

/// Calls of one message at most.
const MOST: usize = 100;

/// Members by which an object is one call.
const OF_ONE_CALL: [&str; 5] = ["tool", "_tool", "function", "name", "tool_id"];

/// Members of a model's message beside its `tool_calls`.
const OF_A_MESSAGE: [&str; 11] = [
    "role",
    "content",
    "refusal",
    "reasoning",
    "reasoning_content",
    "reasoning_details",
    "thinking",
    "annotations",
    "audio",
    "images",
    "function_call",
];

/// Types of the parts of an answer that are calls; its words, its thoughts and what its server ran are none.
const CALL_TYPES: [&str; 4] = ["function", "function_call", "tool_call", "tool_use"];

/// The calls of a message that holds several, each still unread; nothing where the message is one call.
///
/// # Errors
/// INVALID_ARGS where it holds none, or members that no such message has; QUOTA_EXCEEDED where there are too many.
pub(crate) fn read_message_calls(message: &Value) -> Result<Option<Vec<Value>>, Fault> {
    let members = match message {
        Value::Array(parts) => return check_calls("the message", pick_calls(parts)).map(Some),
        Value::String(text) => {
            return match serde_json::from_str::<Value>(text) {
                Ok(inner) if inner.is_object() || inner.is_array() => read_message_calls(&inner),
                _ => Ok(None),
            };
        }
        Value::Object(members) => members,
        _ => return Ok(None),
    };
    if OF_ONE_CALL.iter().any(|name| members.contains_key(*name)) {
        return Ok(None);
    }
    if members.contains_key("calls") {
        return read_listed_calls(members, "calls", &[]).map(Some);
    }
    if members.get("tool_calls").is_some_and(|calls| !calls.is_null()) {
        return read_listed_calls(members, "tool_calls", &OF_A_MESSAGE).map(Some);
    }
    if let Some(inner @ Value::Object(_)) = members.get("message") {
        return read_inner_calls("message", inner).map(Some);
    }
    match (members.get("choices"), members.get("content"), members.get("output")) {
        (Some(Value::Array(choices)), ..) => read_choice_calls(choices).map(Some),
        (_, Some(Value::Array(parts)), _) => check_calls("`content`", pick_calls(parts)).map(Some),
        (_, _, Some(Value::Array(parts))) => check_calls("`output`", pick_calls(parts)).map(Some),
        _ => Ok(None),
    }
}

/// The calls under a name, as a list or as JSON text that holds one.
fn read_listed_calls(members: &Map<String, Value>, name: &str, beside: &[&str]) -> Result<Vec<Value>, Fault> {
    let is_known = |other: &str| other == name || other.starts_with('_') || beside.contains(&other);
    if let Some(other) = members.keys().find(|other| !is_known(other)) {
        return Err(make_message_fault(format!(
            "`{other}` stands beside `{name}`, and is no part of a message of calls"
        )));
    }
    let given = members.get(name).cloned().unwrap_or_default();
    let read = match &given {
        Value::String(text) => serde_json::from_str(text).unwrap_or_default(),
        _ => given,
    };
    match read {
        Value::Array(calls) => check_calls(&format!("`{name}`"), calls),
        _ => Err(make_message_fault(format!("`{name}` is no list of calls, nor JSON text that holds one"))),
    }
}

/// The calls of the one answer among a model's choices.
fn read_choice_calls(choices: &[Value]) -> Result<Vec<Value>, Fault> {
    match choices {
        [one] => read_inner_calls("choices", one.get("message").unwrap_or(one)),
        [] => Err(make_message_fault("`choices` holds no call".to_owned())),
        several => Err(make_message_fault(format!(
            "`choices` holds {} answers, of which only one is to be followed",
            several.len()
        ))),
    }
}

/// The calls of a message that stands in another one under `name`.
fn read_inner_calls(name: &str, inner: &Value) -> Result<Vec<Value>, Fault> {
    read_message_calls(inner)?.ok_or_else(|| make_message_fault(format!("`{name}` holds no call")))
}

/// The calls among the parts of an answer.
fn pick_calls(parts: &[Value]) -> Vec<Value> {
    let is_call = |part: &&Value| match part.get("type") {
        Some(Value::String(kind)) if !CALL_TYPES.contains(&kind.as_str()) => {
            ["tool", "_tool", "function"].iter().any(|name| part.get(*name).is_some())
        }
        _ => true,
    };
    parts.iter().filter(is_call).cloned().collect()
}

fn check_calls(place: &str, calls: Vec<Value>) -> Result<Vec<Value>, Fault> {
    match calls.len() {
        0 => Err(make_message_fault(format!("{place} holds no call"))),
        1..=MOST => Ok(calls),
        many => {
            let message = format!("{place} holds {many} calls, and a message at most {MOST}");
            Err(Fault::new(Code::QuotaExceeded, message).with_suggestion("send them in several messages"))
        }
    }
}

fn make_message_fault(message: String) -> Fault {
    Fault::new(Code::InvalidArgs, message).with_suggestion(
        "send {\"calls\": [{\"_tool\": \"fs.read\", \"path\": \"…\", \"_reasoningForCall\": \"…\"}]}, or the answer of one \
         model as its API gives it",
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_message_holds_several_calls_or_is_one() {
        let count = |message: Value| read_message_calls(&message).unwrap().map(|calls| calls.len());
        assert_eq!(count(json!({ "calls": [{}, {}] })), Some(2));
        assert_eq!(count(json!({ "role": "assistant", "content": "", "tool_calls": [{}] })), Some(1));
        assert_eq!(count(json!({ "tool": "x", "arguments": {} })), None);
        assert_eq!(count(json!({ "_tool": "x", "calls": [] })), None, "an argument of that name");
        for wrong in [json!({ "calls": [] }), json!({ "calls": {} }), json!({ "calls": [{}], "more": 1 })] {
            assert_eq!(read_message_calls(&wrong).unwrap_err().code, Code::InvalidArgs, "{wrong}");
        }
        let many = json!({ "calls": vec![json!({}); 101] });
        assert_eq!(read_message_calls(&many).unwrap_err().code, Code::QuotaExceeded);
    }

    #[test]
    fn an_answer_of_a_model_is_read_as_its_api_gives_it() {
        let named = |message: Value| -> Vec<Value> {
            let calls = read_message_calls(&message).unwrap().unwrap();
            calls.iter().map(|call| call["name"].clone()).collect()
        };
        let calls = json!([{ "name": "a" }, { "name": "b" }]);
        let message = json!({ "role": "assistant", "content": null, "tool_calls": calls });
        let blocks = json!([{ "type": "text", "text": "Look" }, { "type": "tool_use", "name": "a" },
            { "type": "tool_use", "name": "b" }]);
        for form in [
            calls.clone(),
            json!({ "calls": calls.to_string() }),
            json!({ "tool_calls": calls.to_string() }),
            json!(calls.to_string()),
            json!({ "model": "m", "message": message, "done": true }),
            json!({ "id": "r", "object": "chat.completion", "choices": [{ "index": 0, "message": message }] }),
            json!({ "id": "m", "type": "message", "role": "assistant", "content": blocks, "stop_reason": "tool_use" }),
            json!({ "object": "response", "output": blocks }),
            blocks.clone(),
        ] {
            assert_eq!(named(form.clone()), ["a", "b"], "{form}");
        }
        for (wrong, says) in [
            (json!({ "choices": [{ "message": message }, { "message": message }] }), "2 answers"),
            (json!({ "choices": [] }), "holds no call"),
            (json!({ "message": { "role": "assistant", "content": "Done" } }), "`message` holds no call"),
            (json!({ "content": [{ "type": "text", "text": "Done" }] }), "`content` holds no call"),
            (json!({ "calls": "nothing" }), "no list of calls"),
            (json!([]), "the message holds no call"),
        ] {
            let fault = read_message_calls(&wrong).unwrap_err();
            assert!(fault.message.contains(says), "{wrong}: {}", fault.message);
        }
    }
}
