//! The changes of a workspace's repository by commands.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The changes of a repository by commands that wait for a decision, as one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RepositoryChange {
    /// The words for it: `commit 3 files on main: fix the limit`.
    pub summary: String,
    /// Files that it holds otherwise than the workspace does: no person accepted that, or it changed since.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_accepted: Vec<String>,
    /// Files that an earlier one of its commits holds otherwise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub passing: Vec<String>,
    /// A sentence for each reason why it cannot be taken over.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub obstacles: Vec<String>,
    /// A sentence for each part that is left out when it is taken over.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// A person's decision on what commands did to the repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RepositoryAct {
    /// It is taken over: objects, references, index and logs.
    Take,
    /// It is removed.
    Drop,
    /// The references that were taken over last are moved back.
    Undo,
}

impl RepositoryAct {
    /// The word for it once it is done.
    pub fn word(self) -> &'static str {
        match self {
            Self::Take => "taken over",
            Self::Drop => "dropped",
            Self::Undo => "moved back",
        }
    }
}
