//! The files of a workspace, as the rules let them be seen and changed.

use std::io::{IoSliceMut, Read};
use std::sync::Arc;

use rustix::fs::{AtFlags, Mode, fsync, mkdirat, unlinkat};
use rustix::io::{Errno, ReadWriteFlags, preadv2};

use super::errno;
use super::error::WorkspaceError;
use super::path_entry::EntryChanges;
use super::permitted_paths::PermittedPaths;
use super::stat::{FileKind, FileStat};
use super::state::WorkspaceState;
use super::swap::{RetryStop, retry_swapped};
use crate::base::{FileId, WorkspacePath};
use crate::protocol::PathAccess;
use crate::rules::{FileOpener, WorkspaceRules};

/// The files of a workspace, for one [`FileOpener`]. Every call asks the rules again, about the path asked for and the one
/// it leads to: what they deny stays closed even to a caller that forgot to ask, and so does the content of a file that
/// they ask about, where the opener has no yes to it. All calls block.
#[derive(Clone, Debug)]
pub struct WorkspaceFiles {
    pub(super) paths: PermittedPaths,
    pub(super) state: Arc<WorkspaceState>,
}

/// A regular file that was opened for reading.
#[derive(Debug)]
pub struct OpenedFile {
    /// At its start.
    pub file: std::fs::File,
    /// Its metadata when it was opened.
    pub stat: FileStat,
}

impl OpenedFile {
    /// Returns all of its bytes, where they are at most `max` and the system has them in memory: this never waits for
    /// the disk. Nothing otherwise, and the file's position is as before.
    pub fn at_hand(&self, max: u64) -> Option<Vec<u8>> {
        let size = usize::try_from(self.stat.size).ok().filter(|_| self.stat.size <= max)?;
        // An extra byte shows a file that has grown.
        let mut bytes = vec![0; size + 1];
        let read = preadv2(&self.file, &mut [IoSliceMut::new(&mut bytes)], 0, ReadWriteFlags::NOWAIT).ok()?;
        bytes.truncate(read);
        (read == size).then_some(bytes)
    }
}

impl WorkspaceFiles {
    /// The files of the workspace whose state is kept in `state`, under `rules`, for `opener`.
    pub fn new(state: Arc<WorkspaceState>, rules: Arc<WorkspaceRules>, opener: FileOpener) -> Self {
        Self { paths: PermittedPaths::new(Arc::clone(state.folder().workspace_root()), rules, opener), state }
    }

    /// Returns the same files for another opener.
    #[must_use]
    pub fn opened_by(&self, opener: FileOpener) -> Self {
        Self { paths: self.paths.opened_by(opener), state: self.state.clone() }
    }

    /// The paths that the rules permit.
    pub fn paths(&self) -> &PermittedPaths {
        &self.paths
    }

