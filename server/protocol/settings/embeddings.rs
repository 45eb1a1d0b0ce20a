//! `[embeddings]`: a model that makes vectors of texts, to find tools by what they mean.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An endpoint of OpenAI's interface for embeddings, which Ollama and others speak too. The texts of tools and the
/// requests for them are sent there. Not heard in a project's file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EmbeddingSettings {
    /// What stands before `/embeddings` in its URL, as `http://127.0.0.1:11434/v1`: https, or http on this machine.
    pub url: String,
    /// The model's name there.
    pub model: String,
    /// The environment variable that holds the key; none is sent when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_env: Option<String>,
    /// Milliseconds that a search waits for the vector of its request before it does without.
    pub wait_ms: u64,
    /// Where a team keeps the vectors together, so that each text is embedded once; only on this machine when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store: Option<VectorStoreSettings>,
}

/// A Postgres server with the extension pgvector.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VectorStoreSettings {
    /// The environment variable that holds its URL with the password, as `postgres://user:password@host/database`.
    pub postgres_env: String,
    /// What the model is called there, so that all who use the same one find its vectors; its own name when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

impl Default for EmbeddingSettings {
    fn default() -> Self {
        Self { url: String::new(), model: String::new(), key_env: None, wait_ms: 400, store: None }
    }
}
