//! Notes in linked working trees and submodules, whose `.git` is a file; and `.git` files that lead where they do not belong.

use std::path::Path;

use super::carried::{AGENTS, agent_commits, applied_at_once, commit, hooked, text, with_two};
use super::noted::{by, git, named, why};
use crate::support::agent::{place, wherefore};

/// Who wrote each line with that text.
fn writers(folder: &Path, line: &str) -> Vec<String> {
    let (lines, warned) = why(folder, "c.rs");
    assert_eq!(warned, "");
    let text = text(folder);
    let pairs = text.lines().zip(by(&lines));
    pairs.filter(|(text, _)| *text == line).map(|(_, by)| by.to_owned()).collect()
}

fn is_as_the_agent_left_it(folder: &Path) {
    for (line, by) in AGENTS {
        assert_eq!(writers(folder, line), *by, "{line}");
    }
}

#[test]
fn linked_working_trees_write_and_read_notes() {
    let (here, tree, stranger) = (place(), place(), place());
    let (here, tree, stranger) = (here.path(), tree.path(), stranger.path());
    hooked(here);
    std::fs::remove_dir_all(tree.join("work")).unwrap();
    git(here, &["worktree", "add", "-q", "-b", "topic", tree.join("work").to_str().unwrap()]);
    // It is another person's, of whom nothing is recorded in the first.
    applied_at_once(tree);
    agent_commits(tree, &with_two(), "Two");
    git(here, &["merge", "-q", "topic"]);
    is_as_the_agent_left_it(here);
    agent_commits(here, &text(here).replace("two();", "two();\n    half();"), "Half");
    git(tree, &["merge", "-q", "main"]);
    is_as_the_agent_left_it(tree);
    assert_eq!(writers(tree, "    half();"), ["agent"]);
    // A file that leads to a working tree elsewhere has no meaning for this folder.
    std::fs::remove_dir(stranger.join("work/.git")).unwrap();
    for name in [".git", "c.rs"] {
        std::fs::copy(tree.join("work").join(name), stranger.join("work").join(name)).unwrap();
    }
    assert_eq!(writers(stranger, "    half();"), ["unknown"]);
    std::fs::write(
        stranger.join("work/.git"),
        format!("gitdir: {}\n", here.join("work/.git").to_str().unwrap()),
    )
    .unwrap();
    assert_eq!(writers(stranger, "    half();"), ["unknown"]);
}

#[test]
fn submodules_write_and_read_notes() {
    let (here, above) = (place(), place());
    let (here, above) = (here.path(), above.path());
    hooked(here);
    agent_commits(here, &with_two(), "Two");
    std::fs::remove_dir(above.join("work/.git")).unwrap();
    git(above, &["init", "-q", "-b", "main"]);
    named(above);
    let from = here.join("work");
    let allowed = ["-c", "protocol.file.allow=always", "submodule", "add", "-q"];
    git(above, &[&allowed[..], &[from.to_str().unwrap(), "inner/work"]].concat());
    let inner = above.join("work/inner");
    for name in ["home", "run"] {
        std::fs::create_dir(inner.join(name)).unwrap();
    }
    applied_at_once(&inner);
    named(&inner);
    let set_up = wherefore(&inner, &["init", "--git", "--yes"]).output().unwrap();
    assert!(set_up.status.success(), "{set_up:?}");
    git(&inner, &["fetch", "-q"]);
    is_as_the_agent_left_it(&inner);
    agent_commits(&inner, &text(&inner).replace("two();", "two();\n    half();"), "Half");
    git(&inner, &["push", "-q", from.to_str().unwrap(), "HEAD:refs/heads/half", "refs/notes/wherefore"]);
    git(here, &["merge", "-q", "half"]);
    is_as_the_agent_left_it(here);
    assert_eq!(writers(here, "    half();"), ["agent"]);
    commit(&inner, &text(&inner).replace("half();", "half(2);"), "Mine");
    assert_eq!(writers(&inner, "    half(2);"), ["mixed"]);
}
