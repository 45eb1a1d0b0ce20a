//! Ignore files that a walk could hang on: it opens them by name, whatever they are.

use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use ignore::WalkBuilder;

use super::{IGNORE_FILES, WalkError};

/// The files that a walk reads in a folder before it goes into it, besides [`IGNORE_FILES`].
const READ: [&str; 4] = [".ignore", ".gitignore", ".git/info/exclude", ".git/commondir"];

/// The first ignore file found that is a pipe or a device.
#[derive(Clone, Debug, Default)]
pub(super) struct OddFile(Arc<OnceLock<PathBuf>>);

impl OddFile {
    /// Keeps a walk that begins at `top` out of folders with such a file.
    ///
    /// # Errors
    /// As [`OddFile::check_found`], for `top` and the folders above it.
    pub(super) fn guard_walk(walk: &mut WalkBuilder, top: &Path) -> Result<Self, WalkError> {
        let odd = Self::default();
        top.ancestors().for_each(|folder| {
            odd.may_enter(folder);
        });
        odd.check_found(top)?;
        let seen = odd.clone();
        walk.filter_entry(move |entry| {
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            !is_folder || seen.may_enter(entry.path())
        });
        Ok(odd)
    }

    /// Returns whether the folder may be entered.
    fn may_enter(&self, folder: &Path) -> bool {
        let mut files = READ.iter().chain(&IGNORE_FILES).map(|name| folder.join(name));
        let odd = files.find(|file| {
            let kind = std::fs::metadata(file).map(|found| found.file_type());
            kind.is_ok_and(|kind| kind.is_fifo() || kind.is_char_device() || kind.is_block_device())
        });
        let may_enter = odd.is_none();
        if let Some(odd) = odd {
            // The first one is named; one is enough to act on.
            let _ = self.0.set(odd);
        }
        may_enter
    }

    /// Returns an error if a folder was left out.
    ///
    /// # Errors
    /// With the file's name below `root`.
    pub(super) fn check_found(&self, root: &Path) -> Result<(), WalkError> {
        match self.0.get() {
            Some(file) => Err(WalkError::Odd(file.strip_prefix(root).unwrap_or(file).to_owned())),
            None => Ok(()),
        }
    }
}
