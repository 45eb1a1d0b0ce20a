//! The agents that we know: how each is recognized, and what it reads to start us.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde_json::{Value, json};

use super::edit::{FileFormat, Place};
pub(in crate::cli) use super::machine::Machine;

/// Seconds that an agent waits for a call, where it would otherwise give up before a person has decided.
const PATIENCE_S: u64 = 3600;

/// Seconds that Gemini CLI and Qwen Code wait for a call. The setting that lengthens it (`timeout`) also is how long they wait
/// for a server that does not start.
const GEMINI_LIMIT_S: u64 = 600;

/// Seconds before its client's limit at which a call is answered.
const MARGIN_S: u64 = 30;

/// An agent, by the name it is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Id {
    /// Claude Code
    Claude,
    /// Visual Studio Code
    Vscode,
    /// Codex
    Codex,
    /// Gemini CLI
    Gemini,
    /// Qwen Code
    Qwen,
    /// Copilot CLI
    Copilot,
    /// OpenCode
    Opencode,
    /// Zed
    Zed,
    /// Every one of them
    All,
    /// None of them
    None,
}

/// An agent.
#[derive(Debug)]
pub(in crate::cli) struct AgentProgram {
    pub(super) id: Id,
    /// Its name for people.
    pub(super) name: &'static str,
    programs: &'static [&'static str],
    /// What it leaves behind: folders and files.
    traces: &'static [Trace],
    /// The files below the project that it reads, the usual one first.
    pub(super) files: &'static [&'static str],
    pub(super) format: FileFormat,
    pub(super) place: Place,
    /// How it names a program with its arguments.
    shape: Shape,
    /// The file below the project whose lists let it use our tools without a question of its own: the person decides on
    /// what they change. It is the person's own, since a team's file would agree for all of them.
    permits: Option<&'static str>,
    /// The address of its file's schema, where it writes that in itself.
    schema: Option<&'static str>,
    /// What the person has to do next.
    pub(super) next: &'static str,
}

/// An item of a list in a settings file.
#[derive(Clone, Copy, Debug)]
pub(super) struct PermitItem {
    /// The names on the way to the list.
    pub(super) list: &'static [&'static str],
    pub(super) item: &'static str,
}

const TOOLS: PermitItem = PermitItem { list: &["permissions", "allow"], item: "mcp__wherefore" };
const SERVER: PermitItem = PermitItem { list: &["enabledMcpjsonServers"], item: "wherefore" };

