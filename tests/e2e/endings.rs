//! The reports on the end of a call: a command that fails is no successful call, and a question without an answer is no
//! refusal by a person.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::agent::wherefore;
use crate::support::{Editor, Options};

/// Commands, with how each ends.
const COMMANDS: [(&str, Option<&str>); 4] = [
    ("true", None),
    ("exit 3", Some("exit code 3")),
    ("kill -SEGV $$", Some("ended by SIGSEGV")),
    ("sleep 60", Some("ended by its limit of time")),
];

fn call(line: &str) -> Value {
    let why = format!("See how `{line}` ends here");
    let limit = if line.starts_with("sleep") { 300 } else { 30_000 };
    json!({ "tool": "terminal.run", "arguments": { "cmd": ["sh", "-c", line], "timeout_ms": limit, "why": why } })
}

/// The output of `wherefore log`.
fn log(editor: &Editor, args: &[&str]) -> String {
    let said = wherefore(editor.folder.path(), &[&["log"], args].concat()).output().unwrap();
    assert!(said.status.success(), "{said:?}");
    String::from_utf8(said.stdout).unwrap()
}

/// The rows of calls of such lines.
fn row<'a>(log: &'a str, line: &str) -> &'a str {
    let why = format!("See how `{line}` ends here");
    let at = log.find(&why).unwrap_or_else(|| panic!("no {why:?} in {log}"));
    let head = log[..at].trim_end();
    &log[head.rfind('\n').map_or(0, |at| at + 1)..at]
}

#[test]
fn a_command_that_fails_is_told_as_failed_by_every_way() {
    let mut options = Options::default();
    options.capabilities["experimental"] = json!({ "wherefore": { "hunks": true } });
    let mut editor = Editor::connect(&options);
    for (line, failure) in COMMANDS {
        let id = editor.begin("wherefore/call", call(line));
        let told = editor.expect("wherefore/didFinish")["params"].clone();
        assert_eq!(told["status"], "ok", "the call itself went well: {told}");
        assert_eq!(told["failure"].as_str(), failure, "{line}: {told}");
        assert_eq!(editor.finish(&id).unwrap()["status"], "ok");
    }
    let (all, failed) = (log(&editor, &[]), log(&editor, &["--status", "error"]));
    for (line, failure) in COMMANDS {
        let Some(failure) = failure else {
            assert!(row(&all, line).contains(" ok "), "{all}");
            assert!(!failed.contains("`true`"), "{failed}");
            continue;
        };
        for row in [row(&all, line), row(&failed, line)] {
            assert!(row.contains(" failed ") && row.contains(failure) && !row.contains(" ok "), "{row}");
        }
    }
    editor.drain(Duration::from_millis(100));
}

#[test]
fn any_editor_that_shows_every_call_shows_a_command_that_failed() {
    let mut options = Options::default();
    options.settings["notify"]["show"] = json!("all");
    let mut editor = Editor::connect(&options);
    let mut said = Vec::new();
    for line in ["true", "exit 3"] {
        let id = editor.begin("wherefore/call", call(line));
        said.push(editor.expect("window/showMessage")["params"]["message"].clone());
        editor.finish(&id).unwrap();
    }
    said.push(editor.expect("window/showMessage")["params"]["message"].clone());
    assert_eq!(said[2], "terminal.run failed: exit code 3", "{said:?}");
    editor.drain(Duration::from_millis(100));
}

#[test]
fn a_question_that_nobody_answered_is_no_refusal_of_the_persons() {
    let mut options = Options::default();
    options.capabilities["experimental"] = json!({ "wherefore": { "asks": true } });
    let mut editor = Editor::unconnected(&options);
    let work = editor.folder.path().join("work");
    std::fs::create_dir(work.join(".wherefore")).unwrap();
    std::fs::write(work.join(".wherefore/config.toml"), "[rules]\nask = [\"private\"]\n").unwrap();
    std::fs::write(work.join("private"), "p\n").unwrap();
    editor.initialize(&options);
    editor.notify("initialized", json!({}));
    let arguments = json!({ "path": "private", "why": "See what the person keeps to themselves" });
    let mut ask = |answer: Value| {
        let id = editor.begin("wherefore/call", json!({ "tool": "fs.read", "arguments": arguments.clone() }));
        let asked = editor.expect("wherefore/ask");
        editor.reply(&asked, answer);
        editor.finish(&id).unwrap()["error"]["message"].as_str().unwrap().to_owned()
    };
    let denied = ask(json!({ "answer": "Deny" }));
    assert!(denied.ends_with("asks first, and the person said no"), "{denied}");
    let closed = ask(json!({}));
    assert!(closed.ends_with("asks first, and the question was closed with no answer"), "{closed}");
    let all = log(&editor, &[]);
    for said in [
        "refused by the person, under the rule",
        "not allowed: the question was closed with no answer, under the rule",
    ] {
        assert_eq!(all.matches(said).count(), 1, "{said} in {all}");
    }
}
