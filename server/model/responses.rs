//! OpenAI's `/v1/responses`. Nothing is stored there: reasoning comes back encrypted and is sent again.

use serde_json::{Value, json};

use crate::answer::{AnswerBuilder, arguments_text};
use crate::client::{EventReader, ModelClient};
use crate::refusal::refusal_error;
use crate::{ModelError, ModelMessage, ModelRequest, ProviderState, StopReason};

/// The body of a request.
pub(crate) fn request_body(client: &ModelClient, request: &ModelRequest) -> Value {
    let mut input = Vec::new();
    request.messages.iter().for_each(|message| push_items(client, message, &mut input));
    let mut body = json!({
        "model": client.name,
        "input": input,
        "stream": true,
        "store": false,
        "include": ["reasoning.encrypted_content"],
    });
    let mut set = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            body[name] = value;
        }
    };
    let tool = |tool: &crate::ToolSpec| {
        json!({ "type": "function", "name": tool.name, "description": tool.description,
            "parameters": tool.schema, "strict": false })
    };
    let tools: Vec<Value> = request.tools.iter().map(tool).collect();
    set("instructions", (!request.system.is_empty()).then(|| json!(request.system)));
    set("tools", (!tools.is_empty()).then_some(Value::Array(tools)));
    let format = |schema| json!({ "format": { "type": "json_schema", "name": "answer", "schema": schema, "strict": true } });
    set("text", request.output_schema.as_ref().map(format));
    set("max_output_tokens", request.max_output_tokens.map(Value::from));
    set("temperature", request.temperature.map(Value::from));
    body
}

fn push_items(client: &ModelClient, message: &ModelMessage, input: &mut Vec<Value>) {
    let words = |role: &str, kind: &str, text: &str| json!({ "role": role, "content": [{ "type": kind, "text": text }] });
    match message {
        ModelMessage::User { text } => input.push(words("user", "input_text", text)),
        ModelMessage::ToolResult { call_id, text, .. } => {
            input.push(json!({ "type": "function_call_output", "call_id": call_id, "output": text }));
        }
        ModelMessage::Assistant { text, calls, state } => {
            if let Some(own) = client.own_items(state.as_ref()) {
                input.extend(own.iter().cloned());
                return;
            }
            if !text.is_empty() {
                input.push(words("assistant", "output_text", text));
            }
            for call in calls {
                input.push(json!({ "type": "function_call", "call_id": call.id, "name": call.name,
                    "arguments": call.arguments }));
            }
        }
    }
}

/// Reads the events of an answer.
#[derive(Debug)]
pub(crate) struct ResponsesReader {
    identity: String,
    items: Vec<Value>,
    /// The server's number of each call.
    calls: Vec<u64>,
}

impl ResponsesReader {
    pub(crate) fn new(identity: String) -> Self {
        Self { identity, items: Vec::new(), calls: Vec::new() }
    }

    /// The call with that number.
    fn call_place(&self, data: &Value) -> Option<usize> {
        let number = data["output_index"].as_u64()?;
        self.calls.iter().position(|known| *known == number)
    }

    fn begin_call(&mut self, data: &Value, answer: &mut AnswerBuilder<'_>) -> usize {
        if let Some(at) = self.call_place(data) {
            return at;
        }
        let item = &data["item"];
        self.calls.push(data["output_index"].as_u64().unwrap_or_default());
        let id = item["call_id"].as_str().or(item["id"].as_str());
        answer.begin_call(id, item["name"].as_str().unwrap_or_default())
    }

    /// The arguments as a whole, of which parts came before.
    fn set_arguments(
        &self,
        at: usize,
        arguments: &Value,
        answer: &mut AnswerBuilder<'_>,
    ) -> Result<(), ModelError> {
        let text = arguments_text(arguments);
        let came = answer.reply.calls.get(at).map_or(0, |call| call.arguments.len());
        if came == 0 { answer.add_arguments(at, &text) } else { Ok(()) }
    }

    fn read_item(&mut self, data: &Value, answer: &mut AnswerBuilder<'_>) -> Result<(), ModelError> {
        let mut item = data["item"].clone();
        if item["type"] == "function_call" {
            let at = self.begin_call(data, answer);
            self.set_arguments(at, &item["arguments"], answer)?;
        }
        if item["type"] == "message" && answer.reply.text.is_empty() {
            let parts = item["content"].as_array().into_iter().flatten();
            let text: String = parts.filter_map(|part| part["text"].as_str()).collect();
            answer.add_text(&text)?;
        }
        // An id names an item that the server stored, and it stores none.
        if let Some(item) = item.as_object_mut() {
            item.shift_remove("id");
            item.shift_remove("status");
        }
        self.items.push(item);
        Ok(())
    }

    fn end_response(&mut self, response: &Value, answer: &mut AnswerBuilder<'_>) {
        let count = |path: &str| response.pointer(path).and_then(Value::as_u64).unwrap_or_default();
        answer.reply.usage.input = count("/usage/input_tokens");
        answer.reply.usage.output = count("/usage/output_tokens");
        answer.reply.usage.cached = count("/usage/input_tokens_details/cached_tokens");
        let items = std::mem::take(&mut self.items);
        answer.reply.state = Some(ProviderState { of: self.identity.clone(), items });
        let refused = answer.reply.stop == StopReason::Refused;
        let why = response.pointer("/incomplete_details/reason").and_then(Value::as_str);
        answer.set_stop(match why {
            _ if refused => StopReason::Refused,
            None => StopReason::End,
            Some("max_output_tokens") => StopReason::Length,
            Some("content_filter") => StopReason::Refused,
            Some(other) => StopReason::Other(other.to_owned()),
        });
    }
}

impl EventReader for ResponsesReader {
    fn read_event(
        &mut self,
        name: &str,
        data: &Value,
        answer: &mut AnswerBuilder<'_>,
    ) -> Result<(), ModelError> {
        let text = data["delta"].as_str().unwrap_or_default();
        match data["type"].as_str().unwrap_or(name) {
            "response.created" => {
                data["response"]["model"].as_str().unwrap_or_default().clone_into(&mut answer.reply.model);
            }
            "response.output_text.delta" => answer.add_text(text)?,
            "response.refusal.delta" => {
                answer.add_text(text)?;
                answer.reply.stop = StopReason::Refused;
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                answer.add_thinking(text)?
            }
            "response.output_item.added" if data["item"]["type"] == "function_call" => {
                self.begin_call(data, answer);
            }
            "response.function_call_arguments.delta" => {
                let at = self
                    .call_place(data)
                    .ok_or_else(|| crate::answer::bad_answer("it sent arguments of no call"))?;
                answer.add_arguments(at, text)?;
            }
            "response.function_call_arguments.done" => {
                if let Some(at) = self.call_place(data) {
                    self.set_arguments(at, &data["arguments"], answer)?;
                }
            }
            "response.output_item.done" => self.read_item(data, answer)?,
            "response.completed" | "response.incomplete" => self.end_response(&data["response"], answer),
            "response.failed" => return Err(refusal_error(None, None, &data["response"].to_string())),
            "error" => return Err(refusal_error(None, None, &data.to_string())),
            _ => {}
        }
        Ok(())
    }
}
