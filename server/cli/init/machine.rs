//! Where this person's programs and settings are.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use super::agents::AgentFile;
use crate::base::person;

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
    /// Where our program keeps what it brings along.
    pub(super) data: Option<PathBuf>,
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
            data: person::data(),
            home,
        }
    }

    /// A file, by the name that people call it.
    pub(super) fn file(&self, path: PathBuf) -> AgentFile {
        let short = self.home.as_ref().and_then(|home| path.strip_prefix(home).ok());
        let name = short.map_or_else(|| path.display().to_string(), |short| format!("~/{}", short.display()));
        AgentFile { name, path }
    }

    /// Where Claude Code keeps the person's servers: beside its own folder, or in it where that was moved.
    pub(super) fn claude_servers(&self) -> Option<PathBuf> {
        let own = self.claude.as_ref()?;
        match &self.home {
            Some(home) if home.join(".claude") == *own => Some(home.join(".claude.json")),
            _ => Some(own.join(".claude.json")),
        }
    }

    /// Whether a command of an agent's settings is there: by its path, or by its name.
    pub(in crate::cli) fn runs(&self, command: &str) -> bool {
        match command.contains('/') {
            true => PathBuf::from(command).is_file(),
            false => self.program(command).is_some(),
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
