//! The files that code left in its private folder.

use std::collections::BTreeMap;
use std::fs::{self, DirEntry};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::error::ExecutionError;
use crate::base::WorkspacePath;
use crate::session::Scope;

/// The most files that are kept.
const MOST: usize = 200;
/// Bytes that all of them may have together.
const LARGEST: u64 = 64 << 20;
/// Bytes of a text that is shown with its name.
const SHOWN: usize = 4 << 10;

/// A file that code left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Artifact {
    /// Its path in the folder that the code worked in.
    pub(crate) path: WorkspacePath,
    /// Its size in bytes.
    pub(crate) size: u64,
    /// The hash under which its bytes are kept.
    pub(crate) hash: String,
    /// Its text, where it is short.
    pub(crate) text: Option<String>,
}

/// Keeps the regular files below `folder` that are new, or other than the `given` ones, and tells what was left out.
///
/// # Errors
/// Where the folder cannot be listed, or a file cannot be kept.
pub(super) fn collect(
    scope: &Scope,
    folder: &Path,
    given: &BTreeMap<WorkspacePath, String>,
) -> Result<(Vec<Artifact>, Vec<String>), ExecutionError> {
    let mut search = ArtifactSearch { scope, given, found: Vec::new(), left_out: Vec::new(), left: LARGEST };
    search.folder(folder, &WorkspacePath::root())?;
    search.found.sort_by(|one, other| one.path.cmp(&other.path));
    Ok((search.found, search.left_out))
}

struct ArtifactSearch<'s> {
    scope: &'s Scope,
    given: &'s BTreeMap<WorkspacePath, String>,
    found: Vec<Artifact>,
    left_out: Vec<String>,
    left: u64,
}

impl ArtifactSearch<'_> {
    fn folder(&mut self, at: &Path, path: &WorkspacePath) -> Result<(), ExecutionError> {
        let doing = ExecutionError::doing("listing what the code left");
        let entries = fs::read_dir(at).map_err(&doing)?;
        for entry in entries.collect::<io::Result<Vec<_>>>().map_err(&doing)? {
            let Some(below) = entry.file_name().to_str().and_then(|name| path.join(name)) else { continue };
            if entry.file_type().map_err(&doing)?.is_dir() {
                self.folder(&entry.path(), &below)?;
            } else {
                self.file(&entry, below)?;
            }
        }
        Ok(())
    }

    fn file(&mut self, entry: &DirEntry, path: WorkspacePath) -> Result<(), ExecutionError> {
        let doing = ExecutionError::doing("reading what the code left");
        let meta = entry.metadata().map_err(&doing)?;
        // No symlink, device or socket; nor a second name of a file that stands elsewhere.
        if !meta.is_file() || meta.nlink() != 1 {
            self.left_out.push(format!("{path}: it is not a regular file with one name"));
            return Ok(());
        }
        if self.found.len() >= MOST || meta.len() > self.left {
            self.left_out.push(format!("{path}: at most {MOST} files of {LARGEST} bytes in all are kept"));
            return Ok(());
        }
        let bytes = fs::read(entry.path()).map_err(&doing)?;
        if self.given.get(&path).is_some_and(|given| given.as_bytes() == bytes) {
            return Ok(());
        }
        self.left = self.left.saturating_sub(bytes.len() as u64);
        let hash = self.scope.files().state().put(&bytes)?;
        let size = bytes.len() as u64;
        let text = String::from_utf8(bytes).ok().filter(|text| text.len() <= SHOWN && !text.contains('\0'));
        self.found.push(Artifact { path, size, hash, text });
        Ok(())
    }
}
