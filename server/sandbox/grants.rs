//! What Landlock grants where there are no mounts: its rules only add rights, so a closed path is closed by granting its
//! neighbours instead of the folder that holds them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::spec::{How, Shown};

/// Devices that a command needs.
const DEVICES: [&str; 6] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/// What programs read of the system. The rest of `/proc` tells of the host's other processes.
const OF_PROC: [&str; 8] = [
    "/proc/self",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/loadavg",
    "/proc/filesystems",
    "/proc/sys/kernel",
    "/proc/sys/vm",
];

/// Paths that get less than the folder they lie in.
pub(crate) struct Closed<'a> {
    pub(crate) protected: &'a [PathBuf],
    pub(crate) masked: &'a [PathBuf],
}

/// The system's devices and settings, beside what the plan shows.
pub(crate) fn system() -> impl Iterator<Item = Shown> {
    let grant = |path: &'static str, how| Shown { path: path.into(), how };
    let devices = DEVICES.into_iter().map(move |path| grant(path, How::Writable));
    devices.chain(OF_PROC.into_iter().map(move |path| grant(path, How::ReadOnly)))
}

/// Whether a path is there, or stands behind a folder that this process may not enter: the command could open that.
fn may_exist(path: &Path) -> bool {
    match fs::symlink_metadata(path) {
        Ok(_) => true,
        Err(error) => error.kind() == io::ErrorKind::PermissionDenied,
    }
}

impl Closed<'_> {
    /// Grants `how` on `path`, but for what is closed in it.
    pub(crate) fn grant(&self, path: &Path, how: &How, grants: &mut Vec<Shown>) {
        if self.masked.iter().any(|masked| path.starts_with(masked)) {
            return;
        }
        let protected = self.protected.iter().any(|protected| path.starts_with(protected));
        let how = if protected { &How::ReadOnly } else { how };
        let below = |closed: &&PathBuf| closed.starts_with(path) && may_exist(closed);
        let narrower = self.masked.iter().any(|masked| below(&masked))
            || (*how == How::Writable && self.protected.iter().any(|protected| below(&protected)));
        if !narrower {
            grants.push(Shown { path: path.into(), how: how.clone() });
            return;
        }
        grants.push(Shown { path: path.into(), how: How::Listed });
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| !kind.is_symlink()) {
                self.grant(&entry.path(), how, grants);
            }
        }
    }
}
