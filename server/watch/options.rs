//! What a watch is told when it is started.

use std::time::Duration;

/// How a folder is watched. The default is what the server uses.
#[derive(Clone, Debug)]
pub struct Options {
    /// Names of hidden files and folders (`.github`) that are listed all the same, unless an ignore file names them.
    /// `.git` and `.wherefore` never are.
    pub hidden: Vec<String>,
    /// Folders that the kernel may watch for us at most; the others are read anew before each answer.
    pub max_watches: usize,
    /// Files that are listed at most; it bounds the memory.
    pub max_files: usize,
    /// Whether the kernel is not asked at all and everything is read anew before each answer.
    pub polling: bool,
    /// Whether ignore files above the root, and the person's own git excludes, count as ripgrep has them count.
    pub outer_rules: bool,
    /// The quiet after which listeners hear of changes.
    pub quiet: Duration,
    /// How long changes may follow each other before listeners hear of them all the same.
    pub longest: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            hidden: Vec::new(),
            max_watches: usize::MAX,
            max_files: 2_000_000,
            polling: false,
            outer_rules: true,
            quiet: Duration::from_millis(50),
            longest: Duration::from_millis(500),
        }
    }
}
