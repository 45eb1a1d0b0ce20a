//! The files that a search looks through, as whoever watches the folder knows them.

use std::sync::Arc;

pub use crate::watch::{FileEntry, Stamp};

/// Every file that no rule leaves out, ordered by the bytes of their paths, each path once.
pub type FileList = Arc<[FileEntry]>;
