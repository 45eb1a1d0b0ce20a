//! OpenAI's `/v1/chat/completions`, as it and the many servers that speak it write it.

use serde_json::{Map, Value, json};

use crate::answer::{AnswerBuilder, arguments_text};
use crate::client::{EventReader, ModelClient};
use crate::{ModelCall, ModelError, ModelMessage, ModelRequest, StopReason};

/// The body of a request.
pub(crate) fn request_body(client: &ModelClient, request: &ModelRequest) -> Value {
    let mut messages = Vec::new();
    if !request.system.is_empty() {
        messages.push(json!({ "role": "system", "content": request.system }));
    }
    messages.extend(request.messages.iter().map(message_json));
    let mut body = json!({
        "model": client.name,
        "messages": messages,
        "stream": true,
        "stream_options": { "include_usage": true },
    });
    let mut set = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            body[name] = value;
        }
    };
    let tool = |tool: &crate::ToolSpec| {
        let (name, description, schema) = (&tool.name, &tool.description, &tool.schema);
        json!({ "type": "function", "function": { "name": name, "description": description, "parameters": schema } })
    };
    let tools: Vec<Value> = request.tools.iter().map(tool).collect();
    set("tools", (!tools.is_empty()).then_some(Value::Array(tools)));
    set("response_format", request.output_schema.as_ref().map(output_format));
    set("max_tokens", request.max_output_tokens.map(Value::from));
    set("temperature", request.temperature.map(Value::from));
    set("seed", request.seed.map(Value::from));
    set("stop", (!request.stop.is_empty()).then(|| json!(request.stop)));
    body
}

fn output_format(schema: &Value) -> Value {
    json!({ "type": "json_schema", "json_schema": { "name": "answer", "schema": schema, "strict": true } })
}

fn message_json(message: &ModelMessage) -> Value {
    match message {
        ModelMessage::User { text } => json!({ "role": "user", "content": text }),
        ModelMessage::ToolResult { call_id, text, .. } => {
            json!({ "role": "tool", "tool_call_id": call_id, "content": text })
        }
        ModelMessage::Assistant { text, calls, .. } if calls.is_empty() => {
            json!({ "role": "assistant", "content": text })
        }
        ModelMessage::Assistant { text, calls, .. } => {
            let call = |call: &ModelCall| {
                let arguments = Value::Object(arguments_object(call)).to_string();
                json!({ "id": call.id, "type": "function",
                    "function": { "name": call.name, "arguments": arguments } })
            };
            let content = if text.is_empty() { Value::Null } else { json!(text) };
            let calls: Vec<Value> = calls.iter().map(call).collect();
            json!({ "role": "assistant", "content": content, "tool_calls": calls })
        }
    }
}

/// A call's arguments as an object, since templates of models read them. What is none is shown as it came.
pub(crate) fn arguments_object(call: &ModelCall) -> Map<String, Value> {
    if call.arguments.trim().is_empty() {
        return Map::new();
    }
    match serde_json::from_str(&call.arguments) {
        Ok(Value::Object(map)) => map,
        _ => Map::from_iter([("unreadable_arguments".to_owned(), json!(call.arguments))]),
    }
}

/// Reads the events of an answer.
#[derive(Debug, Default)]
pub(crate) struct ChatReader {
    /// The server's number and id of each call.
    calls: Vec<(Option<u64>, String)>,
    ended: Option<StopReason>,
}

impl EventReader for ChatReader {
    fn read_event(
        &mut self,
        _: &str,
        data: &Value,
        answer: &mut AnswerBuilder<'_>,
    ) -> Result<(), ModelError> {
        if let Some(model) = data["model"].as_str() {
            model.clone_into(&mut answer.reply.model);
        }
        read_usage(&data["usage"], answer);
        let choice = &data["choices"][0];
        let delta = choice.get("delta").filter(|delta| !delta.is_null()).unwrap_or(&choice["message"]);
        for name in ["reasoning_content", "reasoning"] {
            if let Some(text) = delta[name].as_str() {
                answer.add_thinking(text)?;
                break;
            }
        }
        answer.add_text(&content_text(&delta["content"]))?;
        if let Some(text) = delta["refusal"].as_str() {
            answer.add_text(text)?;
            self.ended = Some(StopReason::Refused);
        }
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            self.read_call(call, answer)?;
        }
        if delta["function_call"].is_object() {
            self.read_call(&json!({ "index": 0, "function": delta["function_call"] }), answer)?;
        }
        if let Some(reason) = choice["finish_reason"].as_str() {
            let refused = self.ended.take().filter(|ended| *ended == StopReason::Refused);
            self.ended = Some(refused.unwrap_or_else(|| stop_reason(reason)));
        }
        Ok(())
    }

    /// An answer is complete with its reason, also if no `[DONE]` follows.
    fn end_stream(&mut self, answer: &mut AnswerBuilder<'_>) {
        if let Some(reason) = self.ended.take() {
            answer.set_stop(reason);
        }
    }
}

impl ChatReader {
    fn read_call(&mut self, call: &Value, answer: &mut AnswerBuilder<'_>) -> Result<(), ModelError> {
        let (number, id) = (call["index"].as_u64(), call["id"].as_str().unwrap_or_default());
        let function = if call["function"].is_object() { &call["function"] } else { call };
        let name = function["name"].as_str().unwrap_or_default();
        let at = match self.known_call(number, id, name) {
            Some(at) => at,
            None => {
                self.calls.push((number, id.to_owned()));
                answer.begin_call(Some(id), name)
            }
        };
        if !name.is_empty() {
            answer.set_call_name(at, name);
        }
        answer.add_arguments(at, &arguments_text(&function["arguments"]))
    }

    /// The call that this is a part of. Some servers number every call 0, and some number none.
    fn known_call(&self, number: Option<u64>, id: &str, name: &str) -> Option<usize> {
        let begins = |known: &str| !name.is_empty() && !id.is_empty() && known != id;
        match number {
            Some(_) => {
                let at = self.calls.iter().rposition(|(known, _)| *known == number)?;
                (!begins(&self.calls[at].1)).then_some(at)
            }
            None if !id.is_empty() => self.calls.iter().rposition(|(_, known)| known == id),
            None if !name.is_empty() => None,
            None => self.calls.len().checked_sub(1),
        }
    }
}

/// The text of a content, which some servers send in parts.
fn content_text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}

fn stop_reason(reason: &str) -> StopReason {
    match reason {
        "stop" | "eos" | "stop_sequence" => StopReason::End,
        "tool_calls" | "function_call" => StopReason::Calls,
        "length" => StopReason::Length,
        "content_filter" => StopReason::Refused,
        other => StopReason::Other(other.to_owned()),
    }
}

fn read_usage(usage: &Value, answer: &mut AnswerBuilder<'_>) {
    let count = |path: &str| usage.pointer(path).and_then(Value::as_u64);
    if let (Some(input), output) = (count("/prompt_tokens"), count("/completion_tokens")) {
        answer.reply.usage.input = input;
        answer.reply.usage.output = output.unwrap_or_default();
        answer.reply.usage.cached = count("/prompt_tokens_details/cached_tokens").unwrap_or_default();
    }
}
