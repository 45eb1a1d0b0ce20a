//! Vectors of texts: the model that makes them, the cache that keeps them, and the similarity of two of them.
//!
//! A text is known by its hash, so what was embedded once is not sent again while its words stay the same (`vectors`),
//! here or, where they share a store, by anyone of a team (`store`). A model may be slow, away or wrong: whoever asks for
//! the similarity of texts to a request waits no longer than they said, and then does without (`similarity`).
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod chosen;
mod embedder;
mod endpoint;
mod error;
mod fault;
pub mod http;
mod local;
mod place;
mod quantised;
mod similarity;
mod store;
mod trouble;
mod vectors;

use wherefore_base as base;
use wherefore_protocol as protocol;
use wherefore_redact as redact;

pub use chosen::{Chosen, Use};
pub use embedder::Embedder;
pub use error::{EmbedError, SettingsError};
pub use place::{check, open, takes_files};
pub use similarity::TextSimilarity;
pub use store::{Postgres, StoreError};
pub use vectors::{Key, key};
