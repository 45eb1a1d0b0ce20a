//! Anthropic's Messages. Thinking comes signed and is sent back as it came.

use serde_json::{Value, json};

use crate::answer::{AnswerBuilder, arguments_text};
use crate::chat::arguments_object;
use crate::client::{EventReader, ModelClient};
use crate::{ModelError, ModelMessage, ModelRequest, ProviderState, StopReason};

/// Tokens of an answer if the request names no limit: the interface wants one.
const LIMIT: u32 = 8192;

/// The body of a request. The server keeps the tools, the system prompt and the conversation so far for the next one.
pub(crate) fn request_body(client: &ModelClient, request: &ModelRequest) -> Value {
    let mut messages: Vec<Value> = Vec::new();
    for message in &request.messages {
        let (role, blocks) = message_blocks(client, message);
        match messages.last_mut().filter(|last| last["role"] == role) {
            _ if blocks.is_empty() => {}
            // Results of one answer's calls belong together.
            Some(last) => {
                last["content"].as_array_mut().into_iter().for_each(|all| all.extend(blocks.clone()))
            }
            None => messages.push(json!({ "role": role, "content": blocks })),
        }
    }
    if let Some(last) = messages.last_mut()
        && let Some(block) = last["content"].as_array_mut().and_then(|blocks| blocks.last_mut())
    {
        block["cache_control"] = cache_control();
    }
    let mut body = json!({
        "model": client.name,
        "max_tokens": request.max_output_tokens.unwrap_or(LIMIT),
        "messages": messages,
        "stream": true,
    });
    if !request.system.is_empty() {
        body["system"] =
            json!([{ "type": "text", "text": request.system, "cache_control": cache_control() }]);
    }
    let tool = |tool: &crate::ToolSpec| json!({ "name": tool.name, "description": tool.description, "input_schema": tool.schema });
    let mut tools: Vec<Value> = request.tools.iter().map(tool).collect();
    if let Some(last) = tools.last_mut() {
        last["cache_control"] = cache_control();
        body["tools"] = Value::Array(tools);
    }
    if let Some(schema) = &request.output_schema {
        body["output_config"] = json!({ "format": { "type": "json_schema", "schema": schema } });
    }
    if let Some(temperature) = request.temperature {
        body["temperature"] = json!(temperature);
    }
    if !request.stop.is_empty() {
        body["stop_sequences"] = json!(request.stop);
    }
    body
}

fn cache_control() -> Value {
    json!({ "type": "ephemeral" })
}

fn message_blocks(client: &ModelClient, message: &ModelMessage) -> (&'static str, Vec<Value>) {
    // The interface refuses a text of nothing.
    let words = |text: &str| (!text.trim().is_empty()).then(|| json!({ "type": "text", "text": text }));
    match message {
        ModelMessage::User { text } => ("user", words(text).into_iter().collect()),
        ModelMessage::ToolResult { call_id, text, failed, .. } => {
            let content: Vec<Value> = words(text).into_iter().collect();
            let block = json!({ "type": "tool_result", "tool_use_id": call_id, "content": content, "is_error": failed });
            ("user", vec![block])
        }
        ModelMessage::Assistant { text, calls, state } => {
            if let Some(own) = client.own_items(state.as_ref()) {
                return ("assistant", own.to_vec());
            }
            let mut blocks: Vec<Value> = words(text).into_iter().collect();
            blocks.extend(calls.iter().map(|call| {
                json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": arguments_object(call) })
            }));
            ("assistant", blocks)
        }
    }
}

/// Reads the events of an answer.
#[derive(Debug)]
pub(crate) struct MessagesReader {
    identity: String,
    /// The blocks so far: the server's number, the block, and which call it is.
    blocks: Vec<(u64, Value, Option<usize>)>,
    stop: Option<StopReason>,
}

impl MessagesReader {
    pub(crate) fn new(identity: String) -> Self {
        Self { identity, blocks: Vec::new(), stop: None }
    }

