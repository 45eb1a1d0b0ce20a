//! Operations on the entry at a path itself, with no symlink followed at its end: reading it, renaming it, retargeting
//! a symlink, removing it; and the permissions of a file.

use std::os::fd::OwnedFd;

use rustix::fs::{AtFlags, Mode, fchmod, fstat, fsync, readlinkat, renameat, statat, symlinkat, unlinkat};
use rustix::io::Errno;

use super::errno;
use super::error::WorkspaceError;
use super::files::{WorkspaceFiles, irregular_error, not_durable};
use super::identity;
use super::permissions::Permissions;
use super::permitted_paths::PermittedPaths;
use super::root::WorkspaceRoot;
use super::stat::{FileKind, is_same_file};
use super::state::WorkspaceState;
use super::swap::{RetryStop, retry_swapped};
use super::temp::TemporaryFile;
use super::write::{no_folder, rename_new};
use crate::base::WorkspacePath;
use crate::protocol::PathAccess;

/// The entry at a path itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PathEntry {
    /// Its kind.
    pub kind: FileKind,
    /// Its permission bits.
    pub bits: u32,
    /// The text of a symlink, where it is UTF-8.
    pub target: Option<String>,
}

/// Changes of entries themselves: renames, symlinks, permissions.
#[derive(Clone, Copy, Debug)]
pub struct EntryChanges<'a> {
    pub(super) paths: &'a PermittedPaths,
    pub(super) state: &'a WorkspaceState,
}

/// The folder of an entry, and the name that it has there.
struct EntryLocation {
    path: WorkspacePath,
    above: WorkspacePath,
    folder: OwnedFd,
}

impl WorkspaceFiles {
    /// Returns the entry at `path` itself; nothing where it does not exist.
    ///
    /// # Errors
    /// PERMISSION_DENIED by a rule, or where its folder leads outside.
    pub(crate) fn entry_at(&self, path: &WorkspacePath) -> Result<Option<PathEntry>, WorkspaceError> {
        self.paths.rules.paths().permit_access(PathAccess::Read, path).map_err(WorkspaceError::from)?;
        retry_swapped(path, || {
            let real = self.paths.root.resolve_entry(path)?;
            self.paths.rules.paths().permit_access(PathAccess::Read, &real).map_err(WorkspaceError::from)?;
            let Some(above) = real.parent() else {
                return Err(irregular_error(path, FileKind::Folder).into());
            };
            let folder = match self.paths.root.open_folder(&above) {
                Err(Errno::NOENT | Errno::NOTDIR) => return Ok(None),
                folder => folder.map_err(|error| RetryStop::from_errno("open", path, error))?,
            };
            let stat = match statat(&folder, real.name(), AtFlags::SYMLINK_NOFOLLOW) {
                Err(Errno::NOENT) => return Ok(None),
                stat => stat.map_err(|error| RetryStop::from_errno("open", path, error))?,
            };
            let kind = FileKind::from_stat(&stat);
            let target = match kind {
                FileKind::Symlink => {
                    Some(link_text(&folder, &real)?).and_then(|text| String::from_utf8(text).ok())
                }
                _ => None,
            };
            Ok(Some(PathEntry { kind, bits: stat.st_mode & 0o7777, target }))
        })
    }
}

