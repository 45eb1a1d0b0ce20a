//! The touches of a call: paths, commands and the network.

use std::fmt;

use crate::base::{FileId, WorkspacePath};
use crate::protocol::{CallEffects, NetworkTarget, PathAccess};

/// A thing that is going to touch what its effects state: a call.
pub trait Effectful {
    /// The effects that it will have.
    fn declared_effects(&self) -> &CallEffects;
}

/// A touch of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Touch {
    /// A path is read or written.
    Path(PathTouch),
    /// A program runs.
    Command {
        /// The program and its arguments.
        argv: Vec<String>,
        /// True where the person consented to it already.
        consented: bool,
        /// True where it runs in a sandbox.
        confined: bool,
        /// True where a definition of the project chose it, and the person can allow that tool for always.
        of_project: bool,
    },
    /// The network is reached.
    Network {
        /// The host, or all of it.
        reached: NetworkTarget,
        /// True where the person consented to it already.
        consented: bool,
    },
    /// The processes of the machine are listed, with their arguments.
    Processes,
}

/// An access to a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathTouch {
    /// The kind of access.
    pub access: PathAccess,
    /// The path as the caller wrote it.
    pub asked: WorkspacePath,
    /// The path it leads to, symlinks followed.
    pub resolved: WorkspacePath,
    /// The regular file that is there.
    pub file: Option<FileId>,
}

impl Touch {
    /// The command, the network and the processes of these effects.
    pub(super) fn acts_of(effects: &CallEffects) -> impl Iterator<Item = Self> {
        let CallEffects { consented, confined, of_project, .. } = *effects;
        let command = effects.command.iter();
        let command =
            command.map(move |argv| Self::Command { argv: argv.clone(), consented, confined, of_project });
        let reached = effects.network.iter();
        let reached = reached.map(move |reached| Self::Network { reached: reached.clone(), consented });
        command.chain(reached).chain(effects.processes.then_some(Self::Processes))
    }

    /// The access to a path, where it is one.
    pub fn as_path(&self) -> Option<&PathTouch> {
        match self {
            Self::Path(path) => Some(path),
            Self::Command { .. } | Self::Network { .. } | Self::Processes => None,
        }
    }
}

/// The path, with where it leads to where that is elsewhere.
impl fmt::Display for PathTouch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { asked, resolved, .. } = self;
        match asked == resolved {
            true => write!(f, "`{asked}`"),
            false => write!(f, "`{asked}`, which leads to `{resolved}`"),
        }
    }
}

/// Returns the verb for an access.
pub(super) fn access_verb(access: PathAccess) -> &'static str {
    match access {
        PathAccess::Read => "read",
        PathAccess::Write => "write",
    }
}
