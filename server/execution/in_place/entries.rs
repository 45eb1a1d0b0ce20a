//! The entries of a workspace as they stand at one time, so that a later look shows which of them changed.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::super::closures::EntryStamp;
use super::super::closures::was_still;
use crate::base::WorkspacePath;
use crate::sandbox::PathGuard;

/// Entries that are looked at.
const MOST: usize = 200_000;

/// The kind of an entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum EntryKind {
    File,
    Folder,
    /// A symlink, with its target.
    Symlink(String),
    /// A socket, a FIFO, a device, or a symlink whose target is no text.
    Special,
}

/// An entry at one time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct EntryState {
    pub(super) kind: EntryKind,
    pub(super) device: u64,
    pub(super) inode: u64,
    pub(super) size: u64,
    /// The number of its names.
    pub(super) links: u64,
    /// Its permission bits.
    pub(super) bits: u32,
    pub(super) modified: (i64, i64),
    pub(super) changed: (i64, i64),
}

impl EntryState {
    /// Looks at the entry at a path itself; none where it is none.
    pub(super) fn look(at: &Path) -> Option<Self> {
        let found = fs::symlink_metadata(at).ok()?;
        Some(Self::from_metadata(at, &found))
    }

    fn from_metadata(at: &Path, found: &Metadata) -> Self {
        let kind = match found.file_type() {
            kind if kind.is_file() => EntryKind::File,
            kind if kind.is_dir() => EntryKind::Folder,
            kind if kind.is_symlink() => fs::read_link(at)
                .ok()
                .and_then(|target| target.to_str().map(|target| EntryKind::Symlink(target.to_owned())))
                .unwrap_or(EntryKind::Special),
            _ => EntryKind::Special,
        };
        Self {
            kind,
            device: found.dev(),
            inode: found.ino(),
            size: found.len(),
            links: found.nlink(),
            bits: found.mode() & 0o7777,
            modified: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
        }
    }

    /// Returns whether another file could have been written here without another time, since it changed just before `time`.
    pub(super) fn is_young(&self, time: SystemTime) -> bool {
        !was_still(EntryStamp::new(self.device, self.inode, self.changed), time)
    }

    /// Returns whether some program of the person's may run the file.
    pub(super) fn is_executable(&self) -> bool {
        self.bits & 0o111 != 0
    }

    /// Returns whether two entries are one file.
    pub(super) fn is_same_file(&self, other: &Self) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }
}

/// The entries of a workspace, but for those that a command cannot change and those that are written without a review.
#[derive(Clone, Debug, Default)]
pub(super) struct WorkspaceEntries {
    pub(super) found: BTreeMap<WorkspacePath, EntryState>,
    /// The number of entries whose names are no text.
    pub(super) unnamed: usize,
    /// True where there are more than are looked at.
    pub(super) is_cut: bool,
}

impl WorkspaceEntries {
    /// Looks at the workspace at `root`, without `left_out` and what `guard` closes. No symlink is followed.
    pub(super) fn look(root: &Path, left_out: &[PathBuf], guard: &PathGuard) -> Self {
        let left_out: std::collections::HashSet<&Path> = left_out.iter().map(PathBuf::as_path).collect();
        let mut entries = Self::default();
        let mut waiting = vec![(root.to_owned(), WorkspacePath::root())];
        while let Some((folder, path)) = waiting.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                let at = entry.path();
                if left_out.contains(at.as_path()) || guard.closes(&at) {
                    continue;
                }
                let Some(below) = entry.file_name().to_str().and_then(|name| path.join(name)) else {
                    entries.unnamed += 1;
                    continue;
                };
                let Some(state) = EntryState::look(&at) else { continue };
                if entries.found.len() >= MOST {
                    entries.is_cut = true;
                    return entries;
                }
                if state.kind == EntryKind::Folder {
                    waiting.push((at, below.clone()));
                }
                entries.found.insert(below, state);
            }
        }
        entries
    }
}
