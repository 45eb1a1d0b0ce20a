//! Work that blocks its thread, done in the middle of an async task.

use tokio::runtime::{Handle, RuntimeFlavor};

/// Runs work that waits for the disk. On a runtime of several threads the other tasks of this thread are handed to
/// another one first, so that they do not wait too.
pub fn run_blocking<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|runtime| runtime.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(work),
        _ => work(),
    }
}
