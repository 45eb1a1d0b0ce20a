//! Beginning again where a folder or file was swapped under an operation.

use rustix::io::Errno;

use super::errno;
use super::error::WorkspaceError;
use crate::base::WorkspacePath;

/// The number of times that an operation begins again.
const TRIES: usize = 20;

/// The reasons why one try ended.
#[derive(Debug)]
pub(super) enum RetryStop {
    /// An entry was swapped meanwhile.
    Swapped,
    /// It failed.
    Failed(Box<WorkspaceError>),
}

impl From<WorkspaceError> for RetryStop {
    fn from(error: WorkspaceError) -> Self {
        Self::Failed(Box::new(error))
    }
}

impl RetryStop {
    /// For an error with a path that was resolved a moment ago: no link may stand on it now.
    pub(super) fn from_errno(doing: &'static str, path: &WorkspacePath, error: Errno) -> Self {
        match error {
            Errno::LOOP | Errno::XDEV => Self::Swapped,
            error => errno::system_error(doing, path, error).into(),
        }
    }
}

/// Calls `once` again until nothing was swapped under it.
///
/// # Errors
/// The error of `once`; PERMISSION_DENIED where the path keeps changing.
pub(super) fn retry_swapped<T>(
    path: &WorkspacePath,
    mut once: impl FnMut() -> Result<T, RetryStop>,
) -> Result<T, WorkspaceError> {
    for _ in 0..TRIES {
        match once() {
            Ok(done) => return Ok(done),
            Err(RetryStop::Failed(error)) => return Err(*error),
            Err(RetryStop::Swapped) => {}
        }
    }
    Err(errno::system_error("open", path, Errno::LOOP))
}
