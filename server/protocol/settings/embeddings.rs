//! `[embeddings]`: a model that makes vectors of texts, to find tools and files by what they mean.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The location of the model: `url`, `folder`, or `built_in`; one of them. Ignored in a project's file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EmbeddingSettings {
    /// An endpoint of OpenAI's interface for embeddings, which Ollama and others speak too: the part of its URL
    /// before `/embeddings`, such as `http://127.0.0.1:11434/v1`; https, or http on this machine. The texts of tools,
    /// of files if `files` permits, and of search requests are sent there.
    pub url: String,
    /// The model's name at `url`.
    pub model: String,
    /// A folder with a model, read by wherefore itself: an absolute path, or one that begins with `~/`. It holds
    /// tokenizer.json, model.safetensors and config.json of a model2vec model or, if wherefore was built with the feature
    /// `encoder`, of a BERT such as MiniLM as sentence-transformers writes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// The small model that wherefore carries if it was built with the feature `pocket-encoder`.
    pub built_in: bool,
    /// True if words that mean the same as those of a request count too, by the vectors of words that wherefore carries. By
    /// default they do if no model is named. `false` alone, with no model, leaves searches to the words as they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<bool>,
    /// The environment variable that holds the key for `url`; none is sent when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_env: Option<String>,
    /// Milliseconds that a search waits for the vector of its request before it does without.
    pub wait_ms: u64,
    /// True if the model reads texts of files too, for search.vector, once it is used in a workspace. By default it
    /// does if the model is on this machine, and not otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<bool>,
    /// The store where a team shares the vectors, so that each text is embedded once; only on this machine when
    /// absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store: Option<VectorStoreSettings>,
}

/// A Postgres server with the extension pgvector.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VectorStoreSettings {
    /// The environment variable that holds its URL with the password, as `postgres://user:password@host/database`.
    pub postgres_env: String,
    /// The name of the model there, so that all who use the same one find its vectors; its own name when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

impl EmbeddingSettings {
    /// Returns whether they name a model.
    pub fn has_model(&self) -> bool {
        !self.url.trim().is_empty() || self.folder.is_some() || self.built_in
    }

    /// Returns whether words that mean the same count, by the carried vectors; they do where there are no settings.
    pub fn has_carried_words(settings: Option<&Self>) -> bool {
        settings.is_none_or(|settings| settings.words.unwrap_or(!settings.has_model()))
    }
}

impl Default for EmbeddingSettings {
    fn default() -> Self {
        Self {
            url: String::new(),
            model: String::new(),
            folder: None,
            built_in: false,
            words: None,
            key_env: None,
            wait_ms: 400,
            files: None,
            store: None,
        }
    }
}
