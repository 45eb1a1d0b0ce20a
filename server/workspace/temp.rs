//! Temporary files in the folders of their targets, and their removal after a crash.
//!
//! Before a temporary is made, a symlink in the workspace's state records it: its name is the temporary's, its target
//! the folder. Making a symlink is one step of the file system, so a record is whole or absent, and it exists whenever
//! the temporary does. Every writer shares a lock on that folder; a sweep runs only where it gets the lock alone, so it
//! never takes the temporary of a living writer.

use std::os::fd::OwnedFd;

use rustix::fs::{AtFlags, Mode, OFlags, fsync, openat, readlinkat, symlinkat, unlinkat};
use rustix::io::Errno;

use super::errno;
use super::error::WorkspaceError;
use super::file_lock::FileLock;
use super::state::WorkspaceState;
use crate::base::{WorkspacePath, ids};

/// The prefix of the name of every temporary in the workspace.
pub(super) const PREFIX: &str = ".wherefore-tmp-";

/// A temporary file in a folder of the workspace, or a temporary symlink. Dropping it removes it, unless it was renamed.
#[derive(Debug)]
pub(super) struct TemporaryFile<T = std::fs::File> {
    /// The open file; nothing for a symlink.
    pub file: T,
    /// Its name in its folder.
    pub name: String,
    folder: OwnedFd,
    /// The folder of the records, with the lock that marks a writer.
    records: FileLock,
    kept: bool,
}

impl TemporaryFile {
    /// Makes a temporary file in `folder`, whose path is `path`.
    pub(super) fn make_file(
        state: &WorkspaceState,
        folder: &OwnedFd,
        path: &WorkspacePath,
        mode: Mode,
    ) -> Result<Self, WorkspaceError> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Self::make_recorded(state, folder, path, |folder, name| {
            openat(folder, name, flags, mode).map(std::fs::File::from)
        })
    }
}

impl TemporaryFile<()> {
    /// Makes a symlink in `folder`, whose path is `path`.
    pub(super) fn make_link(
        state: &WorkspaceState,
        folder: &OwnedFd,
        path: &WorkspacePath,
        target: &str,
    ) -> Result<Self, WorkspaceError> {
        Self::make_recorded(state, folder, path, |folder, name| symlinkat(target, folder, name))
    }
}

impl<T> TemporaryFile<T> {
    fn make_recorded(
        state: &WorkspaceState,
        folder: &OwnedFd,
        path: &WorkspacePath,
        make: impl FnOnce(&OwnedFd, &str) -> Result<T, Errno>,
    ) -> Result<Self, WorkspaceError> {
        let failed = |error| errno::system_error("make a temporary file in", path, error);
        let records = state.lock_temporary()?;
        let folder = folder.try_clone().map_err(|error| failed(errno::errno_of(&error)))?;
        let name = format!("{PREFIX}{}", ids::unique_word());
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
    pub(super) fn mark_renamed(mut self) {
        self.kept = true;
    }
}

impl<T> Drop for TemporaryFile<T> {
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

impl WorkspaceState {
    /// Removes the temporaries that a process left when it died, and returns their number. Does nothing while another
    /// process writes, and nothing where no state was ever kept.
    ///
    /// # Errors
    /// The system's error.
    pub fn sweep_temporaries(&self) -> Result<usize, WorkspaceError> {
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
        let Some(path) = WorkspacePath::from_relative(folder).filter(|_| name.starts_with(PREFIX)) else {
            return false;
        };
        let Ok(folder) = self.folder().workspace_root().open_folder(&path) else { return false };
        let removed = unlinkat(&folder, name, AtFlags::empty()).is_ok();
        if removed {
            let _ = fsync(&folder);
        }
        removed
    }
}
