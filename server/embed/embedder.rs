//! What every model is to whoever needs vectors.

use std::fmt::Debug;

use futures::future::BoxFuture;

use crate::protocol::Fault;

/// A model that makes a vector of a text. Texts of like meaning have vectors of like direction.
pub trait Embedder: Send + Sync + Debug {
    /// The model's name, for a reader.
    fn model(&self) -> &str;

    /// Which model it is, and where it runs: vectors of different identities cannot be compared.
    fn identity(&self) -> &str;

    /// Whether a text's vector is no more than the mean of those of its words, as in a model2vec folder: it tells less of
    /// what a text means than one of a model that reads it as a whole.
    fn is_static(&self) -> bool {
        false
    }

    /// A vector for each text, in their order: all of one length, every number finite, none of them all zero.
    /// Bounded in time.
    ///
    /// # Errors
    /// What the model, or the way to it, says.
    fn embed(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Vec<f32>>, Fault>>;
}
