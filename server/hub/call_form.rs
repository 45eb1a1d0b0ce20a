//! The forms in which a call comes: ours, the Tool Protocol's, a function's, and several in one message.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::catalogue::exact_params::read_exactly;
use crate::protocol::{Code, Fault, RawCall};

/// Calls of one message at most.
const MOST: usize = 100;

/// The members under which a message holds several calls: the Tool Protocol's, and that of a model's message.
const SEVERAL: [&str; 2] = ["calls", "tool_calls"];

/// A call as a model's API has it.
#[derive(Deserialize, JsonSchema)]
struct FunctionCall {
    function: NamedFunction,
    /// The model's own id of the call.
    #[serde(default)]
    id: Option<String>,
    #[serde(default, rename = "type")]
    _kind: Option<String>,
    #[serde(default, rename = "index")]
    _index: Option<u64>,
}

/// A function with its arguments.
#[derive(Deserialize, JsonSchema)]
struct NamedFunction {
    #[serde(alias = "tool_id")]
    name: String,
    #[serde(default)]
    arguments: Value,
}

/// A function's name and arguments, with the model's own id of the call.
#[derive(Deserialize, JsonSchema)]
struct NamedCall {
    #[serde(alias = "tool_id")]
    name: String,
    #[serde(default)]
    arguments: Value,
    #[serde(default, alias = "call_id")]
    id: Option<String>,
    #[serde(default, rename = "type")]
    _kind: Option<String>,
}

/// Reads one call, in whichever form.
///
/// # Errors
/// A sentence about the problem.
pub(crate) fn read_call(call: Value) -> Result<RawCall, String> {
    if RawCall::is_filled(&call) {
        return Ok(RawCall::from_filled(call));
    }
    let has = |name: &str| call.get(name).is_some();
    if has("tool") {
        return read_exactly(log_form_as_call(call));
    }
    if has("function") {
        let FunctionCall { function: NamedFunction { name, arguments }, id, .. } = read_exactly(call)?;
        let mut raw = RawCall { tool: name, arguments, ..RawCall::default() };
        raw.origin.call = id;
        return Ok(raw);
    }
    if has("name") || has("tool_id") {
        let NamedCall { name, arguments, id, .. } = read_exactly(call)?;
        let mut raw = RawCall { tool: name, arguments, ..RawCall::default() };
        raw.origin.call = id;
        return Ok(raw);
    }
    read_exactly(call)
}

/// A call as the log has it, `type: tool_call` with `tool` and `args`, in our own form.
fn log_form_as_call(mut call: Value) -> Value {
    let Some(members) = call.as_object_mut() else { return call };
    if members.get("type").and_then(Value::as_str) == Some("tool_call") {
        members.shift_remove("type");
    }
    if !members.contains_key("arguments")
        && let Some(args) = members.shift_remove("args")
    {
        members.insert("arguments".to_owned(), args);
    }
    call
}

/// The caller's own id of a call, where its form has one.
pub(crate) fn caller_id(call: &Value) -> Option<&str> {
    if RawCall::is_filled(call) || call.get("tool").is_some() {
        return None;
    }
    call.get("id").or_else(|| call.get("call_id"))?.as_str()
}

