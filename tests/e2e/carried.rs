//! Notes of commits that are amended, rebased, squashed, picked and merged by real git, as another clone reads them.

use std::path::Path;

use serde_json::json;

use super::noted::{by, git, named, why};
use crate::support::agent::{Agent, LEGACY, place, until, wherefore};

pub(super) const BEGIN: &str = "fn a() {\n    one();\n}\n\nfn z() {\n    last();\n}\n";
const TWO: &str = "fn b() {\n    two();\n    three();\n}\n\n";

/// The person's settings have agents' changes applied at once.
pub(super) fn applied_at_once(folder: &Path) {
    std::fs::create_dir_all(folder.join("home/.config/wherefore")).unwrap();
    let settings = "[review]\npolicy = \"auto\"\n";
    std::fs::write(folder.join("home/.config/wherefore/config.toml"), settings).unwrap();
}

/// A repository whose hooks write notes, with one commit on `main`, in which agents' changes are applied at once.
pub(super) fn hooked(folder: &Path) {
    std::fs::remove_dir(folder.join("work/.git")).unwrap();
    applied_at_once(folder);
    git(folder, &["init", "-q", "-b", "main"]);
    named(folder);
    let set_up = wherefore(folder, &["init", "--git", "--yes"]).output().unwrap();
    assert!(set_up.status.success(), "{set_up:?}");
    commit(folder, BEGIN, "Begin");
}

pub(super) fn write(folder: &Path, text: &str) {
    std::fs::write(folder.join("work/c.rs"), text).unwrap();
}

pub(super) fn text(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("work/c.rs")).unwrap()
}

/// A person's commit.
pub(super) fn commit(folder: &Path, text: &str, message: &str) {
    write(folder, text);
    git(folder, &["add", "c.rs"]);
    git(folder, &["commit", "-qm", message]);
}

/// Commits lines of the person, and waits for the note: their lines are known only while the file has them, as it does here.
pub(super) fn commit_own(folder: &Path, text: &str, message: &str) {
    commit(folder, text, message);
    is_noted(folder);
}

fn is_noted(folder: &Path) {
    until("the commit is noted", || {
        let noted = git(folder, &["notes", "--ref=wherefore", "list"]);
        noted.contains(&git(folder, &["rev-parse", "HEAD"]))
    });
}

/// An agent's change, as it is in the working tree.
pub(super) fn agent_writes(folder: &Path, text: &str) {
    let mut agent = Agent::named(folder, "test-agent", LEGACY, &[], json!({}));
    let answer =
        agent.call("fs_write", json!({ "path": "c.rs", "content": text, "why": "Call two and three" }));
    assert_eq!(std::fs::read_to_string(folder.join("work/c.rs")).unwrap(), text, "{answer}");
}

/// An agent's change, committed and noted.
pub(super) fn agent_commits(folder: &Path, text: &str, message: &str) {
    agent_writes(folder, text);
    git(folder, &["commit", "-qam", message]);
    is_noted(folder);
}

