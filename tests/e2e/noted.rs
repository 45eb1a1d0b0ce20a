//! `wherefore git note`: why lines are as they are, carried to another clone by real git; hostile notes there.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::support::agent::{Agent, LEGACY, place, wherefore};

pub(super) const WHY: &str = "Name the third line, since readers look for it first";

pub(super) fn git(folder: &Path, args: &[&str]) -> String {
    let mut git = Command::new("git");
    git.arg("-C").arg(folder.join("work")).args(args).env("GIT_EDITOR", "true");
    // Its hooks use the same folders of the person as the rest of the test.
    for (name, value) in wherefore(folder, &[]).get_envs() {
        match value {
            Some(value) => git.env(name, value),
            None => git.env_remove(name),
        };
    }
    let ran = git.output().unwrap();
    assert!(ran.status.success(), "{args:?}: {ran:?}");
    String::from_utf8(ran.stdout).unwrap().trim().to_owned()
}

pub(super) fn named(folder: &Path) {
    git(folder, &["config", "user.name", "P"]);
    git(folder, &["config", "user.email", "p@example.org"]);
}

pub(super) fn noted(folder: &Path, args: &[&str]) -> String {
    let output: Output = wherefore(folder, &[&["git", "note"], args].concat()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Each line of a file with who wrote it, and what was warned of.
pub(super) fn why(folder: &Path, path: &str) -> (Vec<Value>, String) {
    let output = wherefore(folder, &["why", path, "--json"]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let lines: Value = serde_json::from_slice(&output.stdout).unwrap();
    (lines.as_array().unwrap().clone(), String::from_utf8(output.stderr).unwrap())
}

pub(super) fn by(lines: &[Value]) -> Vec<&str> {
    lines.iter().map(|line| line["by"].as_str().unwrap()).collect()
}

/// An agent's change of two hunks, of which the person accepts the first.
pub(super) fn accepted_in_part(folder: &Path) {
    let lines: String = (1..=12).map(|line| format!("line {line}\n")).collect();
    std::fs::write(folder.join("work/b.txt"), &lines).unwrap();
    git(folder, &["add", "b.txt"]);
    git(folder, &["commit", "-qm", "Begin"]);
    let mut agent = Agent::named(folder, "test-agent", LEGACY, &[], json!({}));
    let content = lines.replace("line 3\n", "line three\n").replace("line 11\n", "line eleven\n");
    let pending = agent.call("fs_write", json!({ "path": "b.txt", "content": content, "why": WHY }));
    let proposal = pending["proposal"].as_str().unwrap();
    for decision in
        [["--accept", "h1", "--reason", "Readers do"], ["--reject", "h2", "--reason", "Eleven is fine"]]
    {
        let args = [&["review", proposal], &decision[..]].concat();
        assert!(wherefore(folder, &args).output().unwrap().status.success(), "{args:?}");
    }
}

/// A commit with an agent's change that a person took in part, a line of the person's, and a file that is closed.
fn committed(folder: &Path) {
    std::fs::remove_dir(folder.join("work/.git")).unwrap();
    git(folder, &["init", "-q", "-b", "main"]);
    named(folder);
    accepted_in_part(folder);
    let text = std::fs::read_to_string(folder.join("work/b.txt")).unwrap();
    std::fs::write(folder.join("work/b.txt"), format!("{text}mine\n")).unwrap();
    std::fs::write(folder.join("work/.env"), "KEY=1\n").unwrap();
    git(folder, &["add", "b.txt", ".env"]);
    git(folder, &["commit", "-qm", "Name a line"]);
}

#[test]
fn a_note_tells_another_clone_why_and_hostile_notes_tell_it_nothing() {
    let (here, there) = (place(), place());
    let (here, there) = (here.path(), there.path());
    committed(here);
    let said = noted(here, &[]);
    assert!(said.contains("2 lines of 1 files"), "{said}");
    let text = git(here, &["notes", "--ref=wherefore", "show", "HEAD"]);
    assert!(!text.contains(".env") && !text.contains("line three") && text.contains(WHY), "{text}");
    let none = noted(here, &["HEAD~1"]);
    assert!(none.contains("no note is written"), "{none}");
    // Another commit in its place: its note is written again.
    git(here, &["commit", "-q", "--amend", "-m", "Name the third line"]);
    noted(here, &["HEAD"]);
    for odd in ["nothing", "--output=x", "-h5", ""] {
        let output = wherefore(here, &["git", "note", "--", odd]).output().unwrap();
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && words.contains("names no commit"), "{odd}: {output:?}");
    }

    let bare = here.join("bare");
    let bare = bare.to_str().unwrap();
    git(here, &["init", "-q", "--bare", bare]);
    git(here, &["push", "-q", bare, "main", "refs/notes/wherefore"]);
    std::fs::remove_dir_all(there.join("work")).unwrap();
    std::fs::create_dir(there.join("work")).unwrap();
    git(there, &["clone", "-q", "-b", "main", bare, "."]);
    named(there);
    let (before, _) = why(there, "b.txt");
    assert_eq!(by(&before), ["git"; 13]);
    git(there, &["fetch", "-q", "origin", "refs/notes/wherefore:refs/notes/wherefore"]);
    // Lines that moved since are found by git.
    let text = std::fs::read_to_string(there.join("work/b.txt")).unwrap();
    std::fs::write(there.join("work/b.txt"), format!("zero\n{text}")).unwrap();
    git(there, &["commit", "-qam", "Begin at zero"]);
    let (lines, warned) = why(there, "b.txt");
    let mut expected = ["git"; 14];
    (expected[3], expected[13]) = ("agent", "human");
    assert_eq!(by(&lines), expected, "{warned}");
    let third = &lines[3];
    assert_eq!((&third["why"], &third["decision"]), (&json!(WHY), &json!("accepted")), "{third}");
    assert_eq!(
        (&third["agent"], &third["reason"]),
        (&json!("test-agent/1.0"), &json!("Readers do")),
        "{third}"
    );

    let put = |note: &str| git(there, &["notes", "--ref=wherefore", "add", "-f", "-m", note, "HEAD~1"]);
    let valid = git(there, &["notes", "--ref=wherefore", "show", "HEAD~1"]);
    // A note that was copied from another commit has no meaning for lines that are not in it.
    let hashes =
        valid.split('"').filter(|word| word.len() == 8 && word.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let other = hashes.fold(valid.clone(), |note, hash| note.replace(hash, "00000000"));
    put(&other);
    let (lines, warned) = why(there, "b.txt");
    assert_eq!((by(&lines), warned.as_str()), (vec!["git"; 14], ""), "{other}");
    for (note, word) in [
        ("{\"wherefore\": 1}".to_owned(), "version 1"),
        ("$(touch x) `touch x`".to_owned(), "does not have the form"),
        ("[".repeat(100_000), "does not have the form"),
        ("{\"wherefore\":2,\"calls\":{},\"files\":[]}".to_owned(), "does not have the form"),
    ] {
        put(&note);
        let (lines, warned) = why(there, "b.txt");
        assert_eq!(by(&lines), ["git"; 14]);
        assert!(warned.contains(word), "{note:.80}: {warned}");
    }
    std::fs::write(there.join("huge"), format!("{valid}{}", " ".repeat(2 << 20))).unwrap();
    let huge = there.join("huge");
    git(there, &["notes", "--ref=wherefore", "add", "-f", "-F", huge.to_str().unwrap(), "HEAD~1"]);
    // Git leaves the blanks at the end out.
    assert_eq!(by(&why(there, "b.txt").0)[3], "agent");
    std::fs::write(&huge, format!("{}{valid}", "{\"x\": 1}\n".repeat(200_000))).unwrap();
    git(there, &["notes", "--ref=wherefore", "add", "-f", "-F", huge.to_str().unwrap(), "HEAD~1"]);
    let (lines, warned) = why(there, "b.txt");
    assert!(by(&lines) == ["git"; 14] && warned.contains("too long"), "{warned}");
    put(&valid.replace(WHY, "\\u001b[2J\\u202eTROJAN\\u0007"));
    for form in [&["why", "b.txt"][..], &["why", "b.txt", "--porcelain"], &["why", "b.txt", "--json"]] {
        let output = wherefore(there, form).output().unwrap();
        let shown = String::from_utf8(output.stdout).unwrap();
        assert!(shown.contains("TROJAN"), "{form:?}: {shown}");
        assert!(!shown.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{form:?}: {shown:?}");
    }
}
