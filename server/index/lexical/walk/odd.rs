//! Ignore files that a walk could hang on: it opens them by name, whatever they are.

use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use ignore::WalkBuilder;

use crate::protocol::{Code, Fault};

/// What a walk reads of a folder before it goes into it.
const READ: [&str; 4] = [".ignore", ".gitignore", ".git/info/exclude", ".git/commondir"];

/// The first ignore file found that is a pipe or a device.
#[derive(Clone, Debug, Default)]
pub struct Odd(Arc<OnceLock<PathBuf>>);

impl Odd {
    /// Keeps a walk that begins at `base` out of folders with such a file.
    ///
    /// # Errors
    /// As [`Odd::check`], for `base` and the folders above it.
    pub fn guard(walk: &mut WalkBuilder, base: &Path) -> Result<Self, Fault> {
        let odd = Self::default();
        base.ancestors().for_each(|folder| {
            odd.look(folder);
        });
        odd.check(base)?;
        let seen = odd.clone();
        walk.filter_entry(move |entry| {
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            !is_folder || seen.look(entry.path())
        });
        Ok(odd)
    }

    /// Whether the folder may be entered.
    fn look(&self, folder: &Path) -> bool {
        let mut files = READ.iter().map(|name| folder.join(name));
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

    /// Says so where a folder was left out.
    ///
    /// # Errors
    /// UNSUPPORTED with the file's name.
    pub fn check(&self, root: &Path) -> Result<(), Fault> {
        let Some(file) = self.0.get() else { return Ok(()) };
        let shown = file.strip_prefix(root).unwrap_or(file).display();
        Err(Fault::new(
            Code::Unsupported,
            format!("`{shown}` is a pipe or a device: what it ignores cannot be read"),
        )
        .suggest("ask the person to remove it, or search another folder"))
    }
}
