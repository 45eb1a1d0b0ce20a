//! The source of the texts.

use std::fs::File;
use std::sync::Arc;

/// Opens files for a search, and knows what editors hold unsaved. It is asked from several threads.
pub trait TextSource: Sync {
    /// The file at a path relative to the root, opened for reading; `None` if it is gone, no regular file, behind a
    /// symlink, or closed to this caller. It must not wait for a writer, as opening a pipe would.
    fn open(&self, path: &str) -> Option<File>;

    /// Returns the editor's unsaved text of the file, if that counts instead of the text on the disk.
    fn unsaved_text(&self, path: &str) -> Option<Arc<str>>;

    /// The paths for which [`Self::unsaved_text`] has a text, in any order. A path that the list of files does not hold
    /// is searched too: a file that was never saved.
    fn unsaved_paths(&self) -> Vec<Arc<str>>;
}
