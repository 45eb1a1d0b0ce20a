//! Finds content of an ignored folder that is not a build's alone: repositories, and files with further names
//! elsewhere.

use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{AtFlags, statat};

/// Returns whether a folder holds a repository of its own, also a bare one.
pub(super) fn is_repository(folder: &Path) -> bool {
    let is_there = |name: &str| folder.join(name).symlink_metadata().is_ok();
    is_there(".git") || ["HEAD", "objects", "refs"].into_iter().all(is_there)
}

/// Returns whether an open folder holds a repository of its own, also a bare one.
pub(super) fn holds_git(folder: &OwnedFd) -> bool {
    has_entry(folder, ".git") || is_bare(folder)
}

/// Returns whether git takes a folder for a repository, though its name does not show it.
pub(super) fn is_bare(folder: &OwnedFd) -> bool {
    ["HEAD", "objects", "refs"].into_iter().all(|name| has_entry(folder, name))
}

fn has_entry(folder: &OwnedFd, name: &str) -> bool {
    statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
}

/// Returns whether a folder or one below it holds a repository of its own.
pub(super) fn holds_repository(folder: &Path) -> bool {
    let mut is_found = false;
    walk_below(folder, |path, meta| is_found |= meta.is_dir() && is_repository(path));
    is_found || is_repository(folder)
}

/// Returns whether a file in a folder has names outside of it.
pub(super) fn shares_files(folder: &Path) -> bool {
    let mut names: HashMap<(u64, u64), u64> = HashMap::new();
    walk_below(folder, |_, meta| {
        if !meta.is_dir() && meta.nlink() > 1 {
            let left = names.entry((meta.dev(), meta.ino())).or_insert(meta.nlink());
            *left = left.saturating_sub(1);
        }
    });
    names.values().any(|left| *left > 0)
}

/// Calls `each` for every entry below a folder. No symlink is followed.
fn walk_below(folder: &Path, mut each: impl FnMut(&Path, &std::fs::Metadata)) {
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(meta) = entry.metadata() else { continue };
            let path = entry.path();
            each(&path, &meta);
            if meta.is_dir() {
                waiting.push(path);
            }
        }
    }
}