impl EntryChanges<'_> {
    /// Renames the file or the symlink at `from` to `to`, where no entry may exist.
    ///
    /// # Errors
    /// NOT_FOUND; STALE where `to` exists; INVALID_ARGS for a folder; PERMISSION_DENIED by a rule on either path, and
    /// for a symlink that would lead outside from there.
    pub(crate) fn rename_entry(self, from: &WorkspacePath, to: &WorkspacePath) -> Result<(), WorkspaceError> {
        self.paths.check_access(PathAccess::Read, from).map_err(WorkspaceError::from)?;
        retry_swapped(from, || {
            let (old, new, stat) = self.check_renamable(from, to)?;
            let lock = self.state.lock_workspace()?;
            old.check_unmoved(&self.paths.root)?;
            new.check_unmoved(&self.paths.root)?;
            if !old.stat_at()?.is_some_and(|now| is_same_file(&now, &stat)) {
                return Err(RetryStop::Swapped);
            }
            match rename_new(&old.folder, old.path.name(), &new.folder, new.path.name()) {
                Err(Errno::EXIST) => return Err(taken_error(to).into()),
                renamed => renamed.map_err(|error| RetryStop::from_errno("rename", from, error))?,
            }
            drop(lock);
            let durable = fsync(&new.folder).and_then(|()| fsync(&old.folder));
            durable.map_err(|error| not_durable(to, error).into())
        })
    }

    /// Checks whether a file or a symlink may be renamed, for a caller that renames it by other means.
    ///
    /// # Errors
    /// As [`Self::rename_entry`], before anything is changed.
    pub(crate) fn admit_rename(self, from: &WorkspacePath, to: &WorkspacePath) -> Result<(), WorkspaceError> {
        self.paths.check_access(PathAccess::Read, from).map_err(WorkspaceError::from)?;
        retry_swapped(from, || self.check_renamable(from, to).map(drop))
    }

    /// Returns the entry that is to be renamed, and the locations of both paths.
    fn check_renamable(
        self,
        from: &WorkspacePath,
        to: &WorkspacePath,
    ) -> Result<(EntryLocation, EntryLocation, rustix::fs::Stat), RetryStop> {
        let (old, new) = (self.locate_entry(from)?, self.locate_entry(to)?);
        let stat = old.stat_at()?.ok_or_else(|| self.paths.missing_error(from))?;
        match FileKind::from_stat(&stat) {
            FileKind::File => identity::check_writable(&old.folder, &old.path, &stat)?,
            FileKind::Symlink => {
                let text = link_text(&old.folder, &old.path)?;
                self.paths.symlink_target(&new.path, &String::from_utf8_lossy(&text))?;
            }
            other => return Err(irregular_error(from, other).into()),
        }
        Ok((old, new, stat))
    }

    /// Makes the symlink at `path` lead to `target`; creates it where no entry is there.
    ///
    /// # Errors
    /// STALE where it does not lead to `expected`; PERMISSION_DENIED where `target` is outside or what a rule closes.
    pub(crate) fn put_link(
        self,
        path: &WorkspacePath,
        expected: Option<&str>,
        target: &str,
    ) -> Result<(), WorkspaceError> {
        retry_swapped(path, || {
            let spot = self.locate_entry(path)?;
            let leads = self.paths.symlink_target(&spot.path, target)?;
            self.paths.locate_permitted(PathAccess::Write, &leads)?;
            let temporary = TemporaryFile::make_link(self.state, &spot.folder, &spot.above, target)?;
            let lock = self.state.lock_workspace()?;
            spot.check_unmoved(&self.paths.root)?;
            spot.check_target(expected)?;
            let (folder, name) = (&spot.folder, spot.path.name());
            match expected {
                Some(_) => renameat(folder, &temporary.name, folder, name),
                None => rename_new(folder, &temporary.name, folder, name),
            }
            .map_err(|error| RetryStop::from_errno("link", path, error))?;
            drop(lock);
            temporary.mark_renamed();
            fsync(&spot.folder).map_err(|error| not_durable(path, error).into())
        })
    }

    /// Removes the symlink at `path`.
    ///
    /// # Errors
    /// STALE where it does not lead to `expected`; PERMISSION_DENIED by a rule.
    pub(crate) fn remove_link(self, path: &WorkspacePath, expected: &str) -> Result<(), WorkspaceError> {
        retry_swapped(path, || {
            let spot = self.locate_entry(path)?;
            let lock = self.state.lock_workspace()?;
            spot.check_unmoved(&self.paths.root)?;
            spot.check_target(Some(expected))?;
            unlinkat(&spot.folder, spot.path.name(), AtFlags::empty())
                .map_err(|error| RetryStop::from_errno("remove", path, error))?;
            drop(lock);
            fsync(&spot.folder).map_err(|error| not_durable(path, error).into())
        })
    }

    /// Gives the file at `path` other permissions.
    ///
    /// # Errors
    /// NOT_FOUND; PERMISSION_DENIED by a rule, for a file that is marked read-only, and for one with several names.
    pub(crate) fn set_permissions(
        self,
        path: &WorkspacePath,
        gives: Permissions,
    ) -> Result<(), WorkspaceError> {
        retry_swapped(path, || {
            let located = self.paths.locate_permitted(PathAccess::Write, path)?;
            if located.stat.is_none() {
                return Err(self.paths.missing_error(path).into());
            }
            let spot = self.locate_entry(&located.path)?;
            let (file, stat) = self.paths.open_file(&located.path)?;
            identity::check_replaceable(&spot.folder, &located.path, &stat)?;
            let bits = gives.apply_to(stat.st_mode & 0o7777);
            fchmod(&file, Mode::from_raw_mode(bits))
                .map_err(|error| RetryStop::from_errno("change", path, error))?;
            fsync(&file).map_err(|error| not_durable(path, error).into())
        })
    }

    /// Locates an entry that is to be changed: opens its folder, and judges both spellings.
    fn locate_entry(self, asked: &WorkspacePath) -> Result<EntryLocation, RetryStop> {
        self.paths.check_access(PathAccess::Write, asked).map_err(WorkspaceError::from)?;
        let path = self.paths.root.resolve_entry(asked)?;
        self.paths.check_access(PathAccess::Write, &path).map_err(WorkspaceError::from)?;
        let Some(above) = path.parent() else { return Err(irregular_error(asked, FileKind::Folder).into()) };
        let folder = self.paths.root.open_folder(&above).map_err(|error| match error {
            Errno::NOENT => no_folder(&path, &above).into(),
            error => RetryStop::from_errno("write", asked, error),
        })?;
        Ok(EntryLocation { path, above, folder })
    }

    /// Makes a symlink with `target` as its text, which must lead to somewhere in the workspace that may be
    /// written.
    ///
    /// # Errors
    /// PERMISSION_DENIED where it would lead outside or to what a rule closes; INVALID_ARGS where something is
    /// there already.
    pub fn make_symlink(self, path: &WorkspacePath, target: &str) -> Result<(), WorkspaceError> {
        retry_swapped(path, || {
            let located = self.paths.locate_permitted(PathAccess::Write, path)?;
            let leads = self.paths.symlink_target(&located.path, target)?;
            self.paths.locate_permitted(PathAccess::Write, &leads)?;
            let above = located.path.parent().unwrap_or_else(WorkspacePath::root);
            let folder = self
                .paths
                .root
                .open_folder(&above)
                .map_err(|error| RetryStop::from_errno("write", path, error))?;
            symlinkat(target, &folder, located.path.name())
                .map_err(|error| RetryStop::from_errno("write", path, error))?;
            fsync(&folder).map_err(|error| not_durable(path, error).into())
        })
    }
}

