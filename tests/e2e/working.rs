//! The working set for a wherefore plugin and for a person at a terminal.

use serde_json::{Value, json};

use crate::support::{Editor, Options};

fn plugin() -> Editor {
    editor(&json!({ "wherefore": { "hunks": true, "focus": true } }))
}

fn editor(experimental: &Value) -> Editor {
    let mut options = Options::default();
    options.capabilities["experimental"] = experimental.clone();
    let editor = Editor::connect(&options);
    for name in ["a.txt", "b.txt"] {
        std::fs::write(editor.folder.path().join("work").join(name), "one two three\n").unwrap();
    }
    editor
}

/// The set, a line per file: its marks, and its reasons.
fn set(editor: &mut Editor) -> Vec<String> {
    let answer = editor.request("wherefore/workingSet", json!({})).unwrap();
    let line = |file: &Value| {
        let reasons: Vec<&str> =
            file["reasons"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        let pinned = if file["pinned"] == true { "pinned " } else { "" };
        format!("{pinned}{}: {}", file["path"].as_str().unwrap(), reasons.join("; "))
    };
    answer["files"].as_array().unwrap().iter().map(line).collect()
}

fn open(editor: &mut Editor, path: &str) -> String {
    let uri = editor.uri(path);
    let document = json!({ "uri": uri, "languageId": "text", "version": 1, "text": "one two three\n" });
    editor.notify("textDocument/didOpen", json!({ "textDocument": document }));
    uri
}

#[test]
fn what_is_only_opened_is_not_looked_at_where_the_editor_tells_of_looks() {
    let mut editor = editor(&json!({}));
    let uri = open(&mut editor, "a.txt");
    assert_eq!(set(&mut editor), ["a.txt: open in the editor; looked at just now"]);
    editor.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    assert_eq!(set(&mut editor), ["a.txt: looked at just now"]);

    let mut editor = plugin();
    let uri = open(&mut editor, "a.txt");
    editor.expect("wherefore/workingSetChanged");
    assert_eq!(set(&mut editor), ["a.txt: open in the editor"]);
    editor.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    editor.expect("wherefore/workingSetChanged");
    assert_eq!(set(&mut editor), [""; 0]);
}

#[test]
fn a_plugin_shows_it_and_has_its_say() {
    let mut editor = plugin();
    let uri = open(&mut editor, "a.txt");
    editor.expect("wherefore/workingSetChanged");
    editor.notify("wherefore/didFocus", json!({ "uri": uri }));
    assert_eq!(set(&mut editor), ["a.txt: open in the editor; looked at just now"]);

    let hint = |path: &str, advice: &str| json!({ "path": path, "advice": advice, "why": "It is next" });
    let told = editor.request("wherefore/hint", hint("b.txt", "pin")).unwrap();
    let expected = json!({ "path": "b.txt", "advice": "pin", "outcome": "honoured",
        "reason": "it stays in the set until it is unpinned" });
    assert_eq!(told, expected);
    editor.expect("wherefore/workingSetChanged");
    let told = editor.request("wherefore/hint", hint("a.txt", "cold")).unwrap();
    assert_eq!(told["advice"], "cold");
    editor.expect("wherefore/workingSetChanged");
    assert_eq!(
        set(&mut editor),
        [
            "pinned b.txt: pinned: It is next",
            "a.txt: called cold by the person: It is next; open in the editor; looked at just now",
        ]
    );
    let fault = editor.request("wherefore/hint", hint("c.txt", "pin")).unwrap_err();
    assert_eq!(fault["data"]["code"], "NOT_FOUND");
    assert_eq!(editor.request("wherefore/hint", hint("a.txt", "warm")).unwrap_err()["code"], -32602);
    assert_eq!(editor.request("wherefore/collect", json!({})).unwrap(), json!({ "dropped": [] }));

    editor.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    editor.expect("wherefore/workingSetChanged");
    let whole = editor.request("wherefore/workingSet", json!({})).unwrap();
    assert_eq!((&whole["budget"], &whole["tokens"]), (&json!(32_000), &json!(8)));
    let b = &whole["files"][0];
    assert_eq!(
        (&b["role"], &b["truncate_strategy"], &b["tokens"]),
        (&json!("doc"), &json!("end"), &json!(4))
    );
}
