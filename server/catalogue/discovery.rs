//! Finding tools by what a person or a model asks for: ranked, with a confidence that can be believed, and no model.
//!
//! Words are those of identifiers as well as of sentences (`words`). The tools that hold a request's words are found
//! through an inverted index and scored by BM25F over six fields (`index`); the best of them are ranked again by
//! what else speaks for them (`rank`, `evidence`): words of related meaning by the carried vectors (`related`, `centroid`), and
//! the similarity to the request where a model computes it (`similarity`). A node's confidence comes from the tools under it.

mod centroid;
mod directory;
mod error;
mod evidence;
mod grams;
mod index;
mod item;
mod no_match;
mod rank;
mod rank_model;
mod related;
mod similarity;
mod synonyms;
mod tool_query;
mod words;

pub use directory::ToolDirectory;
pub use index::ToolIndex;
pub use item::{ToolArgument, ToolItem};
pub use rank::{FoundNode, FoundTool};

/// A map for the many small look-ups that making an index takes: quick, and with a new key in each process, since the
/// words come from others.
type FoldMap<K, V> = std::collections::HashMap<K, V, foldhash::fast::RandomState>;

#[cfg(test)]
mod tests;
