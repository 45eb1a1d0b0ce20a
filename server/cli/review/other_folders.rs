//! Other folders of the person's that have pending changes.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::base::numbers::format_count;
use crate::base::person;
use crate::cli::answer;
use crate::cli::print::visible_line;
use crate::proposals::PROPOSALS;
use crate::workspace::WorkspaceState;

/// Folders that are named.
const NAMED: usize = 5;
/// Bytes of the largest proposal that is looked at.
const LARGEST: u64 = 64 << 20;

/// Reports that the folder has no pending changes, and names other folders that have some.
pub(super) fn say_nothing_waits(root: &str) {
    answer::write_line("nothing waits for a decision");
    let folders =
        person::state_dir().map(|base| folders_that_wait(&base, Path::new(root))).unwrap_or_default();
    for (folder, count) in folders.iter().take(NAMED) {
        let (changes, wait) = (format_count(*count, "change"), if *count == 1 { "waits" } else { "wait" });
        let folder = visible_line(&folder.display().to_string());
        answer::write_line(&format!("{changes} {wait} in {folder}: `wherefore review --root {folder}`"));
    }
    let more = folders.len().saturating_sub(NAMED);
    if more > 0 {
        answer::write_line(&format!("and in {}", format_count(more, "more folder")));
    }
}

/// The other folders with pending changes, each with their number.
fn folders_that_wait(base: &Path, here: &Path) -> Vec<(PathBuf, usize)> {
    let others =
        WorkspaceState::all_workspaces(base).into_iter().filter(|(root, _)| root != here && root.is_dir());
    let waiting = others.map(|(root, state)| {
        let entries = std::fs::read_dir(state.join(PROPOSALS)).into_iter().flatten().flatten();
        (root, entries.filter(|entry| is_waiting(&entry.path())).count())
    });
    let mut waiting: Vec<_> = waiting.filter(|(_, count)| *count > 0).collect();
    waiting.sort();
    waiting
}

/// Returns whether a stored proposal holds an undecided hunk.
fn is_waiting(file: &Path) -> bool {
    let is_small = file.symlink_metadata().is_ok_and(|file| file.is_file() && file.len() <= LARGEST);
    let text = is_small.then(|| std::fs::read(file).ok()).flatten().unwrap_or_default();
    let kept: Value = serde_json::from_slice(&text).unwrap_or_default();
    let files = kept.pointer("/proposal/files").and_then(Value::as_array).into_iter().flatten();
    let mut hunks = files.flat_map(|file| file.get("hunks").and_then(Value::as_array).into_iter().flatten());
    hunks.any(|hunk| hunk.get("state").is_some_and(|state| state == "pending"))
}
