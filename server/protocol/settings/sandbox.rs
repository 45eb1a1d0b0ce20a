//! Settings of the sandbox that commands run in.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What becomes of the files that a command changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CommandEffects {
    /// The changes become a proposal.
    Review,
    /// The changes are written, and can be undone.
    Apply,
}

/// `[sandbox]`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SandboxSettings {
    /// What becomes of the files that a command changes. When absent, the changes of builds and tests are applied, and those
    /// of other commands are reviewed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effects: Option<CommandEffects>,
    /// Further commands that count as builds and tests, each by its first words: `"just check"`.
    pub builds: Vec<String>,
    /// Further folders with compilers and interpreters that commands may read; `~/` stands for the home folder.
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
            builds: Vec::new(),
            toolchains: Vec::new(),
            env: Vec::new(),
            memory_mb: 4096,
            processes: 1024,
        }
    }
}
