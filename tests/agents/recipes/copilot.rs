//! The recipe of Copilot CLI.
//!
//! install: copilot|@github/copilot@1.0.102|@github/copilot-linux-ARCH/copilot|itself

use serde_json::json;

use super::{OwnCall, OwnTools, SHELL_WHY, attempt_call};
use crate::model::Move;
use crate::programs;

pub(crate) const COPILOT: OwnTools = OwnTools {
    name: "copilot",
    title: "Copilot CLI",
    file: ".copilot/hooks/wherefore.json",
    logged: "copilot-cli",
    moves: |path, before, after| {
        vec![
            Move::Call("view", json!({ "path": path })),
            Move::Call("edit", json!({ "path": path, "old_str": before, "new_str": after })),
        ]
    },
    shell: |script| Move::Call("bash", json!({ "command": script, "description": SHELL_WHY })),
    configure: |place, _| {
        // It unpacks itself at its first start, which install.sh made.
        let unpacked = programs::folder().join("copilot/.cache/copilot");
        let here = place.beside("home/.cache").join("copilot");
        if unpacked.is_dir() && !here.exists() {
            std::os::unix::fs::symlink(unpacked, here).unwrap();
        }
    },
    variables: |model| {
        vec![
            ("COPILOT_OFFLINE", "true".to_owned()),
            ("COPILOT_PROVIDER_BASE_URL", format!("{}/v1", model.url)),
            ("COPILOT_PROVIDER_API_KEY", "fake".to_owned()),
            ("COPILOT_MODEL", "gpt-4.1".to_owned()),
            ("COPILOT_PROVIDER_WIRE_API", "completions".to_owned()),
            ("COPILOT_AUTO_UPDATE", "false".to_owned()),
        ]
    },
    args: &["-p", "Do the task.", "--no-auto-update"],
    unasked: &["--allow-all-tools"],
    attempts,
};

fn attempts() -> Vec<OwnCall> {
    vec![
        attempt_call("a read of a closed file", "view", |work, _| json!({ "path": format!("{work}/.env") })),
        attempt_call(
            "an edit",
            "edit",
            |work, target| json!({ "path": format!("{work}/{target}"), "old_str": "old", "new_str": "new" }),
        ),
        attempt_call(
            "an edit with a second path",
            "edit",
            |work, target| json!({ "path": format!("{work}/dist/x"), "file_path": format!("{work}/{target}"), "old_str": "old", "new_str": "new" }),
        ),
        attempt_call(
            "a new file outside",
            "create",
            |work, _| json!({ "path": format!("{work}/../outside/made"), "file_text": "x" }),
        ),
    ]
}