/// The calls of a message that holds several, each still unread; nothing where the message is one call.
///
/// # Errors
/// INVALID_ARGS where that is no list, or has members next to it; QUOTA_EXCEEDED where there are too many.
pub(crate) fn several(message: &Value) -> Result<Option<Vec<Value>>, Fault> {
    let Value::Object(members) = message else { return Ok(None) };
    if ["tool", "_tool", "function", "name", "tool_id"].iter().any(|name| members.contains_key(*name)) {
        return Ok(None);
    }
    let Some(name) = SEVERAL.iter().find(|name| members.contains_key(**name)) else { return Ok(None) };
    let invalid = |message: String| {
        Fault::new(Code::InvalidArgs, message).with_suggestion(
            "send {\"calls\": [{\"_tool\": \"fs.read\", \"path\": \"…\", \"_reasoningForCall\": \"…\"}]}",
        )
    };
    if let Some(other) = beside(members, name) {
        return Err(invalid(format!(
            "`{other}` stands beside `{name}`, and is no part of a message of calls"
        )));
    }
    match &members[*name] {
        Value::Array(calls) if calls.is_empty() => Err(invalid(format!("`{name}` holds no call"))),
        Value::Array(calls) if calls.len() > MOST => {
            let message = format!("`{name}` holds {} calls, and a message at most {MOST}", calls.len());
            Err(Fault::new(Code::QuotaExceeded, message).with_suggestion("send them in several messages"))
        }
        Value::Array(calls) => Ok(Some(calls.clone())),
        _ => Err(invalid(format!("`{name}` is no list of calls"))),
    }
}

/// Returns a member that no message of calls has; other members that models add to their calls are ignored.
fn beside<'a>(members: &'a Map<String, Value>, list: &str) -> Option<&'a str> {
    let of_a_message = ["role", "content", "refusal", "reasoning_content", "thinking"];
    let known = |name: &str| name == list || (list == "tool_calls" && of_a_message.contains(&name));
    members.keys().map(String::as_str).find(|name| !known(name))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_call_comes_in_each_form() {
        let args = json!({ "path": "a" });
        for form in [
            json!({ "tool": "fs.read", "arguments": args }),
            json!({ "type": "tool_call", "tool": "fs.read", "args": args }),
            json!({ "tool_id": "fs.read", "arguments": args }),
            json!({ "name": "fs.read", "arguments": args }),
            json!({ "function": { "name": "fs.read", "arguments": args } }),
            json!({ "id": "c1", "type": "function", "index": 0, "function": { "name": "fs.read", "arguments": args } }),
        ] {
            let call = read_call(form.clone()).unwrap();
            assert_eq!((call.tool.as_str(), &call.arguments), ("fs.read", &args), "{form}");
        }
        let filled = json!({ "_tool": "fs.read", "path": "a" });
        assert_eq!(read_call(filled.clone()).unwrap().arguments, filled);
        for call in [
            json!({ "id": "c1", "function": { "name": "fs.read" } }),
            json!({ "id": "c1", "name": "fs.read" }),
        ] {
            assert_eq!(caller_id(&call), Some("c1"));
            assert_eq!(read_call(call).unwrap().origin.call.as_deref(), Some("c1"));
        }
        assert_eq!(caller_id(&json!({ "_tool": "mail.read", "id": "an argument" })), None);
        for (wrong, says) in [
            (json!({ "function": { "name": "a", "args": {} } }), "`args` is no member of `function`"),
            (json!({ "name": "a", "argument": {} }), "`argument` is no member: did you mean `arguments`?"),
            (json!({}), "missing field `tool`"),
            (json!("x"), "invalid type"),
        ] {
            let said = read_call(wrong.clone()).unwrap_err();
            assert!(said.contains(says), "{wrong}: {said}");
        }
    }

    #[test]
    fn a_message_holds_several_calls_or_is_one() {
        let count = |message: Value| several(&message).unwrap().map(|calls| calls.len());
        assert_eq!(count(json!({ "calls": [{}, {}] })), Some(2));
        assert_eq!(count(json!({ "role": "assistant", "content": "", "tool_calls": [{}] })), Some(1));
        assert_eq!(count(json!({ "tool": "x", "arguments": {} })), None);
        assert_eq!(count(json!({ "_tool": "x", "calls": [] })), None, "an argument of that name");
        for wrong in [json!({ "calls": [] }), json!({ "calls": {} }), json!({ "calls": [{}], "more": 1 })] {
            assert_eq!(several(&wrong).unwrap_err().code, Code::InvalidArgs, "{wrong}");
        }
        let many = json!({ "calls": vec![json!({}); 101] });
        assert_eq!(several(&many).unwrap_err().code, Code::QuotaExceeded);
    }
}
