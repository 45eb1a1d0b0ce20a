//! The state that this machine keeps of one workspace, in the person's own state folder: proposals, checkpoints with
//! the bytes they need, intents of writes under way, the lock.
//!
//! Invariants: nothing that lies in the workspace is read as state, so a repository brings none along; a folder that
//! belongs to somebody else, or that lies in the workspace, is not used; a file is replaced whole.
//!
//! # Invariants
//!
//! - No state that came with a repository is believed, and none that does not hold together.
//!   Test: `state_that_came_with_a_repository_is_told_and_not_believed`,
//!   `kept_state_that_does_not_hold_together_is_set_aside_with_a_sentence`
//! - No change is made where what it replaces cannot be kept; reading goes on.
//!   Test: `without_a_state_folder_reading_goes_on_and_writing_says_why`

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{AtFlags, Mode, OFlags, fstat, fsync, openat, renameat, statat, unlinkat};
use rustix::io::Errno;

use super::errno;
use super::error::WorkspaceError;
use super::file_lock::FileLock;
use super::private_dir::{PrivateDir, too_large};
use super::root::WorkspaceRoot;
use super::stat::is_same_file;
use super::state_folder::{NAMED, ROOTS, StateFolder};
use crate::base::{WorkspacePath, hash, ids};
use crate::rules::HeldPaths;

/// Bytes of the largest proposal, and of the largest checkpoint.
pub(super) const LARGEST: u64 = 16 << 20;
/// Bytes of the largest content that is kept for an undo.
const LARGEST_OBJECT: u64 = 1 << 30;
/// The folder of intents and of our own half-written files.
pub(super) const TEMPORARY: &str = "tmp";
pub(super) const OBJECTS: &str = "objects";
/// The folder to which invalid files are moved.
pub(super) const ASIDE: &str = "aside";
const LOCK: &str = "lock";

/// The state of one workspace. Its folder is made on the first write.
#[derive(Debug)]
pub struct WorkspaceState {
    folder: StateFolder,
    held: HeldPaths,
}

impl WorkspaceState {
    /// The state of the workspace at `workspace`, in the person's state folder `base_folder`. Touches nothing yet.
    pub fn new(workspace: Arc<WorkspaceRoot>, base: Option<PathBuf>) -> Self {
        let (folder, held) = (StateFolder::new(workspace, base), HeldPaths::default());
        if let Some(path) = folder.in_workspace() {
            held.close_private(path);
        }
        Self { folder, held }
    }

    /// The folder that it is kept in.
    pub fn folder(&self) -> &StateFolder {
        &self.folder
    }

    /// The paths that are closed in the workspace for as long as a part holds them; our own state for ever.
    pub fn held_paths(&self) -> &HeldPaths {
        &self.held
    }

    /// The bytes that it takes up.
    pub fn total_size(&self) -> u64 {
        self.folder.open_dir(false).ok().flatten().map_or(0, |shelf| shelf.total_size("."))
    }

    /// Of how many workspaces the person's state folder `base_folder` keeps something, and the bytes of all.
    pub fn of_all(base: &Path) -> (usize, u64) {
        let Ok(root) = WorkspaceRoot::open(base) else { return (0, 0) };
        let shelf = PrivateDir::new(Arc::new(root), WorkspacePath::root());
        (shelf.list_dir(ROOTS).map_or(0, |roots| roots.len()), shelf.total_size("."))
    }

    /// The workspaces of which the person's state folder `base_folder` keeps something, each with the folder that it is kept in.
    pub fn all_workspaces(base: &Path) -> Vec<(PathBuf, PathBuf)> {
        let folders = std::fs::read_dir(base.join(ROOTS)).into_iter().flatten().flatten();
        let workspace = |folder: PathBuf| {
            let root = std::fs::read_to_string(folder.join(NAMED)).ok()?;
            Some((PathBuf::from(root.trim_end_matches('\n')), folder))
        };
        folders.filter_map(|folder| workspace(folder.path())).collect()
    }

