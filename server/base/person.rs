//! The user's own folders, outside every workspace: their locations, by the XDG Base Directory Specification, and the
//! locks by which processes take turns in them.
//!
//! A variable that is unset, empty or relative is ignored. If `HOME` is unset, the system's user database names the
//! home folder; if it is a relative path, there is no home folder, and no folder below it.

use std::fs::{DirBuilder, File};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use etcetera::BaseStrategy;
use etcetera::base_strategy::Xdg;
use rustix::fs::{FlockOperation, flock};

/// The longest time that another process may hold the lock of such a folder.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// The settings folder: `$XDG_CONFIG_HOME/wherefore`, else `~/.config/wherefore`.
pub fn settings_dir() -> Option<PathBuf> {
    settings_home().map(app_dir)
}

/// The folder that holds every program's settings: `$XDG_CONFIG_HOME`, else `~/.config`.
pub fn settings_home() -> Option<PathBuf> {
    absolute_dir(Xdg::config_dir)
}

/// The cache folder: `$XDG_CACHE_HOME/wherefore`, else `~/.cache/wherefore`.
pub fn cache_dir() -> Option<PathBuf> {
    absolute_dir(Xdg::cache_dir).map(app_dir)
}

/// The folder for what programs bring along: `$XDG_DATA_HOME/wherefore`, else `~/.local/share/wherefore`.
pub fn data_dir() -> Option<PathBuf> {
    absolute_dir(Xdg::data_dir).map(app_dir)
}

/// The state folder, for what this machine keeps of workspaces: `$XDG_STATE_HOME/wherefore`, else
/// `~/.local/state/wherefore`.
pub fn state_dir() -> Option<PathBuf> {
    Xdg::new().ok().and_then(|xdg| xdg.state_dir()).filter(|path| path.is_absolute()).map(app_dir)
}

/// The folder that holds the sockets of every program of this person's: `$XDG_RUNTIME_DIR`.
pub fn runtime_dir() -> Option<PathBuf> {
    Xdg::new().ok().and_then(|xdg| xdg.runtime_dir())
}

/// The environment that tools run in by `WHEREFORE_ENV`; nothing where that is unset or empty.
pub fn environment() -> Option<String> {
    std::env::var("WHEREFORE_ENV").ok().filter(|name| !name.is_empty())
}

/// The home folder.
pub fn home_dir() -> Option<PathBuf> {
    absolute_dir(|xdg| xdg.home_dir().to_path_buf())
}

fn absolute_dir(of: impl Fn(&Xdg) -> PathBuf) -> Option<PathBuf> {
    let path = Xdg::new().ok().map(|xdg| of(&xdg)).filter(|path| path.is_absolute())?;
    // Without the slash that etcetera leaves at the end.
    Some(path.components().collect())
}

fn app_dir(folder: PathBuf) -> PathBuf {
    folder.join("wherefore")
}

/// Makes the folder if it is missing, and waits up to five seconds for its lock, which is held until the file is
/// dropped.
///
/// # Errors
/// The system's error, or that another process keeps it locked.
pub fn lock_dir(folder: &Path) -> Result<File, String> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(|error| error.to_string())?;
    let lock = File::options().create(true).truncate(false).write(true).open(folder.join("lock"));
    let lock = lock.map_err(|error| error.to_string())?;
    let until = Instant::now() + LOCK_TIMEOUT;
    while flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() {
        if Instant::now() > until {
            return Err("another process keeps it locked".to_owned());
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    Ok(lock)
}
