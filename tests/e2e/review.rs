//! Review in an editor that knows nothing of us: hints, lenses and quick fixes on each hunk, edits that are
//! read back, and the editor's own preview.

use serde_json::{Value, json};

use crate::support::{Editor, Options};

const BEFORE: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n";
const DIFF: &str = "@@ -1,4 +1,4 @@\n one\n-two\n+TWO\n three\n four\n@@ -7,4 +7,5 @@\n seven\n eight\n-nine\n+NINE\n+and a half\n ten\n";

/// A document that the person has open.
struct Buffer {
    uri: String,
    version: i64,
    text: String,
}

impl Buffer {
    fn open(editor: &mut Editor, name: &str, text: &str) -> Self {
        let uri = editor.uri(name);
        std::fs::write(editor.folder.path().join("work").join(name), text).unwrap();
        let document = json!({ "uri": uri, "languageId": "text", "version": 1, "text": text });
        editor.notify("textDocument/didOpen", json!({ "textDocument": document }));
        Self { uri, version: 1, text: text.to_owned() }
    }

    /// Carries out the text edits of `workspace/applyEdit` that are `wanted`, and reports success.
    fn apply(&mut self, editor: &mut Editor, request: &Value, wanted: impl Fn(&Value) -> bool) {
        for change in request["params"]["edit"]["documentChanges"].as_array().unwrap() {
            assert_eq!(change["textDocument"], json!({ "uri": self.uri, "version": self.version }));
            let edits: Vec<_> =
                change["edits"].as_array().unwrap().iter().filter(|edit| wanted(edit)).collect();
            for edit in edits.iter().rev() {
                let at = |position: &Value| {
                    let line = position["line"].as_u64().unwrap() as usize;
                    let start: usize = self.text.split_inclusive('\n').take(line).map(str::len).sum();
                    start + position["character"].as_u64().unwrap() as usize
                };
                let range = at(&edit["range"]["start"])..at(&edit["range"]["end"]);
                self.text.replace_range(range, edit["newText"].as_str().unwrap());
            }
        }
        self.version += 1;
        let document = json!({ "uri": self.uri, "version": self.version });
        let changes = json!([{ "text": self.text }]);
        editor
            .notify("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
        editor.reply(request, json!({ "applied": true }));
    }
}

fn patch() -> Value {
    let arguments =
        json!({ "path": "a.txt", "diff": DIFF, "why": "Make the second and ninth line stand out" });
    json!({ "tool": "fs.patch", "arguments": arguments })
}

/// The next diagnostics of the document: message and lines.
fn hints(editor: &mut Editor) -> Vec<(u64, u64)> {
    let shown = editor.expect("textDocument/publishDiagnostics");
    let line = |hint: &Value, end: &str| hint["range"][end]["line"].as_u64().unwrap();
    let hints = shown["params"]["diagnostics"].as_array().unwrap().iter();
    hints
        .map(|hint| {
            assert_eq!((&hint["severity"], &hint["source"]), (&json!(4), &json!("wherefore")));
            assert!(hint["message"].as_str().unwrap().contains("Make the second and ninth line stand out"));
            (line(hint, "start"), line(hint, "end"))
        })
        .collect()
}

fn command(editor: &mut Editor, command: &Value) -> Value {
    let arguments = json!({ "command": command["command"], "arguments": command["arguments"] });
    editor.begin("workspace/executeCommand", arguments)
}

fn states(answer: &Value) -> Vec<String> {
    let files = answer["proposals"][0]["files"].as_array().unwrap();
    let hunks = files.iter().flat_map(|file| file["hunks"].as_array().unwrap());
    hunks.map(|hunk| hunk["state"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn hunks_are_accepted_and_rejected_by_any_client() {
    let mut options = Options::default();
    options.capabilities["textDocument"]["hover"]["contentFormat"] = json!(["markdown", "plaintext"]);
    let mut editor = Editor::connect(&options);
    let mut buffer = Buffer::open(&mut editor, "a.txt", BEFORE);
    let call = editor.begin("wherefore/call", patch());
    assert_eq!(hints(&mut editor), [(1, 2), (8, 9)]);

    let document = json!({ "uri": buffer.uri });
    let lenses = editor.request("textDocument/codeLens", json!({ "textDocument": document })).unwrap();
    let titles: Vec<_> =
        lenses.as_array().unwrap().iter().map(|lens| lens["command"]["title"].clone()).collect();
    assert_eq!(
        titles,
        [
            "✓ accept: Make the second and ninth line stand out",
            "✗ reject",
            "✓ all 2 in this file",
            "✗ all in this file",
            "✓ accept: Make the second and ninth line stand out",
            "✗ reject",
        ]
    );
    let at = |line: u64| json!({ "textDocument": document, "position": { "line": line, "character": 1 } });
    let hover = editor.request("textDocument/hover", at(8)).unwrap();
    let said = "an agent changes these lines: Make the second and ninth line stand out (h2)";
    let lines = "```diff\n-nine\n+NINE\n+and a half\n```";
    assert_eq!(hover["contents"]["value"], format!("{said}\n\n{lines}"));
    assert_eq!(editor.request("textDocument/hover", at(4)).unwrap(), Value::Null);

    let accept = command(&mut editor, &lenses[0]["command"]);
    let request = editor.expect("workspace/applyEdit");
    buffer.apply(&mut editor, &request, |_| true);
    assert_eq!(states(&editor.finish(&accept).unwrap()), ["accepted", "pending"]);
    assert_eq!(buffer.text, BEFORE.replace("two", "TWO"));
    while hints(&mut editor) != [(8, 9)] {}

    let line = json!({ "line": 8, "character": 0 });
    let params = json!({ "textDocument": document, "range": { "start": line, "end": line },
        "context": { "diagnostics": [], "only": ["quickfix"] } });
    let actions = editor.request("textDocument/codeAction", params).unwrap();
    let reject =
        actions.as_array().unwrap().iter().find(|action| action["title"] == "Reject h2 (−1 +2 lines)");
    let reject = command(&mut editor, &reject.unwrap()["command"]);
    assert_eq!(states(&editor.finish(&reject).unwrap()), ["accepted", "rejected"]);
    while !hints(&mut editor).is_empty() {}

    let answer = editor.finish(&call).unwrap();
    assert_eq!(answer["result"]["status"], "partly_applied", "{answer:#}");
    editor.drain(std::time::Duration::from_millis(100));
}

#[test]
fn what_the_preview_applied_is_read_back() {
    let mut options = Options::default();
    options.capabilities["workspace"]["workspaceEdit"]["changeAnnotationSupport"] = json!({});
    let mut editor = Editor::connect(&options);
    let mut buffer = Buffer::open(&mut editor, "a.txt", BEFORE);
    let _call = editor.begin("wherefore/call", patch());
    assert_eq!(hints(&mut editor), [(1, 2), (8, 9)]);
    let pending = editor.request("wherefore/proposals", json!({})).unwrap();
    let proposal = &pending["proposals"][0]["id"];
    let preview = json!({ "command": "wherefore.preview", "arguments": [{ "proposal": proposal }] });
    let preview = command(&mut editor, &preview);
    let request = editor.expect("workspace/applyEdit");
    for annotation in request["params"]["edit"]["changeAnnotations"].as_object().unwrap().values() {
        assert_eq!(annotation["needsConfirmation"], true);
    }
    // The person selects only the second hunk; the editor reports that all was applied.
    buffer.apply(&mut editor, &request, |edit| edit["annotationId"] == "h2");
    assert_eq!(states(&editor.finish(&preview).unwrap()), ["pending", "accepted"]);
    editor.drain(std::time::Duration::from_millis(100));
}
