//! The plan of a run: what is run, what it may touch, how long and how much.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::tier::Level;

/// Names that are read-only wherever they stand in a writable folder: what they hold makes programs outside of the sandbox
/// run something, steers an agent, or is a record that the sandbox must not change.
pub const PROTECTED_NAMES: [&str; 16] = [
    ".git",
    ".wherefore",
    ".vscode",
    ".idea",
    ".devcontainer",
    ".husky",
    ".cursor",
    ".claude",
    ".mcp.json",
    ".envrc",
    ".nvim.lua",
    ".nvimrc",
    ".exrc",
    ".gitmodules",
    ".gitconfig",
    "session-log.md",
];

/// What a run is, and what it may touch. [`Plan::new`] makes one that may write nothing and reach nobody.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The program and its arguments. A program without a slash is searched in the `PATH` of the sandbox.
    pub argv: Vec<OsString>,
    /// Whether the routine of [`enter_with`](crate::enter_with) runs in place of a program. The sandbox shows no programs
    /// of the system then, and `argv` only names the routine.
    pub is_routine: bool,
    /// The folder that the command starts in. The sandbox must show it.
    pub cwd: PathBuf,
    /// Variables beside `PATH`, `HOME`, `LANG`, `TERM` and `TMPDIR`; a later one replaces an earlier one.
    pub env: Vec<(OsString, OsString)>,
    /// Folders and files that the command reads, such as the workspace and toolchains.
    pub read_only: Vec<PathBuf>,
    /// Folders of programs that the command reads. They hold no sockets; they are not looked through for any.
    pub toolchains: Vec<PathBuf>,
    /// Folders and files that the command writes.
    pub writable: Vec<PathBuf>,
    /// Paths below writable ones that stay read-only, beside what [`PROTECTED_NAMES`] names in each writable folder.
    pub protected: Vec<PathBuf>,
    /// Paths that the command finds closed.
    pub masked: Vec<PathBuf>,
    /// What of the network the command reaches.
    pub network: Network,
    /// How long and how much.
    pub limits: Limits,
    /// What becomes of writes.
    pub effects: Effects,
    /// Where the standard streams lead.
    pub streams: Streams,
    /// The lowest tier that this command may run in. Where the machine offers less, the run is refused.
    pub lowest: Level,
    /// A private folder outside of all writable ones. What a command planted is moved there.
    pub quarantine: Option<PathBuf>,
}

/// What of the network a command reaches. Its own loopback device is always up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Network {
    /// Nothing.
    Off,
    /// A proxy of the caller's, at `http://127.0.0.1:3128` inside. [`Running::proxy`](crate::Running::proxy) is the
    /// listener; who accepts its connections decides which hosts are reached.
    Proxy,
}

/// How long a run may take and how much it may use. `None` is no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// From the start of the command to its end.
    pub wall: Option<Duration>,
    /// The processor time of all processes together.
    pub cpu: Option<Duration>,
    /// The private memory of all processes together, in bytes.
    pub memory: Option<u64>,
    /// How many processes and threads there are at once.
    pub processes: Option<u32>,
    /// The size of a file that is written, in bytes.
    pub file_size: Option<u64>,
    /// By how much the free space of the writable folders' file system may shrink, in bytes. A file counts as 4 KiB at least.
    pub disk: Option<u64>,
    /// The size of the private `/tmp`, the private home and `/dev/shm` together, in bytes.
    pub scratch: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            wall: Some(Duration::from_secs(30)),
            cpu: None,
            memory: Some(4 << 30),
            processes: Some(1024),
            file_size: Some(4 << 30),
            disk: Some(8 << 30),
            scratch: 1 << 30,
        }
    }
}

/// What becomes of what a command writes below writable folders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effects {
    /// It is written at once.
    WriteThrough,
    /// It stays in layers of its own; the folders themselves are never changed.
    Overlay {
        /// An existing, empty, private folder on a file system with extended attributes of users.
        /// [`Overlay::changes`](crate::Overlay::changes) reads what was changed in it.
        folder: PathBuf,
        /// Those of the writable folders that are written at once all the same, such as build folders in a workspace.
        direct: Vec<PathBuf>,
    },
}

/// Where the standard streams of a command lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Streams {
    /// Output and errors into pipes that [`Running`](crate::Running) holds; input from a pipe when `input` is set, else
    /// from nowhere.
    Piped {
        /// Whether the caller writes the input.
        input: bool,
    },
    /// The streams and the terminal of this process.
    Inherited,
}

impl Plan {
    /// A plan that reads `root` and starts there, writes nothing, and reaches nobody.
    #[must_use]
    pub fn new(root: impl Into<PathBuf>, argv: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        let root = root.into();
        Self {
            argv: argv.into_iter().map(Into::into).collect(),
            is_routine: false,
            cwd: root.clone(),
            env: Vec::new(),
            read_only: vec![root],
            toolchains: Vec::new(),
            writable: Vec::new(),
            protected: Vec::new(),
            masked: Vec::new(),
            network: Network::Off,
            limits: Limits::default(),
            effects: Effects::WriteThrough,
            streams: Streams::Piped { input: false },
            lowest: Level::Namespaces,
            quarantine: None,
        }
    }

    /// A plan that runs the routine of [`enter_with`](crate::enter_with), called `name`, and shows it no file of the host.
    #[must_use]
    pub fn of_routine(name: impl Into<OsString>) -> Self {
        Self { is_routine: true, read_only: Vec::new(), ..Self::new("/", [name]) }
    }

    /// The same plan with a folder or a file that may be written.
    #[must_use]
    pub fn writing(mut self, path: impl Into<PathBuf>) -> Self {
        self.writable.push(path.into());
        self
    }
}
