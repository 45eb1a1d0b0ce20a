//! Remembers the files that git has in its index, as long as the index is the same.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use parking_lot::Mutex;

use crate::base::WorkspacePath;

/// The answers of git about files.
#[derive(Debug, Default)]
pub(super) struct TrackedFiles(Mutex<GitAnswers>);

#[derive(Debug, Default)]
struct GitAnswers {
    index: Option<IndexStamp>,
    files: HashMap<WorkspacePath, bool>,
}

/// The stamp by which one index differs from the next: git writes each as a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct IndexStamp {
    device: u64,
    inode: u64,
    size: u64,
    changed: (i64, i64),
}

impl IndexStamp {
    /// Returns the stamp of a repository's index; none where there is no index.
    pub(super) fn of_repository(repository: &Path) -> Option<Self> {
        let found = std::fs::metadata(repository.join("index")).ok()?;
        Some(Self {
            device: found.dev(),
            inode: found.ino(),
            size: found.size(),
            changed: (found.ctime(), found.ctime_nsec()),
        })
    }
}

impl TrackedFiles {
    /// Returns git's answer about a file, where the index is the same.
    pub(super) fn known_answer(&self, index: Option<IndexStamp>, path: &WorkspacePath) -> Option<bool> {
        let said = self.0.lock();
        if index.is_none() || said.index != index {
            return None;
        }
        said.files.get(path).copied()
    }

    /// Remembers what git said of a file, once the index was so.
    pub(super) fn remember_answer(&self, index: Option<IndexStamp>, path: &WorkspacePath, is_tracked: bool) {
        let mut said = self.0.lock();
        if index.is_none() {
            return;
        }
        if said.index != index {
            *said = GitAnswers { index, files: HashMap::new() };
        }
        said.files.insert(path.clone(), is_tracked);
    }
}
