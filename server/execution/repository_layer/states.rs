//! The files in which a repository keeps work in progress: a merge, a rebase, a series of picks, a bisection. Each file is taken
//! by name and form: a list of the next steps of a rebase may not run a program.

use std::path::{Path, PathBuf};

use super::refs::is_hash;
use super::view::{RepositoryView, ViewTime};

/// Files with one hash a line.
const HASHES: [&str; 7] = [
    "MERGE_HEAD",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "REBASE_HEAD",
    "ORIG_HEAD",
    "AUTO_MERGE",
    "BISECT_EXPECTED_REV",
];
/// Files of text that git shows or adds to, and never runs.
const TEXTS: [&str; 11] = [
    "MERGE_MSG",
    "MERGE_MODE",
    "MERGE_RR",
    "SQUASH_MSG",
    "COMMIT_EDITMSG",
    "FETCH_HEAD",
    "BISECT_LOG",
    "BISECT_NAMES",
    "BISECT_START",
    "BISECT_TERMS",
    "BISECT_ANCESTORS_OK",
];
/// Files that are no sign of work in progress by themselves.
const BESIDE: [&str; 4] = ["COMMIT_EDITMSG", "ORIG_HEAD", "FETCH_HEAD", "AUTO_MERGE"];
/// Folders of work that is done step by step.
const FOLDERS: [&str; 3] = ["rebase-merge", "rebase-apply", "sequencer"];
/// Files in those folders that list steps.
const STEPS: [&str; 4] = ["git-rebase-todo", "git-rebase-todo.backup", "done", "todo"];
/// Steps that run no program.
const SAFE_STEPS: [&str; 24] = [
    "pick",
    "p",
    "reword",
    "r",
    "edit",
    "e",
    "squash",
    "s",
    "fixup",
    "f",
    "drop",
    "d",
    "label",
    "l",
    "reset",
    "t",
    "merge",
    "m",
    "update-ref",
    "u",
    "noop",
    "break",
    "b",
    "revert",
];
/// Files in those folders that name programs, strategies or keys for git.
const RUN: [&str; 3] = ["gpg_sign_opt", "strategy", "strategy_opts"];
/// The most bytes of one of these files.
const LONGEST: usize = 16 << 20;

/// A changed file of work in progress, with its new content; none if it is to be removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StateChange {
    pub(super) path: PathBuf,
    pub(super) bytes: Option<Vec<u8>>,
}

/// Returns the changed files, and a sentence for each that is not taken over.
pub(super) fn changes(own: &RepositoryView) -> (Vec<StateChange>, Vec<String>) {
    let (mut changes, mut left_out) = (Vec::new(), Vec::new());
    for name in HASHES.into_iter().chain(TEXTS) {
        let path = Path::new(name);
        if !own.differs(path) {
            continue;
        }
        let bytes = own.read(path, ViewTime::After);
        match bytes.as_deref().is_none_or(|bytes| is_sound(path, bytes)) {
            true => changes.push(StateChange { path: path.to_owned(), bytes }),
            false => left_out.push(format!("{name}: it holds no such text as git writes there")),
        }
    }
    for folder in FOLDERS {
        if own.touches(Path::new(folder)) {
            folder_changes(own, Path::new(folder), &mut changes, &mut left_out);
        }
    }
    (changes, left_out)
}

/// Returns whether a change of that file means that work continues, or ended.
pub(super) fn is_work(change: &StateChange) -> bool {
    change.path.to_str().is_none_or(|name| !BESIDE.contains(&name))
}

/// Returns the work in progress after a change, as `merge` or `rebase`; none if the change ends it.
pub(super) fn work_under_way(change: &StateChange) -> Option<&'static str> {
    change.bytes.as_ref()?;
    Some(match change.path.to_str()? {
        "MERGE_HEAD" => "a merge is under way",
        "CHERRY_PICK_HEAD" => "a cherry-pick is under way",
        "REVERT_HEAD" => "a revert is under way",
        "BISECT_START" => "a bisection is under way",
        path if path.starts_with("rebase-") => "a rebase is under way",
        path if path.starts_with("sequencer") => "a series of picks is under way",
        _ => return None,
    })
}

fn folder_changes(
    own: &RepositoryView,
    folder: &Path,
    changes: &mut Vec<StateChange>,
    left_out: &mut Vec<String>,
) {
    let [before, after] = [ViewTime::Before, ViewTime::After].map(|at| own.files(folder, at));
    let held = |path: &PathBuf| own.read(path, ViewTime::After).map(|bytes| (path.clone(), bytes));
    let held: Vec<(PathBuf, Vec<u8>)> = after.iter().filter_map(held).collect();
    if let Some((odd, _)) = held.iter().find(|(path, bytes)| !is_sound(path, bytes)) {
        left_out.push(format!(
            "{}: what is under way there is not taken over, since {} could have a program run later",
            folder.display(),
            odd.display()
        ));
        return;
    }
    for (path, bytes) in held {
        if own.differs(&path) {
            changes.push(StateChange { path, bytes: Some(bytes) });
        }
    }
    let gone = before.into_iter().filter(|path| !after.contains(path));
    changes.extend(gone.map(|path| StateChange { path, bytes: None }));
}

/// Returns whether a file holds text that git writes there, and nothing that runs a program.
fn is_sound(path: &Path, bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if bytes.len() > LONGEST {
        return false;
    }
    let is_step = |line: &str| match line.split_whitespace().next() {
        Some(word) => word.starts_with('#') || SAFE_STEPS.contains(&word),
        None => true,
    };
    match name {
        name if path.components().count() == 1 && HASHES.contains(&name) => text.lines().all(is_hash),
        "BISECT_START" => !text.starts_with('-'),
        name if path.components().count() == 1 => TEXTS.contains(&name),
        name if STEPS.contains(&name) => text.lines().all(is_step),
        name => !RUN.contains(&name) || text.trim().is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rebase_that_would_run_a_program_is_not_taken() {
        let sound = |path: &str, text: &str| is_sound(Path::new(path), text.as_bytes());
        assert!(sound("rebase-merge/git-rebase-todo", "pick 1234 x\n# Rebase\nfixup -C 12 y\n\n"));
        assert!(!sound("rebase-merge/git-rebase-todo", "pick 1234 x\nexec touch /tmp/x\n"));
        assert!(!sound("rebase-merge/done", "x make\n"));
        assert!(!sound("rebase-merge/strategy", "evil\n") && !sound("rebase-apply/gpg_sign_opt", "-Sx\n"));
        assert!(sound("MERGE_HEAD", &format!("{}\n", "a".repeat(40))) && !sound("MERGE_HEAD", "../x\n"));
        assert!(sound("MERGE_MSG", "Merge\n") && !sound("config", "[core]\n"));
    }
}
