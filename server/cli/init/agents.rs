//! The agents that we know: how each is recognized, and what it reads to start us.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde_json::{Value, json};

use super::edit::{FileFormat, Place};
use crate::base::person;

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
    /// The address of its file's schema, where it writes that in itself.
    schema: Option<&'static str>,
    /// What the person has to do next.
    pub(super) next: &'static str,
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
    Plain,
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
pub(super) static AGENTS: [AgentProgram; 8] = [
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
        schema: None,
        next: "asks whether to use it when it starts in this folder",
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
        shape: Shape::Plain,
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
        shape: Shape::Plain,
        schema: None,
        next: "uses it once you trust this folder and approve the server",
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
        schema: None,
        next: "starts it once you trust this folder",
    },
];

impl AgentProgram {
    /// The entry that makes it start the program `command`.
    pub(super) fn entry(&self, command: &str) -> Value {
        match self.shape {
            Shape::Plain => json!({ "command": command, "args": ["mcp"] }),
            Shape::Stdio => json!({ "type": "stdio", "command": command, "args": ["mcp"] }),
            // It hands on no other variables than those named: without these no running editor is found, and neither
            // the person's settings nor what this machine keeps.
            Shape::Codex => json!({
                "command": command,
                "args": ["mcp"],
                "env_vars": ["XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"],
            }),
            Shape::OpenCode => json!({ "type": "local", "command": [command, "mcp"], "enabled": true }),
            // Where the project is on another machine, so are its files.
            Shape::Zed => json!({ "command": command, "args": ["mcp"], "remote": true }),
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

    /// Its program, where it is on the PATH.
    pub(in crate::cli) fn program(&self, machine: &Machine) -> Option<PathBuf> {
        self.programs.iter().find_map(|name| machine.program(name))
    }
}

/// Where this person's programs and settings are.
#[derive(Debug, Default)]
pub(in crate::cli) struct Machine {
    /// The folders of programs, as `PATH` has them.
    pub(super) path: OsString,
    pub(super) home: Option<PathBuf>,
    pub(super) config: Option<PathBuf>,
    /// Claude Code's own folder.
    pub(super) claude: Option<PathBuf>,
    /// Codex's own folder.
    pub(super) codex: Option<PathBuf>,
    /// Qwen Code's own folder.
    pub(super) qwen: Option<PathBuf>,
    /// Copilot CLI's own folder.
    pub(super) copilot: Option<PathBuf>,
}

impl Machine {
    /// This one.
    pub(in crate::cli) fn here() -> Self {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let home = person::home();
        let own = |variable: &str, usual: &str| {
            set(variable).map(PathBuf::from).or_else(|| Some(home.as_ref()?.join(usual)))
        };
        Self {
            path: set("PATH").unwrap_or_default(),
            config: person::all_settings(),
            claude: own("CLAUDE_CONFIG_DIR", ".claude"),
            codex: own("CODEX_HOME", ".codex"),
            qwen: own("QWEN_HOME", ".qwen"),
            copilot: own("COPILOT_HOME", ".copilot"),
            home,
        }
    }

    /// Where a program is found by its name. What only the system runs is not looked at: a daemon there is called
    /// `zed`, too.
    pub(super) fn program(&self, name: &str) -> Option<PathBuf> {
        let folders =
            std::env::split_paths(&self.path).filter(|folder| folder.file_name() != Some(OsStr::new("sbin")));
        folders.map(|folder| folder.join(name)).find(|path| {
            let found = path.metadata();
            found.is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
        })
    }
}
