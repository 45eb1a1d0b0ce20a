//! The paths that Landlock grants if there are no mounts: its rules only add rights, so a closed path is closed by
//! granting its neighbours instead of the folder that holds them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::spec::{ShowMode, ShownPath};

/// Devices that a command needs.
const DEVICES: [&str; 6] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/// The parts of `/proc` that programs read. The rest of `/proc` shows the host's other processes.
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
pub(crate) struct ClosedPaths<'a> {
    pub(crate) protected: &'a [PathBuf],
    pub(crate) masked: &'a [PathBuf],
}

/// Returns the system's devices and settings, which are granted in addition to the paths of the plan.
pub(crate) fn system_grants() -> impl Iterator<Item = ShownPath> {
    let grant = |path: &'static str, how| ShownPath { path: path.into(), how };
    let devices = DEVICES.into_iter().map(move |path| grant(path, ShowMode::Writable));
    devices.chain(OF_PROC.into_iter().map(move |path| grant(path, ShowMode::ReadOnly)))
}

/// Returns whether a path exists, or is in a folder that this process may not enter: the command could open that.
fn may_exist(path: &Path) -> bool {
    match fs::symlink_metadata(path) {
        Ok(_) => true,
        Err(error) => error.kind() == io::ErrorKind::PermissionDenied,
    }
}

impl ClosedPaths<'_> {
    /// Grants `how` on `path`, but for what is closed in it.
    pub(crate) fn grant_path(&self, path: &Path, how: &ShowMode, grants: &mut Vec<ShownPath>) {
        let mut waiting = vec![(path.to_owned(), how.clone())];
        while let Some((path, how)) = waiting.pop() {
            if self.masked.iter().any(|masked| path.starts_with(masked)) {
                continue;
            }
            let protected = self.protected.iter().any(|protected| path.starts_with(protected));
            let how = if protected { ShowMode::ReadOnly } else { how };
            let below = |closed: &&PathBuf| closed.starts_with(&path) && may_exist(closed);
            let narrower = self.masked.iter().any(|masked| below(&masked))
                || (how == ShowMode::Writable && self.protected.iter().any(|protected| below(&protected)));
            if !narrower {
                grants.push(ShownPath { path: path.into(), how });
                continue;
            }
            grants.push(ShownPath { path: path.as_path().into(), how: ShowMode::Listed });
            for entry in fs::read_dir(&path).into_iter().flatten().flatten() {
                if entry.file_type().is_ok_and(|kind| !kind.is_symlink()) {
                    waiting.push((entry.path(), how.clone()));
                }
            }
        }
    }
}
