//! The layer over a workspace that a command writes to.

use std::ffi::CString;
use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rustix::fs::{AtFlags, CWD, FlockOperation, Mode, OFlags, flock, fstat, openat, statat};
use tokio::runtime::Handle;

use super::error::ExecutionError;
use super::{kept_layers, temporary};
use crate::base::tree;
use crate::workspace::WorkspaceState;

/// The folder below a workspace's state in which layers stand.
const LAYERS: &str = "layers";
/// The prefix of a layer's name that its server keeps locked for as long as it lives.
const LOCKED_PREFIX: &str = "layer-";
/// The age at which a folder without that prefix is removed: no command of an earlier version runs that long.
const OLD: Duration = Duration::from_secs(24 * 60 * 60);
/// The number of times that a folder is made again after another process swept it before it was locked.
const TRIES: usize = 8;

/// A private folder for the writes of one command. It is removed when this is dropped; in the background where a
/// runtime has threads for it.
#[derive(Debug)]
pub(crate) struct CommandLayer {
    path: PathBuf,
    folder: Option<LayerFolder>,
}

/// The folder itself, which goes with this. It is locked, so that no other process sweeps it.
#[derive(Debug)]
struct LayerFolder {
    path: PathBuf,
    _lock: OwnedFd,
}

impl CommandLayer {
    /// Makes an empty one in the workspace's state folder.
    ///
    /// # Errors
    /// Fails where there is no such folder, or the system refuses to make one.
    pub(super) fn make(state: &Arc<WorkspaceState>) -> Result<Self, ExecutionError> {
        let doing = ExecutionError::while_doing("making a folder for what the command writes");
        let above = state
            .folder()
            .state_path()
            .unwrap_or_else(|| std::env::temp_dir().join("wherefore"))
            .join(LAYERS);
        fs::create_dir_all(&above).map_err(&doing)?;
        for _ in 0..TRIES {
            let path =
                tempfile::Builder::new().prefix(LOCKED_PREFIX).tempdir_in(&above).map_err(&doing)?.keep();
            if let Some(lock) = lock_folder(&path) {
                return Ok(Self { path: path.clone(), folder: Some(LayerFolder { path, _lock: lock }) });
            }
        }
        Err(doing(std::io::ErrorKind::ResourceBusy.into()))
    }

    /// The path of the layer.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of an entry below it.
    pub(super) fn join(&self, below: &Path) -> PathBuf {
        self.path.join(below)
    }
}

impl Drop for CommandLayer {
    fn drop(&mut self) {
        let folder = self.folder.take();
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn_blocking(move || drop(folder));
        }
    }
}

impl Drop for LayerFolder {
    fn drop(&mut self) {
        if let Err(error) = remove_folder(&self.path) {
            tracing::warn!("{} cannot be removed: {error}", self.path.display());
        }
    }
}

/// Removes the layers of a workspace whose server is gone. The answer is how many those were.
pub(crate) fn sweep_layers(state: &WorkspaceState) -> usize {
    kept_layers::prune_kept(state, usize::MAX);
    temporary::sweep(state);
    let Some(above) = state.folder().state_path().map(|path| path.join(LAYERS)) else { return 0 };
    let is_old = |entry: &fs::DirEntry| {
        let changed = entry.metadata().and_then(|found| found.modified()).ok();
        changed.and_then(|changed| changed.elapsed().ok()).is_some_and(|age| age > OLD)
    };
    let left = fs::read_dir(above).into_iter().flatten().flatten().filter(|entry| {
        let is_locked = entry.file_name().as_bytes().starts_with(LOCKED_PREFIX.as_bytes());
        (is_locked || is_old(entry))
            && lock_folder(&entry.path()).is_some_and(|_lock| remove_folder(&entry.path()).is_ok())
    });
    left.count()
}

/// Locks a folder, where no other process has the lock and the folder still exists.
pub(super) fn lock_folder(path: &Path) -> Option<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = openat(CWD, path, flags, Mode::empty()).ok()?;
    flock(&folder, FlockOperation::NonBlockingLockExclusive).ok()?;
    let (locked, there) = (fstat(&folder).ok()?, statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW).ok()?);
    ((locked.st_dev, locked.st_ino) == (there.st_dev, there.st_ino)).then_some(folder)
}

/// Removes a folder with all that a command left in it.
pub(super) fn remove_folder(path: &Path) -> rustix::io::Result<()> {
    use rustix::io::Errno;
    let (Some(above), Some(name)) = (path.parent(), path.file_name()) else { return Err(Errno::INVAL) };
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let above = openat(CWD, above, flags, Mode::empty())?;
    tree::remove_tree(&above, &CString::new(name.as_bytes()).map_err(|_| Errno::INVAL)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::WorkspaceRoot;

    #[test]
    fn layers_of_dead_servers_are_swept_and_those_of_living_ones_are_not() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("work")).unwrap();
        let root = Arc::new(WorkspaceRoot::open(&folder.path().join("work")).unwrap());
        let state = Arc::new(WorkspaceState::new(root, Some(folder.path().join("state"))));
        let alive = CommandLayer::make(&state).unwrap();
        let layers = alive.path().parent().unwrap();
        for left in ["layer-dead/0/upper/a/b", "layer-gone/0/work/work", ".tmpold"] {
            fs::create_dir_all(layers.join(left)).unwrap();
        }
        fs::write(layers.join("file"), "").unwrap();
        assert_eq!(sweep_layers(&state), 2);
        assert!(
            alive.path().exists() && layers.join(".tmpold").exists(),
            "a server of before may still have it"
        );
        let path = alive.path().to_owned();
        drop(alive);
        assert!(!path.exists());
    }
}