/// Checks the authors of each line of the branch's text in another clone.
pub(super) fn expect(here: &Path, branch: &str, expected: &[(&str, &[&str])]) {
    let there = place();
    let there = there.path();
    std::fs::remove_dir_all(there.join("work")).unwrap();
    std::fs::create_dir(there.join("work")).unwrap();
    let from = here.join("work");
    git(there, &["clone", "-q", "-b", branch, from.to_str().unwrap(), "."]);
    let text = text(there);
    let mut seen = Vec::new();
    let mut says = || {
        git(there, &["fetch", "-q", "origin", "+refs/notes/wherefore:refs/notes/wherefore"]);
        let (lines, _) = why(there, "c.rs");
        let lines = text.lines().zip(by(&lines)).map(|(text, by)| (text.to_owned(), by.to_owned()));
        seen = lines.collect::<Vec<_>>();
        expected.iter().all(|(line, by)| {
            let found: Vec<&str> =
                seen.iter().filter(|(text, _)| text == line).map(|(_, by)| by.as_str()).collect();
            found == *by
        })
    };
    for _ in 0..200 {
        if says() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    // Later changes do not alter it.
    std::thread::sleep(std::time::Duration::from_millis(300));
    let holds = says();
    assert!(holds, "{expected:?}: {seen:#?}");
}

pub(super) fn with_two() -> String {
    BEGIN.replace("fn z", &format!("{TWO}fn z"))
}

pub(super) const AGENTS: &[(&str, &[&str])] = &[
    ("fn b() {", &["agent"]),
    ("    two();", &["agent"]),
    ("    three();", &["agent"]),
    ("    one();", &["git"]),
];

#[test]
fn an_amended_commit_keeps_its_note_and_a_persons_line_in_it_is_theirs() {
    let here = place();
    let here = here.path();
    hooked(here);
    agent_commits(here, &with_two(), "Two");
    write(here, &format!("{}\nfn p() {{\n    mine();\n}}\n", with_two()));
    git(here, &["commit", "-qa", "--amend", "-m", "Two and mine"]);
    expect(here, "main", AGENTS);
    expect(here, "main", &[("fn p() {", &["human"]), ("    mine();", &["human"])]);
    let last = by(&why(here, "c.rs").0).last().map(|by| (*by).to_owned());
    assert_eq!(last.as_deref(), Some("human"));
    // A line of the agent's that a person changes.
    write(here, &text(here).replace("    two();", "    two(2);"));
    git(here, &["commit", "-qa", "--amend", "--no-edit"]);
    expect(
        here,
        "main",
        &[("    two(2);", &["mixed"]), ("    three();", &["agent"]), ("    mine();", &["human"])],
    );
}

#[test]
fn a_rebase_keeps_notes_also_where_a_person_solves_a_conflict() {
    let here = place();
    let here = here.path();
    hooked(here);
    git(here, &["checkout", "-qb", "topic"]);
    agent_commits(here, &with_two().replace("last()", "last(2)"), "Two");
    agent_commits(here, &text(here).replace("two();", "two();\n    half();"), "Half");
    git(here, &["checkout", "-q", "main"]);
    commit_own(here, &format!("// Begins\n\n{}", BEGIN.replace("last()", "last(9)")), "Nine");
    git(here, &["checkout", "-q", "topic"]);
    let stopped =
        std::process::Command::new("git").arg("-C").arg(here.join("work")).args(["rebase", "main"]).output();
    assert!(!stopped.unwrap().status.success(), "it does not stop for the conflict");
    let solved = format!("// Begins\n\n{}", with_two().replace("last()", "last(29)"));
    write(here, &solved);
    git(here, &["add", "c.rs"]);
    git(here, &["rebase", "--continue"]);
    assert!(text(here).contains("half();") && text(here).starts_with("// Begins"), "{}", text(here));
    expect(here, "topic", AGENTS);
    expect(
        here,
        "topic",
        &[("    half();", &["agent"]), ("    last(29);", &["mixed"]), ("// Begins", &["human"])],
    );
    // Two commits made one.
    git(here, &["-c", "sequence.editor=sed -i 2s/pick/squash/", "rebase", "-q", "-i", "main"]);
    assert_eq!(git(here, &["rev-list", "--count", "main..topic"]), "1");
    expect(here, "topic", AGENTS);
    expect(here, "topic", &[("    half();", &["agent"]), ("    last(29);", &["mixed"])]);
}

#[test]
fn picked_squashed_and_merged_commits_keep_their_notes() {
    let here = place();
    let here = here.path();
    hooked(here);
    git(here, &["checkout", "-qb", "topic"]);
    agent_commits(here, &with_two(), "Two");
    agent_commits(here, &text(here).replace("two();", "two();\n    half();"), "Half");
    git(here, &["checkout", "-q", "main"]);
    commit_own(here, &format!("// Begins\n\n{BEGIN}"), "Say so");

    git(here, &["checkout", "-qb", "picked"]);
    git(here, &["cherry-pick", "topic~1", "topic"]);
    expect(here, "picked", AGENTS);
    expect(here, "picked", &[("    half();", &["agent"]), ("// Begins", &["human"])]);

    // The person writes a message of their own, and a line of their own with a last line like the agent's.
    git(here, &["checkout", "-q", "-b", "squashed", "main"]);
    git(here, &["merge", "-q", "--squash", "topic"]);
    write(here, &format!("{}\nfn p() {{\n    mine();\n}}\n", text(here)));
    git(here, &["commit", "-qam", "All of it"]);
    expect(here, "squashed", AGENTS);
    expect(
        here,
        "squashed",
        &[("    half();", &["agent"]), ("    mine();", &["git"]), ("fn p() {", &["git"])],
    );

    git(here, &["checkout", "-q", "-b", "merged", "main"]);
    git(here, &["merge", "-q", "--no-ff", "-m", "Merge", "topic"]);
    expect(here, "merged", AGENTS);

    // A squash by a server is recorded by hand.
    git(here, &["checkout", "-q", "-b", "by-hand", "main"]);
    git(here, &["-c", "core.hooksPath=/dev/null", "merge", "-q", "--squash", "topic"]);
    git(here, &["-c", "core.hooksPath=/dev/null", "commit", "-qm", "All of it (#7)"]);
    expect(here, "by-hand", &[("    two();", &["git"]), ("    half();", &["git"])]);
    let noted = wherefore(here, &["git", "note", "--from", "main..topic"]).output().unwrap();
    assert!(noted.status.success(), "{noted:?}");
    expect(here, "by-hand", AGENTS);
    expect(here, "by-hand", &[("    half();", &["agent"])]);
}
