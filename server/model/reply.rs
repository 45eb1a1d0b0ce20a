//! What a model answers: pieces while it writes, then the whole.

use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};

use crate::{ModelCall, ModelError, ModelMessage, ModelRequest, ProviderState};

/// Takes each piece when it comes. It is called in the task that reads the answer, so it must not block.
pub type Pieces<'a> = &'a mut (dyn FnMut(Piece) + Send);

/// A model behind a server.
pub trait Model: Send + Sync {
    /// Asks it once. Dropping the future ends the request.
    ///
    /// A request that fails before its first piece is made again where that may help; behind the first piece never, so that
    /// no piece comes twice.
    fn reply<'a>(
        &'a self,
        request: &'a ModelRequest,
        pieces: Pieces<'a>,
    ) -> BoxFuture<'a, Result<ModelReply, ModelError>>;

    /// What is known of it so far.
    fn facts(&self) -> ModelFacts;

    /// Asks the server for the facts that it tells, and keeps them for [`Self::facts`].
    fn inspect(&self) -> BoxFuture<'_, Result<ModelFacts, ModelError>>;
}

/// A part of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "piece", rename_all = "snake_case")]
pub enum Piece {
    /// More of its words.
    Text {
        /// The words.
        text: String,
    },
    /// More of its thinking, where the server shows it.
    Thinking {
        /// The words.
        text: String,
    },
    /// A call begins.
    CallStarted {
        /// Its place among the calls of the answer.
        index: usize,
        /// The tool's name.
        name: String,
    },
    /// More of a call's arguments.
    CallArguments {
        /// The call's place.
        index: usize,
        /// The text.
        text: String,
    },
}

/// A whole answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelReply {
    /// Its words.
    pub text: String,
    /// Its thinking, where the server shows it.
    pub thinking: String,
    /// Its native calls, in order.
    pub calls: Vec<ModelCall>,
    /// Tokens, as the server counts them.
    pub usage: TokenUsage,
    /// Why it ended.
    pub stop: StopReason,
    /// The model that answered, as the server names it.
    pub model: String,
    /// What the server wants back with the next request.
    pub state: Option<ProviderState>,
}

impl ModelReply {
    /// The message that stands for this answer in the next request.
    pub fn message(&self) -> ModelMessage {
        let (text, calls, state) = (self.text.clone(), self.calls.clone(), self.state.clone());
        ModelMessage::Assistant { text, calls, state }
    }
}

/// Tokens of a request and its answer; zero where the server counts none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenUsage {
    /// Tokens of the request, cached ones included.
    pub input: u64,
    /// Tokens of the answer, thinking included.
    pub output: u64,
    /// Those of the request that the server had from before.
    pub cached: u64,
}

/// Why an answer ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The model was done.
    #[default]
    End,
    /// It waits for the results of its calls.
    Calls,
    /// It reached the limit of tokens: the last call may be cut.
    Length,
    /// The model or a filter of its server refused.
    Refused,
    /// As the server names it.
    Other(String),
}

/// What is known of a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelFacts {
    /// Its name.
    pub name: String,
    /// Who serves it: `ollama`, `openai`, `anthropic`, `llama.cpp`, or a host.
    pub provider: String,
    /// Tokens that a request and its answer may have together.
    pub context_tokens: Option<u64>,
    /// What its tokens cost, where the server says so.
    pub price: Option<Price>,
    /// Whether it makes native calls, where that is known.
    pub native_calls: Option<bool>,
    /// Whether the server holds an answer to `output_schema` while it is written, where that is known.
    pub constrained: Option<bool>,
    /// Whether it runs on this machine.
    pub local: bool,
    /// The server, where nobody named it and it was looked for: what it is and its URL.
    pub found: Option<String>,
}

/// What a million tokens cost, in US dollars.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Price {
    /// Of a request.
    pub input: f64,
    /// Of an answer.
    pub output: f64,
}
