//! Language models behind HTTP: what they are asked, what they answer, and which servers hold them.
//!
//! A [`Model`] answers one request at a time, piece by piece. Four interfaces are spoken: Ollama's `/api/chat`, OpenAI's
//! `/v1/chat/completions` (with llama.cpp, LM Studio, vLLM and others behind it) and `/v1/responses`, and Anthropic's
//! Messages. [`open`] takes the one that the person chose. Every answer is bounded in time and size.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod adapt;
mod answer;
pub mod arguments;
mod bounds;
mod chat;
mod client;
mod error;
mod facts;
mod key_command;
mod lines;
mod local;
mod messages;
mod ollama;
mod open;
mod refusal;
mod reply;
mod request;
mod responses;
mod server;
mod surrogates;
#[cfg(test)]
mod tests;

use wherefore_base as base;
use wherefore_embed as embed;
use wherefore_protocol as protocol;

pub use error::{ModelError, ModelErrorKind};
pub use local::{LocalServer, USUAL_PORTS, find_servers};
pub use open::open;
pub use reply::{Model, ModelFacts, ModelReply, Piece, Pieces, Price, StopReason, TokenUsage};
pub use request::{ModelCall, ModelMessage, ModelRequest, ProviderState, ToolSpec};
