//! Folders of the person's own, outside every workspace: where they are, and how processes take turns in them.

use std::fs::{DirBuilder, File};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};

/// How long another process may hold the lock of such a folder.
const PATIENCE: Duration = Duration::from_secs(5);

/// Our folder in the one that the environment variable `name` leads to, else in `below` of the home folder.
pub fn folder(name: &str, below: &str) -> Option<PathBuf> {
    let base = absolute(name).or_else(|| home().map(|home| home.join(below)))?;
    Some(base.join("wherefore"))
}

/// Where what this machine keeps of workspaces stands: `$XDG_STATE_HOME/wherefore`, else `~/.local/state/wherefore`.
pub fn state() -> Option<PathBuf> {
    folder("XDG_STATE_HOME", ".local/state")
}

/// The home folder.
pub fn home() -> Option<PathBuf> {
    absolute("HOME")
}

fn absolute(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// Makes the folder where it is missing, and waits up to five seconds for its lock, which is held until the file is
/// dropped.
///
/// # Errors
/// What the system says, or that another process keeps it locked.
pub fn lock(folder: &Path) -> Result<File, String> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(|error| error.to_string())?;
    let lock = File::options().create(true).truncate(false).write(true).open(folder.join("lock"));
    let lock = lock.map_err(|error| error.to_string())?;
    let until = Instant::now() + PATIENCE;
    while flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() {
        if Instant::now() > until {
            return Err("another process keeps it locked".to_owned());
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    Ok(lock)
}
