//! A server that starts reads what waits for review; a process that finds no server decides on it by itself. One of them
//! goes first: else the server would wait for a decision that was made already.

use std::fs::{DirBuilder, File};
use std::os::unix::fs::DirBuilderExt;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};

use crate::base::person;

/// The longest wait for the others. A decision and a start take milliseconds: a process that takes longer is stopped,
/// and must not hold up the others.
const PATIENCE: Duration = Duration::from_secs(3);
/// The pause between two tries.
const PAUSE: Duration = Duration::from_millis(2);

/// A place in that order, until it is dropped: a lock of the folder that holds the waiting data. (The folder of
/// running servers is locked by a process that starts one, for as long as it starts.)
#[derive(Debug)]
pub(crate) struct StartOrder {
    _folder: Option<File>,
}

impl StartOrder {
    /// Takes a place for a server, from before it reads its folder until it can be found. Servers do not wait for
    /// each other.
    pub(crate) fn for_start() -> Self {
        Self::take_lock(FlockOperation::NonBlockingLockShared)
    }

    /// Takes a place for a process that found no server, from before it looks again until it has decided.
    pub(crate) fn for_decision() -> Self {
        Self::take_lock(FlockOperation::NonBlockingLockExclusive)
    }

    fn take_lock(operation: FlockOperation) -> Self {
        let opened = person::state_dir().and_then(|folder| {
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
