//! Locks that the kernel frees when their process dies.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use super::error::WorkspaceError;

/// How long a lock is waited for. It is held for a check and a rename, so whoever holds it longer is stopped.
const PATIENCE: Duration = Duration::from_secs(10);
/// The pause between two tries.
const PAUSE: Duration = Duration::from_millis(1);

/// A lock that is held; dropping it, or dying, lets it go.
#[derive(Debug)]
pub struct Lock(OwnedFd);

impl AsFd for Lock {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl Lock {
    /// Waits for the lock on `file`, alone or shared with others who share.
    ///
    /// # Errors
    /// TIMEOUT where another process does not let it go.
    pub(super) fn wait(file: OwnedFd, shared: bool) -> Result<Self, WorkspaceError> {
        let until = Instant::now() + PATIENCE;
        loop {
            match flock(&file, operation(shared)) {
                Ok(()) => return Ok(Self(file)),
                Err(Errno::AGAIN | Errno::INTR) if Instant::now() < until => std::thread::sleep(PAUSE),
                Err(Errno::AGAIN | Errno::INTR) => {
                    return Err(WorkspaceError::Locked(PATIENCE));
                }
                Err(error) => return Err(WorkspaceError::NoLock(error)),
            }
        }
    }

    /// The lock on `file` where nobody else has it in any way.
    pub(super) fn try_alone(file: OwnedFd) -> Option<Self> {
        flock(&file, operation(false)).is_ok().then_some(Self(file))
    }
}

fn operation(shared: bool) -> FlockOperation {
    if shared { FlockOperation::NonBlockingLockShared } else { FlockOperation::NonBlockingLockExclusive }
}
