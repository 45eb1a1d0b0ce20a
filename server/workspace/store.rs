//! Our own folder in the workspace, `.wherefore`: the documents that a person may read, edit and share.
//!
//! Invariants: it is opened beneath the root with no symlink on the way, so that nothing planted in a project
//! leads our writes elsewhere; a file in it is replaced whole; nothing in it is taken for what this machine
//! decided or wrote: [`WorkspaceState`] keeps that.

use std::io::Write;
use std::os::fd::OwnedFd;
use std::sync::{Arc, OnceLock};

use rustix::fs::{AtFlags, Mode, OFlags, fsync, openat, renameat, statat};
use rustix::io::Errno;

use super::errno;
use super::error::WorkspaceError;
use super::private_dir::{PrivateDir, PrivateFileStamp};
use super::root::WorkspaceRoot;
use super::state::WorkspaceState;
use super::temp::TemporaryFile;
use crate::base::{OWN_DIR, WorkspacePath};

/// Bytes of the largest file that is read from it: a part of a session log is the largest there is.
const LARGEST: u64 = 1 << 30;
/// The `.gitignore` of our folder: all in it belongs to this machine, except for what a team shares.
pub(crate) const OWN_IGNORE: &str = "*\n!config.toml\n!tools/\n!tools/*.yaml\n!tools/*.yml\n!tools/*.json\n";
/// The folder of the session logs.
pub(super) const SESSIONS: &str = "sessions";
/// The entries that an earlier version kept in the workspace. A repository may bring them along, so they are not read.
const FORMER: [&str; 5] = ["proposals", "checkpoints", "objects", "tmp", "lock"];

/// Our folder in a workspace. Made on the first use, so that only reading a project leaves nothing in it.
#[derive(Debug)]
pub struct WorkspaceStore {
    shelf: PrivateDir,
    state: Arc<WorkspaceState>,
    ready: OnceLock<()>,
}

impl WorkspaceStore {
    /// The store of the workspace whose state is kept in `state`. Touches nothing yet.
    pub fn new(state: Arc<WorkspaceState>) -> Self {
        let at = WorkspacePath::from_relative(OWN_DIR).unwrap_or_else(WorkspacePath::root);
        Self {
            shelf: PrivateDir::new(state.folder().workspace_root().clone(), at),
            state,
            ready: OnceLock::new(),
        }
    }

    /// The workspace's root.
    pub fn root(&self) -> &Arc<WorkspaceRoot> {
        self.shelf.root()
    }

    /// Its folder.
    pub(super) fn private_dir(&self) -> &PrivateDir {
        &self.shelf
    }

    /// The state that this machine keeps of the workspace.
    pub fn state(&self) -> &Arc<WorkspaceState> {
        &self.state
    }

    /// Opens a folder of the store, as `sessions/<id>`; `.` is the store's own. Makes it where it is missing.
    ///
    /// # Errors
    /// PERMISSION_DENIED where the workspace cannot be written or another entry is in the way.
    pub fn open_dir(&self, path: &str) -> Result<OwnedFd, WorkspaceError> {
        self.make_ready()?;
        self.shelf.open_dir(path)
    }

    /// The bytes of a file of the store; nothing where it is not there.
    ///
    /// # Errors
    /// The system's error; INVALID_ARGS where it is no regular file.
    pub fn read_file(&self, path: &str) -> Result<Option<Vec<u8>>, WorkspaceError> {
        self.shelf.read_file(path, LARGEST)
    }

    /// Reads a file of `max` bytes at most, like [`Self::read_file`].
    ///
    /// # Errors
    /// As [`Self::read_file`]; UNSUPPORTED where it holds more.
    pub fn read_up_to(&self, path: &str, max: u64) -> Result<Option<Vec<u8>>, WorkspaceError> {
        self.shelf.read_file(path, max)
    }

    /// Returns the stamp by which one state of a file of the store differs from the next: its time, size and identity.
    /// Nothing where there is no file.
    pub fn file_stamp(&self, path: &str) -> Option<PrivateFileStamp> {
        self.shelf.file_stamp(path)
    }

    /// Writes a file of the store whole, durable when this returns. Its folder is made where it is missing.
    ///
    /// # Errors
    /// The system's error; the file is then unchanged.
    pub fn write_file(&self, path: &str, bytes: &[u8]) -> Result<(), WorkspaceError> {
        self.make_ready()?;
        let target = self.shelf.path_inside(path)?;
        let above = target.parent().unwrap_or_else(WorkspacePath::root);
        let folder = self.shelf.open_dir(path.rsplit_once('/').map_or(".", |(above, _)| above))?;
        let temporary = TemporaryFile::make_file(&self.state, &folder, &above, Mode::RUSR | Mode::WUSR)?;
        let written = (&temporary.file).write_all(bytes).map_err(|error| errno::errno_of(&error));
        let written = written.and_then(|()| fsync(&temporary.file)).and_then(|()| {
            renameat(&folder, temporary.name.as_str(), &folder, target.name())?;
            fsync(&folder)
        });
        written.map_err(|error| errno::system_error("write", &target, error))?;
        temporary.mark_renamed();
        Ok(())
    }

    /// The names in a folder of the store, sorted; none where it is not there.
    ///
    /// # Errors
    /// The system's error.
    pub fn list_dir(&self, path: &str) -> Result<Vec<String>, WorkspaceError> {
        self.shelf.list_dir(path)
    }

    /// Removes a file of the store; false where it was not there.
    ///
    /// # Errors
    /// The system's error.
    pub fn remove_file(&self, path: &str) -> Result<bool, WorkspaceError> {
        self.shelf.remove_file(path)
    }

    /// Warns about state that an earlier version kept in the store's folder, which is not read any more; none if there is
    /// none.
    pub fn former_state_warning(&self) -> Option<String> {
        let folder = self.root().open_folder(&self.shelf.path_inside(".").ok()?).ok()?;
        let there = |name: &&str| statat(&folder, *name, AtFlags::SYMLINK_NOFOLLOW).is_ok();
        let found: Vec<String> =
            FORMER.iter().filter(|name| there(name)).map(|name| format!("{OWN_DIR}/{name}")).collect();
        let place = self.state.folder().display_path();
        (!found.is_empty()).then(|| {
            format!(
                "{} is not read: it may have come with the code. What waits for you, and what undo needs, is kept in \
                 {place}; remove the rest",
                found.join(", ")
            )
        })
    }

    /// The store's own folder, closed to others, with a `.gitignore` that keeps all but the shared files out of version
    /// control.
    fn make_ready(&self) -> Result<(), WorkspaceError> {
        if self.ready.get().is_some() && self.shelf.is_there() {
            return Ok(());
        }
        let folder = self.shelf.prepare_dir()?;
        let path = self.shelf.path_inside(".")?;
        let failed = |error| errno::system_error("prepare", &path, error);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match openat(&folder, ".gitignore", flags, Mode::RUSR | Mode::WUSR) {
            Ok(file) => {
                let written = std::fs::File::from(file).write_all(OWN_IGNORE.as_bytes());
                written.map_err(|error| failed(errno::errno_of(&error)))?;
            }
            Err(Errno::EXIST) => {}
            Err(error) => return Err(failed(error)),
        }
        let _ = self.ready.set(());
        Ok(())
    }
}