impl EntryLocation {
    /// Returns the metadata of the entry that is there now.
    fn stat_at(&self) -> Result<Option<rustix::fs::Stat>, RetryStop> {
        match statat(&self.folder, self.path.name(), AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => Ok(None),
            stat => stat.map(Some).map_err(|error| RetryStop::from_errno("write", &self.path, error)),
        }
    }

    /// Checks that the folder that was opened is still the one at its path.
    fn check_unmoved(&self, root: &WorkspaceRoot) -> Result<(), RetryStop> {
        let failed = |error| RetryStop::from_errno("write", &self.path, error);
        let now = root.open_folder(&self.above).and_then(fstat).map_err(failed)?;
        let then = fstat(&self.folder).map_err(failed)?;
        if is_same_file(&now, &then) { Ok(()) } else { Err(RetryStop::Swapped) }
    }

    /// Checks that a symlink leads to the expected target; with no target expected, that no entry is there.
    fn check_target(&self, expected: Option<&str>) -> Result<(), RetryStop> {
        let found = match self.stat_at()? {
            None => None,
            Some(stat) if FileKind::from_stat(&stat) == FileKind::Symlink => {
                Some(link_text(&self.folder, &self.path)?)
            }
            Some(_) => return Err(taken_error(&self.path).into()),
        };
        if found.as_deref() == expected.map(str::as_bytes) {
            return Ok(());
        }
        let found = found.map(|text| String::from_utf8_lossy(&text).into_owned());
        let (path, expected) = (self.path.clone(), expected.map(str::to_owned));
        Err(WorkspaceError::LinkChanged { path, expected, found }.into())
    }
}

fn link_text(folder: &OwnedFd, path: &WorkspacePath) -> Result<Vec<u8>, RetryStop> {
    let text = readlinkat(folder, path.name(), Vec::new());
    text.map(std::ffi::CString::into_bytes).map_err(|error| match error {
        Errno::INVAL | Errno::NOENT => RetryStop::Swapped,
        error => errno::system_error("read the link", path, error).into(),
    })
}

fn taken_error(path: &WorkspacePath) -> WorkspaceError {
    WorkspaceError::Taken { path: path.clone() }
}
