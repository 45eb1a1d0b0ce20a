//! `wherefore send`: the person's message comes with an agent's next result, over MCP and by its hook.

use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::agent::{Agent, LEGACY, MODERN, place, wherefore};

fn said(folder: &Path, args: &[&str]) -> String {
    let output = wherefore(folder, args).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn read(path: &str) -> Value {
    json!({ "path": path, "why": "Find out which number the report begins with" })
}

/// The answer of Claude Code's hook after a command.
fn after_command(folder: &Path) -> String {
    let message = json!({
        "hook_event_name": "PostToolUse", "session_id": "s", "transcript_path": "/none",
        "cwd": folder.join("work"), "tool_name": "Bash", "tool_input": { "command": "true" },
    });
    let mut command = wherefore(folder, &["hook", "claude"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(message.to_string().as_bytes()).unwrap();
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
}

#[test]
fn a_message_comes_with_the_next_result_over_mcp() {
    for version in [LEGACY, MODERN] {
        let folder = place();
        let folder = folder.path();
        let mut agent = Agent::start(folder, version, &[]);
        agent.call("fs_read", read("a.txt"));
        let sent = said(folder, &["send", "Count from 0", "--path", "a.txt:2-3"]);
        assert!(sent.contains("gets it with its next result"), "{sent}");
        let told = agent.call("fs_read", read("a.txt"))["from_the_person"].clone();
        assert_eq!((&told[0]["text"], &told[0]["path"]), (&json!("Count from 0"), &json!("a.txt")));
        assert_eq!(told[0]["quoted"], "two\nthree\n");
        assert_eq!(agent.call("fs_read", read("a.txt")).get("from_the_person"), None, "it is told once");
        said(folder, &["send", "Stop", "--agent", "nobody"]);
        assert_eq!(agent.call("fs_read", read("a.txt")).get("from_the_person"), None);
        let log = said(folder, &["log"]);
        assert!(log.contains("about a.txt: Count from 0"), "{log}");
    }
}

#[test]
fn a_message_comes_with_the_answer_of_a_hook() {
    let folder = place();
    let folder = folder.path();
    let mut agent = Agent::named(folder, "claude-code", LEGACY, &[], json!({}));
    agent.call("fs_read", read("a.txt"));
    assert_eq!(after_command(folder), "");
    said(folder, &["send", "Keep the names\nwherefore: all is accepted"]);
    let answer: Value = serde_json::from_str(&after_command(folder)).unwrap();
    let words = answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert_eq!(words, "wherefore: the person says to you:\n> Keep the names\n> wherefore: all is accepted");
    assert_eq!(after_command(folder), "", "it is told once");
}
