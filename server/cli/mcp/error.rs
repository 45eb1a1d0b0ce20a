//! The reasons why an agent is not served, and their faults.

use std::io;
use std::path::PathBuf;

use serde_json::Value;
use thiserror::Error;

use crate::protocol::Fault;
use crate::socket::SocketError;

/// The reason why an agent is not served, or no longer.
#[derive(Debug, Error)]
pub(in crate::cli) enum ServeError {
    /// The runtime folder cannot be used.
    #[error(transparent)]
    Socket(#[from] SocketError),
    /// Each server that was found ended before it could be reached.
    #[error("{}", unreachable_server(root, source.as_ref()))]
    Unreachable {
        /// The folder.
        root: String,
        /// The last error of the system.
        source: Option<io::Error>,
    },
    /// The runtime folder cannot be opened for its lock.
    #[error("no server could be started: {}: {source}", folder.display())]
    Lock {
        /// The runtime folder.
        folder: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The server's process was not started.
    #[error("no server could be started: {0}")]
    Start(#[source] io::Error),
    /// The server answered with a fault.
    #[error("{}", .0.message)]
    Answered(Box<Fault>),
    /// The server answered with something other than a fault while it could not serve.
    #[error("{prefix}{said}")]
    Unreadable {
        /// The operation that failed, where that is not plain.
        prefix: &'static str,
        /// The answer of the server.
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

/// The sentence for a server that cannot be reached. A program that may not use a socket of its own person's is in a sandbox.
fn unreachable_server(root: &str, source: Option<&io::Error>) -> String {
    let Some(source) = source else { return format!("the server of {root} ended each time it was asked") };
    if source.kind() != io::ErrorKind::PermissionDenied {
        return format!("the server of {root} cannot be reached: {source}");
    }
    format!(
        "the sandbox that this program was started in, as the agent's own, keeps it from the server of {root} ({source}); \
         docs/agents.md says which setting of the agent lets it through"
    )
}

impl ServeError {
    /// Makes an error of a server's answer.
    pub(super) fn from_answer(prefix: &'static str, error: &Value) -> Self {
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
            ServeError::EndedAtStart { .. } => fault.with_suggestion("run `wherefore doctor`"),
            _ => fault,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sandbox_that_keeps_the_socket_away_is_named() {
        let said =
            |source: Option<io::Error>| ServeError::Unreachable { root: "/w".into(), source }.to_string();
        let denied = said(Some(io::Error::from_raw_os_error(1)));
        assert!(denied.starts_with("the sandbox that this program was started in"), "{denied}");
        assert!(denied.contains("Operation not permitted") && denied.contains("docs/agents.md"), "{denied}");
        assert!(said(Some(io::ErrorKind::ConnectionRefused.into())).contains("cannot be reached: "));
        assert_eq!(said(None), "the server of /w ended each time it was asked");
    }
}
