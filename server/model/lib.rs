//! Language models behind HTTP: what they are asked, what they answer, and which servers hold them.
//!
//! A [`LanguageModel`] answers one request at a time, piece by piece. Four interfaces are spoken: Ollama's `/api/chat`,
//! OpenAI's `/v1/chat/completions` (with llama.cpp, LM Studio, vLLM and others behind it) and `/v1/responses`, and
//! Anthropic's Messages. [`open_model`] takes the one that the person chose. Every answer is bounded in time and size.
//!
//! # Invariants
//!
//! - No model's key is in an error, and none goes to a server that it was not set for.
//!   Test: `each_interface_tells_what_went_wrong_and_never_the_key`, `a_key_goes_to_its_own_server_alone`
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
#[cfg(test)]
mod tests;

use wherefore_base as base;
use wherefore_embed as embed;
use wherefore_protocol as protocol;

pub use error::{ModelError, ModelErrorKind};
pub use local::{LocalServer, USUAL_PORTS, find_servers};
pub use open::open_model;
pub use reply::{AnswerPiece, LanguageModel, ModelFacts, ModelReply, Pieces, Price, StopReason, TokenUsage};
pub use request::{ModelCall, ModelMessage, ModelRequest, ProviderState, ToolSpec};
