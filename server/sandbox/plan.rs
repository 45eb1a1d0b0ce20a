//! The plan of a run: what is run, what it may touch, how long and how much.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::guard::PathGuard;
use crate::session_network::NetworkNamespaces;
use crate::tier::SandboxLevel;

/// The plan of a run: the command, and its access to the machine. [`SandboxPlan::new`] makes one without write access
/// and without network.
#[derive(Clone, Debug)]
pub struct SandboxPlan {
    /// The program and its arguments. A program without a slash is searched in the `PATH` of the sandbox.
    pub argv: Vec<OsString>,
    /// True if the routine of [`enter_with`](crate::enter_with) runs in place of a program. The sandbox shows no
    /// programs of the system then, and `argv` only names the routine.
    pub is_routine: bool,
    /// The folder that the command starts in. The sandbox must show it.
    pub cwd: PathBuf,
    /// Variables in addition to `PATH`, `HOME`, `LANG`, `TERM` and `TMPDIR`; a later one replaces an earlier one.
    pub env: Vec<(OsString, OsString)>,
    /// Folders and files that the command reads, such as the workspace and toolchains.
    pub read_only: Vec<PathBuf>,
    /// Folders of programs that the command reads. They hold no sockets; they are not looked through for any.
    pub toolchains: Vec<PathBuf>,
    /// Folders and files that the command writes.
    pub writable: Vec<PathBuf>,
    /// Paths below writable ones that stay read-only, in addition to those that `guard` closes.
    pub protected: Vec<PathBuf>,
    /// Writable folders in which nothing stays read-only: the reader of their layers judges what was written.
    pub open: Vec<PathBuf>,
    /// Closes entries of writable folders by their paths. Those that are there when the command starts stay read-only if it
    /// writes at once, and at the top of every writable folder; those that it makes are moved away afterwards.
    pub guard: PathGuard,
    /// Paths that the command finds closed: to open one is an error.
    pub masked: Vec<PathBuf>,
    /// Paths that the command finds empty, and only reads: a folder that holds nothing, a file of no bytes. Without
    /// namespaces they are closed.
    pub emptied: Vec<PathBuf>,
    /// Files that the command finds with other bytes, and only reads. Without namespaces they are closed.
    pub replaced: Vec<FileReplacement>,
    /// Files that stand covered in a layer already. Their further names are covered as those of emptied files are.
    pub covered: Vec<PathBuf>,
    /// Files that the command finds in its private home folder, each by its path below it. It may write them.
    pub home_files: Vec<FileReplacement>,
    /// The folder that the command finds as `/tmp`, and that stays when it has ended. Without one, without namespaces, and if
    /// another path that it is shown lies below `/tmp`, the command has a `/tmp` of its own, which goes with it.
    pub temporary: Option<PathBuf>,
    /// The caches that the command finds in its private home folder, in namespaces. One that cannot be shown is left out.
    pub caches: Vec<CacheFolder>,
    /// The network access of the command.
    pub network: NetworkAccess,
    /// A network that the command shares with others, if `network` is off. Only namespaces offer it; elsewhere the command
    /// has none.
    pub shared_network: Option<Arc<NetworkNamespaces>>,
    /// The limits on time and resources.
    pub limits: RunLimits,
    /// The treatment of writes.
    pub effects: WriteEffects,
    /// The changes of earlier commands, shown over a writable folder with an overlay and below the changes of this
    /// command.
    pub earlier: Option<EarlierLayer>,
    /// The destination of the standard streams.
    pub streams: StandardStreams,
    /// The lowest tier that this command may run in. Where the machine offers less, the run is refused.
    pub lowest: SandboxLevel,
    /// A private folder outside of all writable ones. What a command planted is moved there.
    pub quarantine: Option<PathBuf>,
}

/// A cache in the private home folder of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheFolder {
    /// The path, on the host too.
    pub at: PathBuf,
    /// The folder that holds what commands write.
    pub upper: PathBuf,
    /// The folder that the kernel works in where `upper` is a layer over the host's cache; without one `upper` alone is shown.
    pub work: Option<PathBuf>,
    /// A layer between the two.
    pub earlier: Option<PathBuf>,
}

