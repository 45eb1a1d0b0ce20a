//! The profile of Zed.

use serde_json::json;

use super::profile::AgentTrace::{Config, Project};
use super::profile::{
    AgentFiles, AgentFolder, AgentProfile, FileFormat, LeverFiles, PersonFiles, SettingsEntryPath,
    SetupProfile, UsualFolder,
};

pub(super) static PROFILE: AgentProfile = AgentProfile {
    id: "zed",
    title: "Zed",
    full_title: "Zed",
    own_files: AgentFiles::NONE,
    setup: SetupProfile {
        programs: &["zed", "zeditor"],
        traces: &[Config("zed"), Project(".zed")],
        folder: AgentFolder { variable: None, usual: UsualFolder::Config("zed") },
        project_files: &[".zed/settings.json"],
        person_files: PersonFiles::InFolder(&["settings.json"]),
        format: FileFormat::Json,
        entry_path: SettingsEntryPath::in_container("context_servers"),
        // If the project is on another machine, so are its files.
        entry: |command| json!({ "command": command.program, "args": command.args, "remote": true }),
        is_trusted_by_entry: false,
        call_limit_s: None,
        permits: None,
        schema: None,
        next_step: "starts it once you trust this folder",
        levers: &[],
        lever_files: LeverFiles::NONE,
    },
    hooks: None,
    plugin: None,
    acp: None,
    mcp: None,
};
