//! OpenAI's `/v1/responses`. Nothing is stored there: reasoning comes back encrypted and is sent again.

use serde_json::{Value, json};

use crate::answer::{Answer, arguments_text};
use crate::client::{Client, Reader};
use crate::refusal::refusal;
use crate::{ModelError, ModelMessage, ModelRequest, ProviderState, StopReason};

/// The body of a request.
pub(crate) fn body(client: &Client, request: &ModelRequest) -> Value {
    let mut input = Vec::new();
    request.messages.iter().for_each(|message| items(client, message, &mut input));
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

fn items(client: &Client, message: &ModelMessage, input: &mut Vec<Value>) {
    let words = |role: &str, kind: &str, text: &str| json!({ "role": role, "content": [{ "type": kind, "text": text }] });
    match message {
        ModelMessage::User { text } => input.push(words("user", "input_text", text)),
        ModelMessage::ToolResult { call_id, text, .. } => {
            input.push(json!({ "type": "function_call_output", "call_id": call_id, "output": text }));
        }
        ModelMessage::Assistant { text, calls, state } => {
            if let Some(own) = client.own(state.as_ref()) {
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
    fn place(&self, data: &Value) -> Option<usize> {
        let number = data["output_index"].as_u64()?;
        self.calls.iter().position(|known| *known == number)
    }

    fn begin(&mut self, data: &Value, answer: &mut Answer<'_>) -> usize {
        if let Some(at) = self.place(data) {
            return at;
        }
        let item = &data["item"];
        self.calls.push(data["output_index"].as_u64().unwrap_or_default());
        let id = item["call_id"].as_str().or(item["id"].as_str());
        answer.call(id, item["name"].as_str().unwrap_or_default())
    }

    /// The arguments as a whole, of which parts came before.
    fn whole(&self, at: usize, arguments: &Value, answer: &mut Answer<'_>) -> Result<(), ModelError> {
        let text = arguments_text(arguments);
        let came = answer.reply.calls.get(at).map_or(0, |call| call.arguments.len());
        if came == 0 { answer.arguments(at, &text) } else { Ok(()) }
    }

    fn item(&mut self, data: &Value, answer: &mut Answer<'_>) -> Result<(), ModelError> {
        let mut item = data["item"].clone();
        if item["type"] == "function_call" {
            let at = self.begin(data, answer);
            self.whole(at, &item["arguments"], answer)?;
        }
        if item["type"] == "message" && answer.reply.text.is_empty() {
            let parts = item["content"].as_array().into_iter().flatten();
            let text: String = parts.filter_map(|part| part["text"].as_str()).collect();
            answer.text(&text)?;
        }
        // An id names an item that the server stored, and it stores none.
        if let Some(item) = item.as_object_mut() {
            item.shift_remove("id");
            item.shift_remove("status");
        }
        self.items.push(item);
        Ok(())
    }

    fn over(&mut self, response: &Value, answer: &mut Answer<'_>) {
        let count = |path: &str| response.pointer(path).and_then(Value::as_u64).unwrap_or_default();
        answer.reply.usage.input = count("/usage/input_tokens");
        answer.reply.usage.output = count("/usage/output_tokens");
        answer.reply.usage.cached = count("/usage/input_tokens_details/cached_tokens");
        let items = std::mem::take(&mut self.items);
        answer.reply.state = Some(ProviderState { of: self.identity.clone(), items });
        let refused = answer.reply.stop == StopReason::Refused;
        let why = response.pointer("/incomplete_details/reason").and_then(Value::as_str);
        answer.stop(match why {
            _ if refused => StopReason::Refused,
            None => StopReason::End,
            Some("max_output_tokens") => StopReason::Length,
            Some("content_filter") => StopReason::Refused,
            Some(other) => StopReason::Other(other.to_owned()),
        });
    }
}

impl Reader for ResponsesReader {
    fn event(&mut self, name: &str, data: &Value, answer: &mut Answer<'_>) -> Result<(), ModelError> {
        let text = data["delta"].as_str().unwrap_or_default();
        match data["type"].as_str().unwrap_or(name) {
            "response.created" => {
                data["response"]["model"].as_str().unwrap_or_default().clone_into(&mut answer.reply.model);
            }
            "response.output_text.delta" => answer.text(text)?,
            "response.refusal.delta" => {
                answer.text(text)?;
                answer.reply.stop = StopReason::Refused;
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                answer.thinking(text)?
            }
            "response.output_item.added" if data["item"]["type"] == "function_call" => {
                self.begin(data, answer);
            }
            "response.function_call_arguments.delta" => {
                let at =
                    self.place(data).ok_or_else(|| crate::answer::bad("it sent arguments of no call"))?;
                answer.arguments(at, text)?;
            }
            "response.function_call_arguments.done" => {
                if let Some(at) = self.place(data) {
                    self.whole(at, &data["arguments"], answer)?;
                }
            }
            "response.output_item.done" => self.item(data, answer)?,
            "response.completed" | "response.incomplete" => self.over(&data["response"], answer),
            "response.failed" => return Err(refusal(None, None, &data["response"].to_string())),
            "error" => return Err(refusal(None, None, &data.to_string())),
            _ => {}
        }
        Ok(())
    }
}
