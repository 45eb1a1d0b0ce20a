//! The language server as any client sees it: what it can do, its commands, its documents.

use serde_json::{Value, json};

use crate::support::{Editor, Options};

#[test]
fn capabilities() {
    let options = Options::default();
    let mut editor = Editor::unconnected(&options);
    let mut answer = editor.initialize(&options);
    let version = answer["serverInfo"]["version"].take();
    assert_eq!(
        answer,
        json!({
            "capabilities": {
                "positionEncoding": "utf-16",
                "textDocumentSync": { "openClose": true, "change": 2, "save": { "includeText": false } },
                "hoverProvider": true,
                "codeActionProvider": { "codeActionKinds": ["quickfix"] },
                "codeLensProvider": { "resolveProvider": false },
                "completionProvider": {},
                "executeCommandProvider": { "commands": [
                    "wherefore.call", "wherefore.accept", "wherefore.reject", "wherefore.acceptFile",
                    "wherefore.rejectFile", "wherefore.acceptAll", "wherefore.rejectAll", "wherefore.preview",
                    "wherefore.undo", "wherefore.openLog", "wherefore.status",
                ] },
                "workspace": { "workspaceFolders": { "supported": true, "changeNotifications": true } },
                "experimental": { "wherefore": { "version": version } },
            },
            "serverInfo": { "name": "wherefore", "version": null },
        })
    );
    editor.request("wherefore/status", Value::Null).unwrap();
}

#[test]
fn the_best_of_what_a_client_offers() {
    let mut options = Options::default();
    options.capabilities["general"]["positionEncodings"] = json!(["utf-16", "utf-8"]);
    options.capabilities["workspace"]["textDocumentContent"] = json!({});
    let mut editor = Editor::unconnected(&options);
    let answer = editor.initialize(&options);
    assert_eq!(answer["capabilities"]["positionEncoding"], "utf-8");
    assert_eq!(
        answer["capabilities"]["workspace"]["textDocumentContent"],
        json!({ "schemes": ["wherefore"] })
    );
    editor.request("wherefore/status", Value::Null).unwrap();
}

#[test]
fn keys_are_offered_in_a_definition_and_nowhere_else() {
    let mut editor = Editor::connect(&Options::default());
    let mut labels = |path: &str| {
        let uri = editor.uri(path);
        let text = "tool:\n  name: \"ä\"\n  ri";
        editor.notify(
            "textDocument/didOpen",
            json!({ "textDocument": { "uri": uri, "languageId": "yaml", "version": 1, "text": text } }),
        );
        let at = json!({ "textDocument": { "uri": uri }, "position": { "line": 2, "character": 4 } });
        let found = editor.request("textDocument/completion", at).unwrap();
        let items = found.as_array().unwrap().clone();
        items.iter().map(|item| item["label"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let found = labels(".wherefore/tools/a.yaml");
    assert!(found.contains(&"risk".to_owned()) && !found.contains(&"name".to_owned()), "{found:?}");
    assert_eq!(labels("other.yaml"), [""; 0]);
}

#[test]
fn the_log_opens_in_the_editor() {
    let mut editor = Editor::connect(&Options::default());
    let command = json!({ "command": "wherefore.openLog", "arguments": [{}] });
    let id = editor.begin("workspace/executeCommand", command);
    let shown = editor.expect("window/showDocument");
    editor.reply(&shown, json!({ "success": true }));
    let log = editor.finish(&id).unwrap();
    let path = log["path"].as_str().unwrap();
    assert_eq!(shown["params"], json!({ "uri": format!("file://{path}"), "takeFocus": true }));
}

#[test]
fn a_call_through_a_command_is_the_call() {
    let mut editor = Editor::connect(&Options::default());
    let call = json!({ "tool": "no.such.tool", "arguments": { "why": "See what an unknown tool answers" } });
    let command = json!({ "command": "wherefore.call", "arguments": [call] });
    let answer = editor.request("workspace/executeCommand", command).unwrap();
    assert_eq!((&answer["status"], &answer["error"]["code"]), (&json!("error"), &json!("TOOL_NOT_FOUND")));
    assert_eq!(editor.request("wherefore/call", call).unwrap()["error"], answer["error"]);
}
