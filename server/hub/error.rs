//! The errors of finding a folder or a log in a hub, and their faults.

use thiserror::Error;

use crate::base::hidden::shorten_to_line;
use crate::journal::JournalError;
use crate::protocol::{Code, Fault};
use crate::workspace::WorkspaceError;

/// Characters of a path that are shown.
const SHOWN: usize = 300;

/// The reasons why a hub has no such folder.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ServedFolderError {
    /// The hub serves no folder.
    #[error("no workspace folder is open")]
    NoneOpen,
    /// A path lies in no folder that the hub serves.
    #[error("{:?} lies in no open workspace folder", shorten_to_line(path, SHOWN))]
    NotOpen {
        /// The path.
        path: String,
        /// The folders that the hub serves.
        roots: Vec<String>,
    },
}

impl From<ServedFolderError> for Fault {
    fn from(error: ServedFolderError) -> Self {
        let fault = Self::new(Code::NotFound, error.to_string());
        match error {
            ServedFolderError::NoneOpen => fault.with_suggestion("open a folder, or name one with --root"),
            ServedFolderError::NotOpen { roots, .. } => {
                fault.with_hints(roots).with_suggestion("name one of the open folders, or leave it out")
            }
        }
    }
}

/// The reasons why a folder has no such session log.
#[derive(Debug, Error)]
pub enum SessionLogError {
    /// The log of this session was not opened.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The log's file cannot be read.
    #[error(transparent)]
    File(#[from] WorkspaceError),
    /// The session has no log.
    #[error("there is no session {session:?}")]
    NoSession {
        /// The session, as it was asked for.
        session: String,
    },
}

impl From<SessionLogError> for Fault {
    fn from(error: SessionLogError) -> Self {
        let message = error.to_string();
        match error {
            SessionLogError::Journal(error) => error.into(),
            SessionLogError::File(error) => error.into(),
            SessionLogError::NoSession { .. } => Self::new(Code::NotFound, message),
        }
    }
}
