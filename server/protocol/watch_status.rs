//! The status of a watch: the watched folders, pending events, and the last rescan with its reason.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The way that changes are detected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WatchMode {
    /// By notifications of the kernel.
    Native,
    /// Everything is read again before an answer, and every few seconds.
    Polling,
    /// Some folders are read again, the kernel notifies of the others.
    Mixed,
}

/// The back ends that detect changes of files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WatchBackend {
    /// The best that the system has: `inotify` on Linux, `notify` elsewhere; `poll` for the folders that it cannot
    /// watch.
    #[default]
    Auto,
    /// Linux's inotify, read by wherefore itself. Folders that it cannot watch are read again.
    Inotify,
    /// The system's own watcher by the library notify, and `poll` for the folders that it cannot watch.
    Notify,
    /// All folders are read again: by the library notify every few seconds, and before each answer.
    Poll,
}

/// The reason why files were read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RescanReason {
    /// The watch was started.
    Started,
    /// More happened than the kernel keeps for us.
    Overflow,
    /// Another folder is at the root's path.
    RootReplaced,
    /// There is nothing at the root's path.
    RootMissing,
    /// An ignore file changed, or a repository came or went.
    RulesChanged,
    /// A file system was mounted or unmounted.
    Unmounted,
    /// More changed at once than is reported one by one.
    TooManyChanges,
    /// This listener was too slow; the changes that it missed are not kept.
    Lagged,
}

/// The last time that files were read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rescan {
    /// The reason.
    pub reason: RescanReason,
    /// When it began, in seconds since 1970.
    pub at: u64,
    /// The duration, in milliseconds.
    pub took_ms: u64,
}

/// The status of a watch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WatchStatus {
    /// The way that changes are detected.
    pub mode: WatchMode,
    /// The back end that is used: never `auto`.
    pub backend: WatchBackend,
    /// Folders that the kernel watches for us.
    pub folders_watched: usize,
    /// Folders that are read again before each answer.
    pub folders_polled: usize,
    /// Files in the list.
    pub files: usize,
    /// The generation of the list.
    pub generation: u64,
    /// Events that the kernel keeps for this process and that were not read yet, at most.
    pub pending: u64,
    /// Files whose change was not reported to listeners yet.
    pub untold: usize,
    /// The last rescan, with its reason and duration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_rescan: Option<Rescan>,
    /// Problems, each with a way out.
    pub problems: Vec<String>,
}
