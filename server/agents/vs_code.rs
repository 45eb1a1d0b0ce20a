//! The profile of VS Code's own agent.

use serde_json::json;

use super::profile::AgentTrace::{Config, Home, Project};
use super::profile::{
    AgentFiles, AgentFolder, AgentProfile, FileFormat, LeverFiles, PersonFiles, SettingsEntryPath,
    SetupProfile, UsualFolder,
};

pub(super) static PROFILE: AgentProfile = AgentProfile {
    id: "vscode",
    title: "VS Code",
    full_title: "Visual Studio Code",
    own_files: AgentFiles::NONE,
    setup: SetupProfile {
        programs: &["code", "code-insiders"],
        traces: &[Home(".vscode"), Home(".vscode-server"), Config("Code"), Project(".vscode")],
        folder: AgentFolder { variable: None, usual: UsualFolder::Config("Code/User") },
        project_files: &[".vscode/mcp.json"],
        person_files: PersonFiles::InFolder(&["mcp.json"]),
        format: FileFormat::Json,
        entry_path: SettingsEntryPath::in_container("servers"),
        entry: |command| json!({ "type": "stdio", "command": command.program, "args": command.args }),
        is_trusted_by_entry: false,
        call_limit_s: None,
        permits: None,
        schema: None,
        next_step: "starts it from `MCP: List Servers`, once you trust it",
        levers: &[],
        lever_files: LeverFiles::NONE,
    },
    hooks: None,
    plugin: None,
    acp: None,
    mcp: None,
};