    /// The changes of entries themselves: renames, symlinks, permissions.
    pub fn entry_changes(&self) -> EntryChanges<'_> {
        EntryChanges { paths: &self.paths, state: &self.state }
    }

    /// The state that this machine keeps of the workspace.
    pub fn state(&self) -> &Arc<WorkspaceState> {
        &self.state
    }

    /// Returns the metadata of the entry at `path`, symlinks followed; nothing where it does not exist.
    ///
    /// # Errors
    /// PERMISSION_DENIED by a rule or where it leads outside.
    pub fn stat(&self, path: &WorkspacePath) -> Result<Option<FileStat>, WorkspaceError> {
        let located = self.paths.look_at(path)?;
        Ok(located.stat.map(|stat| FileStat::new(located.path, &stat)))
    }

    /// Opens a regular file for reading.
    ///
    /// # Errors
    /// NOT_FOUND, PERMISSION_DENIED; INVALID_ARGS for a folder, FIFO, socket or device.
    pub fn open(&self, path: &WorkspacePath) -> Result<OpenedFile, WorkspaceError> {
        self.paths.check_access(PathAccess::Read, path)?;
        // Most paths hold no symlink: then this opens the file, and no link was followed to it.
        if let Ok((file, stat)) = self.paths.root.open_file(path) {
            return Ok(OpenedFile { file: file.into(), stat: FileStat::new(path.clone(), &stat) });
        }
        retry_swapped(path, || {
            let located = self.paths.locate_permitted(PathAccess::Read, path)?;
            if located.stat.is_none() {
                return Err(self.paths.missing_error(path).into());
            }
            let (file, stat) = self.paths.open_file(&located.path)?;
            Ok(OpenedFile { file: file.into(), stat: FileStat::new(located.path, &stat) })
        })
    }

    /// Opens the regular file that was seen at a path with no symlink in it, in one step. Nothing where that
    /// does not do: it may stand elsewhere by now.
    pub fn open_seen(&self, path: &WorkspacePath, seen: FileId) -> Option<OpenedFile> {
        self.paths.check_access(PathAccess::Read, path).ok()?;
        let (file, stat) = self.paths.root.open_seen(path, seen).ok()?;
        Some(OpenedFile { file: file.into(), stat: FileStat::new(path.clone(), &stat) })
    }

    /// All bytes of a file of at most `max` bytes.
    ///
    /// # Errors
    /// As [`Self::open`]; QUOTA_EXCEEDED where it is larger.
    pub fn read_bytes(&self, path: &WorkspacePath, max: u64) -> Result<(Vec<u8>, FileStat), WorkspaceError> {
        let OpenedFile { file, stat } = self.open(path)?;
        let mut bytes = Vec::with_capacity(usize::try_from(stat.size.min(max)).unwrap_or(0));
        let read = file.take(max.saturating_add(1)).read_to_end(&mut bytes);
        read.map_err(|error| errno::system_error("read", path, errno::errno_of(&error)))?;
        let size = (bytes.len() as u64).max(stat.size);
        if size > max {
            return Err(WorkspaceError::TooLarge { path: path.clone(), size, max });
        }
        Ok((bytes, stat))
    }

    /// Makes a folder and those above it, and returns the new ones, outermost first.
    ///
    /// # Errors
    /// INVALID_ARGS where a file is in the way, PERMISSION_DENIED, QUOTA_EXCEEDED.
    pub fn make_folders(&self, path: &WorkspacePath) -> Result<Vec<WorkspacePath>, WorkspaceError> {
        let mut made = Vec::new();
        let done = retry_swapped(path, || self.make_folders_once(path, &mut made));
        done.map(|()| made)
    }

    fn make_folders_once(
        &self,
        path: &WorkspacePath,
        made: &mut Vec<WorkspacePath>,
    ) -> Result<(), RetryStop> {
        let located = self.paths.locate_permitted(PathAccess::Write, path)?;
        match &located.stat {
            Some(stat) if FileKind::from_stat(stat) == FileKind::Folder => return Ok(()),
            Some(stat) => return Err(in_the_way(path, FileKind::from_stat(stat)).into()),
            None => {}
        }
        let mut missing = vec![located.path.clone()];
        let mut folder = loop {
            let Some(above) = missing.last().and_then(WorkspacePath::parent) else {
                return Err(self.paths.missing_error(path).into());
            };
            match self.paths.root.open_folder(&above) {
                Ok(folder) => break folder,
                Err(Errno::NOENT) => missing.push(above),
                Err(error) => return Err(RetryStop::from_errno("make", path, error)),
            }
        };
        let mut durable = Ok(());
        while let Some(next) = missing.pop() {
            match mkdirat(&folder, next.name(), Mode::RWXU | Mode::RWXG | Mode::RWXO) {
                Ok(()) => {
                    made.push(next.clone());
                    durable = durable.and(fsync(&folder).map_err(|error| not_durable(&next, error)));
                }
                Err(Errno::EXIST) => {}
                Err(error) => return Err(RetryStop::from_errno("make", &next, error)),
            }
            folder = self.paths.root.open_folder(&next).map_err(|error| match error {
                Errno::NOTDIR => in_the_way(&next, FileKind::File).into(),
                error => RetryStop::from_errno("make", &next, error),
            })?;
        }
        durable.map_err(RetryStop::from)
    }

    /// Removes an empty folder.
    ///
    /// # Errors
    /// NOT_FOUND; INVALID_ARGS where it is not empty or no folder; PERMISSION_DENIED.
    pub fn remove_folder(&self, path: &WorkspacePath) -> Result<(), WorkspaceError> {
        retry_swapped(path, || {
            let located = self.paths.locate_permitted(PathAccess::Write, path)?;
            let Some(above) = located.path.parent() else {
                return Err(errno::system_error("remove", path, Errno::PERM).into());
            };
            let folder = self
                .paths
                .root
                .open_folder(&above)
                .map_err(|error| RetryStop::from_errno("remove", path, error))?;
            unlinkat(&folder, located.path.name(), AtFlags::REMOVEDIR)
                .map_err(|error| RetryStop::from_errno("remove", path, error))?;
            fsync(&folder).map_err(|error| not_durable(path, error).into())
        })
    }
}

/// The error for what is neither file nor folder where a file is wanted.
pub(super) fn irregular_error(path: &WorkspacePath, kind: FileKind) -> WorkspaceError {
    WorkspaceError::Irregular { path: path.clone(), kind }
}

fn in_the_way(path: &WorkspacePath, kind: FileKind) -> WorkspaceError {
    WorkspaceError::InTheWay { path: path.clone(), kind }
}

/// The error for a change that took effect but may not outlive a power cut.
pub(super) fn not_durable(path: &WorkspacePath, error: Errno) -> WorkspaceError {
    WorkspaceError::NotDurable { path: path.clone(), source: error }
}
