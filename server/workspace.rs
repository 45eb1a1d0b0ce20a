//! The workspace on the disk and in the editor: root, files, documents, our folders, checkpoints.
//!
//! Invariants: every file is opened beneath the root's descriptor, never by an absolute path; the file opened
//! is the one at the path that the rules judged; a file is replaced whole or not at all.

mod checkpoints;
pub mod config;
mod copy;
mod documents;
mod errno;
mod files;
mod governance;
mod identity;
mod link;
mod list;
mod lock;
mod nearest;
mod read;
mod resolve;
mod root;
mod shelf;
mod stat;
mod state;
mod store;
mod swap;
mod sweep;
mod temp;
#[cfg(test)]
mod tests;
mod write;

pub use checkpoints::{Checkpoint, Checkpoints, Step};
pub use copy::CopyStep;
pub use documents::{Document, Documents};
pub use files::Files;
pub use governance::Governance;
pub use list::Entry;
pub use read::{Lines, Window, read_lines};
pub use root::Root;
pub use shelf::Stamp;
pub use stat::Kind;
pub use state::State;
pub use store::Store;
pub use sweep::Sweep;
pub use write::Expect;
