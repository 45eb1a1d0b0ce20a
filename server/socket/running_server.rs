//! Finds running servers, and removes the files of dead ones.

use std::fs::{self, File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustix::fs::{FlockOperation, flock};
use rustix::io::retry_on_intr;
use serde::{Deserialize, Serialize};

use super::error::{SocketError, system_error};
use crate::base::person;

/// The description of a server, in its file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RunningServer {
    /// Its process.
    pub pid: u32,
    /// The absolute paths of the folders it serves.
    pub roots: Vec<String>,
    /// Its socket's absolute path.
    pub socket: String,
    /// The token that a client sends first.
    pub token: String,
    /// Its version.
    pub version: String,
    /// True if no editor started it: then it ends with its last client.
    #[serde(default)]
    pub headless: bool,
}

/// The folder of running servers: `$XDG_RUNTIME_DIR/wherefore`, else one of this person's own under the folder
/// for temporary files. Made if need be, entered by its owner alone.
///
/// # Errors
/// INTERNAL if it cannot be made, or is not this person's alone.
pub(crate) fn runtime_folder() -> Result<PathBuf, SocketError> {
    let uid = rustix::process::getuid().as_raw();
    let given = person::runtime_dir().filter(|path| path.is_dir());
    let folder = given.map_or_else(
        || std::env::temp_dir().join(format!("wherefore-{uid}")),
        |given| given.join("wherefore"),
    );
    match fs::DirBuilder::new().mode(0o700).create(&folder) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            return Err(system_error(folder)(error));
        }
        _ => {}
    }
    let found = fs::symlink_metadata(&folder).map_err(system_error(&folder))?;
    if !found.is_dir() || found.uid() != uid {
        return Err(SocketError::Folder(folder));
    }
    if found.permissions().mode() & 0o077 != 0 {
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).map_err(system_error(&folder))?;
    }
    Ok(folder)
}

/// The servers that live, the one that started last first. The files of those that died are removed on the way.
pub(crate) fn running_servers() -> Vec<RunningServer> {
    let Ok(folder) = runtime_folder() else { return Vec::new() };
    let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
    let is_json = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "json");
    let mut living: Vec<(SystemTime, RunningServer)> =
        entries.map(|entry| entry.path()).filter(is_json).filter_map(|path| read_server(&path)).collect();
    living.sort_by(|(one, _), (other, _)| other.cmp(one));
    living.into_iter().map(|(_, server)| server).collect()
}

/// The server behind a file, and when it wrote that last.
fn read_server(path: &Path) -> Option<(SystemTime, RunningServer)> {
    let mut file = OpenOptions::new().read(true).custom_flags(nofollow_flags()).open(path).ok()?;
    if flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok() {
        // The lock is free: its server is gone. Another process may have swept it already.
        if stands_at(&file, path) {
            let _ = fs::remove_file(path.with_extension("sock"));
            let _ = fs::remove_file(path);
        }
        return None;
    }
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    let since = file.metadata().and_then(|file| file.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    Some((since, serde_json::from_str(&text).ok()?))
}

/// Returns whether exactly this file is the one at the path.
fn stands_at(file: &File, path: &Path) -> bool {
    let same = |there: fs::Metadata| {
        file.metadata().is_ok_and(|it| (it.dev(), it.ino()) == (there.dev(), there.ino()))
    };
    fs::symlink_metadata(path).is_ok_and(same)
}

/// The highest number of tries to make a file that was taken for that of a dead server. Where others look all the time, nearly
/// each of a hundred tries is lost, each within microseconds.
const CLAIMS: usize = 10_000;

/// Makes a server's own file and locks it for the life of what is returned.
pub(super) fn claim_file(path: &Path) -> Result<File, SocketError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true).mode(0o600).custom_flags(nofollow_flags());
    for _ in 0..CLAIMS {
        let file = options.open(path).map_err(system_error(path))?;
        // A process that looks just before this has the lock: it takes the file for that of a dead server, and
        // removes it.
        let locked = retry_on_intr(|| flock(&file, FlockOperation::LockExclusive));
        locked.map_err(|error| system_error(path)(error.into()))?;
        if stands_at(&file, path) {
            return Ok(file);
        }
    }
    Err(SocketError::Claim(path.to_owned()))
}

fn nofollow_flags() -> i32 {
    i32::try_from(rustix::fs::OFlags::NOFOLLOW.bits()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn a_file_just_made_is_not_taken_for_a_dead_servers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("1.json");
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !done.load(Ordering::Relaxed) {
                        read_server(&path);
                    }
                });
            }
            let claims = (0..2000).map(|_| {
                let file = claim_file(&path)?;
                let kept = stands_at(&file, &path);
                let _ = fs::remove_file(&path);
                Ok(kept)
            });
            let claims: Result<Vec<bool>, SocketError> = claims.collect();
            // Before anything can fail: the others would look for ever.
            done.store(true, Ordering::Relaxed);
            assert!(claims.unwrap().into_iter().all(|kept| kept), "a claimed file was removed");
        });
    }
}
