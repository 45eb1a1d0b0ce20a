//! The answer of a model: pieces while it writes, then the whole.

use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};

use crate::{ModelCall, ModelError, ModelMessage, ModelRequest, ProviderState};

/// Takes each piece when it comes. It is called in the task that reads the answer, so it must not block.
pub type Pieces<'a> = &'a mut (dyn FnMut(AnswerPiece) + Send);

/// A model behind a server.
pub trait LanguageModel: Send + Sync {
    /// Asks it once. Dropping the future ends the request.
    ///
    /// A request that fails before its first piece is made again if that may help; behind the first piece never, so that
    /// no piece comes twice.
    fn reply<'a>(
        &'a self,
        request: &'a ModelRequest,
        pieces: Pieces<'a>,
    ) -> BoxFuture<'a, Result<ModelReply, ModelError>>;

    /// Returns the facts that are known so far.
    fn facts(&self) -> ModelFacts;

    /// Asks the server for its facts, and keeps them for [`Self::facts`].
    fn inspect(&self) -> BoxFuture<'_, Result<ModelFacts, ModelError>>;
}

/// A part of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "piece", rename_all = "snake_case")]
pub enum AnswerPiece {
    /// More of its words.
    Text {
        /// The words.
        text: String,
    },
    /// More of its thinking, if the server shows it.
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
    /// Its thinking, if the server shows it.
    pub thinking: String,
    /// Its native calls, in order.
    pub calls: Vec<ModelCall>,
    /// Tokens, as the server counts them.
    pub usage: TokenUsage,
    /// The reason why it ended.
    pub stop: StopReason,
    /// The model that answered, as the server names it.
    pub model: String,
    /// Data that the server needs in the next request.
    pub state: Option<ProviderState>,
}

impl ModelReply {
    /// Returns the message that represents this answer in the next request.
    pub fn message(&self) -> ModelMessage {
        let (text, calls, state) = (self.text.clone(), self.calls.clone(), self.state.clone());
        ModelMessage::Assistant { text, calls, state }
    }
}

/// Tokens of a request and its answer; zero if the server counts none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenUsage {
    /// Tokens of the request, cached ones included.
    pub input: u64,
    /// Tokens of the answer, thinking included.
    pub output: u64,
    /// Tokens of the request that the server had from before.
    pub cached: u64,
}

/// The reason why an answer ended.
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
    /// Another reason, in the server's words.
    Other(String),
}

/// The known facts of a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelFacts {
    /// Its name.
    pub name: String,
    /// The provider: `ollama`, `openai`, `anthropic`, `llama.cpp`, or a host.
    pub provider: String,
    /// Tokens that a request and its answer may have together.
    pub context_tokens: Option<u64>,
    /// The price of its tokens, if the server gives one.
    pub price: Option<Price>,
    /// True if it makes native calls, if that is known.
    pub native_calls: Option<bool>,
    /// True if the server constrains an answer to `output_schema` while it is written, if that is known.
    pub constrained: Option<bool>,
    /// True if it runs on this machine.
    pub local: bool,
    /// The server, if it was looked for since none was named: its kind and its URL.
    pub found: Option<String>,
}

/// The price of a million tokens, in US dollars.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Price {
    /// The price of a request's tokens.
    pub input: f64,
    /// The price of an answer's tokens.
    pub output: f64,
}
