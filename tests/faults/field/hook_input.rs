//! The standard input of an agent's hook: whatever it is, a call that is about to act is reviewed, confined or refused,
//! by the agent's own reading of it.

mod decoys;
mod patches;
mod unread;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{BINARY, Project, Ran, run};

const LINES: &str = "a\nb\nc\nd\n";

/// The outcome of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Came {
    /// The call is not made; nothing waits.
    Refused,
    /// The call is not made; its change waits for a person.
    Reviewed,
    /// The command runs in the sandbox.
    Confined,
    /// The agent goes on by itself.
    Passed,
}

/// A project whose person reviews by this policy.
fn project(policy: &str) -> Project {
    let project = Project::new(&[("a.txt", LINES), ("b.txt", LINES), (".gitignore", ".env\nbuild/\n")]);
    std::fs::create_dir_all(project.path(".git")).unwrap();
    project.put(".env", "TOKEN=s3cret\n");
    let settings = project.beside("home/.config/wherefore");
    std::fs::create_dir_all(&settings).unwrap();
    std::fs::write(settings.join("config.toml"), format!("[review]\npolicy = \"{policy}\"\n")).unwrap();
    project
}

fn hook(project: &Project, words: &[&str], input: &[u8]) -> Ran {
    run(project.command(BINARY).arg("hook").args(words).args(["--wait", "0"]), input)
}

fn waiting(project: &Project) -> Vec<Value> {
    let listed = project.wherefore(&["review", "--list", "--json"]).json();
    listed.as_array().cloned().unwrap_or_default()
}

/// The answer of a hook, in any form, and the pending changes after it.
fn came(project: &Project, words: &[&str], input: &[u8]) -> (Came, String) {
    let before = waiting(project).len();
    let ran = hook(project, words, input);
    let out = String::from_utf8_lossy(&ran.out).into_owned();
    let told = format!("{out}{}", ran.err);
    let came = match ran.code() {
        Some(2) => Came::Refused,
        Some(0) if waiting(project).len() > before => Came::Reviewed,
        Some(0) if out.contains("deny") && out.contains("Run this instead: ") => Came::Confined,
        Some(0) if out.contains("deny") => Came::Refused,
        Some(0) if out.contains(" sandbox ") => Came::Confined,
        _ => Came::Passed,
    };
    (came, told)
}

/// The words of the hook of an agent.
fn words(agent: &str) -> Vec<&str> {
    match agent {
        "copilot" => vec!["copilot", "preToolUse"],
        _ => vec![agent],
    }
}

/// Writes the conversation of a Codex without a sandbox of its own, whose shell runs a rewritten command.
fn unconfined_turn(root: &Path) -> PathBuf {
    let path = root.with_file_name("rollout.jsonl");
    let payload = json!({ "turn_id": "t", "sandbox_policy": { "type": "danger-full-access" } });
    std::fs::write(&path, json!({ "type": "turn_context", "payload": payload }).to_string()).unwrap();
    path
}

/// A message of an agent that is about to call a tool, with `arguments` as they stand in it.
fn message(agent: &str, root: &Path, tool: &str, arguments: &str) -> String {
    let (root_text, tool) = (json!(root), json!(tool));
    match agent {
        "copilot" => format!(
            r#"{{"sessionId":"s","timestamp":1,"cwd":{root_text},"toolName":{tool},"toolArgs":{arguments}}}"#
        ),
        "codex" => {
            let transcript = json!(unconfined_turn(root));
            format!(
                r#"{{"session_id":"s","turn_id":"t","transcript_path":{transcript},"cwd":{root_text},"hook_event_name":"PreToolUse","tool_name":{tool},"tool_input":{arguments},"tool_use_id":"u"}}"#
            )
        }
        _ => {
            let event = if agent == "gemini" { "BeforeTool" } else { "PreToolUse" };
            format!(
                r#"{{"session_id":"s","transcript_path":"/none","cwd":{root_text},"hook_event_name":"{event}","tool_name":{tool},"tool_input":{arguments},"tool_use_id":"u"}}"#
            )
        }
    }
}

/// Answers each call, and asserts its outcome; `named` is in the text for the model.
fn each(calls: &[(&str, &str, &str, Came, &str)]) {
    let project = project("ask");
    for (agent, tool, arguments, expected, named) in calls {
        let text = message(agent, &project.root(), tool, arguments);
        let (came, told) = came(&project, &words(agent), text.as_bytes());
        assert_eq!(came, *expected, "{agent} {tool} {arguments}: {told}");
        assert!(told.contains(named), "{agent} {tool} {arguments}: {told}");
        assert_eq!(project.text("a.txt").as_deref(), Some(LINES), "{agent} {tool} {arguments}");
    }
}

use Came::{Confined, Passed, Refused, Reviewed};