    /// The bytes of a file of at most [`LARGEST`] bytes; nothing where it is not there.
    ///
    /// # Errors
    /// The system's error; UNSUPPORTED for a larger one, INVALID_ARGS for an entry that is no regular file.
    pub fn read_file(&self, path: &str) -> Result<Option<Vec<u8>>, WorkspaceError> {
        self.read_up_to(path, LARGEST)
    }

    fn read_up_to(&self, path: &str, max: u64) -> Result<Option<Vec<u8>>, WorkspaceError> {
        let Some(shelf) = self.folder.open_dir(false)? else { return Ok(None) };
        shelf.read_file(path, max).map_err(|error| self.folder.in_state_error(error))
    }

    /// The names in a folder, sorted; none where it is not there.
    ///
    /// # Errors
    /// The system's error.
    pub fn list_folder(&self, path: &str) -> Result<Vec<String>, WorkspaceError> {
        let Some(shelf) = self.folder.open_dir(false)? else { return Ok(Vec::new()) };
        shelf.list_dir(path).map_err(|error| self.folder.in_state_error(error))
    }

    /// Writes a file of at most [`LARGEST`] bytes whole, durable when this returns.
    ///
    /// # Errors
    /// The system's error; QUOTA_EXCEEDED where it is larger. The file is then unchanged.
    pub fn write_file(&self, path: &str, bytes: &[u8]) -> Result<(), WorkspaceError> {
        self.write_up_to(path, bytes, LARGEST, true)
    }

    /// Writes a file of at most [`LARGEST`] bytes whole. Another process sees it at once; it may be lost in a power cut.
    ///
    /// # Errors
    /// As [`Self::write_file`].
    pub fn write_soon(&self, path: &str, bytes: &[u8]) -> Result<(), WorkspaceError> {
        self.write_up_to(path, bytes, LARGEST, false)
    }

    fn write_up_to(&self, path: &str, bytes: &[u8], max: u64, durable: bool) -> Result<(), WorkspaceError> {
        let shelf = self.folder.make_dir()?;
        let target = shelf.path_inside(path)?;
        if bytes.len() as u64 > max {
            return Err(too_large(&target, bytes.len() as u64, max));
        }
        let above = path.rsplit_once('/').map_or(".", |(above, _)| above);
        let folder = shelf.open_dir(above).map_err(|error| self.folder.in_state_error(error))?;
        let temporary = self.lock_temporary()?;
        let name = ids::unique_word();
        let written = (|| {
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let file = openat(&temporary, &name, flags, Mode::RUSR | Mode::WUSR)?;
            let mut file = std::fs::File::from(file);
            file.write_all(bytes).map_err(|error| errno::errno_of(&error))?;
            if durable {
                fsync(&file)?;
            }
            renameat(&temporary, &name, &folder, target.name())?;
            if durable { fsync(&folder) } else { Ok(()) }
        })();
        written.map_err(|error| {
            let _ = unlinkat(&temporary, &name, AtFlags::empty());
            self.folder.in_state_error(errno::system_error("write", &target, error))
        })
    }

    /// Adds bytes to the end of a file, in one piece; it may be lost in a power cut.
    ///
    /// # Errors
    /// The system's error.
    pub fn append_bytes(&self, path: &str, bytes: &[u8]) -> Result<(), WorkspaceError> {
        let shelf = self.folder.make_dir()?;
        let target = shelf.path_inside(path)?;
        let above = path.rsplit_once('/').map_or(".", |(above, _)| above);
        let folder = shelf.open_dir(above).map_err(|error| self.folder.in_state_error(error))?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::APPEND | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let written = openat(&folder, target.name(), flags, Mode::RUSR | Mode::WUSR).and_then(|file| {
            std::fs::File::from(file).write_all(bytes).map_err(|error| errno::errno_of(&error))
        });
        written.map_err(|error| self.folder.in_state_error(errno::system_error("write", &target, error)))
    }

    /// The bytes of a file from `from` on, of at most `max`; nothing where it is not there.
    ///
    /// # Errors
    /// The system's error.
    pub fn read_from(&self, path: &str, from: u64, max: u64) -> Result<Option<Vec<u8>>, WorkspaceError> {
        let Some(shelf) = self.folder.open_dir(false)? else { return Ok(None) };
        shelf.read_from(path, from, max).map_err(|error| self.folder.in_state_error(error))
    }

