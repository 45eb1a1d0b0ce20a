//! `wherefore replay`: recorded sessions made again on a copy, and their questions put to another model.

use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::complete;
use super::play::{CHAT, Player, Said, call};
use crate::support::agent::{place, wherefore};

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases");

/// The project that the recorded sessions worked in, as it was before them.
fn project() -> TempDir {
    let folder = place();
    std::fs::remove_file(folder.path().join("work/a.txt")).unwrap();
    copy(&Path::new(CASES).join("demo/project"), &folder.path().join("work"));
    folder
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let to = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &to),
            false => drop(std::fs::copy(entry.path(), to).unwrap()),
        }
    }
}

fn recorded(name: &str) -> String {
    let path: PathBuf = [CASES, "replay", name].iter().collect();
    path.to_str().unwrap().to_owned()
}

fn replay(folder: &TempDir, args: &[&str]) -> (Output, Value) {
    let output = wherefore(folder.path(), &[&["replay", "--json"], args].concat()).output().unwrap();
    let report = serde_json::from_slice(&output.stdout).unwrap_or_default();
    (output, report)
}

/// The outcome of each call.
fn outcomes(report: &Value) -> Vec<&str> {
    report["calls"].as_array().unwrap().iter().map(|call| call["outcome"].as_str().unwrap()).collect()
}

#[test]
fn recorded_sessions_go_as_they_went_and_the_workspace_stays_as_it_is() {
    for (name, calls) in [("command-line", 8), ("agent", 7)] {
        let folder = project();
        let (output, report) = replay(&folder, &[&recorded(name)]);
        assert_eq!(output.status.code(), Some(0), "{name}: {output:?}");
        assert_eq!(outcomes(&report), vec!["same"; calls], "{name}");
        let work = folder.path().join("work");
        assert!(!work.join("notes.md").exists() && !work.join(".wherefore/sessions").exists(), "{name}");
        let errors = std::fs::read_to_string(work.join("src/errors.js")).unwrap();
        assert!(!errors.contains("that a person reads"), "{name}");
    }
}

#[test]
fn a_result_that_differs_is_told_with_its_place() {
    let folder = project();
    let tokens = folder.path().join("work/src/tokens.js");
    let text = std::fs::read_to_string(&tokens).unwrap();
    std::fs::write(&tokens, format!("{text}// another end\n")).unwrap();
    let (output, report) = replay(&folder, &[&recorded("command-line")]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let calls = report["calls"].as_array().unwrap();
    let read = calls.iter().find(|call| call["call_id"] == "c-0003").unwrap();
    let differences = read["differences"].as_array().unwrap();
    let content = differences.iter().find(|found| found["at"] == "/result/content").unwrap();
    assert!(content["now"].as_str().unwrap().contains("another end"), "{content}");
    assert!(outcomes(&report).contains(&"same"), "{report}");
}

#[test]
fn what_the_rules_close_is_not_run_again() {
    let folder = project();
    std::fs::create_dir_all(folder.path().join("work/.wherefore")).unwrap();
    let closed = "[rules]\ndeny = [\"src/tokens.js\"]\n";
    std::fs::write(folder.path().join("work/.wherefore/config.toml"), closed).unwrap();
    let (output, report) = replay(&folder, &[&recorded("command-line")]);
    let read = report["calls"].as_array().unwrap().iter().find(|call| call["call_id"] == "c-0003").unwrap();
    assert_eq!(read["outcome"], "not_run", "{output:?}");
    assert!(read["note"].as_str().unwrap().contains("tokens.js"), "{read}");
}

#[test]
fn a_session_begins_again_as_the_workspace_was_before_it() {
    let folder = project();
    let made = |tool: &str, args: &Value| {
        let output =
            wherefore(folder.path(), &["call", tool, &args.to_string(), "--policy", "auto"]).output();
        assert!(output.as_ref().unwrap().status.success(), "{output:?}");
    };
    made(
        "fs.write",
        &json!({ "path": "n.txt", "content": "one\n", "why": "Have a first line to go on from" }),
    );
    made(
        "fs.append",
        &json!({ "path": "n.txt", "text": "two\n", "why": "Have the second line that follows" }),
    );
    made("fs.read", &json!({ "path": "n.txt", "why": "See that both lines are there" }));
    let (output, report) = replay(&folder, &[]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!((outcomes(&report), &report["rewound"]), (vec!["same"; 3], &json!(2)));
    let text = std::fs::read_to_string(folder.path().join("work/n.txt")).unwrap();
    assert_eq!(text, "one\ntwo\n", "the workspace itself stays");
}

/// The calls of the recorded model, in order.
fn calls_of_then() -> Vec<Said> {
    let first = std::fs::read_to_string(Path::new(CASES).join("demo/project/src/errors.js")).unwrap();
    let first = first.lines().next().unwrap().to_owned();
    let diff = format!("@@ -1 +1,2 @@\n+// Errors that a person reads.\n {first}\n");
    vec![
        Said::Calls(vec![
            ("fs_read", json!({ "path": "src/errors.js", "why": "Another reason" })),
            ("fs_ls", json!({ "path": "test", "why": "Another reason" })),
        ]),
        call("fs_read", json!({ "path": "src/gone.js", "why": "Another reason" })),
        call("fs_patch", json!({ "path": "src/errors.js", "diff": diff })),
        call("fs_patch", json!({ "path": "src/errors.js", "diff": diff, "why": "Another reason" })),
        call("fs_write", json!({ "path": "notes.md", "content": "# Notes\n", "why": "Another reason" })),
        complete("The errors say what they are for."),
    ]
}

#[test]
fn another_model_is_asked_what_the_first_one_was_and_its_calls_are_compared() {
    let folder = project();
    let same = Player::start(CHAT, calls_of_then());
    let (output, report) = replay(&folder, &[&recorded("agent"), "--model", &same.name()]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let steps = report["steps"].as_array().unwrap();
    assert!(steps.len() == 6 && steps.iter().all(|step| step["same"] == true), "{report}");
    let asked = same.asked();
    assert!(asked[5].body["messages"].to_string().contains("notes.md"), "the whole conversation is asked");
    assert!(!folder.path().join("work/notes.md").exists(), "no call is made");

    let other = Player::start(CHAT, vec![Said::Words("I would rather talk.")]);
    let (output, report) = replay(&folder, &[&recorded("agent"), "--model", &other.name()]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let none = report["steps"]
        .as_array()
        .unwrap()
        .iter()
        .all(|step| step["same"] == false && step["now"] == json!([]));
    assert!(none, "{report}");
}

#[test]
fn what_cannot_be_made_again_is_a_fault_with_a_way_out() {
    let folder = project();
    for (args, word) in [
        (vec!["absent-session"], "there are no sessions"),
        (vec![&*recorded("command-line"), "--model", "http://127.0.0.1:1/v1#m"], "no answer of a model"),
    ] {
        let (output, _) = replay(&folder, &args);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(word), "{word}: {said}");
    }
}
