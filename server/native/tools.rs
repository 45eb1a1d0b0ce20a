//! The tools of the agents by their names and arguments.

use serde_json::{Map, Value};

use super::act::{CellEdit, CellMode, NativeAct, Replacement};

const EDITS: &[&str] = &["edit", "replace", "strreplace", "multiedit", "editfile"];
const WRITES: &[&str] = &["write", "writefile", "create", "createfile"];
const COMMANDS: &[&str] = &[
    "bash",
    "shell",
    "runshellcommand",
    "execcommand",
    "powershell",
    "execute",
    "monitor",
    "localshell",
    "exec",
];
const READS: &[&str] = &["read", "readfile", "view", "readmanyfiles", "notebookread"];
const LOOKS: &[&str] = &["glob", "list", "ls", "listdirectory"];
const SEARCHES: &[&str] = &["grep", "rg", "ripgrep", "grepsearch", "searchfilecontent"];

const PATHS: &[&str] = &["file_path", "filePath", "path", "absolute_path", "notebook_path", "dir_path"];
const SCRIPTS: &[&str] = &["command", "cmd", "script"];
const PATCHES: &[&str] = &["patchText", "patch", "input", "command"];

/// What a call of the tool `name` with these arguments does.
pub(super) fn act(name: &str, arguments: &Map<String, Value>) -> NativeAct {
    let text = |names: &[&str]| names.iter().find_map(|name| arguments.get(*name)?.as_str());
    let tool: String =
        name.chars().filter(|c| *c != '_' && *c != '-').collect::<String>().to_ascii_lowercase();
    let is = |names: &[&str]| names.contains(&tool.as_str());
    if let Some(patch) = text(PATCHES).filter(|text| text.trim_start().starts_with("*** Begin Patch")) {
        return NativeAct::Patch { patch: patch.to_owned() };
    }
    if let Some(script) = script(arguments).filter(|_| is(COMMANDS)) {
        return NativeAct::Command { script };
    }
    if let Some(pattern) = text(&["pattern", "query", "regex"]).filter(|_| is(SEARCHES)) {
        let files = text(&["glob", "include", "include_pattern"]).map(str::to_owned);
        return NativeAct::Search {
            pattern: pattern.to_owned(),
            path: text(PATHS).map(str::to_owned),
            files,
        };
    }
    let Some(path) = text(PATHS).map(str::to_owned) else {
        return if is(READS) { NativeAct::Read { paths: list(arguments) } } else { NativeAct::Other };
    };
    let content = text(&["content", "file_text"]).map(str::to_owned);
    match content {
        Some(content) if is(WRITES) => return NativeAct::Write { path, content },
        _ => {}
    }
    if tool == "notebookedit" {
        return NativeAct::Cell { path, cell: cell(arguments) };
    }
    if is(EDITS) {
        let edits = replacements(arguments);
        return if edits.is_empty() { NativeAct::Other } else { NativeAct::Replace { path, edits } };
    }
    match is(READS) || is(LOOKS) {
        true => NativeAct::Read { paths: vec![path] },
        false => NativeAct::Other,
    }
}

/// The arguments with another script in the place of the command's. A vector becomes one that runs the script.
pub(super) fn with_script(arguments: &Map<String, Value>, script: &str) -> Value {
    let mut changed = arguments.clone();
    for name in SCRIPTS {
        match changed.get_mut(*name) {
            Some(text @ Value::String(_)) => *text = Value::String(script.to_owned()),
            Some(vector @ Value::Array(_)) => {
                *vector = Value::from(vec!["bash".to_owned(), "-c".to_owned(), script.to_owned()]);
            }
            _ => continue,
        }
        break;
    }
    Value::Object(changed)
}

fn script(arguments: &Map<String, Value>) -> Option<String> {
    SCRIPTS.iter().find_map(|name| match arguments.get(*name)? {
        Value::String(script) => Some(script.clone()),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().map(Value::as_str).collect::<Option<_>>()?;
            match words[..] {
                ["bash" | "sh" | "/bin/bash" | "/bin/sh", "-c" | "-lc", script] => Some(script.to_owned()),
                _ => shlex::try_join(words).ok(),
            }
        }
        _ => None,
    })
}

