//! The worst effect of a tool's calls.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The worst effect of a call of the tool; shown to people and to clients, never a permission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// It only reads, or only returns text.
    Read,
    /// It changes files.
    Write,
    /// It runs a program.
    Execute,
    /// It reaches the network.
    Network,
}

impl Risk {
    /// Every risk with its word, from the least to the most.
    pub const ALL: [(&'static str, Self); 4] = [
        ("read", Self::Read),
        ("write", Self::Write),
        ("execute", Self::Execute),
        ("network", Self::Network),
    ];

    /// The word that definitions use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Execute => "execute",
            Self::Network => "network",
        }
    }
}
