//! What matters now: the working set, the hints on it, contexts made of it, and summaries.
//!
//! Invariants: what a file is like is worked out from text that is handed in, never read here; a line that a person
//! wrote in `hot.yml`, `cold.yml` or `working-set.yml` stays as they wrote it; a file that cannot be read is not written.

pub(crate) mod advise;
pub(crate) mod collect;
mod cut;
pub(crate) mod fit;
mod heat;
mod hints;
mod hotness;
mod lines;
mod manifest;
mod notes;
mod roles;
mod state;
mod summary;
mod tokens;

pub(crate) use heat::{Cause, HeatTouch};
pub(crate) use notes::{FILES as NOTE_FILES, Notes};
pub(crate) use state::{Memory, Seen};
pub(crate) use summary::{ByModel, Extractive, Page, is_summary};
pub(crate) use tokens::{Counter, ESTIMATE, estimate};
