//! Calls of each agent's tools, in its own form and in others.

use serde_json::json;

use super::*;
use crate::agents::hook_agent;
use crate::hooks::act::{CellMode, NativeAct, Replacement};

fn call(agent: &str, name: &str, arguments: &Value) -> Result<NativeCall, NativeCallError> {
    read_call(hook_agent(agent), name, arguments.as_object().unwrap())
}

fn replaced(all: bool) -> NativeAct {
    NativeAct::Replace {
        path: "a".into(),
        edits: vec![Replacement { old: "x".into(), new: "y".into(), all }],
    }
}

fn written() -> NativeAct {
    NativeAct::Write { path: "a".into(), content: "t".into() }
}

fn search(pattern: &str, path: Option<&str>, files: Option<&str>) -> NativeAct {
    let [path, files] = [path, files].map(|text| text.map(str::to_owned));
    NativeAct::Search { pattern: pattern.into(), path, files }
}

fn command(script: &str) -> NativeAct {
    NativeAct::Command { script: script.into() }
}

fn read(path: &str) -> NativeAct {
    NativeAct::Read { paths: vec![path.into()] }
}

#[test]
fn each_agents_tools_are_known_in_its_own_form() {
    let edit = json!({ "file_path": "a", "old_string": "x", "new_string": "y" });
    let patch = || NativeAct::Patch { patch: "*** Begin Patch\n".into() };
    for (agent, name, arguments, expected) in [
        (
            "claude",
            "Edit",
            json!({ "file_path": "a", "old_string": "x", "new_string": "y", "replace_all": true }),
            replaced(true),
        ),
        (
            "claude",
            "MultiEdit",
            json!({ "file_path": "a", "edits": [{ "old_string": "x", "new_string": "y" }] }),
            replaced(false),
        ),
        ("claude", "Write", json!({ "file_path": "a", "content": "t" }), written()),
        (
            "claude",
            "Bash",
            json!({ "command": "ls", "description": "d", "timeout": 5000, "run_in_background": true, "dangerouslyDisableSandbox": false }),
            command("ls"),
        ),
        (
            "claude",
            "Monitor",
            json!({ "command": "ls", "description": "d", "timeout_ms": 5, "persistent": true }),
            command("ls"),
        ),
        ("claude", "Monitor", json!({ "ws": { "url": "wss://a" }, "description": "d" }), NativeAct::Other),
        (
            "claude",
            "Read",
            json!({ "file_path": "a", "offset": 1, "limit": 2, "pages": "1-2", "allow_large": true }),
            read("a"),
        ),
        ("claude", "Glob", json!({ "pattern": "**/*.rs" }), NativeAct::Other),
        (
            "claude",
            "Grep",
            json!({ "pattern": "x", "path": "src", "glob": "*.rs", "-A": 2, "-n": true, "output_mode": "content", "head_limit": 5 }),
            search("x", Some("src"), Some("*.rs")),
        ),
        ("claude", "Grep", json!({ "pattern": "x.y", "multiline": true }), search("(?s)x.y", None, None)),
        ("codex", "apply_patch", json!({ "command": "*** Begin Patch\n" }), patch()),
        ("codex", "Bash", json!({ "command": "ls" }), command("ls")),
        ("codex", "exec_command", json!({ "cmd": "ls", "workdir": "b", "yield_time_ms": 9 }), command("ls")),
        ("codex", "shell", json!({ "command": ["bash", "-lc", "ls *"] }), command("ls *")),
        ("codex", "shell", json!({ "command": ["ls", "a b"] }), command("ls 'a b'")),
        (
            "gemini",
            "replace",
            json!({ "file_path": "a", "instruction": "i", "old_string": "x", "new_string": "y", "allow_multiple": true }),
            replaced(true),
        ),
        ("gemini", "write_file", json!({ "file_path": "a", "content": "t" }), written()),
        (
            "gemini",
            "run_shell_command",
            json!({ "command": "ls", "description": "d", "dir_path": "b", "is_background": false }),
            command("ls"),
        ),
        ("gemini", "search_file_content", json!({ "pattern": "x" }), search("x", None, None)),
        ("gemini", "grep_search", json!({ "pattern": "x", "no_ignore": true }), search("x", None, Some("*"))),
        ("qwen", "edit", edit.clone(), replaced(false)),
        (
            "qwen",
            "edit",
            json!({ "file_path": "a", "old_string": "x", "new_string": "y", "replace_all": "true" }),
            replaced(true),
        ),
        (
            "qwen",
            "run_shell_command",
            json!({ "command": "ls", "is_background": "false", "timeout": 5 }),
            command("ls"),
        ),
        ("qwen", "read_file", json!({ "file_path": "a", "offset": null }), read("a")),
        ("copilot", "edit", json!({ "path": "a", "old_str": "x", "new_str": "y" }), replaced(false)),
        ("copilot", "create", json!({ "path": "a", "file_text": "t" }), written()),
        ("copilot", "apply_patch", json!({ "input": "*** Begin Patch\n" }), patch()),
        (
            "copilot",
            "bash",
            json!({ "command": "ls", "description": "d", "mode": "sync", "initial_wait": 5 }),
            command("ls"),
        ),
        ("copilot", "view", json!({ "path": "a", "view_range": [1, 2] }), read("a")),
        ("opencode", "edit", json!({ "filePath": "a", "oldString": "x", "newString": "y" }), replaced(false)),
        ("opencode", "write", json!({ "filePath": "a", "content": "t" }), written()),
        (
            "opencode",
            "bash",
            json!({ "command": "ls", "description": "d", "timeout": 5, "workdir": "b" }),
            command("ls"),
        ),
        ("opencode", "apply_patch", json!({ "patchText": "*** Begin Patch\n" }), patch()),
        ("opencode", "grep", json!({ "pattern": "x", "include": "*.rs" }), search("x", None, Some("*.rs"))),
        ("opencode", "grep", json!({ "pattern": "a.b", "literal": true }), search(r"a\.b", None, None)),
        ("opencode", "edit", json!({ "path": "a", "oldString": "x", "newString": "y" }), replaced(false)),
        ("opencode", "shell", json!({ "command": "ls", "background": true, "timeout": 0 }), command("ls")),
    ] {
        assert_eq!(
            call(agent, name, &arguments).map(|call| call.act),
            Ok(expected),
            "{agent:?} {name} {arguments}"
        );
    }
    let many = call("gemini", "read_many_files", &json!({ "include": ["a", "*.env"] })).unwrap();
    assert_eq!((many.act, many.other_acts), (read("a"), vec![search("", None, Some("*.env"))]));
    let places = call("copilot", "rg", &json!({ "pattern": "x", "paths": ["a", "b"], "-i": true })).unwrap();
    assert_eq!(
        (places.act, places.other_acts),
        (search("x", Some("a"), None), vec![search("x", Some("b"), None)])
    );
    let deleted = call(
        "claude",
        "NotebookEdit",
        &json!({ "notebook_path": "a", "cell_id": "c", "new_source": "", "edit_mode": "delete" }),
    );
    assert!(
        matches!(deleted.unwrap().act, NativeAct::Cell { path, cell } if path == "a" && cell.mode == CellMode::Delete)
    );
}

