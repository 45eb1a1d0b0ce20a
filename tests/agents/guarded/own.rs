//! Each agent with its own edit tool, and no server of ours in its settings.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::agent::Agent;
use crate::model::{Model, Move};
use crate::place::Place;

/// What the models say of the command that they run.
const SHELL_WHY: &str = "Mark the lines that the list is read by";

/// An agent at work with its own tools.
pub(super) struct OwnTools {
    /// What `--agents` calls it.
    pub name: &'static str,
    /// The file below its home that holds its hooks.
    pub file: &'static str,
    /// The door's agent, as the log names it.
    pub logged: &'static str,
    /// What its model does, for the path of a file with its text before and after.
    pub moves: fn(&str, &str, &str) -> Vec<Move>,
    /// A call of its shell.
    pub shell: fn(&str) -> Move,
    /// Writes its settings.
    pub configure: fn(&Place, &Model),
    /// Starts it.
    pub start: fn(&Path, &Place, &Model) -> Agent,
}

pub(super) const CLAUDE: OwnTools = OwnTools {
    name: "claude",
    file: ".claude/settings.json",
    logged: "claude-code",
    moves: |path, before, after| {
        vec![
            Move::Call("Read", json!({ "file_path": path })),
            Move::Call("Edit", json!({ "file_path": path, "old_string": before, "new_string": after })),
        ]
    },
    shell: |script| Move::Call("Bash", json!({ "command": script, "description": SHELL_WHY })),
    configure: |_, _| {},
    start: |program, place, model| {
        let args = ["-p", "Do the task.", "--model", "claude-sonnet-4-5"];
        let quiet = ["DISABLE_TELEMETRY", "DISABLE_AUTOUPDATER", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"];
        let quiet = quiet.map(|name| (name, "1".to_owned()));
        let tells = [("ANTHROPIC_BASE_URL", model.url.clone()), ("ANTHROPIC_API_KEY", "fake".to_owned())];
        start("claude", program, place, &args, quiet.into_iter().chain(tells))
    },
};

pub(super) const CODEX: OwnTools = OwnTools {
    name: "codex",
    file: ".codex/hooks.json",
    logged: "codex",
    moves: |_, before, after| {
        let lines = before.lines().zip(after.lines()).map(|(old, new)| match old == new {
            true => format!(" {old}\n"),
            false => format!("-{old}\n+{new}\n"),
        });
        let hunk: String = lines.collect();
        let patch = format!("*** Begin Patch\n*** Update File: list.txt\n@@\n{hunk}*** End Patch");
        vec![Move::Call("apply_patch", json!({ "input": patch }))]
    },
    shell: |script| Move::Call("exec_command", json!({ "cmd": script })),
    configure: |place, model| {
        let config = format!(
            "model = \"gpt-5.5\"\nmodel_provider = \"scripted\"\napproval_policy = \"never\"\nsandbox_mode = \"danger-full-access\"\ncheck_for_update_on_startup = false\n[analytics]\nenabled = false\n[model_providers.scripted]\nname = \"scripted\"\nbase_url = \"{}/v1\"\nwire_api = \"responses\"\n",
            model.url
        );
        std::fs::write(place.beside("home/.codex").join("config.toml"), config).unwrap();
    },
    start: |program, place, _| {
        start("codex", program, place, &["exec", "--skip-git-repo-check", "Do the task."], [])
    },
};

pub(super) const GEMINI: OwnTools = OwnTools {
    name: "gemini",
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
    start: |program, place, model| {
        let tells = [
            ("GEMINI_API_KEY", "fake".to_owned()),
            ("GOOGLE_GEMINI_BASE_URL", model.url.clone()),
            ("GEMINI_CLI_TRUST_WORKSPACE", "true".to_owned()),
        ];
        let args = ["-p", "Do the task.", "-m", "gemini-2.5-flash", "--approval-mode", "yolo"];
        start("gemini", program, place, &args, tells)
    },
};

pub(super) const QWEN: OwnTools = OwnTools {
    name: "qwen",
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
    start: |program, place, model| {
        let tells = [
            ("OPENAI_API_KEY", "fake".to_owned()),
            ("OPENAI_BASE_URL", format!("{}/v1", model.url)),
            ("OPENAI_MODEL", "qwen3-coder-plus".to_owned()),
        ];
        start("qwen", program, place, &["-p", "Do the task.", "--approval-mode", "yolo"], tells)
    },
};

pub(super) const COPILOT: OwnTools = OwnTools {
    name: "copilot",
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
        let unpacked = Path::new(env!("CARGO_MANIFEST_DIR")).join(".e2e/agents/copilot/.cache/copilot");
        if unpacked.is_dir() {
            std::os::unix::fs::symlink(unpacked, place.beside("home/.cache").join("copilot")).unwrap();
        }
    },
    start: |program, place, model| {
        let tells = [
            ("COPILOT_OFFLINE", "true".to_owned()),
            ("COPILOT_PROVIDER_BASE_URL", format!("{}/v1", model.url)),
            ("COPILOT_PROVIDER_API_KEY", "fake".to_owned()),
            ("COPILOT_MODEL", "gpt-4.1".to_owned()),
            ("COPILOT_PROVIDER_WIRE_API", "completions".to_owned()),
            ("COPILOT_AUTO_UPDATE", "false".to_owned()),
        ];
        let args = ["-p", "Do the task.", "--no-auto-update", "--allow-all-tools"];
        start("copilot", program, place, &args, tells)
    },
};

pub(super) const OPENCODE: OwnTools = OwnTools {
    name: "opencode",
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
    start: |program, place, _| {
        let tells = ["OPENCODE_DISABLE_MODELS_FETCH", "OPENCODE_DISABLE_AUTOUPDATE"];
        start("opencode", program, place, &["run", "Do the task."], tells.map(|name| (name, "1".to_owned())))
    },
};

fn settings_file(place: &Place, folder: &str, settings: &Value) {
    let folder = place.beside(&format!("home/{folder}"));
    std::fs::write(folder.join("settings.json"), settings.to_string()).unwrap();
}

/// Starts an agent whose home is the person's, so that its hooks find the person's settings and servers.
fn start(
    name: &'static str,
    program: &Path,
    place: &Place,
    args: &[&str],
    env: impl IntoIterator<Item = (&'static str, String)>,
) -> Agent {
    let mut command = Command::new(program);
    command.args(args);
    Agent::start(name, command, place, place.beside("home"), env.into_iter().chain(place.env()))
}
