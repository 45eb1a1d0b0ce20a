//! Locks that the kernel frees when their process dies.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use super::error::WorkspaceError;

/// The time that a lock is waited for. It is held for a check and a rename, so a process that holds it longer is
/// stopped.
const PATIENCE: Duration = Duration::from_secs(10);
/// The pause between two tries.
const PAUSE: Duration = Duration::from_millis(1);

/// A lock that is held; dropping it, or dying, lets it go.
#[derive(Debug)]
pub struct FileLock(OwnedFd);

impl AsFd for FileLock {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl FileLock {
    /// Waits for the lock on `file`, alone or shared with others who share.
    ///
    /// # Errors
    /// TIMEOUT where another process does not let it go.
    pub(super) fn wait_for(file: OwnedFd, shared: bool) -> Result<Self, WorkspaceError> {
        let until = Instant::now() + PATIENCE;
        loop {
            match flock(&file, lock_operation(shared)) {
                Ok(()) => return Ok(Self(file)),
                Err(Errno::AGAIN | Errno::INTR) if Instant::now() < until => std::thread::sleep(PAUSE),
                Err(Errno::AGAIN | Errno::INTR) => {
                    return Err(WorkspaceError::Locked(PATIENCE));
                }
                Err(error) => return Err(WorkspaceError::NoLock(error)),
            }
        }
    }

    /// Locks `file` where no other process has a lock on it.
    pub(super) fn try_alone(file: OwnedFd) -> Option<Self> {
        flock(&file, lock_operation(false)).is_ok().then_some(Self(file))
    }
}

fn lock_operation(shared: bool) -> FlockOperation {
    if shared { FlockOperation::NonBlockingLockShared } else { FlockOperation::NonBlockingLockExclusive }
}
