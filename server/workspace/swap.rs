//! Beginning again where a folder or file was swapped under an operation.

use rustix::io::Errno;

use super::errno;
use super::error::WorkspaceError;
use crate::base::WorkspacePath;

/// How often an operation begins again.
const TRIES: usize = 20;

/// Why one try ended.
#[derive(Debug)]
pub(super) enum Stop {
    /// Something was swapped meanwhile.
    Swapped,
    /// It failed.
    Failed(Box<WorkspaceError>),
}

impl From<WorkspaceError> for Stop {
    fn from(error: WorkspaceError) -> Self {
        Self::Failed(Box::new(error))
    }
}

impl Stop {
    /// For an error with a path that was resolved a moment ago: no link may stand on it now.
    pub(super) fn of(doing: &'static str, path: &WorkspacePath, error: Errno) -> Self {
        match error {
            Errno::LOOP | Errno::XDEV => Self::Swapped,
            error => errno::failed(doing, path, error).into(),
        }
    }
}

/// Does `once` until nothing was swapped under it.
///
/// # Errors
/// What `once` says; PERMISSION_DENIED where the path does not hold still.
pub(super) fn retry<T>(
    path: &WorkspacePath,
    mut once: impl FnMut() -> Result<T, Stop>,
) -> Result<T, WorkspaceError> {
    for _ in 0..TRIES {
        match once() {
            Ok(done) => return Ok(done),
            Err(Stop::Failed(error)) => return Err(*error),
            Err(Stop::Swapped) => {}
        }
    }
    Err(errno::failed("open", path, Errno::LOOP))
}
