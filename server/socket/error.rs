//! The errors of the runtime socket's two sides, and their faults.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::liveness::SilentServer;
use crate::base::random::RandomnessError;
use crate::protocol::{Code, Fault};

/// The reason why no socket was opened.
#[derive(Debug, Error)]
pub(crate) enum SocketError {
    /// The system refused a file or folder.
    #[error("{}: {source}", path.display())]
    System {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The runtime folder is no folder of this person.
    #[error("{} is not a folder, or belongs to another user", .0.display())]
    Folder(PathBuf),
    /// The server's own file is removed each time that it is made.
    #[error("another process removes {} again and again", .0.display())]
    Claim(PathBuf),
    /// The system gave no random bytes for the token.
    #[error(transparent)]
    Token(#[from] RandomnessError),
}

/// The reason why a server gave no answer to a request, or the fault of its answer.
#[derive(Debug, Error)]
pub(crate) enum LinkError {
    /// The server answered with a fault.
    #[error("{}", .0.message)]
    Answered(Box<Fault>),
    /// The server ended before it took the request: the next server of the folder may be asked again.
    #[error("the server ended before it took the request")]
    Left,
    /// The server went away under the request: the connection serves no more.
    #[error("the server ended during the request: {0}")]
    Gone(#[source] io::Error),
    /// The server has not ended and answers nothing.
    #[error("{0}")]
    Silent(#[source] SilentServer),
    /// The params do not serialise.
    #[error(transparent)]
    Params(serde_json::Error),
    /// The answer is of another form.
    #[error("the answer to {method} cannot be read: {source}")]
    Answer {
        /// The request's method.
        method: &'static str,
        /// The error in the answer.
        source: serde_json::Error,
    },
    /// The server's fault is of another form.
    #[error("the server's fault cannot be read: {0}")]
    Fault(#[source] serde_json::Error),
}

/// Makes an error of a file or folder out of the system's error.
pub(super) fn system_error(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> SocketError {
    let path = path.into();
    |source| SocketError::System { path, source }
}

impl From<SocketError> for Fault {
    fn from(error: SocketError) -> Self {
        Self::internal(error.to_string())
    }
}

impl From<LinkError> for Fault {
    fn from(error: LinkError) -> Self {
        let message = error.to_string();
        match error {
            LinkError::Answered(fault) => *fault,
            LinkError::Gone(_) => Self::internal(message).with_suggestion(
                "look into the session log (`wherefore log`) before you repeat the request: the log says whether it \
                 took effect",
            ),
            LinkError::Silent(silent) => Self::new(Code::Timeout, message).with_suggestion(format!(
                "{}; what was asked of it may take effect once it goes on",
                silent.advice()
            )),
            LinkError::Left | LinkError::Params(_) | LinkError::Answer { .. } | LinkError::Fault(_) => {
                Self::internal(message)
            }
        }
    }
}
