//! The workspace on the disk and in the editor: root, files, documents, our folders, checkpoints.
//!
//! Invariants: every file is opened beneath the root's descriptor, never by an absolute path; the file opened
//! is the one at the path that the rules judged; a file is replaced whole or not at all.

mod checkpoints;
pub(crate) mod config;
mod copy;
mod document_text;
mod documents;
mod entry;
mod errno;
mod error;
mod fault;
mod files;
mod governance;
mod identity;
mod link;
mod list;
mod lock;
mod nearest;
mod permissions;
mod read;
mod resolve;
mod root;
mod shelf;
mod stamp;
mod stat;
mod state;
mod steps;
mod store;
mod swap;
mod sweep;
mod temp;
#[cfg(test)]
mod tests;
mod write;

pub(crate) use checkpoints::{Checkpoint, Checkpoints, Step};
pub(crate) use copy::CopyStep;
pub(crate) use document_text::DocumentText;
pub use document_text::{Edits, TextChange};
pub use documents::EditorId;
pub(crate) use documents::{Document, DocumentStore, EditorDocuments, FolderDocuments};
pub(crate) use error::WorkspaceError;
pub(crate) use files::Files;
pub(crate) use governance::Governance;
pub(crate) use list::FolderItem;
pub(crate) use permissions::Permissions;
pub(crate) use read::{Lines, Window, read_lines};
pub(crate) use root::Root;
pub(crate) use shelf::Stamp;
pub(crate) use stamp::FileStamp;
pub(crate) use stat::FileKind;
pub(crate) use state::State;
pub(crate) use steps::Standing;
pub(crate) use store::Store;
pub(crate) use sweep::Sweep;
pub(crate) use write::Expect;
