//! Whether git itself changed the files: a checkout, a pull, a rebase or a stash leaves marks in its own folder.

use std::path::{Path, PathBuf};

use crate::watch::Stamp;

/// What git changes when it gives the files another state, in the folder of a working tree.
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
/// The same in the folder that all working trees share.
const SHARED: [&str; 2] = ["refs/stash", "logs/refs/stash"];
/// What is there while git works.
const LOCKS: [&str; 2] = ["index.lock", "HEAD.lock"];

/// Git's marks at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct GitMarks {
    marks: Vec<Option<Stamp>>,
    /// Whether git works just now.
    is_locked: bool,
    /// Which files are staged may have changed.
    index: Option<Stamp>,
}

impl GitMarks {
    /// Those of the repository at `root`; nothing where there is none.
    pub(super) fn of(root: &Path) -> Option<Self> {
        let own = own_folder(root)?;
        let shared = std::fs::read_to_string(own.join("commondir"))
            .map_or_else(|_| own.clone(), |common| own.join(common.trim()));
        let marks = MARKS.iter().map(|mark| own.join(mark));
        let marks = marks.chain(SHARED.iter().map(|mark| shared.join(mark))).map(|path| stamp(&path));
        Some(Self {
            marks: marks.collect(),
            is_locked: LOCKS.iter().any(|lock| own.join(lock).exists()),
            index: stamp(&own.join("index")),
        })
    }

    /// Whether git works just now.
    pub(super) fn is_locked(&self) -> bool {
        self.is_locked
    }

    /// Whether git gave the files another state since `before`, or is about to.
    pub(super) fn has_moved(&self, before: &Self) -> bool {
        self.is_locked || self.marks != before.marks
    }

    /// Whether git's index is another than before, as after a file was staged, or taken from git.
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

fn stamp(path: &Path) -> Option<Stamp> {
    std::fs::symlink_metadata(path).ok().map(|found| Stamp::of_metadata(&found))
}
