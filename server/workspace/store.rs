//! Our own folder in the workspace, `.wherefore`: the documents that a person may read, edit and share.
//!
//! Invariants: it is opened beneath the root with no symlink on the way, so that nothing planted in a project
//! leads our writes elsewhere; a file in it is replaced whole; nothing in it is taken for what this machine
//! decided or wrote: that is [`State`]'s.

use std::io::Write;
use std::os::fd::OwnedFd;
use std::sync::{Arc, OnceLock};

use rustix::fs::{AtFlags, Mode, OFlags, fsync, openat, renameat, statat};
use rustix::io::Errno;

use super::errno;
use super::error::WorkspaceError;
use super::root::Root;
use super::shelf::{Shelf, Stamp};
use super::state::State;
use super::temp::Temporary;
use crate::base::{OURS, WorkspacePath};

/// Bytes of the largest file that is read from it: a part of a session log is the largest there is.
const LARGEST: u64 = 1 << 30;
/// The folder of the session logs.
pub(super) const SESSIONS: &str = "sessions";
/// What an earlier version kept in the workspace. A repository may bring it along, so it is not read.
const FORMER: [&str; 5] = ["proposals", "checkpoints", "objects", "tmp", "lock"];

/// Our folder in a workspace. Made on the first use, so that only reading a project leaves nothing in it.
#[derive(Debug)]
pub struct Store {
    shelf: Shelf,
    state: Arc<State>,
    ready: OnceLock<()>,
}

impl Store {
    /// The store of the workspace whose state is kept in `state`. Touches nothing yet.
    pub fn new(state: Arc<State>) -> Self {
        let at = WorkspacePath::clean(OURS).unwrap_or_else(WorkspacePath::root);
        Self { shelf: Shelf::new(state.workspace().clone(), at), state, ready: OnceLock::new() }
    }

    /// The workspace's root.
    pub fn root(&self) -> &Arc<Root> {
        self.shelf.root()
    }

    /// Its folder.
    pub(super) fn shelf(&self) -> &Shelf {
        &self.shelf
    }

    /// What this machine keeps of the workspace.
    pub fn state(&self) -> &Arc<State> {
        &self.state
    }

    /// Opens a folder of the store, as `sessions/<id>`; `.` is the store's own. Makes it where it is missing.
    ///
    /// # Errors
    /// PERMISSION_DENIED where the workspace cannot be written or something stands in the way.
    pub fn dir(&self, path: &str) -> Result<OwnedFd, WorkspaceError> {
        self.make_ready()?;
        self.shelf.dir(path)
    }

    /// The bytes of a file of the store; nothing where it is not there.
    ///
    /// # Errors
    /// As the system says; INVALID_ARGS where it is no regular file.
    pub fn read(&self, path: &str) -> Result<Option<Vec<u8>>, WorkspaceError> {
        self.shelf.read(path, LARGEST)
    }

    /// [`Store::read`] of a file that holds `max` bytes at most.
    ///
    /// # Errors
    /// As [`Store::read`]; UNSUPPORTED where it holds more.
    pub fn read_up_to(&self, path: &str, max: u64) -> Result<Option<Vec<u8>>, WorkspaceError> {
        self.shelf.read(path, max)
    }

    /// What tells one state of a file of the store from the next: its time, size and identity. Nothing where it is not
    /// there.
    pub fn stamp(&self, path: &str) -> Option<Stamp> {
        self.shelf.stamp(path)
    }

    /// Writes a file of the store whole, durable when this returns. Its folder is made where it is missing.
    ///
    /// # Errors
    /// As the system says; the file is then as it was.
    pub fn write(&self, path: &str, bytes: &[u8]) -> Result<(), WorkspaceError> {
        self.make_ready()?;
        let target = self.shelf.inside(path)?;
        let above = target.parent().unwrap_or_else(WorkspacePath::root);
        let folder = self.shelf.dir(path.rsplit_once('/').map_or(".", |(above, _)| above))?;
        let temporary = Temporary::make(&self.state, &folder, &above, Mode::RUSR | Mode::WUSR)?;
        let written = (&temporary.file).write_all(bytes).map_err(|error| errno::of(&error));
        let written = written.and_then(|()| fsync(&temporary.file)).and_then(|()| {
            renameat(&folder, temporary.name.as_str(), &folder, target.name())?;
            fsync(&folder)
        });
        written.map_err(|error| errno::failed("write", &target, error))?;
        temporary.renamed();
        Ok(())
    }

    /// The names in a folder of the store, sorted; none where it is not there.
    ///
    /// # Errors
    /// As the system says.
    pub fn list(&self, path: &str) -> Result<Vec<String>, WorkspaceError> {
        self.shelf.list(path)
    }

    /// Removes a file of the store; false where it was not there.
    ///
    /// # Errors
    /// As the system says.
    pub fn remove(&self, path: &str) -> Result<bool, WorkspaceError> {
        self.shelf.remove(path)
    }

    /// What lies in it that only state would: said, not read. Nothing where there is none.
    pub fn unheard(&self) -> Option<String> {
        let folder = self.root().folder(&self.shelf.inside(".").ok()?).ok()?;
        let there = |name: &&str| statat(&folder, *name, AtFlags::SYMLINK_NOFOLLOW).is_ok();
        let found: Vec<String> =
            FORMER.iter().filter(|name| there(name)).map(|name| format!("{OURS}/{name}")).collect();
        let place = self.state.shown();
        (!found.is_empty()).then(|| {
            format!(
                "{} is not read: it may have come with the code. What waits for you, and what undo needs, is kept in \
                 {place}; remove the rest",
                found.join(", ")
            )
        })
    }

    /// The store's own folder, closed to others, with a `.gitignore` that keeps it out of version control.
    fn make_ready(&self) -> Result<(), WorkspaceError> {
        if self.ready.get().is_some() && self.shelf.stands() {
            return Ok(());
        }
        let folder = self.shelf.prepare()?;
        let path = self.shelf.inside(".")?;
        let failed = |error| errno::failed("prepare", &path, error);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match openat(&folder, ".gitignore", flags, Mode::RUSR | Mode::WUSR) {
            Ok(file) => {
                let written = std::fs::File::from(file).write_all(b"*\n");
                written.map_err(|error| failed(errno::of(&error)))?;
            }
            Err(Errno::EXIST) => {}
            Err(error) => return Err(failed(error)),
        }
        let _ = self.ready.set(());
        Ok(())
    }
}
