//! The recipe of Qwen Code.
//!
//! install: qwen|@qwen-code/qwen-code@0.24.4|@qwen-code/qwen-code/cli-entry.js|node

use serde_json::json;

use super::{OwnTools, SHELL_WHY, settings_file};
use crate::model::Move;

pub(crate) const QWEN: OwnTools = OwnTools {
    name: "qwen",
    title: "Qwen Code",
    file: ".qwen/settings.json",
    logged: "qwen-code",
    moves: |path, before, after| {
        vec![
            Move::Call("read_file", json!({ "file_path": path })),
            Move::Call("edit", json!({ "file_path": path, "old_string": before, "new_string": after })),
        ]
    },
    shell: |script| {
        let arguments = json!({ "command": script, "description": SHELL_WHY, "is_background": false });
        Move::Call("run_shell_command", arguments)
    },
    configure: |place, _| {
        let settings = json!({
            "security": { "auth": { "selectedType": "openai" } },
            "privacy": { "usageStatisticsEnabled": false },
            "general": { "enableAutoUpdate": false, "disableAutoUpdate": true },
            "telemetry": { "enabled": false },
        });
        settings_file(place, ".qwen", &settings);
    },
    variables: |model| {
        vec![
            ("OPENAI_API_KEY", "fake".to_owned()),
            ("OPENAI_BASE_URL", format!("{}/v1", model.url)),
            ("OPENAI_MODEL", "qwen3-coder-plus".to_owned()),
        ]
    },
    args: &["-p", "Do the task."],
    unasked: &["--approval-mode", "yolo"],
    attempts: super::gemini::attempts,
};
