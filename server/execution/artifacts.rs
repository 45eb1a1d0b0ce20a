//! The files that code left in its private folder.

use std::collections::{BTreeMap, VecDeque};
use std::fs::{self, DirEntry};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::error::ExecutionError;
use crate::base::WorkspacePath;
use crate::base::hidden::shorten_to_line;
use crate::session::CallScope;

/// The most files that are kept.
const MOST: usize = 200;
/// Bytes that all of them may have together.
const LARGEST: u64 = 64 << 20;
/// Files and folders that are looked at.
const MOST_LOOKED_AT: usize = 50_000;
/// Characters of a path that cannot be listed.
const NAMED_CHARS: usize = 200;
/// Bytes of a text that is shown with its name.
const SHOWN_BYTES: usize = 4 << 10;

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

/// Keeps the regular files below `folder` that are new, or differ from the `given` ones, and reports those that were
/// left out.
///
/// # Errors
/// Fails where the folder cannot be listed, or a file cannot be kept.
pub(super) fn collect_artifacts(
    scope: &CallScope,
    folder: &Path,
    given: &BTreeMap<WorkspacePath, String>,
) -> Result<(Vec<Artifact>, Vec<String>), ExecutionError> {
    let mut search = ArtifactSearch { scope, given, found: Vec::new(), left_out: Vec::new(), left: LARGEST };
    search.search_folder(folder)?;
    search.found.sort_by(|one, other| one.path.cmp(&other.path));
    Ok((search.found, search.left_out))
}

struct ArtifactSearch<'s> {
    scope: &'s CallScope,
    given: &'s BTreeMap<WorkspacePath, String>,
    found: Vec<Artifact>,
    left_out: Vec<String>,
    left: u64,
}

impl ArtifactSearch<'_> {
    /// Looks into the folder and into those below, the upper ones first.
    fn search_folder(&mut self, folder: &Path) -> Result<(), ExecutionError> {
        let doing = ExecutionError::while_doing("listing what the code left");
        let (mut waiting, mut looked_at) = (VecDeque::from([WorkspacePath::root()]), 0);
        while let Some(path) = waiting.pop_front() {
            let at = if path.is_root() { folder.to_owned() } else { folder.join(path.as_str()) };
            let entries = match fs::read_dir(&at) {
                Err(error) if !path.is_root() => {
                    self.leave_out(format!(
                        "{}: it cannot be listed: {error}",
                        shorten_to_line(path.as_str(), NAMED_CHARS)
                    ));
                    continue;
                }
                entries => entries.map_err(&doing)?,
            };
            for entry in entries {
                looked_at += 1;
                if looked_at > MOST_LOOKED_AT {
                    self.leave_out(format!("only {MOST_LOOKED_AT} files and folders are looked at"));
                    return Ok(());
                }
                let entry = entry.map_err(&doing)?;
                let name = entry.file_name();
                let Some(below) = name.to_str().and_then(|name| path.join(name)) else {
                    let above = if path.is_root() {
                        ".".to_owned()
                    } else {
                        shorten_to_line(path.as_str(), NAMED_CHARS)
                    };
                    let name = shorten_to_line(&name.to_string_lossy(), NAMED_CHARS);
                    self.leave_out(format!(
                        "{name} in {above}: its name is no text, or its path is too long"
                    ));
                    continue;
                };
                if entry.file_type().map_err(&doing)?.is_dir() {
                    waiting.push_back(below);
                } else {
                    self.add_file(&entry, below)?;
                }
            }
        }
        Ok(())
    }

    fn leave_out(&mut self, what: String) {
        match self.left_out.len() {
            0..MOST => self.left_out.push(what),
            MOST => self.left_out.push("… and more".to_owned()),
            _ => {}
        }
    }

    fn add_file(&mut self, entry: &DirEntry, path: WorkspacePath) -> Result<(), ExecutionError> {
        let doing = ExecutionError::while_doing("reading what the code left");
        let meta = entry.metadata().map_err(&doing)?;
        // Symlinks, devices, sockets, and further names of a file elsewhere are left out.
        if !meta.is_file() || meta.nlink() != 1 {
            self.leave_out(format!("{path}: it is not a regular file with one name"));
            return Ok(());
        }
        if self.found.len() >= MOST || meta.len() > self.left {
            self.leave_out(format!("{path}: at most {MOST} files of {LARGEST} bytes in all are kept"));
            return Ok(());
        }
        let bytes = fs::read(entry.path()).map_err(&doing)?;
        if self.given.get(&path).is_some_and(|given| given.as_bytes() == bytes) {
            return Ok(());
        }
        self.left = self.left.saturating_sub(bytes.len() as u64);
        let hash = self.scope.files().state().put_object(&bytes)?;
        let size = bytes.len() as u64;
        let text =
            String::from_utf8(bytes).ok().filter(|text| text.len() <= SHOWN_BYTES && !text.contains('\0'));
        self.found.push(Artifact { path, size, hash, text });
        Ok(())
    }
}
