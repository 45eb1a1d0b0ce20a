//! `[embeddings]`: a model that makes vectors of texts, to find tools and files by what they mean.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where the model runs: behind `url`, in a `folder`, or `built_in`; one of them. Not heard in a project's file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EmbeddingSettings {
    /// An endpoint of OpenAI's interface for embeddings, which Ollama and others speak too: what stands before
    /// `/embeddings` in its URL, as `http://127.0.0.1:11434/v1`; https, or http on this machine. The texts of tools, and of
    /// files where `files` lets them, and what is searched for are sent there.
    pub url: String,
    /// The model's name at `url`.
    pub model: String,
    /// A folder with a model, read by wherefore itself: an absolute path, or one that begins with `~/`. It holds
    /// tokenizer.json, model.safetensors and config.json of a model2vec model or, where wherefore was built with the feature
    /// `encoder`, of a BERT such as MiniLM as sentence-transformers writes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// The small model that wherefore carries where it was built with the feature `pocket-encoder`.
    pub built_in: bool,
    /// The environment variable that holds the key for `url`; none is sent when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_env: Option<String>,
    /// Milliseconds that a search waits for the vector of its request before it does without.
    pub wait_ms: u64,
    /// Whether the model reads texts of files too, for search.vector, once it is used in a workspace. When absent they are
    /// where the model is on this machine, and not elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<bool>,
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
        Self {
            url: String::new(),
            model: String::new(),
            folder: None,
            built_in: false,
            key_env: None,
            wait_ms: 400,
            files: None,
            store: None,
        }
    }
}
