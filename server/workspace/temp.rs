//! Temporary files beside their targets, and their removal after a crash.
//!
//! Before a temporary is made, a symlink in the workspace's state records it: its name is the temporary's, its
//! target the folder. Making a symlink is one step of the file system, so a record is whole or absent, and it
//! is there whenever the temporary is. Whoever writes shares a lock on that folder; a sweep runs only where
//! it gets the lock alone, so it never takes the temporary of a writer that lives.

use std::os::fd::OwnedFd;

use rustix::fs::{AtFlags, Mode, OFlags, fsync, openat, readlinkat, symlinkat, unlinkat};
use rustix::io::Errno;

use super::errno;
use super::error::WorkspaceError;
use super::lock::Lock;
use super::state::State;
use crate::base::{WorkspacePath, ids};

/// What the name of every temporary in the workspace begins with.
pub(super) const PREFIX: &str = ".wherefore-tmp-";

/// A temporary file in a folder of the workspace, or a temporary symlink. Dropping it removes it, unless it was renamed.
#[derive(Debug)]
pub(super) struct Temporary<T = std::fs::File> {
    /// The open file; nothing for a symlink.
    pub file: T,
    /// Its name in its folder.
    pub name: String,
    folder: OwnedFd,
    /// The folder of the records, with the lock that says that somebody writes.
    records: Lock,
    kept: bool,
}

impl Temporary {
    /// Makes one in `folder`, which stands at `path`.
    pub(super) fn make(
        state: &State,
        folder: &OwnedFd,
        path: &WorkspacePath,
        mode: Mode,
    ) -> Result<Self, WorkspaceError> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Self::recorded(state, folder, path, |folder, name| {
            openat(folder, name, flags, mode).map(std::fs::File::from)
        })
    }
}

impl Temporary<()> {
    /// Makes a symlink in `folder`, which stands at `path`.
    pub(super) fn link(
        state: &State,
        folder: &OwnedFd,
        path: &WorkspacePath,
        target: &str,
    ) -> Result<Self, WorkspaceError> {
        Self::recorded(state, folder, path, |folder, name| symlinkat(target, folder, name))
    }
}

impl<T> Temporary<T> {
    fn recorded(
        state: &State,
        folder: &OwnedFd,
        path: &WorkspacePath,
        make: impl FnOnce(&OwnedFd, &str) -> Result<T, Errno>,
    ) -> Result<Self, WorkspaceError> {
        let failed = |error| errno::failed("make a temporary file in", path, error);
        let records = state.writing()?;
        let folder = folder.try_clone().map_err(|error| failed(errno::of(&error)))?;
        let name = format!("{PREFIX}{}", ids::unique());
        match symlinkat(path.as_str(), &records, &name) {
            // A file system that knows no symlinks goes without the record.
            Ok(()) | Err(Errno::PERM | Errno::OPNOTSUPP) => {}
            Err(error) => return Err(failed(error)),
        }
        match make(&folder, &name) {
            Ok(file) => Ok(Self { file, name, folder, records, kept: false }),
            Err(error) => {
                let _ = unlinkat(&records, &name, AtFlags::empty());
                Err(failed(error))
            }
        }
    }

    /// It bears its target's name now: only the record goes.
    pub(super) fn renamed(mut self) {
        self.kept = true;
    }
}

impl<T> Drop for Temporary<T> {
    fn drop(&mut self) {
        if !self.kept {
            // The record stays where the temporary does: the next sweep takes both.
            match unlinkat(&self.folder, &self.name, AtFlags::empty()) {
                Ok(()) | Err(Errno::NOENT) => {}
                Err(_) => return,
            }
        }
        let _ = unlinkat(&self.records, &self.name, AtFlags::empty());
    }
}

impl State {
    /// Removes the temporaries that a process left when it died, and gives how many there were. Does nothing
    /// while another process writes, and nothing where no state was ever kept.
    ///
    /// # Errors
    /// As the system says.
    pub fn sweep(&self) -> Result<usize, WorkspaceError> {
        let (names, records) = self.left_behind()?;
        let Some(records) = records else { return Ok(0) };
        let mut removed = 0;
        for name in names {
            if let Ok(folder) = readlinkat(&records, &name, Vec::new()) {
                removed += usize::from(self.sweep_one(folder.to_str().unwrap_or_default(), &name));
            }
            let _ = unlinkat(&records, &name, AtFlags::empty());
        }
        Ok(removed)
    }

    fn sweep_one(&self, folder: &str, name: &str) -> bool {
        let Some(path) = WorkspacePath::clean(folder).filter(|_| name.starts_with(PREFIX)) else {
            return false;
        };
        let Ok(folder) = self.workspace().folder(&path) else { return false };
        let removed = unlinkat(&folder, name, AtFlags::empty()).is_ok();
        if removed {
            let _ = fsync(&folder);
        }
        removed
    }
}
