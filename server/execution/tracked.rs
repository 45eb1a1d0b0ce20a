//! Which files git has in its index: what it said is remembered as long as the index is the same.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use parking_lot::Mutex;

use crate::base::WorkspacePath;

/// What git said of files.
#[derive(Debug, Default)]
pub(super) struct TrackedFiles(Mutex<Said>);

#[derive(Debug, Default)]
struct Said {
    index: Option<IndexStamp>,
    files: HashMap<WorkspacePath, bool>,
}

/// What tells one index from the next: git writes each as a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct IndexStamp {
    device: u64,
    inode: u64,
    size: u64,
    changed: (i64, i64),
}

impl IndexStamp {
    /// That of the index of a repository; none where there is none.
    pub(super) fn of(repository: &Path) -> Option<Self> {
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
    /// What git said of a file, where the index is the same.
    pub(super) fn said(&self, index: Option<IndexStamp>, path: &WorkspacePath) -> Option<bool> {
        let said = self.0.lock();
        if index.is_none() || said.index != index {
            return None;
        }
        said.files.get(path).copied()
    }

    /// Remembers what git said of a file, once the index was so.
    pub(super) fn remember(&self, index: Option<IndexStamp>, path: &WorkspacePath, is_tracked: bool) {
        let mut said = self.0.lock();
        if index.is_none() {
            return;
        }
        if said.index != index {
            *said = Said { index, files: HashMap::new() };
        }
        said.files.insert(path.clone(), is_tracked);
    }
}