/// A layer of earlier commands over a folder: what they made, and whiteouts for what they removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EarlierLayer {
    /// The folder that it lies over.
    pub over: PathBuf,
    /// The path of the layer.
    pub folder: PathBuf,
}

/// The bytes that a command finds in a file in place of those that it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileReplacement {
    /// The file. Where it is not there, nothing is shown.
    pub path: PathBuf,
    /// The bytes.
    pub bytes: Arc<[u8]>,
}

/// The network access of a command. Its own loopback device is always up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NetworkAccess {
    /// Nothing.
    Off,
    /// A proxy of the caller's, at `http://127.0.0.1:3128` inside. Its listener is
    /// [`RunningCommand::proxy`](crate::RunningCommand::proxy); the caller accepts the connections and decides which
    /// hosts are reached.
    Proxy,
}

/// Limits on the time and resources of a run. `None` is no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunLimits {
    /// From the start of the command to its end.
    pub wall: Option<Duration>,
    /// The processor time of all processes together.
    pub cpu: Option<Duration>,
    /// The private memory of all processes and the contents of their private folders, in bytes.
    pub memory: Option<u64>,
    /// The highest number of processes and threads at once.
    pub processes: Option<u32>,
    /// The size of a file that is written, in bytes.
    pub file_size: Option<u64>,
    /// The largest decrease of the free space of the writable folders' file system, in bytes. A file counts as 4 KiB
    /// at least.
    pub disk: Option<u64>,
    /// The size of the private `/tmp`, the private home and `/dev/shm` together, in bytes.
    pub scratch: u64,
}

impl Default for RunLimits {
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

/// The treatment of a command's writes below writable folders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteEffects {
    /// It is written at once.
    WriteThrough,
    /// It stays in layers of its own; the folders themselves are never changed.
    Overlay {
        /// An existing, empty, private folder on a file system with extended attributes of users.
        /// [`OverlayLayers::changes`](crate::OverlayLayers::changes) reads what was changed in it.
        folder: PathBuf,
        /// The writable folders that are written at once in spite of the overlay, such as build folders in a
        /// workspace.
        direct: Vec<PathBuf>,
    },
}

/// The destination of a command's standard streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StandardStreams {
    /// Output and errors go into pipes that [`RunningCommand`](crate::RunningCommand) holds; input comes from a pipe
    /// when `input` is set, else from nowhere.
    Piped {
        /// True if the caller writes the input.
        input: bool,
    },
    /// The streams and the terminal of this process.
    Inherited,
}

impl SandboxPlan {
    /// The network that the command joins, in namespaces.
    pub(crate) fn joined_network(&self) -> Option<&Arc<NetworkNamespaces>> {
        self.shared_network.as_ref().filter(|_| self.network == NetworkAccess::Off)
    }

    /// Creates a plan that reads `root` and starts there, without write access and without network.
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
            open: Vec::new(),
            guard: PathGuard::default(),
            masked: Vec::new(),
            emptied: Vec::new(),
            replaced: Vec::new(),
            covered: Vec::new(),
            home_files: Vec::new(),
            temporary: None,
            caches: Vec::new(),
            network: NetworkAccess::Off,
            shared_network: None,
            limits: RunLimits::default(),
            effects: WriteEffects::WriteThrough,
            earlier: None,
            streams: StandardStreams::Piped { input: false },
            lowest: SandboxLevel::Namespaces,
            quarantine: None,
        }
    }

    /// A plan that runs the routine of [`enter_with`](crate::enter_with), called `name`, and shows it no file of the host.
    #[must_use]
    pub fn of_routine(name: impl Into<OsString>) -> Self {
        Self { is_routine: true, read_only: Vec::new(), ..Self::new("/", [name]) }
    }

    /// The paths whose content the command must not find, under any name.
    pub(crate) fn hidden_paths(&self) -> impl Iterator<Item = &PathBuf> {
        let replaced = self.replaced.iter().map(|replacement| &replacement.path);
        self.masked.iter().chain(&self.emptied).chain(&self.covered).chain(replaced)
    }

    /// Returns the plan with another folder or file that may be written.
    #[must_use]
    pub fn with_writable(mut self, path: impl Into<PathBuf>) -> Self {
        self.writable.push(path.into());
        self
    }
}
