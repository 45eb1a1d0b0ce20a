//! The recipe of OpenCode.
//!
//! install: opencode|opencode-linux-ARCH@1.18.33|opencode-linux-ARCH/bin/opencode|itself

use serde_json::json;

use super::{OwnCall, OwnTools, SHELL_WHY, attempt_call};
use crate::model::Move;

pub(crate) const OPENCODE: OwnTools = OwnTools {
    name: "opencode",
    title: "OpenCode",
    file: ".config/opencode/plugin/wherefore.js",
    logged: "opencode",
    moves: |path, before, after| {
        vec![
            Move::Call("read", json!({ "filePath": path })),
            Move::Call("edit", json!({ "filePath": path, "oldString": before, "newString": after })),
        ]
    },
    shell: |script| Move::Call("bash", json!({ "command": script, "description": SHELL_WHY })),
    configure: |place, model| {
        let config = json!({
            "autoupdate": false,
            "share": "disabled",
            "model": "scripted/scripted",
            "provider": { "scripted": {
                "npm": "@ai-sdk/openai-compatible", "name": "scripted",
                "options": { "baseURL": format!("{}/v1", model.url), "apiKey": "fake" },
                "models": { "scripted": { "name": "scripted", "tool_call": true } },
            } },
        });
        let folder = place.beside("home/.config/opencode");
        std::fs::write(folder.join("opencode.json"), config.to_string()).unwrap();
    },
    variables: |_| {
        let quiet = ["OPENCODE_DISABLE_MODELS_FETCH", "OPENCODE_DISABLE_AUTOUPDATE"];
        quiet.map(|name| (name, "1".to_owned())).to_vec()
    },
    args: &["run", "Do the task."],
    unasked: &[],
    attempts,
};

fn attempts() -> Vec<OwnCall> {
    vec![
        attempt_call(
            "a read of a closed file",
            "read",
            |work, _| json!({ "filePath": format!("{work}/.env") }),
        ),
        attempt_call(
            "a search that names a closed file",
            "grep",
            |_, _| json!({ "pattern": "SECRET-", "include": ".env" }),
        ),
        attempt_call(
            "an edit",
            "edit",
            |work, target| json!({ "filePath": format!("{work}/{target}"), "oldString": "old", "newString": "new" }),
        ),
        attempt_call(
            "an edit with a second path",
            "edit",
            |work, target| json!({ "filePath": format!("{work}/dist/x"), "file_path": format!("{work}/{target}"), "oldString": "old", "newString": "new" }),
        ),
        attempt_call(
            "a text",
            "write",
            |work, target| json!({ "filePath": format!("{work}/{target}"), "content": "new\n" }),
        ),
        attempt_call(
            "a start file of the shell",
            "write",
            |work, _| json!({ "filePath": format!("{work}/../home/.bashrc"), "content": "new\n" }),
        ),
    ]
}
