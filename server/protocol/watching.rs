//! How a watch stands: what it watches, what waits, what it had to read again and why.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How changes are learnt of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WatchMode {
    /// The kernel tells.
    Native,
    /// Everything is read again before an answer, and every few seconds.
    Polling,
    /// Some folders are read again, the kernel tells of the others.
    Mixed,
}

/// Why files were read again that had been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RescanReason {
    /// The watch was started.
    Started,
    /// More happened than the kernel keeps for us.
    Overflow,
    /// Another folder stands at the root's path.
    RootReplaced,
    /// Nothing stands at the root's path.
    RootMissing,
    /// An ignore file changed, or a repository came or went.
    RulesChanged,
    /// A file system was mounted or unmounted.
    Unmounted,
    /// More changed at once than is told one by one.
    TooManyChanges,
    /// This listener was too slow; what it missed is not kept.
    Lagged,
}

/// When files were last read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rescan {
    /// Why.
    pub reason: RescanReason,
    /// When it began, in seconds since 1970.
    pub at: u64,
    /// How long it took, in milliseconds.
    pub took_ms: u64,
}

/// How a watch stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WatchStatus {
    /// How changes are learnt of.
    pub mode: WatchMode,
    /// Folders that the kernel watches for us.
    pub folders_watched: usize,
    /// Folders that are read again before each answer.
    pub folders_polled: usize,
    /// Files in the list.
    pub files: usize,
    /// The generation of the list.
    pub generation: u64,
    /// Events that the kernel keeps for us and that were not looked at yet, at most.
    pub pending: u64,
    /// Files whose change listeners were not told of yet.
    pub untold: usize,
    /// When, why and for how long files were last read again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_rescan: Option<Rescan>,
    /// What is not as it should be, each with a way out.
    pub problems: Vec<String>,
}
