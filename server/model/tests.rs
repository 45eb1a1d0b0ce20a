//! Clients and scripted servers at the other end of them.

mod apis;
mod faults;
mod places;
#[allow(clippy::print_stdout, reason = "it reports figures, where a person runs it")]
mod real;
#[allow(dead_code, unreachable_pub, reason = "tests of other packages take it in too")]
pub(crate) mod scripted;

use std::time::Duration;

use serde_json::{Value, json};

use crate::bounds::AnswerBounds;
use crate::client::ModelClient;
use crate::protocol::ModelApi;
use crate::server::{KeyHeader, ModelServer, ServerKey, check_url};
use crate::{AnswerPiece, LanguageModel, ModelError, ModelMessage, ModelReply, ModelRequest, ToolSpec};
use scripted::Scripted;

const SECRET: &str = "sk-a-secret-that-nobody-shows";

/// A client with small bounds, so that no test waits.
fn client(server: &Scripted, api: ModelApi) -> ModelClient {
    let bounds = AnswerBounds {
        idle: Duration::from_millis(400),
        pause: Duration::from_millis(2),
        patience: Duration::from_millis(300),
        ..AnswerBounds::default()
    };
    let header = if api == ModelApi::Messages { KeyHeader::Anthropic } else { KeyHeader::Bearer };
    let path = if api == ModelApi::Ollama { "" } else { "/v1" };
    let url = check_url(&format!("{}{path}", server.url)).unwrap();
    let server = ModelServer::new(url, Some((ServerKey::new(SECRET), header)), bounds).unwrap();
    let mut client = ModelClient::new(server, api, "m".to_owned(), "scripted".to_owned());
    client.context = Some(4096);
    client.facts.get_mut().context_tokens = Some(4096);
    client
}

fn request() -> ModelRequest {
    let schema = json!({ "type": "object", "properties": { "path": { "type": "string" } } });
    ModelRequest {
        system: "Be brief.".to_owned(),
        messages: vec![ModelMessage::User { text: "Read a.".to_owned() }],
        tools: vec![ToolSpec { name: "fs_read".to_owned(), description: "Reads.".to_owned(), schema }],
        ..ModelRequest::default()
    }
}

/// The answer to a request, and the pieces that came before it.
async fn asked(
    client: &ModelClient,
    request: &ModelRequest,
) -> (Result<ModelReply, ModelError>, Vec<AnswerPiece>) {
    let mut pieces = Vec::new();
    let mut take = |piece| pieces.push(piece);
    let reply = client.reply(request, &mut take).await;
    (reply, pieces)
}

/// The lines of events in OpenAI's form for one answer.
fn chat(deltas: &[Value], finish: &str) -> Vec<String> {
    let event =
        |delta: &Value| json!({ "model": "m-1", "choices": [{ "index": 0, "delta": delta }] }).to_string();
    let mut events: Vec<String> = deltas.iter().map(event).collect();
    events.push(json!({ "choices": [{ "delta": {}, "finish_reason": finish }] }).to_string());
    events.push(
        json!({ "choices": [], "usage": { "prompt_tokens": 7, "completion_tokens": 3,
        "prompt_tokens_details": { "cached_tokens": 2 } } })
        .to_string(),
    );
    events.push("[DONE]".to_owned());
    events
}
