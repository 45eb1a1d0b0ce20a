//! What a call will touch.

use serde::{Deserialize, Serialize};

/// Kinds of access to a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// Its content or, for a folder, its listing.
    Read,
    /// Creating, changing or removing it.
    Write,
}

/// What a tool declares before it runs; the rules judge this, never the tool's name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effects {
    /// Paths read, as asked for.
    pub reads: Vec<String>,
    /// Paths written, as asked for.
    pub writes: Vec<String>,
    /// The command run, with its arguments.
    pub command: Option<Vec<String>>,
    /// What it reaches of the network.
    pub network: Vec<Network>,
    /// Whether the person consented to the command and the network: the definition is their own, or the activity asks
    /// them itself, as a server's does before it starts. The rules ask about any other.
    pub consented: bool,
    /// Whether the command runs in a sandbox that keeps its changes apart, and the project did not choose it: then the rules
    /// ask about some commands only.
    pub confined: bool,
}

/// A part of the network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Network {
    /// One host.
    Host(String),
    /// Any host.
    Any,
}

impl Effects {
    /// Reads `path`.
    pub fn read(path: impl Into<String>) -> Self {
        Self { reads: vec![path.into()], ..Self::default() }
    }

    /// Writes `path`.
    pub fn write(path: impl Into<String>) -> Self {
        Self { writes: vec![path.into()], ..Self::default() }
    }

    /// Every path with how it is touched.
    pub fn paths(&self) -> impl Iterator<Item = (Access, &str)> {
        let reads = self.reads.iter().map(|path| (Access::Read, path.as_str()));
        reads.chain(self.writes.iter().map(|path| (Access::Write, path.as_str())))
    }
}
