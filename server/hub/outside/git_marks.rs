//! Detects whether git itself changed the files: a checkout, a pull, a rebase or a stash leaves marks in its own
//! folder.

use std::path::{Path, PathBuf};

use crate::watch::StatStamp;

/// The entries in a working tree's git folder that change when git gives the files another state.
const MARKS: [&str; 8] = [
    "HEAD",
    "ORIG_HEAD",
    "MERGE_HEAD",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "logs/HEAD",
    "rebase-merge",
    "rebase-apply",
];
/// Such entries in the folder that all working trees share.
const SHARED: [&str; 2] = ["refs/stash", "logs/refs/stash"];
/// The files that exist while git works.
const LOCKS: [&str; 2] = ["index.lock", "HEAD.lock"];

/// Git's marks at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct GitMarks {
    marks: Vec<Option<StatStamp>>,
    /// True where git works just now.
    is_locked: bool,
    /// The stamp of the index: with it, the set of staged files may have changed.
    index: Option<StatStamp>,
}

impl GitMarks {
    /// Returns the marks of the repository at `root`; nothing where there is none.
    pub(super) fn at_root(root: &Path) -> Option<Self> {
        let own = own_folder(root)?;
        let shared = std::fs::read_to_string(own.join("commondir"))
            .map_or_else(|_| own.clone(), |common| own.join(common.trim()));
        let marks = MARKS.iter().map(|mark| own.join(mark));
        let marks = marks.chain(SHARED.iter().map(|mark| shared.join(mark))).map(|path| file_stamp(&path));
        Some(Self {
            marks: marks.collect(),
            is_locked: LOCKS.iter().any(|lock| own.join(lock).exists()),
            index: file_stamp(&own.join("index")),
        })
    }

    /// Returns whether git works just now.
    pub(super) fn is_locked(&self) -> bool {
        self.is_locked
    }

    /// Returns whether git gave the files another state since `before`, or is about to.
    pub(super) fn has_moved(&self, before: &Self) -> bool {
        self.is_locked || self.marks != before.marks
    }

    /// Returns whether git's index is another than before, as after a file was staged, or taken from git.
    pub(super) fn has_other_index(&self, before: &Self) -> bool {
        self.index != before.index
    }
}

/// Git's folder of the working tree: `.git`, or where the file of that name leads.
fn own_folder(root: &Path) -> Option<PathBuf> {
    let dot = root.join(".git");
    if dot.is_dir() {
        return Some(dot);
    }
    let text = std::fs::read_to_string(&dot).ok()?;
    Some(root.join(text.strip_prefix("gitdir:")?.trim()))
}

fn file_stamp(path: &Path) -> Option<StatStamp> {
    std::fs::symlink_metadata(path).ok().map(|found| StatStamp::from_metadata(&found))
}
