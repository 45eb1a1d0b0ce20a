//! Finds a change that makes a folder a repository for git, under a name that no rule closes: git runs the commands of
//! its settings and hooks for everyone who works in the folder.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::WorkspacePath;
use crate::protocol::ChangeKind;
use crate::review::PathChange;
use crate::workspace::WorkspaceFiles;

/// The entries that make a folder a repository.
const PARTS: [&str; 3] = ["HEAD", "objects", "refs"];
/// The entries of a repository that make programs run.
const RUNS: [&str; 2] = ["config", "hooks"];

/// The folder that is a repository once `changes` are made, where they make it one or change what it runs.
pub(crate) fn find_made_repository(files: &WorkspaceFiles, changes: &[PathChange]) -> Option<WorkspacePath> {
    let mut touched: BTreeMap<WorkspacePath, BTreeSet<&str>> = BTreeMap::new();
    let stays = |change: &&PathChange| !matches!(change.kind, ChangeKind::Delete | ChangeKind::Rmdir);
    for change in changes.iter().filter(stays) {
        let mut below = Some(change.path.clone());
        while let Some(path) = below {
            let folder = path.parent();
            if let Some(part) = PARTS.iter().chain(&RUNS).find(|part| **part == path.name())
                && let Some(folder) = &folder
            {
                touched.entry(folder.clone()).or_default().insert(part);
            }
            below = folder;
        }
    }
    let is_there = |path: Option<WorkspacePath>| {
        path.is_some_and(|path| files.entry_at(&path).is_ok_and(|entry| entry.is_some()))
    };
    let is_repository = |(folder, parts): &(WorkspacePath, BTreeSet<&str>)| {
        PARTS.iter().all(|part| parts.contains(part) || is_there(folder.join(part)))
    };
    touched.into_iter().find(is_repository).map(|(folder, _)| folder)
}
