//! Limits of the process that would end it in the middle of its work: file sizes and open files.

use std::os::fd::AsFd;

use rustix::process::Signal;
use tokio::runtime::Builder;
use tokio::signal::unix::{SignalKind, signal};

use crate::protocol::{Code, Fault};

/// Files that a process opens at the same time, with some to spare.
const FILES: usize = 24;

/// Checks that enough files can be opened: the runtime panics if it cannot open its own.
///
/// # Errors
/// QUOTA_EXCEEDED with the limit's name.
pub(super) fn room_for_files() -> Result<(), Fault> {
    let stderr = std::io::stderr();
    let files: Result<Vec<_>, _> = (0..FILES).map(|_| stderr.as_fd().try_clone_to_owned()).collect();
    files.map(drop).map_err(|error| {
        Fault::new(
            Code::QuotaExceeded,
            format!("fewer than {FILES} more files can be opened (ulimit -n): {error}"),
        )
        .with_suggestion("raise the limit on open files, or close some")
    })
}

/// From now on a write past the limit of file sizes (`ulimit -f`) fails as one on a full disk does; the kernel
/// would kill the process. The handler does nothing and stays when its runtime is gone; children start without it.
pub(super) fn outlive_size_limit() {
    if room_for_files().is_err() {
        return;
    }
    let Ok(runtime) = Builder::new_current_thread().enable_io().build() else { return };
    let _inside = runtime.enter();
    // The process works without the handler, too; only that one limit would kill it.
    let _ = signal(SignalKind::from_raw(Signal::XFSZ.as_raw()));
}
