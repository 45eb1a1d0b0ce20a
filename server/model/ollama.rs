//! Ollama's `/api/chat`: a line of JSON for each piece.

use serde_json::{Value, json};

use crate::answer::{AnswerBuilder, arguments_text};
use crate::chat::arguments_object;
use crate::client::{EventReader, ModelClient};
use crate::{ModelCall, ModelError, ModelMessage, ModelRequest, StopReason};

/// The body of a request.
pub(crate) fn request_body(client: &ModelClient, request: &ModelRequest) -> Value {
    let mut messages = Vec::new();
    if !request.system.is_empty() {
        messages.push(json!({ "role": "system", "content": request.system }));
    }
    messages.extend(request.messages.iter().map(message_json));
    let mut options = json!({});
    let mut set = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            options[name] = value;
        }
    };
    // Without it the server takes a small context of its own and cuts what is longer.
    set("num_ctx", client.facts.lock().context_tokens.map(Value::from));
    set("num_predict", request.max_output_tokens.map(Value::from));
    set("temperature", request.temperature.map(Value::from));
    set("seed", request.seed.map(Value::from));
    set("stop", (!request.stop.is_empty()).then(|| json!(request.stop)));
    let mut body = json!({ "model": client.name, "messages": messages, "stream": true, "options": options });
    let tool = |tool: &crate::ToolSpec| {
        let (name, description, schema) = (&tool.name, &tool.description, &tool.schema);
        json!({ "type": "function", "function": { "name": name, "description": description, "parameters": schema } })
    };
    if !request.tools.is_empty() {
        body["tools"] = request.tools.iter().map(tool).collect();
    }
    if let Some(schema) = &request.output_schema {
        body["format"] = schema.clone();
    }
    body
}

fn message_json(message: &ModelMessage) -> Value {
    match message {
        ModelMessage::User { text } => json!({ "role": "user", "content": text }),
        ModelMessage::ToolResult { name, text, .. } => {
            json!({ "role": "tool", "tool_name": name, "content": text })
        }
        ModelMessage::Assistant { text, calls, .. } => {
            let mut message = json!({ "role": "assistant", "content": text });
            if !calls.is_empty() {
                let call = |call: &ModelCall| json!({ "function": { "name": call.name, "arguments": arguments_object(call) } });
                message["tool_calls"] = calls.iter().map(call).collect();
            }
            message
        }
    }
}

/// Reads the lines of an answer.
#[derive(Debug)]
pub(crate) struct OllamaReader;

impl EventReader for OllamaReader {
    fn read_event(
        &mut self,
        _: &str,
        data: &Value,
        answer: &mut AnswerBuilder<'_>,
    ) -> Result<(), ModelError> {
        if let Some(model) = data["model"].as_str() {
            model.clone_into(&mut answer.reply.model);
        }
        let message = &data["message"];
        answer.add_thinking(message["thinking"].as_str().unwrap_or_default())?;
        answer.add_text(message["content"].as_str().unwrap_or_default())?;
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            let at =
                answer.begin_call(call["id"].as_str(), call["function"]["name"].as_str().unwrap_or_default());
            answer.add_arguments(at, &arguments_text(&call["function"]["arguments"]))?;
        }
        if data["done"] == true {
            answer.reply.usage.input = data["prompt_eval_count"].as_u64().unwrap_or_default();
            answer.reply.usage.output = data["eval_count"].as_u64().unwrap_or_default();
            answer.set_stop(match data["done_reason"].as_str().unwrap_or("stop") {
                "stop" => StopReason::End,
                "length" => StopReason::Length,
                other => StopReason::Other(other.to_owned()),
            });
        }
        Ok(())
    }
}
