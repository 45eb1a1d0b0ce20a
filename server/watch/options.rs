//! The options of a watch.

use std::time::Duration;

use crate::protocol::WatchBackend;

/// The options of watching a folder. The server uses the defaults.
#[derive(Clone, Debug)]
pub struct WatchOptions {
    /// Names of hidden files and folders (`.github`) that are listed all the same, unless an ignore file names them.
    /// `.git` and `.wherefore` never are.
    pub hidden: Vec<String>,
    /// The most folders that the kernel watches for this process; the others are read again before each answer.
    pub max_watches: usize,
    /// Files that are listed at most; it bounds the memory.
    pub max_files: usize,
    /// The way that changes are detected.
    pub backend: WatchBackend,
    /// True if ignore files above the root, and the person's own git excludes, apply as in ripgrep.
    pub outer_rules: bool,
    /// The quiet time after which listeners get the changes.
    pub quiet: Duration,
    /// The longest time that changes may follow each other before listeners get them.
    pub longest: Duration,
}

impl Default for WatchOptions {
    fn default() -> Self {
        Self {
            hidden: Vec::new(),
            max_watches: usize::MAX,
            max_files: 2_000_000,
            backend: WatchBackend::Auto,
            outer_rules: true,
            quiet: Duration::from_millis(50),
            longest: Duration::from_millis(500),
        }
    }
}

/// Returns the back end that is used for a choice: on Linux inotify by default, elsewhere notify.
pub(super) fn in_use(chosen: WatchBackend) -> WatchBackend {
    match chosen {
        WatchBackend::Notify | WatchBackend::Poll => chosen,
        _ if cfg!(target_os = "linux") => WatchBackend::Inotify,
        _ => WatchBackend::Notify,
    }
}
