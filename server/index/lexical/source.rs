//! Where the texts come from.

use std::fs::File;
use std::sync::Arc;

/// Opens files for a search, and knows what editors hold unsaved. It is asked from several threads.
pub trait Source: Sync {
    /// The file at a path relative to the root, opened for reading; nothing where it is gone, no regular file, behind a
    /// symlink, or closed to this caller. It must not wait for a writer, as opening a pipe would.
    fn open(&self, path: &str) -> Option<File>;

    /// What an editor shows of the file, where that counts instead of what is on the disk.
    fn unsaved(&self, path: &str) -> Option<Arc<str>>;

    /// The paths that [`Source::unsaved`] has a text for, in any order. One that the list of files does not hold is
    /// searched too: a file that was never saved.
    fn unsaved_paths(&self) -> Vec<Arc<str>>;
}
