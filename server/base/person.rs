//! Folders of the person's own, outside every workspace: where they are, by the XDG Base Directory Specification, and how
//! processes take turns in them.
//!
//! A variable that is unset, empty or relative counts as if it were not there. Where `HOME` is unset the system's list of
//! users says where the home folder is; where it is set to a relative path there is none, and no folder below it.

use std::fs::{DirBuilder, File};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use etcetera::BaseStrategy;
use etcetera::base_strategy::Xdg;
use rustix::fs::{FlockOperation, flock};

/// How long another process may hold the lock of such a folder.
const PATIENCE: Duration = Duration::from_secs(5);

/// The settings folder: `$XDG_CONFIG_HOME/wherefore`, else `~/.config/wherefore`.
pub fn settings() -> Option<PathBuf> {
    all_settings().map(ours)
}

/// The folder that holds every program's settings: `$XDG_CONFIG_HOME`, else `~/.config`.
pub fn all_settings() -> Option<PathBuf> {
    folder(Xdg::config_dir)
}

/// The cache folder: `$XDG_CACHE_HOME/wherefore`, else `~/.cache/wherefore`.
pub fn cache() -> Option<PathBuf> {
    folder(Xdg::cache_dir).map(ours)
}

/// The folder for what programs bring along: `$XDG_DATA_HOME/wherefore`, else `~/.local/share/wherefore`.
pub fn data() -> Option<PathBuf> {
    folder(Xdg::data_dir).map(ours)
}

/// The state folder, for what this machine keeps of workspaces: `$XDG_STATE_HOME/wherefore`, else
/// `~/.local/state/wherefore`.
pub fn state() -> Option<PathBuf> {
    Xdg::new().ok().and_then(|xdg| xdg.state_dir()).filter(|path| path.is_absolute()).map(ours)
}

/// The folder that holds the sockets of every program of this person's: `$XDG_RUNTIME_DIR`.
pub fn all_sockets() -> Option<PathBuf> {
    Xdg::new().ok().and_then(|xdg| xdg.runtime_dir())
}

/// The home folder.
pub fn home() -> Option<PathBuf> {
    folder(|xdg| xdg.home_dir().to_path_buf())
}

fn folder(of: impl Fn(&Xdg) -> PathBuf) -> Option<PathBuf> {
    let path = Xdg::new().ok().map(|xdg| of(&xdg)).filter(|path| path.is_absolute())?;
    // Without the slash that etcetera leaves at the end.
    Some(path.components().collect())
}

fn ours(folder: PathBuf) -> PathBuf {
    folder.join("wherefore")
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
