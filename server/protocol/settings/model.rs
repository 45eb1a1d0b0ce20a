//! `[model]`: the language model that wherefore's own agent asks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The language model and its server. Ignored in a project's file, which could send your texts elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ModelSettings {
    /// The model: `ollama/NAME`, `openai/NAME`, `anthropic/NAME`, or a server's URL and a name as
    /// `http://127.0.0.1:8080/v1#NAME`. When empty, a server on this machine is looked for.
    pub name: String,
    /// The server's URL, if it is not the usual one; https, or http on this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The interface that the server speaks, if its name does not say so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api: Option<ModelApi>,
    /// The environment variable that holds the key; `OPENAI_API_KEY` for `openai/…` and `ANTHROPIC_API_KEY` for
    /// `anthropic/…` when absent, and no key for others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_env: Option<String>,
    /// The command that prints the key, as `["secret-tool", "lookup", "service", "openai"]`, if `key_env` names no variable that
    /// is set: a keyring's own. It runs unconfined, as the person, when the model is first asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub key_command: Vec<String>,
    /// Tokens that the model's context holds, if the server does not say so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<u64>,
    /// The size of the prompt about the rules and the tools before the task.
    pub prompt: PromptSize,
    /// The seed of the chance in the model's answers, if its server takes one: runs can be repeated then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Seconds without data from the server after which the request fails. A model that is loaded for it, or reads a
    /// long context, needs a while. If only signs of life arrive and no part of an answer, four times as many.
    pub idle_s: u64,
}

/// An interface that servers of models speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ModelApi {
    /// OpenAI's `/v1/chat/completions`, which llama.cpp, LM Studio, vLLM and many others speak.
    Chat,
    /// OpenAI's `/v1/responses`.
    Responses,
    /// Anthropic's `/v1/messages`.
    Messages,
    /// Ollama's `/api/chat`.
    Ollama,
}

/// The size of the prompt before the task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PromptSize {
    /// All of it if that takes up no more than a share of the model's context, else the short one.
    #[default]
    Auto,
    /// All of it: each tool with its schema, or the operations that find tools.
    Full,
    /// A few rules and the tools that most tasks need, about 1,000 tokens; the other tools are found.
    Short,
}

impl Default for ModelSettings {
    fn default() -> Self {
        Self {
            name: String::new(),
            url: None,
            api: None,
            key_env: None,
            key_command: Vec::new(),
            context_tokens: None,
            prompt: PromptSize::Auto,
            seed: None,
            idle_s: 300,
        }
    }
}
