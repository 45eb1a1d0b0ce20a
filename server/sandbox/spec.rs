//! What the server tells the process that builds the sandbox: a plan whose every path is resolved.

use serde::{Deserialize, Serialize};

use crate::bytes::Bytes;
use crate::plan::{Limits, Network};

/// How a command is confined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Way {
    /// In namespaces that this program makes.
    Namespaces,
    /// In namespaces that another program made around this one.
    Inside,
    /// By Landlock and seccomp alone.
    Landlock,
}

/// A command, and all that its sandbox shows.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Spec {
    pub(crate) way: Way,
    pub(crate) argv: Vec<Bytes>,
    /// Whether the routine of this program runs, and no other program.
    pub(crate) is_routine: bool,
    /// `NAME=value`.
    pub(crate) env: Vec<Bytes>,
    pub(crate) cwd: Bytes,
    /// The private home folder, empty at the start.
    pub(crate) home: Bytes,
    /// What of the host is shown, parents before what lies in them.
    pub(crate) shown: Vec<Shown>,
    /// Paths that are made read-only where they are there.
    pub(crate) protected: Vec<Bytes>,
    /// Paths that are covered where they are there.
    pub(crate) masked: Vec<Bytes>,
    pub(crate) overlays: Vec<Layers>,
    pub(crate) network: Network,
    pub(crate) limits: Limits,
    /// Whether the command gets a session of its own, without the caller's terminal.
    pub(crate) own_session: bool,
}

/// One path of the host that the sandbox shows at the same place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Shown {
    pub(crate) path: Bytes,
    pub(crate) how: How,
}

/// How a path of the host is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum How {
    /// To read.
    ReadOnly,
    /// To read and to write.
    Writable,
    /// To list what it holds, where Landlock shows some of that.
    Listed,
    /// As the symlink that it is on the host.
    Link(Bytes),
}

/// The layers over one writable folder.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Layers {
    pub(crate) at: Bytes,
    pub(crate) upper: Bytes,
    pub(crate) work: Bytes,
}

/// What the processes of the sandbox tell the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Word {
    /// The listener of the proxy comes with this message.
    Proxy,
    /// The sandbox was not built, or the program not executed.
    Failed {
        stage: Stage,
        errno: i32,
        /// The path that it happened at.
        path: Option<Bytes>,
    },
    /// The command ended, or a limit ended it. Where the processes of the sandbox are gone by then too, this is the last
    /// word, and holds what they used.
    Ended {
        code: Option<i32>,
        signal: Option<i32>,
        limit: Option<Limit>,
        peak_memory: u64,
        used: Option<UsedByAll>,
    },
    /// All processes are gone.
    Gone(UsedByAll),
}

/// What all processes of a sandbox used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct UsedByAll {
    /// Processor time, in microseconds.
    pub(crate) cpu_us: u64,
    /// The resident memory of the largest process, in bytes.
    pub(crate) largest: u64,
}

/// What was being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum Stage {
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
pub enum Limit {
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
