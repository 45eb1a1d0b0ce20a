//! Settings of the sandbox that commands run in.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The treatment of files that a command changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CommandEffects {
    /// The changes become a proposal.
    Review,
    /// The changes are written, and can be undone.
    Apply,
}

/// The treatment of a command's changes to paths that git ignores and does not track, the strictest last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IgnoredEffects {
    /// It is written when the command ends, and counted and named in the answer.
    #[default]
    Write,
    /// It is kept apart in a layer that later commands see, until the person takes it over or drops it.
    Session,
    /// It is proposed like any other change.
    Review,
}

/// The reach of the ports that a session's commands listen on, the strictest last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PortForwarding {
    /// The person's programs reach them too, at 127.0.0.1.
    #[default]
    Forward,
    /// The session's commands alone reach them.
    Off,
}

/// The treatment of commands whose changes cannot be kept in a layer, since the kernel gives no namespaces of our own; the
/// strictest last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WithoutOverlay {
    /// Such a command runs unasked. What it may change is kept beforehand, and what it changed is reviewed afterwards.
    #[default]
    Afterwards,
    /// The person is asked before each such command. What it changed is reviewed afterwards.
    Ask,
    /// No such command runs.
    Refuse,
}

/// `[sandbox]`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SandboxSettings {
    /// The treatment of files that a command changes. When absent, new files of builds and tests are applied, and all
    /// other changes are reviewed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effects: Option<CommandEffects>,
    /// The treatment of a command's changes to paths that git ignores and does not track.
    pub ignored: IgnoredEffects,
    /// The reach of the ports that a session's commands listen on.
    pub ports: PortForwarding,
    /// The treatment of commands whose changes cannot be kept in a layer.
    pub without_overlay: WithoutOverlay,
    /// Further commands that count as builds and tests, each by its first words: `"just check"`.
    pub builds: Vec<String>,
    /// Further folders with compilers and interpreters that commands may read; `~/` is the home folder.
    pub toolchains: Vec<String>,
    /// Names of further environment variables that commands are given.
    pub env: Vec<String>,
    /// Megabytes of memory that a command and all that it started may use.
    pub memory_mb: u64,
    /// Processes and threads that a command may have at once.
    pub processes: u32,
}

impl Default for SandboxSettings {
    fn default() -> Self {
        Self {
            effects: None,
            ignored: IgnoredEffects::default(),
            ports: PortForwarding::default(),
            without_overlay: WithoutOverlay::default(),
            builds: Vec::new(),
            toolchains: Vec::new(),
            env: Vec::new(),
            memory_mb: 4096,
            processes: 1024,
        }
    }
}
