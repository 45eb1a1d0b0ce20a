//! Notes after history was rewritten by means other than git's, notes of two machines on one line, and notes of odd
//! files and lines.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::carried::{
    AGENTS, BEGIN, agent_commits, agent_writes, applied_at_once, commit, commit_own, expect, hooked, text,
    with_two, write,
};
use super::noted::{by, git, named, noted, why};
use crate::support::agent::{Agent, LEGACY, place, until, wherefore};

/// Waits until a commit is noted, and gives the note.
fn note_of(folder: &Path, revision: &str) -> String {
    let commit = git(folder, &["rev-parse", revision]);
    until("the commit is noted", || git(folder, &["notes", "--ref=wherefore", "list"]).contains(&commit));
    git(folder, &["notes", "--ref=wherefore", "show", revision])
}

fn line_of<'l>(lines: &'l [Value], text: &str, line: &str) -> &'l Value {
    &lines[text.lines().position(|text| text == line).unwrap()]
}

#[test]
fn a_history_that_was_filtered_tells_nothing_wrong_and_its_notes_come_by_hand() {
    let here = place();
    let here = here.path();
    hooked(here);
    git(here, &["checkout", "-qb", "topic"]);
    agent_commits(here, &with_two(), "Two");
    commit_own(here, &format!("// Mine\n\n{}", text(here)), "Mine");
    git(here, &["branch", "-q", "old"]);
    let filter =
        ["-c", "advice.skippedCherryPicks=false", "filter-branch", "-f", "--msg-filter", "sed s/^/x:/"];
    git(here, &[&filter[..], &["--", "topic"]].concat());
    assert_ne!(git(here, &["rev-parse", "topic~1"]), git(here, &["rev-parse", "old~1"]));
    expect(here, "topic", &[("    two();", &["git"]), ("// Mine", &["git"])]);
    // The records of this machine stay.
    assert_eq!(line_of(&why(here, "c.rs").0, &text(here), "    two();")["by"], "agent");
    noted(here, &["topic~1", "--from", "old~1"]);
    expect(here, "topic", AGENTS);
    // Onto another base, without the commits between.
    git(here, &["checkout", "-q", "-b", "base", "main"]);
    commit_own(here, &BEGIN.replace("one()", "one(1)"), "Other base");
    git(here, &["rebase", "-q", "--onto", "base", "main", "topic"]);
    expect(here, "topic", &[("    two();", &["agent"]), ("    one(1);", &["human"])]);
    // The notes that were pushed before are replaced.
    git(here, &["init", "-q", "--bare", "../bare"]);
    git(here, &["push", "-q", "../bare", "old:topic", "refs/notes/wherefore"]);
    git(here, &["push", "-q", "-f", "../bare", "topic", "refs/notes/wherefore"]);
    let lines = why(here, "c.rs").0;
    assert_eq!(
        line_of(&lines, &text(here), "    two();")["commit"],
        git(here, &["rev-parse", "topic~1"]).as_str()
    );
}

#[test]
fn a_commit_that_is_picked_with_a_conflict_keeps_what_was_not_in_it() {
    let here = place();
    let here = here.path();
    hooked(here);
    git(here, &["checkout", "-qb", "topic"]);
    agent_commits(here, &with_two().replace("last()", "last(2)"), "Two");
    git(here, &["checkout", "-q", "main"]);
    commit(here, &BEGIN.replace("last()", "last(9)"), "Nine");
    let picked = Command::new("git").arg("-C").arg(here.join("work")).args(["cherry-pick", "topic"]).output();
    assert!(!picked.unwrap().status.success(), "it does not stop for the conflict");
    write(here, &format!("{}\nfn p() {{\n    mine();\n}}\n", with_two().replace("last()", "last(29)")));
    git(here, &["add", "c.rs"]);
    git(here, &["-c", "core.editor=true", "cherry-pick", "--continue"]);
    expect(here, "main", AGENTS);
    let lines = why(here, "c.rs").0;
    assert_eq!(line_of(&lines, &text(here), "    mine();")["by"], "human");
    // In another clone the line has no author: a picked commit has only the lines of its source's note.
    expect(here, "main", &[("    mine();", &["git"])]);
}