#[test]
fn a_call_that_does_not_fit_the_form_is_refused_by_the_argument() {
    let edits = |edits: Value| json!({ "file_path": "a", "edits": edits });
    for (agent, name, arguments, named) in [
        (
            "opencode",
            "edit",
            json!({ "filePath": "a", "file_path": "b", "oldString": "x", "newString": "y" }),
            "`file_path`",
        ),
        ("opencode", "edit", json!({ "file_path": "a", "oldString": "x", "newString": "y" }), "`file_path`"),
        ("opencode", "write", json!({ "path": "a", "filePath": "b", "content": "x" }), "`filePath`"),
        (
            "opencode",
            "edit",
            json!({ "filePath": "a", "oldString": "x", "newString": "y", "edits": [] }),
            "`edits`",
        ),
        ("opencode", "edit", json!({ "filePath": "a", "oldString": "x" }), "`newString`"),
        ("opencode", "bash", json!({ "command": "a", "cmd": "b" }), "`cmd`"),
        ("opencode", "grep", json!({ "pattern": "x", "glob": ".env" }), "`glob`"),
        (
            "claude",
            "Edit",
            json!({ "file_path": "a", "notebook_path": "b", "old_string": "x", "new_string": "y" }),
            "`notebook_path`",
        ),
        ("claude", "Edit", json!({ "file_path": 7, "old_string": "x", "new_string": "y" }), "`file_path`"),
        (
            "claude",
            "Edit",
            json!({ "file_path": "a", "old_string": null, "new_string": "y" }),
            "`old_string`",
        ),
        (
            "claude",
            "Edit",
            json!({ "file_path": "a", "old_string": "x", "new_string": "y", "replace_all": "yes" }),
            "`replace_all`",
        ),
        ("claude", "MultiEdit", edits(json!([])), "`edits`"),
        ("claude", "MultiEdit", edits(json!([{ "old_string": "x", "new_string": "y" }, 7])), "`edits`"),
        (
            "claude",
            "MultiEdit",
            edits(json!([{ "old_string": "x", "new_string": "y" }, { "old_string": "z" }])),
            "`new_string`",
        ),
        (
            "claude",
            "MultiEdit",
            edits(json!([{ "old_string": "x", "new_string": "y", "file_path": "b" }])),
            "`file_path`",
        ),
        (
            "claude",
            "NotebookEdit",
            json!({ "notebook_path": "a", "file_path": "b", "new_source": "x" }),
            "`file_path`",
        ),
        ("claude", "NotebookEdit", json!({ "notebook_path": "a", "cell_id": "c" }), "`new_source`"),
        (
            "claude",
            "NotebookEdit",
            json!({ "notebook_path": "a", "new_source": "x", "edit_mode": "Insert" }),
            "`edit_mode`",
        ),
        (
            "claude",
            "NotebookEdit",
            json!({ "notebook_path": "a", "new_source": "x", "cell_type": "raw" }),
            "`cell_type`",
        ),
        ("claude", "Write", json!({ "file_path": "", "content": "x" }), "`file_path`"),
        ("claude", "Write", json!({ "file_path": "~/a", "content": "x" }), "`file_path`"),
        ("claude", "Bash", json!({}), "`command`"),
        ("claude", "Bash", json!({ "command": { "x": 1 } }), "`command`"),
        ("codex", "Bash", json!({ "command": "a", "cmd": "b" }), "`cmd`"),
        (
            "codex",
            "Bash",
            json!({ "command": "apply_patch '*** Begin Patch\n*** End Patch'" }),
            "apply_patch",
        ),
        ("codex", "apply_patch", json!({ "input": "a", "command": "b" }), "`command`"),
        (
            "gemini",
            "replace",
            json!({ "file_path": "@a", "old_string": "x", "new_string": "y" }),
            "`file_path`",
        ),
        ("gemini", "grep_search", json!({ "pattern": "x", "path": "src" }), "`path`"),
        ("qwen", "read_file", json!({ "file_path": "\\.env" }), "`file_path`"),
        ("qwen", "read_file", json!({ "file_path": ".env " }), "`file_path`"),
        ("copilot", "edit", json!({ "path": "a", "old_string": "x", "new_string": "y" }), "`old_string`"),
        ("copilot", "apply_patch", json!({ "input": 7 }), "`input`"),
        ("copilot", "grep", json!({ "pattern": "x", "path": "src" }), "`path`"),
    ] {
        let error = call(agent, name, &arguments).unwrap_err();
        assert!(error.to_string().contains(named), "{agent:?} {name} {arguments}: {error}");
    }
}

