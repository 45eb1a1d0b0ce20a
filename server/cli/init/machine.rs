//! The places of this person's programs and settings.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use super::agents::AgentFile;
use crate::agents::{self, AgentProfile, UsualFolder};
use crate::base::person;

/// The places of this person's programs and settings.
#[derive(Debug, Default)]
pub(in crate::cli) struct PersonMachine {
    /// The folders of programs, as `PATH` has them.
    pub(super) path: OsString,
    pub(in crate::cli) home: Option<PathBuf>,
    pub(super) config: Option<PathBuf>,
    /// Agents' own folders that are not the usual ones, by the agents' ids.
    pub(super) moved_folders: BTreeMap<&'static str, PathBuf>,
    /// The folder for files that the program ships.
    pub(super) data: Option<PathBuf>,
}

impl PersonMachine {
    /// This one.
    pub(in crate::cli) fn current() -> Self {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let moved =
            |agent: &&AgentProfile| Some((agent.id, set(agent.setup.folder.variable?).map(PathBuf::from)?));
        Self {
            path: set("PATH").unwrap_or_default(),
            config: person::settings_home(),
            moved_folders: agents::ALL.iter().filter_map(moved).collect(),
            data: person::data_dir(),
            home: person::home_dir(),
        }
    }

    /// A file, by the name that people call it.
    pub(super) fn named_file(&self, path: PathBuf) -> AgentFile {
        let short = self.home.as_ref().and_then(|home| path.strip_prefix(home).ok());
        let name = short.map_or_else(|| path.display().to_string(), |short| format!("~/{}", short.display()));
        AgentFile { name, path }
    }

    /// An agent's own folder of the person's.
    pub(in crate::cli) fn agent_folder(&self, agent: &AgentProfile) -> Option<PathBuf> {
        self.moved_folders.get(agent.id).cloned().or_else(|| self.usual_folder(agent))
    }

    fn usual_folder(&self, agent: &AgentProfile) -> Option<PathBuf> {
        match agent.setup.folder.usual {
            UsualFolder::Home(name) => Some(self.home.as_ref()?.join(name)),
            UsualFolder::Config(name) => Some(self.config.as_ref()?.join(name)),
        }
    }

    /// The file of that name beside an agent's own folder, or in it if that was moved.
    pub(super) fn file_beside_folder(&self, agent: &AgentProfile, name: &str) -> Option<PathBuf> {
        let own = self.agent_folder(agent)?;
        match self.usual_folder(agent) {
            Some(usual) if usual == own => Some(own.with_file_name(name)),
            _ => Some(own.join(name)),
        }
    }

    /// Returns whether a command of an agent's settings exists, by its path or by its name.
    pub(in crate::cli) fn has_command(&self, command: &str) -> bool {
        match command.contains('/') {
            true => PathBuf::from(command).is_file(),
            false => self.find_program(command).is_some(),
        }
    }

    /// The path of a program with that name. Folders of system daemons are skipped: they may hold a daemon called `zed`.
    pub(super) fn find_program(&self, name: &str) -> Option<PathBuf> {
        let folders =
            std::env::split_paths(&self.path).filter(|folder| folder.file_name() != Some(OsStr::new("sbin")));
        folders.map(|folder| folder.join(name)).find(|path| {
            let found = path.metadata();
            found.is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
        })
    }
}
