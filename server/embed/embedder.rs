//! The trait of a model that makes vectors.

use std::fmt::Debug;

use futures::future::BoxFuture;

use super::EmbedError;

/// A model that makes a vector of a text. Texts of like meaning have vectors of like direction.
pub trait TextEmbedder: Send + Sync + Debug {
    /// The model's name, for a reader.
    fn model_name(&self) -> &str;

    /// Returns the model's identity with its place: vectors of different identities cannot be compared.
    fn identity(&self) -> &str;

    /// Returns whether a text's vector is only the mean of its words' vectors, as in a model2vec folder. Such a
    /// vector holds less of a text's meaning than that of a model that reads the text as a whole.
    fn is_static(&self) -> bool {
        false
    }

    /// A vector for each text, in their order: all of one length, every number finite, none of them all zero.
    /// Bounded in time.
    ///
    /// # Errors
    /// The error of the model, or of the way to it.
    fn embed_texts(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Vec<f32>>, EmbedError>>;
}
