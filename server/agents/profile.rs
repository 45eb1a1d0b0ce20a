//! The profile of an agent: what is known of it, as data. How it is used is the matter of the modules that ask it.

use serde_json::Value;

use super::acp_profile::AcpProfile;
use super::hook_profile::HookProfile;
use super::plugin_profile::PluginProfile;

/// The profile of an agent.
#[derive(Debug)]
pub struct AgentProfile {
    /// Its name on the command line: in `--agents` and for `wherefore hook`.
    pub id: &'static str,
    /// The name that people use for it.
    pub title: &'static str,
    /// Its name in the help of `--agents`.
    pub full_title: &'static str,
    /// Its own files, at any depth of a workspace.
    pub own_files: AgentFiles,
    /// Its programs and its settings.
    pub setup: SetupProfile,
    /// Its hooks; none if its own tools cannot be sent through wherefore.
    pub hooks: Option<&'static HookProfile>,
    /// The plugin by which it takes wherefore, if it has plugins and a command that installs one.
    pub plugin: Option<&'static PluginProfile>,
    /// Its manner as an agent of the Agent Client Protocol, if it has one that differs from an unknown agent's.
    pub acp: Option<AcpProfile>,
    /// Its client of the Model Context Protocol, if the server knows that by its name.
    pub mcp: Option<McpClientProfile>,
}

/// The files of an agent that tools do not write as they please, as globs: the rules of paths take them from here.
#[derive(Debug)]
pub struct AgentFiles {
    /// Files that it takes programs to run and permissions from. No tool writes them.
    pub programs: &'static [&'static str],
    /// Files whose instructions it follows. A tool writes them once the person says yes.
    pub instructions: &'static [&'static str],
}

/// The programs and the settings of an agent.
#[derive(Debug)]
pub struct SetupProfile {
    /// The names of its program, the usual one first.
    pub programs: &'static [&'static str],
    /// The folders and files that it leaves behind.
    pub traces: &'static [AgentTrace],
    /// Its own folder of the person's.
    pub folder: AgentFolder,
    /// The files below the project that may hold the entry of a server, the usual one first. The agent starts its servers in
    /// the project's folder, so that no entry has to name that.
    pub project_files: &'static [&'static str],
    /// The person's files that may hold it.
    pub person_files: PersonFiles,
    /// The format of these files.
    pub format: FileFormat,
    /// The position of the entry in them.
    pub entry_path: SettingsEntryPath,
    /// The entry that makes it start wherefore.
    pub entry: fn(&ServerCommand<'_>) -> Value,
    /// True if it asks about no tool of wherefore's by its entry.
    pub is_trusted_by_entry: bool,
    /// Seconds that its client waits for a call, where its entry is its own. A change waits for the person as long.
    pub call_limit_s: Option<u64>,
    /// The lists that let it use our tools without a question of its own: the person decides on what they change.
    pub permits: Option<PermitProfile>,
    /// The address of its file's schema, where it writes that in itself.
    pub schema: Option<&'static str>,
    /// The next step for the person.
    pub next_step: &'static str,
    /// Its settings that turn wherefore off, or have its own tools do something without a question.
    pub levers: &'static [SettingLever],
    /// Further files that may hold such settings: below the project, and below its own folder.
    pub lever_files: LeverFiles,
}

/// The command of a server's entry.
#[derive(Clone, Copy, Debug)]
pub struct ServerCommand<'a> {
    /// The program: its name on the PATH, or its path.
    pub program: &'a str,
    /// Its arguments.
    pub args: &'a [String],
    /// The owner of the file.
    pub owner: SettingsOwner,
}

/// The owner of a settings file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingsOwner {
    /// A project.
    Project,
    /// The person, for every project.
    Person,
}

/// The format of a settings file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FileFormat {
    /// JSON; comments and trailing commas are borne.
    Json,
    /// TOML.
    Toml,
}

/// The position of an entry in a file.
#[derive(Clone, Copy, Debug)]
pub struct SettingsEntryPath {
    /// The container of the entries: a member of the file's object, or a table.
    pub container: &'static str,
    /// The entry's name there.
    pub name: &'static str,
}

/// A path that an agent leaves behind, by the folder that it is in.
#[derive(Debug)]
pub enum AgentTrace {
    /// Below the project.
    Project(&'static str),
    /// Below the home folder.
    Home(&'static str),
    /// Below the folder of the person's settings.
    Config(&'static str),
    /// The agent's own folder.
    OwnFolder,
}

/// The agent's own folder of the person's.
#[derive(Debug)]
pub struct AgentFolder {
    /// The variable that names another one.
    pub variable: Option<&'static str>,
    /// The usual one.
    pub usual: UsualFolder,
}

/// The usual folder of an agent.
#[derive(Debug)]
pub enum UsualFolder {
    /// Below the home folder.
    Home(&'static str),
    /// Below the folder of the person's settings.
    Config(&'static str),
}

/// The person's files that may hold the entry of a server.
#[derive(Debug)]
pub enum PersonFiles {
    /// Files below the agent's own folder, the usual one first.
    InFolder(&'static [&'static str]),
    /// A file beside the agent's own folder, or in it if that was moved.
    BesideFolder(&'static str),
}

/// The lists that permit wherefore's tools.
#[derive(Debug)]
pub struct PermitProfile {
    /// The file below the project that holds them. It is the person's own, since a team's file would agree for all of them.
    pub project_file: &'static str,
    /// The items in it.
    pub project: &'static [PermitItem],
    /// The file below the agent's own folder.
    pub person_file: &'static str,
    /// The items in it.
    pub person: &'static [PermitItem],
}

/// An item of a list in a settings file.
#[derive(Clone, Copy, Debug)]
pub struct PermitItem {
    /// The names on the way to the list.
    pub list: &'static [&'static str],
    /// The item.
    pub item: &'static str,
}

/// A setting of an agent that concerns wherefore.
#[derive(Debug)]
pub struct SettingLever {
    /// The names on the way to it.
    pub path: &'static [&'static str],
    /// Returns whether a value of it has the effect.
    pub is_set: fn(&Value) -> bool,
    /// The effect.
    pub effect: SettingEffect,
}

/// The effect of a setting, as a phrase.
#[derive(Clone, Copy, Debug)]
pub enum SettingEffect {
    /// It keeps the agent from wherefore's tools.
    Off(&'static str),
    /// It has the agent's own tools do something without a question.
    Past(&'static str),
}

/// Files that may hold such settings, beside those of the entry.
#[derive(Debug)]
pub struct LeverFiles {
    /// Below the project.
    pub project: &'static [&'static str],
    /// Below the agent's own folder.
    pub person: &'static [&'static str],
}

/// The client of an agent that the server knows by its name.
#[derive(Debug)]
pub struct McpClientProfile {
    /// The name that it gives to a server.
    pub name: &'static str,
    /// Seconds that its calls may wait, less a margin, unless the person sets a shorter limit.
    pub wait_s: u64,
}

impl PartialEq for AgentProfile {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for AgentProfile {}

impl SettingsEntryPath {
    /// The position of wherefore's entry in a container of entries.
    pub(super) const fn in_container(container: &'static str) -> Self {
        Self { container, name: super::PROGRAM }
    }

    /// The names on the way to the entry.
    pub fn entry_path(&self) -> [&str; 2] {
        [self.container, self.name]
    }
}

impl AgentFiles {
    /// No files but those of its editor, which `rules/builtin.txt` lists.
    pub(super) const NONE: Self = Self { programs: &[], instructions: &[] };
}

impl LeverFiles {
    /// No further file.
    pub(super) const NONE: Self = Self { project: &[], person: &[] };
}
