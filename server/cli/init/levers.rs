//! What an agent's own settings say of wherefore: whether they start it, what in them turns it off, and what in them lets the
//! agent's own tools past the person.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::PROGRAM;
use super::agents::{AgentFile, AgentProgram, Id, Machine, Scope};
use super::edit::FileFormat;
use super::error::PlanError;
use super::plan::read;

/// A setting of an agent's that bears on wherefore.
struct Lever {
    agent: Id,
    /// The names on the way to it.
    path: &'static [&'static str],
    is_set: fn(&Value) -> bool,
    bearing: Bearing,
}

/// What a setting does.
#[derive(Clone, Copy)]
enum Bearing {
    /// It keeps the agent from our tools, so much.
    Off(&'static str),
    /// It has the agent's own tools do something without a question.
    Past(&'static str),
}

use Bearing::{Off, Past};

/// What people call a tool of ours in Claude Code's rules.
const CLAUDE_TOOL: &str = "mcp__wherefore";

const OURS_OFF: Bearing = Off("turns wherefore off");
const TOOLS_OFF: Bearing = Off("keeps it from tools of wherefore's");
const EDITS: Bearing = Past("has it make its own edits without a question");
const ALL: Bearing = Past("has it use all of its own tools without a question");

static LEVERS: &[Lever] = &[
    Lever { agent: Id::Claude, path: &["disabledMcpjsonServers"], is_set: names_us, bearing: OURS_OFF },
    Lever { agent: Id::Claude, path: &["disabledMcpServers"], is_set: names_us, bearing: OURS_OFF },
    Lever { agent: Id::Claude, path: &["permissions", "deny"], is_set: names_our_tool, bearing: TOOLS_OFF },
    Lever {
        agent: Id::Claude,
        path: &["permissions", "ask"],
        is_set: names_our_tool,
        bearing: Off("has it ask before tools of wherefore's"),
    },
    Lever { agent: Id::Claude, path: &["permissions", "allow"], is_set: names_edits, bearing: EDITS },
    Lever {
        agent: Id::Claude,
        path: &["permissions", "defaultMode"],
        is_set: |mode| mode == "acceptEdits",
        bearing: EDITS,
    },
    Lever {
        agent: Id::Claude,
        path: &["permissions", "defaultMode"],
        is_set: |mode| mode == "bypassPermissions",
        bearing: ALL,
    },
    Lever {
        agent: Id::Codex,
        path: &["mcp_servers", PROGRAM, "enabled"],
        is_set: |enabled| enabled == false,
        bearing: OURS_OFF,
    },
    Lever {
        agent: Id::Codex,
        path: &["mcp_servers", PROGRAM, "disabled_tools"],
        is_set: |tools| !is_empty(tools),
        bearing: TOOLS_OFF,
    },
    Lever {
        agent: Id::Codex,
        path: &["approval_policy"],
        is_set: |policy| policy == "never",
        bearing: EDITS,
    },
    Lever {
        agent: Id::Codex,
        path: &["sandbox_mode"],
        is_set: |mode| mode == "danger-full-access",
        bearing: Past("has its own commands run with no sandbox"),
    },
    Lever { agent: Id::Gemini, path: &["mcp", "excluded"], is_set: names_us, bearing: OURS_OFF },
    Lever { agent: Id::Gemini, path: &["mcp", "allowed"], is_set: leaves_us_out, bearing: OURS_OFF },
    Lever {
        agent: Id::Gemini,
        path: &["mcpServers", PROGRAM, "excludeTools"],
        is_set: |tools| !is_empty(tools),
        bearing: TOOLS_OFF,
    },
    Lever {
        agent: Id::Gemini,
        path: &["general", "defaultApprovalMode"],
        is_set: |mode| mode == "auto_edit",
        bearing: EDITS,
    },
    Lever { agent: Id::Qwen, path: &["mcp", "excluded"], is_set: names_us, bearing: OURS_OFF },
    Lever { agent: Id::Qwen, path: &["mcp", "allowed"], is_set: leaves_us_out, bearing: OURS_OFF },
    Lever {
        agent: Id::Qwen,
        path: &["mcpServers", PROGRAM, "excludeTools"],
        is_set: |tools| !is_empty(tools),
        bearing: TOOLS_OFF,
    },
    Lever {
        agent: Id::Qwen,
        path: &["tools", "approvalMode"],
        is_set: |mode| mode == "auto-edit",
        bearing: EDITS,
    },
    Lever { agent: Id::Qwen, path: &["tools", "approvalMode"], is_set: |mode| mode == "yolo", bearing: ALL },
    Lever {
        agent: Id::Opencode,
        path: &["mcp", PROGRAM, "enabled"],
        is_set: |enabled| enabled == false,
        bearing: OURS_OFF,
    },
];

fn items(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}

fn is_empty(list: &Value) -> bool {
    list.as_array().is_none_or(Vec::is_empty)
}

fn names_us(list: &Value) -> bool {
    items(list).any(|item| item == PROGRAM)
}

fn leaves_us_out(list: &Value) -> bool {
    list.is_array() && !names_us(list)
}

fn names_our_tool(list: &Value) -> bool {
    items(list).any(|item| item.starts_with(CLAUDE_TOOL))
}

fn names_edits(list: &Value) -> bool {
    let tool = |item: &str| item.split('(').next().unwrap_or_default().to_owned();
    items(list).any(|item| matches!(tool(item).as_str(), "Edit" | "Write" | "MultiEdit"))
}

/// How an agent stands to wherefore, by its settings.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::cli) struct AgentConnection {
    /// The file whose entry starts wherefore, and the program that the entry names.
    pub(in crate::cli) starts: Option<(String, String)>,
    /// What keeps the agent from our tools, a phrase a setting.
    pub(in crate::cli) off: Vec<String>,
    /// What its own tools may do without a question.
    pub(in crate::cli) past: Vec<String>,
}

impl AgentConnection {
    /// Reads the agent's settings, the project's and the person's.
    ///
    /// # Errors
    /// What keeps a file from being read, with its name.
    pub(in crate::cli) fn of(agent: &AgentProgram, machine: &Machine, dir: &Path) -> Result<Self, PlanError> {
        let mut found = Self::default();
        for file in files(agent, machine, dir) {
            let Some(text) = read(&file.path, &file.name)? else { continue };
            let format = if file.path.extension().is_some_and(|ext| ext == "toml") {
                FileFormat::Toml
            } else {
                FileFormat::Json
            };
            let whole = format.entry(&text, &[]).map_err(PlanError::left(&file.name))?.unwrap_or_default();
            found.take(agent, &file.name, &whole);
            // Claude Code keeps some of a project's settings in the person's file, under the project's path.
            let here = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
            if let Some(of_project) = whole.get("projects").and_then(|all| all.get(here.to_str()?)) {
                found.take(agent, &file.name, of_project);
            }
        }
        Ok(found)
    }

