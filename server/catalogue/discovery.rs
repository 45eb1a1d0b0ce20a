//! Finding tools by what a person or a model asks for: ranked, with a confidence that can be believed, and no model.
//!
//! Words are those of identifiers as well as of sentences (`words`). The tools that hold a request's words are found
//! through an inverted index and scored by BM25F over six fields (`index`); the best of them are ranked again by
//! what else speaks for them (`rank`), their similarity to the request among it, where a model computes it (`similarity`). A node's
//! confidence comes from the tools under it.

mod directory;
mod error;
mod grams;
mod index;
mod item;
mod rank;
mod similarity;
mod synonyms;
mod words;

pub use directory::Directory;
pub use index::Index;
pub use item::{Argument, ToolItem};
pub use rank::{Found, FoundNode};

/// A map for the many small look-ups that making an index takes: quick, and keyed anew in each process, since the
/// words come from others.
type Map<K, V> = std::collections::HashMap<K, V, foldhash::fast::RandomState>;

#[cfg(test)]
mod tests;
