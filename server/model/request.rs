//! The request to a model: a system prompt, the messages so far, the tools that it may call.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A request to a model. The model keeps nothing between two of them: each carries the whole conversation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelRequest {
    /// The system prompt; none is sent if it is empty.
    pub system: String,
    /// The messages so far, oldest first.
    pub messages: Vec<ModelMessage>,
    /// The tools that it may call natively.
    pub tools: Vec<ToolSpec>,
    /// A JSON schema that the text of the answer is held to while it is written, if the server can do that. An OpenAI
    /// server is sent it as `response_format`, Ollama as `format`.
    pub output_schema: Option<Value>,
    /// Tokens that the answer may have; the server's own limit when absent.
    pub max_output_tokens: Option<u32>,
    /// The randomness in the choice of words; the server's own value when absent.
    pub temperature: Option<f32>,
    /// Makes the chance repeatable, if the server takes a seed.
    pub seed: Option<u64>,
    /// Texts that end the answer if the model writes one of them.
    pub stop: Vec<String>,
}

/// A message of a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum ModelMessage {
    /// Words for the model.
    User {
        /// The words.
        text: String,
    },
    /// An earlier answer of the model.
    Assistant {
        /// Its words.
        text: String,
        /// Its native calls, in order.
        #[serde(default)]
        calls: Vec<ModelCall>,
        /// Data that its server needs back unchanged.
        #[serde(default)]
        state: Option<ProviderState>,
    },
    /// The result of one of the calls of the assistant's message before.
    ToolResult {
        /// The call's id.
        call_id: String,
        /// The tool's name, as the model wrote it.
        name: String,
        /// The result.
        text: String,
        /// True if the call failed.
        #[serde(default)]
        failed: bool,
    },
}

/// A call that a model wrote natively.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelCall {
    /// Its id: the server's, or one made here if the server gives none.
    pub id: String,
    /// The tool's name, as it came.
    pub name: String,
    /// The text of the arguments, exactly as it came. Where a server sends an object, its JSON.
    pub arguments: String,
}

/// A tool, as it is shown to a model. Its name fits every server: letters, digits, `_` and `-`, 64 at most.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Its name.
    pub name: String,
    /// The description of its effect.
    pub description: String,
    /// The JSON schema of its arguments.
    pub schema: Value,
}

/// Data that a server needs back with the conversation: signed thinking, encrypted reasoning. It means nothing to any
/// other server, and is sent to none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProviderState {
    /// The server: its interface and model.
    pub of: String,
    /// The items, as they came.
    pub items: Vec<Value>,
}
