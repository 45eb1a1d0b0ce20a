//! Vectors of texts: the model that makes them, the cache that keeps them, and how near two of them are.
//!
//! A text is known by its hash, so what was embedded once is not sent again while its words stay the same (`vectors`),
//! here or, where they share a store, by anyone of a team (`store`). A model may be slow, away or wrong: whoever asks how
//! near texts are to a request waits no longer than they said, and then does without (`near`).

mod chosen;
mod endpoint;
mod local;
mod near;
mod place;
mod quantised;
mod store;
mod trouble;
mod vectors;

pub(crate) use chosen::{Chosen, Use};
pub(crate) use near::Near;
pub(crate) use place::{check, open, takes_files};
pub(crate) use store::Postgres;
pub(crate) use vectors::{Key, key};
