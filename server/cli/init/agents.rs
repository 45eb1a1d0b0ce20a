//! The use of an agent's profile by `init`: how the agent is found, and the files that make it start wherefore.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use clap::ValueEnum;
use clap::builder::PossibleValue;
use serde_json::{Value, json};

pub(in crate::cli) use super::machine::PersonMachine;
use crate::agents::{self, AgentProfile, AgentTrace, PermitItem, PersonFiles, ServerCommand, SettingsOwner};

/// Seconds before its client's limit at which a call is answered.
const MARGIN_S: u64 = 30;

/// A choice of agents, by the name that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AgentChoice {
    /// One of them.
    One(&'static AgentProfile),
    /// Every one of them.
    All,
    /// None of them.
    None,
}

impl AgentChoice {
    /// Returns whether an agent is chosen.
    pub(super) fn includes(self, agent: &AgentProfile) -> bool {
        match self {
            Self::One(chosen) => chosen == agent,
            Self::All => true,
            Self::None => false,
        }
    }
}

impl ValueEnum for AgentChoice {
    fn value_variants<'a>() -> &'a [Self] {
        static CHOICES: LazyLock<Vec<AgentChoice>> = LazyLock::new(|| {
            let each = agents::ALL.iter().map(|agent| AgentChoice::One(agent));
            each.chain([AgentChoice::All, AgentChoice::None]).collect()
        });
        &CHOICES
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, help) = match self {
            Self::One(agent) => (agent.id, agent.full_title),
            Self::All => ("all", "Every one of them"),
            Self::None => ("none", "None of them"),
        };
        Some(PossibleValue::new(name).help(help))
    }
}

/// The settings that are changed.
#[derive(Clone, Copy, Debug)]
pub(in crate::cli) enum SetupScope<'a> {
    /// The settings in the project's folder.
    Project(&'a Path),
    /// The person's own, for every project.
    Person(&'a PersonMachine),
}

impl SetupScope<'_> {
    fn owner(self) -> SettingsOwner {
        match self {
            Self::Project(_) => SettingsOwner::Project,
            Self::Person(_) => SettingsOwner::Person,
        }
    }
}

/// A settings file of an agent.
#[derive(Clone, Debug)]
pub(in crate::cli) struct AgentFile {
    /// The name that people use for it.
    pub(super) name: String,
    pub(in crate::cli) path: PathBuf,
}

impl AgentProfile {
    /// The entry that makes it start the program `command`.
    pub(super) fn server_entry(&self, command: &str, scope: SetupScope<'_>) -> Value {
        let args = self.server_args();
        (self.setup.entry)(&ServerCommand { program: command, args: &args, owner: scope.owner() })
    }

    /// The words after the program. A change waits for the person as long as the agent's client waits for the call.
    fn server_args(&self) -> Vec<String> {
        let wait =
            self.setup.call_limit_s.map(|limit_s| ["--wait".to_owned(), (limit_s - MARGIN_S).to_string()]);
        ["mcp".to_owned()].into_iter().chain(wait.into_iter().flatten()).collect()
    }

    /// The effect of the entry, for a list of files.
    pub(super) fn entry_purpose(&self) -> String {
        match self.setup.is_trusted_by_entry {
            true => format!("{} starts wherefore, asks about no tool", self.title),
            false => format!("{} starts wherefore", self.title),
        }
    }

    /// The files that may hold the entry, the usual one first.
    pub(in crate::cli) fn entry_files(&self, scope: SetupScope<'_>) -> Vec<AgentFile> {
        let machine = match scope {
            SetupScope::Project(dir) => {
                let names = self.setup.project_files.iter();
                return names.map(|name| AgentFile::in_folder(dir, name)).collect();
            }
            SetupScope::Person(machine) => machine,
        };
        let paths: Vec<PathBuf> = match self.setup.person_files {
            PersonFiles::InFolder(names) => {
                let folder = machine.agent_folder(self);
                folder.iter().flat_map(|folder| names.iter().map(|name| folder.join(name))).collect()
            }
            PersonFiles::BesideFolder(name) => machine.file_beside_folder(self, name).into_iter().collect(),
        };
        paths.into_iter().map(|path| machine.named_file(path)).collect()
    }

    /// The file whose lists permit our tools, and what goes into them.
    pub(super) fn permit_lists(&self, scope: SetupScope<'_>) -> Option<(AgentFile, &'static [PermitItem])> {
        let permits = self.setup.permits.as_ref()?;
        match scope {
            SetupScope::Project(dir) => {
                Some((AgentFile::in_folder(dir, permits.project_file), permits.project))
            }
            SetupScope::Person(machine) => {
                let path = machine.agent_folder(self)?.join(permits.person_file);
                Some((machine.named_file(path), permits.person))
            }
        }
    }

    /// The first members of a new file.
    pub(super) fn file_head(&self) -> Vec<(&'static str, Value)> {
        self.setup.schema.map(|schema| ("$schema", json!(schema))).into_iter().collect()
    }

    /// Returns whether the agent is in use: its program or one of its traces exists.
    pub(in crate::cli) fn is_found(&self, machine: &PersonMachine, project: &Path) -> bool {
        let left = |trace: &AgentTrace| match trace {
            AgentTrace::Project(name) => project.join(name).exists(),
            AgentTrace::Home(name) => machine.home.as_ref().is_some_and(|home| home.join(name).exists()),
            AgentTrace::Config(name) => {
                machine.config.as_ref().is_some_and(|config| config.join(name).exists())
            }
            AgentTrace::OwnFolder => machine.agent_folder(self).is_some_and(|folder| folder.exists()),
        };
        self.find_program(machine).is_some() || self.setup.traces.iter().any(left)
    }

    /// The path of its program, if that is on the PATH.
    pub(in crate::cli) fn find_program(&self, machine: &PersonMachine) -> Option<PathBuf> {
        self.setup.programs.iter().find_map(|name| machine.find_program(name))
    }

    /// The usual name of its program.
    pub(in crate::cli) fn program_name(&self) -> &'static str {
        self.setup.programs.first().copied().unwrap_or(self.id)
    }
}

impl AgentFile {
    pub(super) fn in_folder(dir: &Path, name: &str) -> Self {
        Self { name: name.to_owned(), path: dir.join(name) }
    }
}