/// Whose settings are meant.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scope<'a> {
    /// Those in the project's folder.
    Project(&'a Path),
    /// The person's own, for every project.
    Person(&'a Machine),
}

/// A settings file of an agent.
#[derive(Clone, Debug)]
pub(super) struct AgentFile {
    /// What people call it.
    pub(super) name: String,
    pub(super) path: PathBuf,
}

/// Where an agent keeps something, by what it stands below.
#[derive(Debug)]
enum Trace {
    Project(&'static str),
    Home(&'static str),
    Config(&'static str),
    Codex,
    Copilot,
}

#[derive(Debug)]
enum Shape {
    /// With the wish that its tools need no confirmation.
    Trusted,
    Stdio,
    Codex,
    OpenCode,
    Zed,
}

use Trace::{Config, Home, Project};

const fn under(container: &'static str) -> Place {
    Place { container, name: "wherefore" }
}

/// All of them. Each reads a file of the project and starts its servers in the project's folder, so that none
/// needs to be told where that is.
pub(in crate::cli) static AGENTS: [AgentProgram; 8] = [
    AgentProgram {
        id: Id::Claude,
        name: "Claude Code",
        programs: &["claude"],
        traces: &[
            Home(".claude"),
            Home(".claude.json"),
            Project(".claude"),
            Project("CLAUDE.md"),
            Project(".mcp.json"),
        ],
        files: &[".mcp.json"],
        format: FileFormat::Json,
        place: under("mcpServers"),
        shape: Shape::Stdio,
        permits: Some(".claude/settings.local.json"),
        schema: None,
        next: "uses it from its next start, once you trust this folder",
    },
    AgentProgram {
        id: Id::Vscode,
        name: "VS Code",
        programs: &["code", "code-insiders"],
        traces: &[Home(".vscode"), Home(".vscode-server"), Config("Code"), Project(".vscode")],
        files: &[".vscode/mcp.json"],
        format: FileFormat::Json,
        place: under("servers"),
        shape: Shape::Stdio,
        permits: None,
        schema: None,
        next: "starts it from `MCP: List Servers`, once you trust it",
    },
    AgentProgram {
        id: Id::Codex,
        name: "Codex",
        programs: &["codex"],
        traces: &[Trace::Codex, Project(".codex")],
        files: &[".codex/config.toml"],
        format: FileFormat::Toml,
        place: under("mcp_servers"),
        shape: Shape::Codex,
        permits: None,
        schema: None,
        next: "reads it once you have told it to trust this folder",
    },
    AgentProgram {
        id: Id::Gemini,
        name: "Gemini CLI",
        programs: &["gemini"],
        traces: &[Home(".gemini"), Project(".gemini"), Project("GEMINI.md")],
        files: &[".gemini/settings.json"],
        format: FileFormat::Json,
        place: under("mcpServers"),
        shape: Shape::Trusted,
        permits: None,
        schema: None,
        next: "reads it once you have told it to trust this folder",
    },
    AgentProgram {
        id: Id::Qwen,
        name: "Qwen Code",
        programs: &["qwen"],
        traces: &[Home(".qwen"), Project(".qwen"), Project("QWEN.md")],
        files: &[".qwen/settings.json"],
        format: FileFormat::Json,
        place: under("mcpServers"),
        shape: Shape::Trusted,
        permits: None,
        schema: None,
        next: "uses it once you approve the server on its screen /mcp",
    },
    AgentProgram {
        id: Id::Copilot,
        name: "Copilot CLI",
        programs: &["copilot"],
        traces: &[Trace::Copilot],
        files: &[".mcp.json"],
        format: FileFormat::Json,
        place: under("mcpServers"),
        shape: Shape::Stdio,
        permits: None,
        schema: None,
        next: "starts it once you have told it to trust this folder",
    },
    AgentProgram {
        id: Id::Opencode,
        name: "OpenCode",
        programs: &["opencode"],
        traces: &[
            Config("opencode"),
            Project(".opencode"),
            Project("opencode.json"),
            Project("opencode.jsonc"),
        ],
        files: &["opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"],
        format: FileFormat::Json,
        place: under("mcp"),
        shape: Shape::OpenCode,
        permits: None,
        schema: Some("https://opencode.ai/config.json"),
        next: "uses it from its next start",
    },
    AgentProgram {
        id: Id::Zed,
        name: "Zed",
        programs: &["zed", "zeditor"],
        traces: &[Config("zed"), Project(".zed")],
        files: &[".zed/settings.json"],
        format: FileFormat::Json,
        place: under("context_servers"),
        shape: Shape::Zed,
        permits: None,
        schema: None,
        next: "starts it once you trust this folder",
    },
];

impl AgentProgram {
    /// The entry that makes it start the program `command`.
    pub(super) fn entry(&self, command: &str, scope: Scope<'_>) -> Value {
        match self.shape {
            Shape::Trusted => json!({ "command": command, "args": self.args(), "trust": true }),
            // Its own list of servers says of each which tools are offered.
            Shape::Stdio if self.id == Id::Copilot && matches!(scope, Scope::Person(_)) => {
                json!({ "type": "stdio", "command": command, "args": self.args(), "tools": ["*"] })
            }
            Shape::Stdio => json!({ "type": "stdio", "command": command, "args": self.args() }),
            // It hands on no other variables than those named: without these no running editor is found, and neither
            // the person's settings nor what this machine keeps. `codex exec` refuses tools that want a confirmation.
            Shape::Codex => {
                let mut entry = json!({
                    "command": command,
                    "args": self.args(),
                    "env_vars": ["XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"],
                    "default_tools_approval_mode": "approve",
                    "tool_timeout_sec": PATIENCE_S,
                });
                // Its first turn waits for the server, and finds the tools. In folders of all kinds Codex is to start anyway.
                if matches!(scope, Scope::Project(_)) {
                    entry["required"] = json!(true);
                }
                entry
            }
            Shape::OpenCode => json!({ "type": "local", "command": [command, "mcp"], "enabled": true }),
            // Where the project is on another machine, so are its files.
            Shape::Zed => json!({ "command": command, "args": self.args(), "remote": true }),
        }
    }

    /// The words after the program. A change waits for the person as long as the agent's client waits for the call; the
    /// server knows Claude Code, whose file others read too.
    fn args(&self) -> Vec<String> {
        let limit_s = match self.id {
            Id::Codex => Some(PATIENCE_S),
            Id::Gemini | Id::Qwen => Some(GEMINI_LIMIT_S),
            _ => None,
        };
        let wait = limit_s.map(|limit_s| ["--wait".to_owned(), (limit_s - MARGIN_S).to_string()]);
        ["mcp".to_owned()].into_iter().chain(wait.into_iter().flatten()).collect()
    }

    /// What the entry does, for a list of files.
    pub(super) fn purpose(&self) -> String {
        match self.shape {
            Shape::Trusted | Shape::Codex => {
                format!("{} starts wherefore, asks about no tool", self.name)
            }
            _ => format!("{} starts wherefore", self.name),
        }
    }

    /// The files that may hold the entry, the usual one first.
    pub(super) fn entry_files(&self, scope: Scope<'_>) -> Vec<AgentFile> {
        let machine = match scope {
            Scope::Project(dir) => {
                return self.files.iter().map(|name| AgentFile::below(dir, name)).collect();
            }
            Scope::Person(machine) => machine,
        };
        let below = |folder: &Option<PathBuf>, names: &[&str]| {
            let paths = folder.iter().flat_map(|folder| names.iter().map(|name| folder.join(name)));
            paths.map(|path| machine.file(path)).collect::<Vec<_>>()
        };
        match self.id {
            Id::Claude => machine.claude_servers().map(|path| machine.file(path)).into_iter().collect(),
            Id::Vscode => below(&machine.config, &["Code/User/mcp.json"]),
            Id::Codex => below(&machine.codex, &["config.toml"]),
            Id::Gemini => below(&machine.home, &[".gemini/settings.json"]),
            Id::Qwen => below(&machine.qwen, &["settings.json"]),
            Id::Copilot => below(&machine.copilot, &["mcp-config.json"]),
            Id::Opencode => below(&machine.config, &["opencode/opencode.json", "opencode/opencode.jsonc"]),
            Id::Zed => below(&machine.config, &["zed/settings.json"]),
            Id::All | Id::None => Vec::new(),
        }
    }

    /// The file whose lists permit our tools, and what goes into them.
    pub(super) fn permits(&self, scope: Scope<'_>) -> Option<(AgentFile, &'static [PermitItem])> {
        let file = self.permits?;
        match scope {
            Scope::Project(dir) => Some((AgentFile::below(dir, file), &[TOOLS, SERVER])),
            Scope::Person(machine) => {
                let path = machine.claude.as_ref()?.join("settings.json");
                Some((machine.file(path), &[TOOLS]))
            }
        }
    }

    /// What a new file of it begins with.
    pub(super) fn head(&self) -> Vec<(&'static str, Value)> {
        self.schema.map(|schema| ("$schema", json!(schema))).into_iter().collect()
    }

    /// Whether it is in use: its program is there, or something it leaves behind.
    pub(in crate::cli) fn is_found(&self, machine: &Machine, project: &Path) -> bool {
        let left = |trace: &Trace| match trace {
            Project(name) => project.join(name).exists(),
            Home(name) => machine.home.as_ref().is_some_and(|home| home.join(name).exists()),
            Config(name) => machine.config.as_ref().is_some_and(|config| config.join(name).exists()),
            Trace::Codex => machine.codex.as_ref().is_some_and(|codex| codex.exists()),
            Trace::Copilot => machine.copilot.as_ref().is_some_and(|copilot| copilot.exists()),
        };
        self.program(machine).is_some() || self.traces.iter().any(left)
    }

    /// What the check of its connection is called.
    pub(in crate::cli) fn connection_name(&self) -> &'static str {
        match self.id {
            Id::Claude => "Claude Code, MCP",
            Id::Vscode => "VS Code, MCP",
            Id::Codex => "Codex, MCP",
            Id::Gemini => "Gemini CLI, MCP",
            Id::Qwen => "Qwen Code, MCP",
            Id::Copilot => "Copilot CLI, MCP",
            Id::Opencode => "OpenCode, MCP",
            Id::Zed => "Zed, MCP",
            Id::All | Id::None => "MCP",
        }
    }

    /// Its program, where it is on the PATH.
    pub(in crate::cli) fn program(&self, machine: &Machine) -> Option<PathBuf> {
        self.programs.iter().find_map(|name| machine.program(name))
    }
}

impl AgentFile {
    pub(super) fn below(dir: &Path, name: &str) -> Self {
        Self { name: name.to_owned(), path: dir.join(name) }
    }
}
