//! The recipe of Gemini CLI.
//!
//! install: gemini|@google/gemini-cli@0.61.0|@google/gemini-cli/bundle/gemini.js|node

use serde_json::json;

use super::{OwnCall, OwnTools, SHELL_WHY, attempt_call, settings_file};
use crate::model::Move;

pub(crate) const GEMINI: OwnTools = OwnTools {
    name: "gemini",
    title: "Gemini CLI",
    file: ".gemini/settings.json",
    logged: "gemini-cli",
    moves: |path, before, after| {
        let why = "Write the odd words in capitals";
        let arguments =
            json!({ "file_path": path, "instruction": why, "old_string": before, "new_string": after });
        vec![Move::Call("replace", arguments)]
    },
    shell: |script| Move::Call("run_shell_command", json!({ "command": script, "description": SHELL_WHY })),
    configure: |place, _| {
        let settings = json!({
            "security": { "auth": { "selectedType": "gemini-api-key" } },
            "privacy": { "usageStatisticsEnabled": false },
            "general": { "disableAutoUpdate": true, "disableUpdateNag": true },
        });
        settings_file(place, ".gemini", &settings);
    },
    variables: |model| {
        vec![
            ("GEMINI_API_KEY", "fake".to_owned()),
            ("GOOGLE_GEMINI_BASE_URL", model.url.clone()),
            ("GEMINI_CLI_TRUST_WORKSPACE", "true".to_owned()),
        ]
    },
    args: &["-p", "Do the task.", "-m", "gemini-2.5-flash"],
    unasked: &["--approval-mode", "yolo"],
    attempts,
};

pub(super) fn attempts() -> Vec<OwnCall> {
    vec![
        attempt_call(
            "a read of a closed file",
            "read_file",
            |work, _| json!({ "file_path": format!("{work}/.env") }),
        ),
        attempt_call(
            "a search that names a closed file",
            "grep_search",
            |_, _| json!({ "pattern": "SECRET-", "include_pattern": ".env" }),
        ),
        attempt_call(
            "a text",
            "write_file",
            |work, target| json!({ "file_path": format!("{work}/{target}"), "content": "new\n" }),
        ),
        attempt_call(
            "a start file of the shell",
            "write_file",
            |work, _| json!({ "file_path": format!("{work}/../home/.bashrc"), "content": "new\n" }),
        ),
    ]
}
