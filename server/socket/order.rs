//! A server that starts reads what waits for review; a process that finds no server decides on it by itself. One of them
//! goes first: else the server would wait for a decision that was made already.

use std::fs::{DirBuilder, File};
use std::os::unix::fs::DirBuilderExt;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};

use crate::base::person;

/// How long it is waited for the others. A decision and a start take milliseconds: whoever takes longer is stopped, and
/// holds nobody up.
const PATIENCE: Duration = Duration::from_secs(3);
/// The pause between two tries.
const PAUSE: Duration = Duration::from_millis(2);

/// A place in that order, until it is dropped: a lock of the folder that holds what waits. (That of running servers is
/// locked by whoever starts one, for as long as it starts.)
#[derive(Debug)]
pub(crate) struct StartOrder {
    _folder: Option<File>,
}

impl StartOrder {
    /// For a server, from before it reads its folder until it can be found. Servers do not wait for each other.
    pub(crate) fn starting() -> Self {
        Self::take(FlockOperation::NonBlockingLockShared)
    }

    /// For a process that found no server, from before it looks again until it has decided.
    pub(crate) fn deciding() -> Self {
        Self::take(FlockOperation::NonBlockingLockExclusive)
    }

    fn take(operation: FlockOperation) -> Self {
        let opened = person::state().and_then(|folder| {
            DirBuilder::new().recursive(true).mode(0o700).create(&folder).ok()?;
            File::open(folder).ok()
        });
        let until = Instant::now() + PATIENCE;
        let held = opened.filter(|folder| {
            loop {
                match flock(folder, operation) {
                    Ok(()) => return true,
                    Err(_) if Instant::now() < until => std::thread::sleep(PAUSE),
                    Err(_) => return false,
                }
            }
        });
        Self { _folder: held }
    }
}