#[test]
fn of_two_machines_each_is_believed_of_its_own_calls() {
    let (here, there) = (place(), place());
    let (here, there) = (here.path(), there.path());
    hooked(here);
    git(here, &["init", "-q", "--bare", "-b", "main", "../bare"]);
    git(here, &["remote", "add", "origin", "../bare"]);
    assert!(wherefore(here, &["init", "--git", "--yes"]).output().unwrap().status.success());
    agent_commits(here, &with_two(), "Two");
    git(here, &["push", "-q"]);
    std::fs::remove_dir_all(there.join("work")).unwrap();
    std::fs::create_dir(there.join("work")).unwrap();
    git(there, &["clone", "-q", here.join("bare").to_str().unwrap(), "."]);
    named(there);
    applied_at_once(there);
    assert!(wherefore(there, &["init", "--git", "--yes"]).output().unwrap().status.success());
    git(there, &["fetch", "-q"]);
    // An agent there writes over a line of the agent's here, and adds one.
    let changed = text(there).replace("    three();\n", "    three(3);\n    half();\n");
    let mut agent = Agent::named(there, "other-agent", LEGACY, &[], json!({}));
    let why_there = "Pass what three takes since it was changed";
    agent.call("fs_write", json!({ "path": "c.rs", "content": changed, "why": why_there }));
    git(there, &["commit", "-qam", "Three of there"]);
    note_of(there, "HEAD");
    git(there, &["push", "-q"]);
    let says = |folder: &Path, of: &str| {
        let (lines, warned) = why(folder, "c.rs");
        assert_eq!(warned, "", "{of}");
        for line in ["    three(3);", "    half();"] {
            let line = line_of(&lines, &text(folder), line);
            let told = (&line["by"], &line["agent"], &line["why"]);
            assert_eq!(told, (&json!("agent"), &json!("other-agent/1.0"), &json!(why_there)), "{of}: {line}");
        }
        let line = line_of(&lines, &text(folder), "    two();");
        assert_eq!(
            (&line["by"], &line["agent"]),
            (&json!("agent"), &json!("test-agent/1.0")),
            "{of}: {line}"
        );
    };
    says(there, "there");
    git(here, &["pull", "-q", "--ff-only", "origin", "main"]);
    git(here, &["fetch", "-q"]);
    says(here, "here");
    // A person's uncommitted change of it is in no note.
    write(here, &text(here).replace("    half();", "    half(of_a_person);"));
    let lines = why(here, "c.rs").0;
    assert_eq!(line_of(&lines, &text(here), "    half(of_a_person);")["by"], "human");
    assert_eq!(line_of(&lines, &text(here), "    three(3);")["agent"], "other-agent/1.0");
}

#[test]
fn a_formatter_and_other_line_ends_keep_each_line_its_own() {
    let here = place();
    let here = here.path();
    hooked(here);
    git(here, &["config", "core.autocrlf", "false"]);
    agent_commits(here, &with_two(), "Two");
    commit_own(here, &format!("{}\nfn p() {{\n    mine();\n}}\n", text(here)), "Mine");
    write(here, &text(here).replace('\n', "\r\n"));
    git(here, &["commit", "-qam", "Other line ends"]);
    note_of(here, "HEAD");
    expect(here, "main", &[("    two();", &["agent"]), ("fn b() {", &["agent"])]);
    let lines = why(here, "c.rs").0;
    assert_eq!(line_of(&lines, &text(here), "    mine();")["by"], "human");
    write(here, &text(here).replace("\r\n", "\n").replace("    ", "\t"));
    git(here, &["commit", "-qam", "Format"]);
    note_of(here, "HEAD");
    let lines = why(here, "c.rs").0;
    assert_eq!(line_of(&lines, &text(here), "\tmine();")["by"], "human", "{lines:?}");
    for line in ["\ttwo();", "\tthree();", "fn b() {"] {
        let by = &line_of(&lines, &text(here), line)["by"];
        assert!(by == "agent" || by == "mixed", "{line}: {by}");
    }
    let of_person: &[(&str, &[&str])] = &[("\tmine();", &["human"])];
    expect(here, "main", of_person);
}

#[test]
fn a_file_without_text_and_a_line_with_a_secret_are_in_no_note() {
    let here = place();
    let here = here.path();
    hooked(here);
    // The shape of a vendor's key.
    let letters = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    let random = (0..36).map(|at| char::from(letters[(at * at * 7 + at * 11 + 5) % letters.len()]));
    let secret: String = ["gh", "p_"].concat().chars().chain(random).collect();
    let with_secret = with_two().replace("two();", &format!("two();\n    login(\"{secret}\");"));
    let mut agent = Agent::named(here, "test-agent", LEGACY, &[], json!({}));
    let reason = format!("Call two and log in with {secret} as the test does");
    agent.call("fs_write", json!({ "path": "c.rs", "content": with_secret, "why": reason }));
    assert_eq!(text(here), with_secret);
    std::fs::write(here.join("work/b.bin"), b"\0\x01\x02two();\n\xff\n").unwrap();
    git(here, &["add", "c.rs", "b.bin"]);
    git(here, &["commit", "-qm", "Two"]);
    let note = note_of(here, "HEAD");
    assert!(!note.contains(&secret) && note.contains("Call two and log in with"), "{note}");
    assert!(!note.contains("b.bin"), "{note}");
    expect(here, "main", AGENTS);
    expect(here, "main", &[(&format!("    login(\"{secret}\");"), &["git"])]);
    let asked = wherefore(here, &["why", "b.bin", "--json"]).output().unwrap();
    let said = [asked.stdout, asked.stderr].concat();
    assert!(!asked.status.success() && !said.contains(&0), "{}", String::from_utf8_lossy(&said));
    // Once it holds text, it is as any other file.
    std::fs::write(here.join("work/b.bin"), "text\n").unwrap();
    git(here, &["commit", "-qam", "Text"]);
    assert_eq!(by(&why(here, "b.bin").0).len(), 1);
    agent_writes(here, &with_two());
    assert!(!why(here, "c.rs").1.contains(&secret));
}
