//! The forms in which one call comes: ours, the log's, the Tool Protocol's, and those of models' APIs.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::catalogue::exact_params::read_exactly;
use crate::protocol::RawCall;

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

/// A function's name and arguments, with the model's own id of the call: of OpenAI's, Anthropic's and Ollama's APIs.
#[derive(Deserialize, JsonSchema)]
struct NamedCall {
    #[serde(alias = "tool_id")]
    name: String,
    #[serde(default, alias = "input")]
    arguments: Value,
    #[serde(default)]
    id: Option<String>,
    /// The id that an answer names, where the call has a second one.
    #[serde(default)]
    call_id: Option<String>,
    #[serde(default, rename = "type")]
    _kind: Option<String>,
    #[serde(default, rename = "status")]
    _status: Option<String>,
    #[serde(default, rename = "caller")]
    _caller: Value,
    #[serde(default, rename = "cache_control")]
    _cache_control: Value,
}

/// The marks by which a caller matches an answer to its call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CallLabel {
    /// The caller's own id of the call, where its form has one.
    pub(crate) id: Option<String>,
    /// The tool's name as the call has it.
    pub(crate) tool: Option<String>,
}

impl CallLabel {
    /// The label of a call, in whichever form.
    pub(crate) fn of_call(call: &Value) -> Self {
        let text = |of: &Value, names: &[&str]| {
            names.iter().find_map(|name| of.get(*name)?.as_str()).map(str::to_owned)
        };
        if RawCall::is_filled(call) {
            return Self { id: None, tool: text(call, &["_tool"]) };
        }
        let named = call.get("function").filter(|function| function.is_object()).unwrap_or(call);
        let own = call.pointer("/origin/call").and_then(Value::as_str).map(str::to_owned);
        Self { id: text(call, &["call_id", "id"]).or(own), tool: text(named, &["tool", "name", "tool_id"]) }
    }
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
        let NamedCall { name, arguments, id, call_id, .. } = read_exactly(call)?;
        let mut raw = RawCall { tool: name, arguments, ..RawCall::default() };
        raw.origin.call = call_id.or(id);
        return Ok(raw);
    }
    read_exactly(call)
}

/// A call as the log has it, `type: tool_call` with `tool` and `args`, in our own form. Its id is the caller's.
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
    let id = ["call_id", "id"].into_iter().find_map(|name| take_text(members, name));
    if let Some(id) = id
        && let Some(origin) = members.entry("origin").or_insert_with(|| json!({})).as_object_mut()
    {
        origin.entry("call").or_insert_with(|| id.into());
    }
    call
}

/// Takes a member that is a text.
fn take_text(members: &mut Map<String, Value>, name: &str) -> Option<String> {
    members.get(name)?.as_str()?;
    members.shift_remove(name)?.as_str().map(str::to_owned)
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
            json!({ "type": "tool_use", "id": "c1", "name": "fs.read", "input": args }),
            json!({ "type": "function_call", "id": "f", "call_id": "c1", "name": "fs.read", "arguments": args, "status": "completed" }),
        ] {
            let call = read_call(form.clone()).unwrap();
            assert_eq!((call.tool.as_str(), &call.arguments), ("fs.read", &args), "{form}");
        }
        let filled = json!({ "_tool": "fs.read", "path": "a" });
        assert_eq!(read_call(filled.clone()).unwrap().arguments, filled);
        for call in [
            json!({ "id": "c1", "function": { "name": "fs.read" } }),
            json!({ "id": "c1", "name": "fs.read" }),
            json!({ "id": "f1", "call_id": "c1", "name": "fs.read" }),
            json!({ "call_id": "c1", "type": "tool_call", "tool": "fs.read", "args": args }),
            json!({ "tool": "fs.read", "origin": { "call": "c1" } }),
        ] {
            let label = CallLabel { id: Some("c1".to_owned()), tool: Some("fs.read".to_owned()) };
            assert_eq!(CallLabel::of_call(&call), label);
            assert_eq!(read_call(call).unwrap().origin.call.as_deref(), Some("c1"));
        }
        let filled = CallLabel::of_call(&json!({ "_tool": "mail.read", "id": "an argument" }));
        assert_eq!(filled, CallLabel { id: None, tool: Some("mail.read".to_owned()) });
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
}