#[test]
fn a_tool_that_the_agent_is_not_known_to_have_passes_unless_it_looks_like_an_act() {
    let edit = json!({ "path": "a", "content": "x", "command": "rm a" });
    for (agent, name) in [
        ("claude", "mcp__files__write"),
        ("codex", "mcp__files__write"),
        ("qwen", "mcp__files__write"),
        ("gemini", "mcp_files_write"),
        ("copilot", "files-write"),
        ("opencode", "wherefore_fs_write"),
    ] {
        assert_eq!(call(agent, name, &edit), Ok(NativeCall::default()), "{agent:?} {name}");
    }
    for (agent, name, arguments) in [
        ("claude", "Workflow", json!({ "script": "x" })),
        ("claude", "TodoWrite", json!({ "todos": [{ "content": "x" }] })),
        ("claude", "WebFetch", json!({ "url": "u", "prompt": "p" })),
        ("codex", "write_stdin", json!({ "session_id": 1, "chars": "x" })),
        ("opencode", "invalid", json!({ "tool": "multiedit", "error": "e" })),
        ("copilot", "sql", json!({ "query": "select 1", "description": "d" })),
        ("gemini", "write_todos", json!({ "todos": [] })),
    ] {
        assert_eq!(call(agent, name, &arguments), Ok(NativeCall::default()), "{agent:?} {name}");
    }
    for (agent, name, arguments) in [
        ("claude", "edit", json!({})),
        ("claude", "write_file", json!({ "x": 1 })),
        ("claude", "Multi-Edit", json!({})),
        ("claude", "Read ", json!({ "file_path": ".env" })),
        ("opencode", "Bash", json!({ "command": "ls" })),
        ("copilot", "str_replace_editor", json!({ "command": "str_replace", "path": "a" })),
        ("codex", "patcher", json!({ "x": "\n*** Begin Patch\n*** End Patch" })),
        ("gemini", "append", json!({ "file_path": "a", "content": "x" })),
        ("qwen", "exec", json!({ "cmd": "ls" })),
    ] {
        assert!(
            matches!(call(agent, name, &arguments), Err(NativeCallError::Stranger(..))),
            "{agent:?} {name}"
        );
    }
}

#[test]
fn what_a_shell_gets_is_a_command_whatever_it_looks_like() {
    let patch = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch";
    for (agent, name) in [
        ("claude", "Bash"),
        ("gemini", "run_shell_command"),
        ("qwen", "run_shell_command"),
        ("copilot", "bash"),
        ("opencode", "bash"),
    ] {
        let arguments = json!({ "command": patch });
        assert_eq!(call(agent, name, &arguments).unwrap().act, command(patch), "{agent:?}");
    }
}

#[test]
fn a_script_takes_the_place_of_the_commands() {
    let changed = with_script(json!({ "cmd": "ls", "workdir": "sub" }).as_object().unwrap(), "new");
    assert_eq!(changed, json!({ "cmd": "new", "workdir": "sub" }));
    let vector = with_script(json!({ "command": ["ls", "-l"] }).as_object().unwrap(), "new");
    assert_eq!(vector, json!({ "command": ["bash", "-c", "new"] }));
}
