//! The `/tmp` of a workspace's commands, with their caches beside it: a command finds the files of earlier ones. They stay for a day after
//! their last use.

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, UTIME_NOW, UTIME_OMIT};

use super::layer;
use crate::workspace::WorkspaceState;

/// The name of the private folder for it, below a workspace's state.
const TEMPORARY: &str = "temporary";
/// The name of the folder in it that commands find.
const SHOWN: &str = "tmp";
/// The time for which it stays after its last use.
const STAYS: Duration = Duration::from_secs(24 * 60 * 60);

/// Returns the folder that commands of a workspace find as `/tmp`, and creates it if it is not there. None if that fails: a
/// command has a `/tmp` of its own then, and its answer names the files that went with it.
pub(super) fn folder(state: &WorkspaceState) -> Option<PathBuf> {
    let made = make(&private_folder(state)?);
    made.inspect_err(|error| tracing::warn!("no folder for temporary files: {error}")).ok()
}

/// The private folder that what commands find as theirs stands in, below a workspace's state.
pub(super) fn private_folder(state: &WorkspaceState) -> Option<PathBuf> {
    Some(state.folder().state_path()?.join(TEMPORARY))
}

fn make(private: &PathBuf) -> io::Result<PathBuf> {
    DirBuilder::new().recursive(true).mode(0o700).create(private)?;
    let shown = private.join(SHOWN);
    match fs::create_dir(&shown) {
        // The mode is that of the system's own `/tmp`: programs check it.
        Ok(()) => fs::set_permissions(&shown, Permissions::from_mode(0o1777))?,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error),
    }
    let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
    let as_it_is = Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT };
    let times = Timestamps { last_access: as_it_is, last_modification: now };
    rustix::fs::utimensat(CWD, private, &times, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(shown)
}

/// Removes it if no command used it for a day.
pub(super) fn sweep(state: &WorkspaceState) {
    let Some(private) = private_folder(state) else { return };
    let used = fs::symlink_metadata(&private).and_then(|found| found.modified());
    let age = used.ok().and_then(|used| SystemTime::now().duration_since(used).ok());
    if age.is_some_and(|age| age > STAYS)
        && let Err(error) = layer::remove_folder(&private)
    {
        tracing::warn!("{} cannot be removed: {error}", private.display());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::workspace::WorkspaceRoot;

    #[test]
    fn it_stays_for_a_day_after_it_was_used() {
        let place = tempfile::tempdir().unwrap();
        fs::create_dir(place.path().join("work")).unwrap();
        let root = Arc::new(WorkspaceRoot::open(&place.path().join("work")).unwrap());
        let state = WorkspaceState::new(root, Some(place.path().join("state")));
        let shown = folder(&state).unwrap();
        fs::write(shown.join("kept"), "x").unwrap();
        let private = shown.parent().unwrap();
        let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
        assert_eq!((mode(private), mode(&shown)), (0o700, 0o1777));
        sweep(&state);
        assert!(folder(&state).unwrap().join("kept").exists());
        let old = SystemTime::now() - STAYS - Duration::from_secs(60);
        fs::File::open(private).unwrap().set_modified(old).unwrap();
        assert!(folder(&state).unwrap().join("kept").exists(), "it is used again");
        fs::File::open(private).unwrap().set_modified(old).unwrap();
        sweep(&state);
        assert!(!private.exists());
    }
}
