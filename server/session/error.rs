//! The errors of a session: of its calls, searches, texts and hints.

use thiserror::Error;
use tokio::task::JoinError;

use crate::base::text::TextEncoding;
use crate::base::{PathError, WorkspacePath};
use crate::index::lexical::query::QueryError;
use crate::index::lexical::walk::WalkError;
use crate::journal::JournalError;
use crate::workspace::WorkspaceError;

/// The reasons why a session took no call in.
#[derive(Debug, Error)]
pub enum SessionError {
    /// The root cannot be used.
    #[error(transparent)]
    Root(#[from] WorkspaceError),
    /// The session log was not written.
    #[error(transparent)]
    Log(#[from] JournalError),
    /// The thread that read the settings files ended.
    #[error("the settings were not read: {0}")]
    Settings(#[source] JoinError),
}

/// The caller of a call cancelled it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the call was cancelled")]
pub struct CallCancelled;

/// The reasons why a search found nothing.
#[derive(Debug, Error)]
pub enum SearchError {
    /// The scope is no path of the workspace.
    #[error(transparent)]
    Path(#[from] PathError),
    /// The scope cannot be opened.
    #[error(transparent)]
    Scope(#[from] WorkspaceError),
    /// There is nothing at the scope.
    #[error("{path} does not exist")]
    NoScope {
        /// The scope.
        path: WorkspacePath,
        /// The nearest paths in its folder.
        near: Vec<String>,
    },
    /// The pattern cannot be searched for.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// The files were not listed.
    #[error(transparent)]
    Walk(WalkError),
    /// An earlier search reads the files, and takes too long.
    #[error("an earlier search still reads the files: {done} of {all} so far")]
    Busy {
        /// The files that it has read.
        done: usize,
        /// The files that it reads.
        all: usize,
    },
    /// The search was cancelled.
    #[error(transparent)]
    Cancelled(#[from] CallCancelled),
}

impl From<WalkError> for SearchError {
    fn from(error: WalkError) -> Self {
        match error {
            WalkError::Stopped => Self::Cancelled(CallCancelled),
            error => Self::Walk(error),
        }
    }
}

/// The reasons why a file has no text.
#[derive(Clone, Debug, Error)]
pub enum TextError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] WorkspaceError),
    /// The file holds bytes that are no text.
    #[error("{path} is a binary file of {size} bytes, not a text")]
    Binary {
        /// The file.
        path: WorkspacePath,
        /// Its bytes.
        size: usize,
    },
    /// The file's encoding cannot hold a character.
    #[error("{path} is kept as {}, which has no {character:?} (U+{:04X})", encoding.name(), u32::from(*character))]
    Unencodable {
        /// The file.
        path: WorkspacePath,
        /// Its encoding.
        encoding: TextEncoding,
        /// The character.
        character: char,
    },
}

/// The reasons why a hint was not kept.
#[derive(Debug, Error)]
pub enum HintError {
    /// Its path is none of the workspace.
    #[error(transparent)]
    Path(#[from] PathError),
    /// Its file cannot be opened.
    #[error(transparent)]
    File(#[from] WorkspaceError),
    /// The file that keeps hints cannot be changed. The sentence gives the reason.
    #[error("{0}")]
    Notes(String),
    /// The session log was not written.
    #[error(transparent)]
    Log(#[from] JournalError),
}
