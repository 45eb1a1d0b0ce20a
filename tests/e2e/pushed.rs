//! A push takes along the notes of commits that were made just before it, by real git.

use std::path::Path;

use super::carried::{agent_commits, agent_writes, hooked, text, with_two};
use super::noted::git;
use crate::support::agent::{place, until, wherefore};

fn is_noted_there(here: &Path, revision: &str) -> bool {
    let commit = git(here, &["rev-parse", revision]);
    git(here, &["--git-dir=../bare", "notes", "--ref=wherefore", "list"]).contains(&commit)
}

/// An agent's change and its commit, which may not be noted yet.
fn agent_commits_now(here: &Path, line: &str) {
    agent_writes(here, &text(here).replace("two();", &format!("two();\n    {line}();")));
    git(here, &["commit", "-qam", line]);
}

#[test]
fn a_push_right_after_a_commit_has_its_note() {
    let here = place();
    let here = here.path();
    hooked(here);
    git(here, &["init", "-q", "--bare", "../bare"]);
    git(here, &["remote", "add", "origin", "../bare"]);
    let set_up = wherefore(here, &["init", "--git", "--yes"]).output().unwrap();
    assert!(set_up.status.success(), "{set_up:?}");
    agent_writes(here, &with_two());
    git(here, &["commit", "-qam", "Two"]);
    git(here, &["push", "-q"]);
    assert!(is_noted_there(here, "HEAD"), "the first notes");
    agent_commits_now(here, "three_quarters");
    git(here, &["push", "-q"]);
    assert!(is_noted_there(here, "HEAD"), "with the notes of before there");
    agent_commits_now(here, "half");
    git(here, &["push", "-q", "--dry-run"]);
    assert!(!is_noted_there(here, "HEAD"), "a rehearsal sends nothing");
    git(here, &["push", "-q", "origin", "main"]);
    assert!(is_noted_there(here, "HEAD"), "a push that names a branch");
    // Git sends the notes itself, and they are not the last ones.
    agent_commits(here, &text(here).replace("half();", "half();\n    third();"), "Third");
    agent_commits_now(here, "quarter");
    git(here, &["push", "-q"]);
    until("the newest note follows the push", || is_noted_there(here, "HEAD"));
    assert!(is_noted_there(here, "HEAD~1"));
    // A push to where no notes go takes none there, and one that fails leaves them.
    git(here, &["init", "-q", "--bare", "../other"]);
    git(here, &["push", "-q", "../other", "main"]);
    assert_eq!(git(here, &["--git-dir=../other", "for-each-ref", "refs/notes"]), "");
    assert_eq!(git(here, &["status", "--porcelain", "--untracked-files=no"]), "");
}

#[test]
fn a_remote_that_came_later_gets_a_word_and_then_the_notes() {
    let here = place();
    let here = here.path();
    hooked(here);
    let said = wherefore(here, &["init", "--git", "--yes"]).output().unwrap();
    assert!(said.status.success(), "{said:?}");
    agent_commits(here, &with_two(), "Two");
    git(here, &["init", "-q", "--bare", "../bare"]);
    git(here, &["remote", "add", "origin", "../bare"]);
    let pushed = std::process::Command::new("git")
        .args(["push", "-q", "origin", "main"])
        .current_dir(here.join("work"))
        .env("HOME", here.join("home"))
        .output()
        .unwrap();
    let words = String::from_utf8_lossy(&pushed.stderr).into_owned();
    assert!(pushed.status.success() && words.contains("do not go to origin"), "{words}");
    assert!(wherefore(here, &["init", "--git", "--yes"]).status().unwrap().success());
    agent_commits_now(here, "half");
    git(here, &["push", "-q"]);
    until("the notes follow the push", || is_noted_there(here, "HEAD"));
}