#[test]
fn each_agents_own_calls_come_through() {
    each(&[
        (
            "claude",
            "Edit",
            r#"{"file_path":"a.txt","old_string":"a\n","new_string":"A\n","replace_all":false}"#,
            Reviewed,
            "",
        ),
        ("claude", "Write", r#"{"file_path":"n1.txt","content":"x\n"}"#, Reviewed, ""),
        (
            "claude",
            "Bash",
            r#"{"command":"ls","description":"d","timeout":5000,"run_in_background":false}"#,
            Confined,
            "",
        ),
        ("claude", "Read", r#"{"file_path":".env"}"#, Refused, ".env"),
        ("claude", "Read", r#"{"file_path":"a.txt","offset":1,"limit":2}"#, Passed, ""),
        (
            "codex",
            "apply_patch",
            r#"{"command":"*** Begin Patch\n*** Update File: b.txt\n@@\n-b\n+B\n*** End Patch"}"#,
            Reviewed,
            "",
        ),
        ("codex", "Bash", r#"{"command":"ls"}"#, Confined, ""),
        (
            "gemini",
            "replace",
            r#"{"file_path":"a.txt","instruction":"i","old_string":"b\n","new_string":"B\n"}"#,
            Reviewed,
            "",
        ),
        ("gemini", "run_shell_command", r#"{"command":"ls","description":"d"}"#, Confined, ""),
        (
            "qwen",
            "edit",
            r#"{"file_path":"a.txt","old_string":"c\n","new_string":"C\n","replace_all":"false"}"#,
            Reviewed,
            "",
        ),
        ("qwen", "run_shell_command", r#"{"command":"ls","is_background":false}"#, Refused, "exit code"),
        ("qwen", "run_shell_command", r#"{"command":"ls","is_background":true}"#, Confined, ""),
        ("copilot", "edit", r#"{"path":"a.txt","old_str":"d\n","new_str":"D\n"}"#, Reviewed, ""),
        ("copilot", "create", r#"{"path":"n2.txt","file_text":"x\n"}"#, Reviewed, ""),
        ("copilot", "bash", r#"{"command":"ls","description":"d"}"#, Confined, ""),
        ("opencode", "edit", r#"{"filePath":"b.txt","oldString":"c\n","newString":"C\n"}"#, Reviewed, ""),
        ("opencode", "bash", r#"{"command":"ls","timeout":5000}"#, Confined, ""),
        ("claude", "mcp__files__write_file", r#"{"path":"a.txt","content":"x"}"#, Passed, ""),
        ("claude", "TodoWrite", r#"{"todos":[{"content":"x"}]}"#, Passed, ""),
    ]);
}

#[test]
fn a_search_that_reaches_closed_lines_is_refused_however_it_names_the_file() {
    each(&[
        ("claude", "Grep", r#"{"pattern":"TOKEN","glob":".env","output_mode":"content"}"#, Refused, ".env"),
        ("claude", "Grep", r#"{"pattern":"token","glob":"*.{txt,env}","-i":true}"#, Refused, ".env"),
        ("claude", "Grep", r#"{"pattern":"TOKEN","glob":"*.txt,.env"}"#, Refused, ".env"),
        ("claude", "Grep", r#"{"pattern":"TOKEN","glob":"*.txt .e*"}"#, Refused, ".env"),
        (
            "claude",
            "Grep",
            r#"{"pattern":"TOKEN","glob":"**/.*","output_mode":"files_with_matches"}"#,
            Refused,
            ".env",
        ),
        ("claude", "Grep", r#"{"pattern":"TOKEN.*\\n","glob":".env","multiline":true}"#, Refused, ".env"),
        ("claude", "Grep", r#"{"pattern":"TOKEN","path":".env","-A":3}"#, Refused, ".env"),
        ("claude", "Grep", r#"{"pattern":"TOKEN"}"#, Passed, ""),
        ("claude", "Grep", r#"{"pattern":"TOKEN","glob":"*.txt"}"#, Passed, ""),
        ("claude", "Grep", r#"{"pattern":"nothing","glob":".env"}"#, Passed, ""),
        ("opencode", "grep", r#"{"pattern":"TOKEN","include":".env"}"#, Refused, ".env"),
        ("gemini", "grep_search", r#"{"pattern":"(?=T)TOKEN","include_pattern":".env"}"#, Refused, ".env"),
        ("gemini", "grep_search", r#"{"pattern":"TOKEN","no_ignore":true}"#, Refused, ".env"),
        (
            "gemini",
            "search_file_content",
            r#"{"pattern":"TOKEN","include_pattern":"[.]env"}"#,
            Refused,
            ".env",
        ),
        ("gemini", "read_many_files", r#"{"include":["a.txt","**/.e*"]}"#, Refused, ".env"),
        ("qwen", "grep_search", r#"{"pattern":"TOKEN","glob":".env"}"#, Refused, ".env"),
        ("copilot", "rg", r#"{"pattern":"TOKEN","paths":["a.txt",".env"]}"#, Refused, ".env"),
        ("copilot", "grep", r#"{"pattern":"TOKEN","paths":".env"}"#, Refused, ".env"),
    ]);
}
