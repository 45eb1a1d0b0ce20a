//! The workspace on the disk and in the editor: root, files, documents, our folders, checkpoints.
//!
//! Invariants: every file is opened beneath the root's descriptor, never by an absolute path; the file opened
//! is the one at the path that the rules judged; a file is replaced whole or not at all.
//!
//! # Invariants
//!
//! - No file outside the workspace is read or written, even where a folder is swapped for a symlink meanwhile.
//!   Test: `nothing_outside_is_read_or_written`
//! - Nothing but a regular file is opened, and no FIFO is waited for.
//!   Test: `only_regular_files_are_opened_and_nothing_waits`
//! - No tool reaches the state folder, even where it lies in the workspace.
//!   Test: `no_tool_reaches_the_state_folder_where_the_home_folder_is_the_workspace`

mod checkpoints;
pub(crate) mod config;
mod copy;
mod document_text;
mod documents;
mod errno;
mod error;
mod fault;
mod file_lock;
mod files;
mod folder_listing;
mod governance;
mod identity;
mod linked_tree;
mod path_entry;
mod permissions;
mod permitted_paths;
mod private_dir;
mod read_lines;
mod resolve;
mod root;
mod stat;
mod state;
mod state_folder;
mod steps;
mod store;
mod swap;
mod sweep;
mod temp;
#[cfg(test)]
mod tests;
mod write;

pub(crate) use checkpoints::{Checkpoint, CheckpointStep, Checkpoints};
pub(crate) use copy::{CopyPlan, CopyStep};
pub(crate) use document_text::DocumentText;
pub use document_text::{TextChange, TextEdits};
pub use documents::EditorId;
pub(crate) use documents::{Document, DocumentStore, EditorDocuments, FolderDocuments};
pub(crate) use error::WorkspaceError;
pub(crate) use files::WorkspaceFiles;
pub(crate) use folder_listing::FolderItem;
pub(crate) use governance::Governance;
pub(crate) use linked_tree::LinkedTree;
pub(crate) use permissions::Permissions;
pub(crate) use private_dir::PrivateFileStamp;
pub(crate) use read_lines::{FileLines, ReadWindow, read_lines};
pub(crate) use root::WorkspaceRoot;
pub(crate) use stat::FileKind;
pub(crate) use state::WorkspaceState;
pub(crate) use steps::StepStanding;
pub(crate) use store::{OWN_IGNORE, WorkspaceStore};
pub(crate) use sweep::StateSweep;
pub(crate) use write::ExpectedFile;
