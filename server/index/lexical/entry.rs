//! The files to be searched, from the owner of the list of files.

use std::sync::Arc;

pub use crate::watch::{FileEntry, StatStamp};

/// Every file that no rule leaves out, ordered by the bytes of their paths, each path once.
pub type FileList = Arc<[FileEntry]>;
