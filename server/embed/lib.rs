//! Vectors of texts: the model that makes them, the cache that keeps them, and the similarity of two of them.
//!
//! A text is known by its hash, so what was embedded once is not sent again while its words stay the same (`vectors`),
//! here or, where they share a store, by anyone of a team (`store`). A model may be slow, away or wrong: a caller that asks for
//! the similarity of texts to a request waits no longer than they said, and then does without (`similarity`).
//!
//! # Invariants
//!
//! - No project's settings say where requests and texts are sent.
//!   Test: `a_project_does_not_say_where_texts_go`
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod chosen_model;
mod embedder;
mod endpoint;
mod error;
mod failure_state;
mod fault;
pub mod http;
mod local;
mod place;
mod quantised_vector;
mod similarity;
mod store;
mod vectors;

use wherefore_base as base;
use wherefore_protocol as protocol;
use wherefore_redact as redact;

pub use chosen_model::{ChosenModel, ModelUse};
pub use embedder::TextEmbedder;
pub use error::{EmbedError, SettingsError};
pub use place::{check_settings, open_embedder, takes_files};
pub use similarity::TextSimilarity;
pub use store::{PostgresStore, StoreError};
pub use vectors::{Key, text_key};
