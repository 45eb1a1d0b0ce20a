//! Why an agent is not served, and the faults of that.

use std::io;
use std::path::PathBuf;

use serde_json::Value;
use thiserror::Error;

use crate::protocol::Fault;
use crate::socket::SocketError;

/// Why an agent is not served, or no longer.
#[derive(Debug, Error)]
pub(in crate::cli) enum ServeError {
    /// The runtime folder cannot be used.
    #[error(transparent)]
    Socket(#[from] SocketError),
    /// Each server that was found ended before it could be reached.
    #[error("the server of {root} cannot be reached: {}", source.as_ref().map(ToString::to_string).unwrap_or_default())]
    Unreachable {
        /// The folder.
        root: String,
        /// What the system said last.
        source: Option<io::Error>,
    },
    /// The runtime folder cannot be opened for its lock.
    #[error("no server could be started: {}: {source}", folder.display())]
    Lock {
        /// The runtime folder.
        folder: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The server's process was not started.
    #[error("no server could be started: {0}")]
    Start(#[source] io::Error),
    /// The server answered with a fault.
    #[error("{}", .0.message)]
    Answered(Box<Fault>),
    /// The server said something else than a fault where it could not serve.
    #[error("{prefix}{said}")]
    Unreadable {
        /// What it was about to do, where that is not plain.
        prefix: &'static str,
        /// What it said.
        said: Value,
    },
    /// The server ended right after its start.
    #[error("the server of {root} ended right after its start")]
    EndedAtStart {
        /// The folder.
        root: String,
    },
    /// The server's answer was not read.
    #[error(transparent)]
    Answer(io::Error),
    /// The server ended before it opened the address.
    #[error("the server ended before it opened the address")]
    NoAddress,
    /// Too many servers ended in a short time.
    #[error("{0} servers ended one after the other")]
    Losses(usize),
    /// The agent reads no more.
    #[error("the agent closed its input: {0}")]
    AgentGone(#[source] io::Error),
}

impl ServeError {
    /// The error that a server said.
    pub(super) fn said(prefix: &'static str, error: &Value) -> Self {
        match serde_json::from_value(error.clone()) {
            Ok(fault) => Self::Answered(fault),
            Err(_) => Self::Unreadable { prefix, said: error.clone() },
        }
    }
}

impl From<ServeError> for Fault {
    fn from(error: ServeError) -> Self {
        let fault = Self::internal(error.to_string());
        match error {
            ServeError::Socket(error) => error.into(),
            ServeError::Answered(fault) => *fault,
            ServeError::EndedAtStart { .. } => fault.suggest("run `wherefore doctor`"),
            _ => fault,
        }
    }
}
