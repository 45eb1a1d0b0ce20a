//! The effects that a call declares.

use serde::{Deserialize, Serialize};

/// Kinds of access to a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PathAccess {
    /// Its content or, for a folder, its listing.
    Read,
    /// Creating, changing or removing it.
    Write,
}

/// The effects that a tool declares before it runs; the rules judge these, never the tool's name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallEffects {
    /// Paths read, as asked for.
    pub reads: Vec<String>,
    /// Paths written, as asked for.
    pub writes: Vec<String>,
    /// The command run, with its arguments.
    pub command: Option<Vec<String>>,
    /// The parts of the network that it reaches.
    pub network: Vec<NetworkTarget>,
    /// True if it learns which processes run on the machine.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub processes: bool,
    /// True if the person consented to the command and the network: the definition is their own, or the activity
    /// itself asks them, as that of a server does before it starts. The rules ask about any other.
    pub consented: bool,
    /// True if the command runs in a sandbox that keeps its changes apart, and the project did not choose it: the
    /// rules then ask about some commands only.
    pub confined: bool,
    /// True if a definition of the project chose the command, and the person can allow that tool for always.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub of_project: bool,
    /// True if the sandbox of a command that would be `confined` cannot keep its changes apart: the settings decide whether
    /// it runs as one that is.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unlayered: bool,
}

/// A part of the network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NetworkTarget {
    /// A single host.
    Host(String),
    /// Any host.
    Any,
}

impl CallEffects {
    /// Reads `path`.
    pub fn read(path: impl Into<String>) -> Self {
        Self { reads: vec![path.into()], ..Self::default() }
    }

    /// Writes `path`.
    pub fn write(path: impl Into<String>) -> Self {
        Self { writes: vec![path.into()], ..Self::default() }
    }

    /// Returns every path with the kind of access.
    pub fn paths(&self) -> impl Iterator<Item = (PathAccess, &str)> {
        let reads = self.reads.iter().map(|path| (PathAccess::Read, path.as_str()));
        reads.chain(self.writes.iter().map(|path| (PathAccess::Write, path.as_str())))
    }
}