    fn begin_block(&mut self, data: &Value, answer: &mut AnswerBuilder<'_>) -> Result<(), ModelError> {
        let (number, block) = (data["index"].as_u64().unwrap_or_default(), data["content_block"].clone());
        let call = (block["type"] == "tool_use")
            .then(|| answer.begin_call(block["id"].as_str(), block["name"].as_str().unwrap_or_default()));
        answer.add_text(block["text"].as_str().unwrap_or_default())?;
        answer.add_thinking(block["thinking"].as_str().unwrap_or_default())?;
        // Some servers that speak the interface send the input at once.
        if let (Some(at), Some(input)) = (call, block["input"].as_object().filter(|input| !input.is_empty()))
        {
            answer.add_arguments(at, &arguments_text(&Value::Object(input.clone())))?;
        }
        self.blocks.push((number, block, call));
        Ok(())
    }

    fn add_to_block(&mut self, data: &Value, answer: &mut AnswerBuilder<'_>) -> Result<(), ModelError> {
        let (number, delta) = (data["index"].as_u64().unwrap_or_default(), &data["delta"]);
        let Some((_, block, call)) = self.blocks.iter_mut().rfind(|(known, ..)| *known == number) else {
            return Err(crate::answer::bad_answer("it sent a part of a block that never began"));
        };
        let mut add = |name: &str, text: &str| {
            let before = block[name].as_str().unwrap_or_default();
            block[name] = Value::String(format!("{before}{text}"));
        };
        let text = |name: &str| delta[name].as_str().unwrap_or_default();
        match delta["type"].as_str().unwrap_or_default() {
            "text_delta" => {
                add("text", text("text"));
                answer.add_text(text("text"))
            }
            "thinking_delta" => {
                add("thinking", text("thinking"));
                answer.add_thinking(text("thinking"))
            }
            "signature_delta" => {
                add("signature", text("signature"));
                Ok(())
            }
            "input_json_delta" => match call {
                Some(at) => answer.add_arguments(*at, text("partial_json")),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// The blocks as they go back, each call with its input.
    fn take_state(&mut self, answer: &AnswerBuilder<'_>) -> ProviderState {
        let items = std::mem::take(&mut self.blocks).into_iter().filter_map(|(_, mut block, call)| {
            if let Some(call) = call.and_then(|at| answer.reply.calls.get(at)) {
                block["input"] = Value::Object(arguments_object(call));
            }
            let is_empty =
                block["type"] == "text" && block["text"].as_str().unwrap_or_default().trim().is_empty();
            (!is_empty).then_some(block)
        });
        ProviderState { of: self.identity.clone(), items: items.collect() }
    }
}

impl EventReader for MessagesReader {
    fn read_event(
        &mut self,
        name: &str,
        data: &Value,
        answer: &mut AnswerBuilder<'_>,
    ) -> Result<(), ModelError> {
        match data["type"].as_str().unwrap_or(name) {
            "message_start" => {
                let message = &data["message"];
                message["model"].as_str().unwrap_or_default().clone_into(&mut answer.reply.model);
                read_usage(&message["usage"], answer);
            }
            "content_block_start" => self.begin_block(data, answer)?,
            "content_block_delta" => self.add_to_block(data, answer)?,
            "message_delta" => {
                read_usage(&data["usage"], answer);
                if let Some(reason) = data["delta"]["stop_reason"].as_str() {
                    self.stop = Some(stop_reason(reason));
                }
            }
            "message_stop" => {
                answer.reply.state = Some(self.take_state(answer));
                answer.set_stop(self.stop.take().unwrap_or_default());
            }
            _ => {}
        }
        Ok(())
    }
}

fn stop_reason(reason: &str) -> StopReason {
    match reason {
        "end_turn" | "stop_sequence" => StopReason::End,
        "tool_use" => StopReason::Calls,
        "max_tokens" | "model_context_window_exceeded" => StopReason::Length,
        "refusal" => StopReason::Refused,
        other => StopReason::Other(other.to_owned()),
    }
}

/// Counts tokens: the server counts cached ones apart.
fn read_usage(usage: &Value, answer: &mut AnswerBuilder<'_>) {
    let count = |name: &str| usage[name].as_u64();
    if let Some(input) = count("input_tokens") {
        let cached = count("cache_read_input_tokens").unwrap_or_default();
        let written = count("cache_creation_input_tokens").unwrap_or_default();
        answer.reply.usage.input = input + cached + written;
        answer.reply.usage.cached = cached;
    }
    if let Some(output) = count("output_tokens") {
        answer.reply.usage.output = output;
    }
}
