//! Proposals: cut into hunks, queued, decided, applied, reported.

mod apply;
mod cut;
mod decide;
mod desk;
mod edit;
mod place;
mod report;
mod undo;

pub use decide::Decided;
pub use desk::{Desk, Item};
pub use report::{answer, unchanged};
