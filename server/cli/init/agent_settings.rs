//! The settings of an agent that concern wherefore: the entries that start it, the settings that turn it off, and those
//! that let the agent's own tools act without a question.

use std::path::Path;

use serde_json::Value;

use super::agents::{AgentFile, PersonMachine, SetupScope};
use super::error::PlanError;
use super::plan::read_text;
use crate::agents::{AgentProfile, FileFormat, SettingEffect};

/// An agent's connection to wherefore, by its settings.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::cli) struct AgentConnection {
    /// The file whose entry starts wherefore, and the program that the entry names.
    pub(in crate::cli) starts: Option<(String, String)>,
    /// The settings that keep the agent from wherefore's tools, one phrase each.
    pub(in crate::cli) off: Vec<String>,
    /// The actions that its own tools may take without a question.
    pub(in crate::cli) past: Vec<String>,
}

impl AgentConnection {
    /// Reads the agent's settings, the project's and the person's.
    ///
    /// # Errors
    /// The reason why a file cannot be read, with its name.
    pub(in crate::cli) fn of(
        agent: &AgentProfile,
        machine: &PersonMachine,
        dir: &Path,
    ) -> Result<Self, PlanError> {
        let mut found = Self::default();
        for file in settings_files(agent, machine, dir) {
            let Some(text) = read_text(&file.path, &file.name)? else { continue };
            let format = if file.path.extension().is_some_and(|ext| ext == "toml") {
                FileFormat::Toml
            } else {
                FileFormat::Json
            };
            let whole = format
                .read_entry(&text, &[])
                .map_err(PlanError::left_unchanged(&file.name))?
                .unwrap_or_default();
            found.add_settings(agent, &file.name, &whole);
            // Claude Code keeps some of a project's settings in the person's file, under the project's path.
            let here = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
            if let Some(of_project) = whole.get("projects").and_then(|all| all.get(here.to_str()?)) {
                found.add_settings(agent, &file.name, of_project);
            }
        }
        Ok(found)
    }

    fn add_settings(&mut self, agent: &AgentProfile, file: &str, whole: &Value) {
        let at = |path: &[&str]| path.iter().try_fold(whole, |whole, name| whole.get(*name));
        if let (None, Some(entry)) = (&self.starts, at(&agent.setup.entry_path.entry_path())) {
            let command = entry["command"].as_str().or(entry["command"][0].as_str()).unwrap_or_default();
            self.starts = Some((file.to_owned(), command.to_owned()));
        }
        for lever in agent.setup.levers {
            if !at(lever.path).is_some_and(lever.is_set) {
                continue;
            }
            let setting = format!("`{}` in {file}", lever.path.join("."));
            match lever.effect {
                SettingEffect::Off(does) => self.off.push(format!("{setting} {does}")),
                SettingEffect::Past(does) => self.past.push(format!("{setting} {does}")),
            }
        }
    }
}

/// The files that may hold such settings: the project's first, each once.
fn settings_files(agent: &AgentProfile, machine: &PersonMachine, dir: &Path) -> Vec<AgentFile> {
    let mut files = agent.entry_files(SetupScope::Project(dir));
    let more = &agent.setup.lever_files;
    files.extend(more.project.iter().map(|name| AgentFile::in_folder(dir, name)));
    let own = machine.agent_folder(agent);
    let own = own.iter().flat_map(|folder| more.person.iter().map(|name| folder.join(name)));
    files.extend(own.map(|path| machine.named_file(path)));
    files.extend(agent.entry_files(SetupScope::Person(machine)));
    files
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::agents::ALL;

    fn found(id: &str, whole: &Value) -> (Vec<String>, Vec<String>) {
        let agent = ALL.iter().find(|agent| agent.id == id).unwrap();
        let mut connection = AgentConnection::default();
        connection.add_settings(agent, "F", whole);
        (connection.off, connection.past)
    }

    #[test]
    fn each_setting_that_turns_us_off_or_lets_tools_past_is_found() {
        let off = [
            ("claude", json!({ "disabledMcpjsonServers": ["x", "wherefore"] })),
            ("claude", json!({ "permissions": { "deny": ["mcp__wherefore__fs_edit"] } })),
            ("codex", json!({ "mcp_servers": { "wherefore": { "enabled": false } } })),
            ("codex", json!({ "mcp_servers": { "wherefore": { "disabled_tools": ["fs_edit"] } } })),
            ("gemini", json!({ "mcp": { "allowed": ["x"] } })),
            ("qwen", json!({ "mcp": { "excluded": ["wherefore"] } })),
            ("opencode", json!({ "mcp": { "wherefore": { "enabled": false } } })),
        ];
        for (id, whole) in off {
            let (off, past) = found(id, &whole);
            assert!(off.len() == 1 && off[0].contains(" in F ") && past.is_empty(), "{whole}: {off:?}");
        }
        let past = [
            ("claude", json!({ "permissions": { "allow": ["Edit(src/**)"] } })),
            ("claude", json!({ "permissions": { "defaultMode": "bypassPermissions" } })),
            ("codex", json!({ "approval_policy": "never" })),
            ("gemini", json!({ "general": { "defaultApprovalMode": "auto_edit" } })),
        ];
        for (id, whole) in past {
            let (off, past) = found(id, &whole);
            assert!(past.len() == 1 && off.is_empty(), "{whole}: {past:?}");
        }
        let well = [
            (
                "claude",
                json!({ "disabledMcpjsonServers": ["x"], "permissions": { "allow": ["mcp__wherefore"] } }),
            ),
            ("codex", json!({ "mcp_servers": { "wherefore": { "command": "wherefore", "enabled": true } } })),
            ("gemini", json!({ "mcp": { "allowed": ["wherefore"] } })),
        ];
        for (id, whole) in well {
            assert_eq!(found(id, &whole), (Vec::new(), Vec::new()), "{whole}");
        }
    }
}
