//! What a call touches: paths, commands and the network.

use std::fmt;

use crate::base::{FileId, WorkspacePath};
use crate::protocol::{Access, Effects, Network};

/// Something that is going to touch what its effects say: a call.
pub trait Effectful {
    /// What it is going to touch.
    fn effects(&self) -> &Effects;
}

/// One thing that a call is going to touch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Touch {
    /// A path is read or written.
    Path(PathTouch),
    /// A program runs.
    Command {
        /// The program and its arguments.
        argv: Vec<String>,
        /// Whether the person consented to it already.
        consented: bool,
        /// Whether it runs in a sandbox.
        confined: bool,
    },
    /// The network is reached.
    Network {
        /// The host, or all of it.
        reached: Network,
        /// Whether the person consented to it already.
        consented: bool,
    },
}

/// One access to a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathTouch {
    /// How the path is touched.
    pub access: Access,
    /// The path as the caller wrote it.
    pub asked: WorkspacePath,
    /// The path it leads to, symlinks followed.
    pub resolved: WorkspacePath,
    /// The regular file that stands there.
    pub file: Option<FileId>,
}

impl Touch {
    /// The command and the network of these effects.
    pub(super) fn outside(effects: &Effects) -> impl Iterator<Item = Self> {
        let Effects { consented, confined, .. } = *effects;
        let command = effects.command.iter();
        let command = command.map(move |argv| Self::Command { argv: argv.clone(), consented, confined });
        let reached = effects.network.iter();
        command.chain(reached.map(move |reached| Self::Network { reached: reached.clone(), consented }))
    }

    /// The access to a path, where it is one.
    pub fn path(&self) -> Option<&PathTouch> {
        match self {
            Self::Path(path) => Some(path),
            Self::Command { .. } | Self::Network { .. } => None,
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

/// What an access does, in a word.
pub(super) fn verb(access: Access) -> &'static str {
    match access {
        Access::Read => "read",
        Access::Write => "write",
    }
}
