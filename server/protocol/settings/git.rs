//! `[git]`: the decision on the commands' changes of the repository.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The decision on commits, branches, tags, stashes and staged changes that a command of an agent makes. Ordered from the
/// loosest to the strictest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CommitDecision {
    /// They are taken over when the command ends and its changes of files are accepted.
    Allow,
    /// They are decided as changes are: by the policy, or by the person.
    #[default]
    Ask,
    /// The repository is read-only to commands.
    Deny,
}

/// `[git]`
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GitSettings {
    /// The decision on the commands' changes of the repository.
    pub commit: CommitDecision,
}