    fn take(&mut self, agent: &AgentProgram, file: &str, whole: &Value) {
        let at = |path: &[&str]| path.iter().try_fold(whole, |whole, name| whole.get(*name));
        if let (None, Some(entry)) = (&self.starts, at(&agent.place.path())) {
            let command = entry["command"].as_str().or(entry["command"][0].as_str()).unwrap_or_default();
            self.starts = Some((file.to_owned(), command.to_owned()));
        }
        for lever in LEVERS.iter().filter(|lever| lever.agent == agent.id) {
            if !at(lever.path).is_some_and(lever.is_set) {
                continue;
            }
            let setting = format!("`{}` in {file}", lever.path.join("."));
            match lever.bearing {
                Off(does) => self.off.push(format!("{setting} {does}")),
                Past(does) => self.past.push(format!("{setting} {does}")),
            }
        }
    }
}

/// The files that say something of it: the project's first, each once.
fn files(agent: &AgentProgram, machine: &Machine, dir: &Path) -> Vec<AgentFile> {
    let mut files = agent.entry_files(Scope::Project(dir));
    if agent.id == Id::Claude {
        let names = [".claude/settings.json", ".claude/settings.local.json"];
        files.extend(names.map(|name| AgentFile::below(dir, name)));
        let own: Option<PathBuf> = machine.claude.as_ref().map(|folder| folder.join("settings.json"));
        files.extend(own.map(|path| machine.file(path)));
    }
    files.extend(agent.entry_files(Scope::Person(machine)));
    files
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::agents::AGENTS;
    use super::*;

    fn found(id: Id, whole: &Value) -> (Vec<String>, Vec<String>) {
        let agent = AGENTS.iter().find(|agent| agent.id == id).unwrap();
        let mut connection = AgentConnection::default();
        connection.take(agent, "F", whole);
        (connection.off, connection.past)
    }

    #[test]
    fn each_setting_that_turns_us_off_or_lets_tools_past_is_found() {
        let off = [
            (Id::Claude, json!({ "disabledMcpjsonServers": ["x", "wherefore"] })),
            (Id::Claude, json!({ "permissions": { "deny": ["mcp__wherefore__fs_edit"] } })),
            (Id::Codex, json!({ "mcp_servers": { "wherefore": { "enabled": false } } })),
            (Id::Codex, json!({ "mcp_servers": { "wherefore": { "disabled_tools": ["fs_edit"] } } })),
            (Id::Gemini, json!({ "mcp": { "allowed": ["x"] } })),
            (Id::Qwen, json!({ "mcp": { "excluded": ["wherefore"] } })),
            (Id::Opencode, json!({ "mcp": { "wherefore": { "enabled": false } } })),
        ];
        for (id, whole) in off {
            let (off, past) = found(id, &whole);
            assert!(off.len() == 1 && off[0].contains(" in F ") && past.is_empty(), "{whole}: {off:?}");
        }
        let past = [
            (Id::Claude, json!({ "permissions": { "allow": ["Edit(src/**)"] } })),
            (Id::Claude, json!({ "permissions": { "defaultMode": "bypassPermissions" } })),
            (Id::Codex, json!({ "approval_policy": "never" })),
            (Id::Gemini, json!({ "general": { "defaultApprovalMode": "auto_edit" } })),
        ];
        for (id, whole) in past {
            let (off, past) = found(id, &whole);
            assert!(past.len() == 1 && off.is_empty(), "{whole}: {past:?}");
        }
        let well = [
            (
                Id::Claude,
                json!({ "disabledMcpjsonServers": ["x"], "permissions": { "allow": ["mcp__wherefore"] } }),
            ),
            (
                Id::Codex,
                json!({ "mcp_servers": { "wherefore": { "command": "wherefore", "enabled": true } } }),
            ),
            (Id::Gemini, json!({ "mcp": { "allowed": ["wherefore"] } })),
        ];
        for (id, whole) in well {
            assert_eq!(found(id, &whole), (Vec::new(), Vec::new()), "{whole}");
        }
    }
}
