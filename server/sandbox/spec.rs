//! The message from the server to the process that builds the sandbox: a plan whose every path is resolved.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::bytes::OsBytes;
use crate::plan::{NetworkAccess, RunLimits};
use crate::private_files::LostFiles;

/// The ways of confining a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ConfinementWay {
    /// In namespaces that this program makes.
    Namespaces,
    /// In namespaces that another program made around this one.
    Inside,
    /// By Landlock and seccomp alone.
    Landlock,
}

/// A command, and all that its sandbox shows.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SandboxSpec {
    pub(crate) way: ConfinementWay,
    pub(crate) argv: Vec<OsBytes>,
    /// True if the routine of this program runs, and no other program.
    pub(crate) is_routine: bool,
    /// `NAME=value`.
    pub(crate) env: Vec<OsBytes>,
    pub(crate) cwd: OsBytes,
    /// The private home folder, empty at the start.
    pub(crate) home: OsBytes,
    /// Its files at the start: paths below it, each with its bytes.
    pub(crate) home_files: Vec<(OsBytes, OsBytes)>,
    /// The folder of the host that is shown as `/tmp`; none where `/tmp` goes with the sandbox.
    #[serde(default)]
    pub(crate) temporary: Option<OsBytes>,
    /// The caches in the private home folder, each folder before its entries.
    #[serde(default)]
    pub(crate) caches: Vec<CacheSpec>,
    /// The paths of the host that are shown, each folder before its entries.
    pub(crate) shown: Vec<ShownPath>,
    /// Paths that are made read-only if they are there.
    pub(crate) protected: Vec<OsBytes>,
    /// Paths that are covered if they exist, so that they cannot be opened.
    pub(crate) masked: Vec<OsBytes>,
    /// Paths that are covered by something empty if they are there.
    pub(crate) emptied: Vec<OsBytes>,
    /// Files that are covered by other bytes if they are there.
    pub(crate) replaced: Vec<ReplacedFile>,
    /// The bytes of all of those, one after the other. They follow the message.
    #[serde(skip)]
    pub(crate) contents: Vec<u8>,
    pub(crate) overlays: Vec<OverlaySpec>,
    pub(crate) network: NetworkAccess,
    /// True if the command is in a network that others share, whose descriptors come with the plan.
    #[serde(default)]
    pub(crate) joins_network: bool,
    pub(crate) limits: RunLimits,
    /// True if the command gets a session of its own, without the caller's terminal.
    pub(crate) own_session: bool,
    /// True if the server waits for [`ControlMessage::Confined`].
    #[serde(default)]
    pub(crate) announces_confinement: bool,
}

/// A file that shows other bytes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ReplacedFile {
    pub(crate) path: OsBytes,
    /// The number of bytes that belong to this file.
    pub(crate) length: usize,
}

impl SandboxSpec {
    /// The files that show other bytes, each with its own.
    pub(crate) fn replacements(&self) -> impl Iterator<Item = (&Path, &[u8])> {
        let mut rest = self.contents.as_slice();
        self.replaced.iter().map(move |replaced| {
            let (own, others) = rest.split_at_checked(replaced.length).unwrap_or_default();
            rest = others;
            (replaced.path.as_path(), own)
        })
    }
}

/// A path of the host that the sandbox shows at its own place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ShownPath {
    pub(crate) path: OsBytes,
    pub(crate) how: ShowMode,
}

/// The ways of showing a path of the host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ShowMode {
    /// The path can be read.
    ReadOnly,
    /// The path can be read and written.
    Writable,
    /// The folder can be listed, of which Landlock shows some entries.
    Listed,
    /// The path is the symlink that it is on the host.
    Link(OsBytes),
}

/// A cache in the private home folder.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum CacheSpec {
    /// A folder that is shown at a path.
    Whole { at: OsBytes, folder: OsBytes },
    /// Layers over the host's cache.
    Layered(OverlaySpec),
}

/// The layers over one writable folder.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct OverlaySpec {
    pub(crate) at: OsBytes,
    /// The changes of earlier commands, between the folder and the layer that is written.
    pub(crate) earlier: Option<OsBytes>,
    pub(crate) upper: OsBytes,
    pub(crate) work: OsBytes,
}

/// A message from the processes of the sandbox to the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ControlMessage {
    /// The listener of the proxy comes with this message.
    Proxy,
    /// The namespaces of a network come with this message.
    Network,
    /// To the process that keeps a network: a socket is wanted. From it: the socket comes with this message.
    Socket { is_v6: bool },
    /// The sandbox is built and its walls stand; the program is executed next.
    Confined,
    /// The sandbox was not built, or the program not executed.
    Failed {
        stage: BuildStage,
        errno: i32,
        /// The path that it happened at.
        path: Option<OsBytes>,
    },
    /// The command ended, or a limit ended it. Where the processes of the sandbox are gone by then too, this is the last
    /// word, and holds what they used.
    Ended {
        code: Option<i32>,
        signal: Option<i32>,
        limit: Option<LimitKind>,
        peak_memory: u64,
        used: Option<UsedByAll>,
        /// The files that it left in its private folders.
        #[serde(default)]
        lost: LostFiles,
    },
    /// All processes are gone.
    Gone(UsedByAll),
}

/// The total use of all processes of a sandbox.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct UsedByAll {
    /// Processor time, in microseconds.
    pub(crate) cpu_us: u64,
    /// The resident memory of the largest process, in bytes.
    pub(crate) largest: u64,
}

/// The step of building a sandbox that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum BuildStage {
    /// The message with the plan was read.
    #[error("reading the plan")]
    Plan,
    /// The namespaces were made.
    #[error("making namespaces")]
    Namespaces,
    /// The root file system was built.
    #[error("building the root file system")]
    Root,
    /// A path of the host was shown.
    #[error("showing a path")]
    Show,
    /// A path was made read-only or covered.
    #[error("protecting a path")]
    Protect,
    /// An overlay was mounted.
    #[error("mounting an overlay")]
    Overlay,
    /// The network namespace was set up.
    #[error("setting up the network namespace")]
    Network,
    /// Limits were set and rights dropped.
    #[error("dropping rights")]
    Rights,
    /// Landlock was applied.
    #[error("applying Landlock")]
    Landlock,
    /// The filter of system calls was applied.
    #[error("applying seccomp")]
    Seccomp,
    /// The command's folder was entered.
    #[error("entering the command's folder")]
    Folder,
    /// The program was executed.
    #[error("executing the program")]
    Execute,
}

/// The limit that ended a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitKind {
    /// It ran too long.
    Wall,
    /// It used too much processor time.
    Cpu,
    /// It used too much memory.
    Memory,
    /// It had too many processes.
    Processes,
    /// It filled the disk.
    Disk,
}