fn list(arguments: &Map<String, Value>) -> Vec<String> {
    let lists = ["paths", "include", "files"].iter().filter_map(|name| arguments.get(*name)?.as_array());
    lists.flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn replacements(arguments: &Map<String, Value>) -> Vec<Replacement> {
    if let Some(edits) = arguments.get("edits").and_then(Value::as_array) {
        return edits.iter().filter_map(Value::as_object).filter_map(replacement).collect();
    }
    replacement(arguments).into_iter().collect()
}

fn replacement(one: &Map<String, Value>) -> Option<Replacement> {
    let text = |names: [&str; 3]| names.iter().find_map(|name| one.get(*name)?.as_str()).map(str::to_owned);
    let is_set = |name: &&str| one.get(*name).and_then(Value::as_bool) == Some(true);
    Some(Replacement {
        old: text(["old_string", "oldString", "old_str"])?,
        new: text(["new_string", "newString", "new_str"]).unwrap_or_default(),
        all: ["replace_all", "replaceAll", "allow_multiple"].iter().any(is_set),
    })
}

fn cell(arguments: &Map<String, Value>) -> CellEdit {
    let text = |name: &str| arguments.get(name).and_then(Value::as_str).map(str::to_owned);
    CellEdit {
        cell: text("cell_id"),
        source: text("new_source").unwrap_or_default(),
        kind: text("cell_type"),
        mode: match text("edit_mode").as_deref() {
            Some("insert") => CellMode::Insert,
            Some("delete") => CellMode::Delete,
            _ => CellMode::Replace,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(name: &str, arguments: Value) -> NativeAct {
        act(name, arguments.as_object().unwrap())
    }

    #[test]
    fn each_agents_tools_are_known() {
        let replaced = |all| NativeAct::Replace {
            path: "a".into(),
            edits: vec![Replacement { old: "x".into(), new: "y".into(), all }],
        };
        for (name, arguments, expected) in [
            (
                "Edit",
                json!({ "file_path": "a", "old_string": "x", "new_string": "y", "replace_all": true }),
                replaced(true),
            ),
            (
                "MultiEdit",
                json!({ "file_path": "a", "edits": [{ "old_string": "x", "new_string": "y" }] }),
                replaced(false),
            ),
            (
                "replace",
                json!({ "file_path": "a", "instruction": "i", "old_string": "x", "new_string": "y" }),
                replaced(false),
            ),
            ("edit", json!({ "filePath": "a", "oldString": "x", "newString": "y" }), replaced(false)),
            ("edit", json!({ "path": "a", "old_str": "x", "new_str": "y" }), replaced(false)),
            (
                "write_file",
                json!({ "file_path": "a", "content": "t" }),
                NativeAct::Write { path: "a".into(), content: "t".into() },
            ),
            (
                "create",
                json!({ "path": "a", "file_text": "t" }),
                NativeAct::Write { path: "a".into(), content: "t".into() },
            ),
            (
                "apply_patch",
                json!({ "command": "*** Begin Patch\n" }),
                NativeAct::Patch { patch: "*** Begin Patch\n".into() },
            ),
            ("Bash", json!({ "command": "ls" }), NativeAct::Command { script: "ls".into() }),
            ("exec_command", json!({ "cmd": "ls" }), NativeAct::Command { script: "ls".into() }),
            (
                "shell",
                json!({ "command": ["bash", "-lc", "ls *"] }),
                NativeAct::Command { script: "ls *".into() },
            ),
            ("shell", json!({ "command": ["ls", "a b"] }), NativeAct::Command { script: "ls 'a b'".into() }),
            (
                "read_many_files",
                json!({ "include": ["a", "b"] }),
                NativeAct::Read { paths: vec!["a".into(), "b".into()] },
            ),
            (
                "Grep",
                json!({ "pattern": "x", "path": "src", "glob": "*.rs" }),
                NativeAct::Search {
                    pattern: "x".into(),
                    path: Some("src".into()),
                    files: Some("*.rs".into()),
                },
            ),
            (
                "search_file_content",
                json!({ "pattern": "x" }),
                NativeAct::Search { pattern: "x".into(), path: None, files: None },
            ),
            ("mcp__wherefore__fs_edit", json!({ "path": "a", "find": "x" }), NativeAct::Other),
            ("Edit", json!({ "file_path": 7 }), NativeAct::Other),
        ] {
            assert_eq!(of(name, arguments.clone()), expected, "{name} {arguments}");
        }
    }

    #[test]
    fn a_script_takes_the_place_of_the_commands() {
        let changed = with_script(json!({ "cmd": "ls", "workdir": "sub" }).as_object().unwrap(), "new");
        assert_eq!(changed, json!({ "cmd": "new", "workdir": "sub" }));
        let vector = with_script(json!({ "command": ["ls", "-l"] }).as_object().unwrap(), "new");
        assert_eq!(vector, json!({ "command": ["bash", "-c", "new"] }));
    }
}