    /// Removes a file; false where it was not there.
    ///
    /// # Errors
    /// The system's error.
    pub fn remove_file(&self, path: &str) -> Result<bool, WorkspaceError> {
        let Some(shelf) = self.folder.open_dir(false)? else { return Ok(false) };
        shelf.remove_file(path).map_err(|error| self.folder.in_state_error(error))
    }

    /// Moves an invalid file to where it is never read, and returns that path.
    ///
    /// # Errors
    /// The system's error.
    pub fn set_aside(&self, path: &str) -> Result<String, WorkspaceError> {
        let aside = format!("{ASIDE}/{}-{}", ids::unique_word(), path.rsplit('/').next().unwrap_or(path));
        self.folder
            .make_dir()?
            .rename_entry(path, &aside)
            .map_err(|error| self.folder.in_state_error(error))?;
        Ok(format!("{}/{aside}", self.folder.display_path()))
    }

    /// Keeps `bytes` under their hash ([`hash::short_hash`]) and returns the hash.
    ///
    /// # Errors
    /// The system's error.
    pub fn put_object(&self, bytes: &[u8]) -> Result<String, WorkspaceError> {
        let hash = hash::short_hash(bytes);
        // Made young, so that no sweep takes it before it is said what it is for.
        let kept = self.get_object(&hash).is_ok_and(|kept| kept.is_some());
        if !kept || !self.folder.make_dir()?.touch_file(&object_path(&hash)) {
            self.write_up_to(&object_path(&hash), bytes, LARGEST_OBJECT, true)?;
        }
        Ok(hash)
    }

    /// The bytes kept under `hash`; nothing where there are none or they have changed since.
    ///
    /// # Errors
    /// The system's error.
    pub fn get_object(&self, hash: &str) -> Result<Option<Vec<u8>>, WorkspaceError> {
        if hash.is_empty() || !hash.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Ok(None);
        }
        let kept = self.read_up_to(&object_path(hash), LARGEST_OBJECT)?;
        Ok(kept.filter(|bytes| hash::short_hash(bytes) == hash))
    }

    /// Waits for the workspace's lock. Hold it for a check and a rename, no longer.
    ///
    /// # Errors
    /// TIMEOUT where another process does not let it go; PERMISSION_DENIED where the state folder cannot be written.
    pub fn lock_workspace(&self) -> Result<FileLock, WorkspaceError> {
        let shelf = self.folder.make_dir()?;
        let folder = shelf.open_dir(".").map_err(|error| self.folder.in_state_error(error))?;
        let path = shelf.path_inside(LOCK)?;
        let failed = |error| self.folder.in_state_error(errno::system_error("lock", &path, error));
        loop {
            let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
            let file = openat(&folder, LOCK, flags, Mode::RUSR | Mode::WUSR).map_err(failed)?;
            let opened = fstat(&file).map_err(failed)?;
            let lock = FileLock::wait_for(file, false)?;
            // A lock on a file that was removed in the meantime locks no one out.
            match statat(&folder, LOCK, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(now) if is_same_file(&now, &opened) => return Ok(lock),
                Ok(_) | Err(Errno::NOENT) => {}
                Err(error) => return Err(failed(error)),
            }
        }
    }

    /// The folder of the intents and of our own temporaries, kept from being swept.
    pub(super) fn lock_temporary(&self) -> Result<FileLock, WorkspaceError> {
        FileLock::wait_for(
            self.folder.make_dir()?.open_dir(TEMPORARY).map_err(|error| self.folder.in_state_error(error))?,
            true,
        )
    }

    /// Returns the names in the folder of the intents, with the folder itself where no process writes.
    pub(super) fn left_behind(&self) -> Result<(Vec<String>, Option<FileLock>), WorkspaceError> {
        let names = self.list_folder(TEMPORARY)?;
        if names.is_empty() {
            return Ok((names, None));
        }
        Ok((names, FileLock::try_alone(self.folder.make_dir()?.open_dir(TEMPORARY)?)))
    }
}

fn object_path(hash: &str) -> String {
    format!("{OBJECTS}/{hash}")
}
