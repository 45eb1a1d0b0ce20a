//! What stands at a path itself, with no symlink followed at its end: looked at, renamed, linked elsewhere, removed; and
//! the permissions of a file.

use std::os::fd::OwnedFd;

use rustix::fs::{AtFlags, Mode, fchmod, fstat, fsync, readlinkat, renameat, statat, unlinkat};
use rustix::io::Errno;

use super::errno;
use super::error::WorkspaceError;
use super::files::{Files, irregular, not_durable};
use super::identity;
use super::permissions::Permissions;
use super::stat::{FileKind, same};
use super::swap::{Stop, retry};
use super::temp::Temporary;
use super::write::{no_folder, rename_new};
use crate::base::WorkspacePath;
use crate::protocol::Access;

/// What stands at a path itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PathEntry {
    /// What it is.
    pub kind: FileKind,
    /// Its permission bits.
    pub bits: u32,
    /// The text of a symlink, where it is UTF-8.
    pub target: Option<String>,
}

/// The folder of an entry, and the name that it has there.
struct Spot {
    path: WorkspacePath,
    above: WorkspacePath,
    folder: OwnedFd,
}

impl Files {
    /// What stands at `path` itself; nothing where it does not exist.
    ///
    /// # Errors
    /// PERMISSION_DENIED by a rule, or where its folder leads outside.
    pub(crate) fn entry_at(&self, path: &WorkspacePath) -> Result<Option<PathEntry>, WorkspaceError> {
        self.rules().permit(Access::Read, path).map_err(WorkspaceError::from)?;
        retry(path, || {
            let real = self.root.resolve_entry(path)?;
            self.rules().permit(Access::Read, &real).map_err(WorkspaceError::from)?;
            let Some(above) = real.parent() else { return Err(irregular(path, FileKind::Folder).into()) };
            let folder = match self.root.folder(&above) {
                Err(Errno::NOENT | Errno::NOTDIR) => return Ok(None),
                folder => folder.map_err(|error| Stop::of("open", path, error))?,
            };
            let stat = match statat(&folder, real.name(), AtFlags::SYMLINK_NOFOLLOW) {
                Err(Errno::NOENT) => return Ok(None),
                stat => stat.map_err(|error| Stop::of("open", path, error))?,
            };
            let kind = FileKind::of(&stat);
            let target = match kind {
                FileKind::Symlink => {
                    Some(link_text(&folder, &real)?).and_then(|text| String::from_utf8(text).ok())
                }
                _ => None,
            };
            Ok(Some(PathEntry { kind, bits: stat.st_mode & 0o7777, target }))
        })
    }

    /// Gives the file or the symlink at `from` the path `to`, where nothing may stand.
    ///
    /// # Errors
    /// NOT_FOUND; STALE where something stands at `to`; INVALID_ARGS for a folder; PERMISSION_DENIED by a rule on either
    /// path, and for a symlink that would lead outside from there.
    pub(crate) fn rename(&self, from: &WorkspacePath, to: &WorkspacePath) -> Result<(), WorkspaceError> {
        self.permit(Access::Read, from).map_err(WorkspaceError::from)?;
        retry(from, || {
            let (old, new, stat) = self.renamable(from, to)?;
            let lock = self.state.lock()?;
            self.unmoved(&old)?;
            self.unmoved(&new)?;
            if !self.stat_at(&old)?.is_some_and(|now| same(&now, &stat)) {
                return Err(Stop::Swapped);
            }
            match rename_new(&old.folder, old.path.name(), &new.folder, new.path.name()) {
                Err(Errno::EXIST) => return Err(taken(to).into()),
                renamed => renamed.map_err(|error| Stop::of("rename", from, error))?,
            }
            drop(lock);
            let durable = fsync(&new.folder).and_then(|()| fsync(&old.folder));
            durable.map_err(|error| not_durable(to, error).into())
        })
    }

    /// Whether a file or a symlink may be renamed, for whoever renames it by other means.
    ///
    /// # Errors
    /// As [`Self::rename`], before anything is changed.
    pub(crate) fn admit_rename(
        &self,
        from: &WorkspacePath,
        to: &WorkspacePath,
    ) -> Result<(), WorkspaceError> {
        self.permit(Access::Read, from).map_err(WorkspaceError::from)?;
        retry(from, || self.renamable(from, to).map(drop))
    }

    /// What stands at a path that is to be renamed, and where both paths are.
    fn renamable(
        &self,
        from: &WorkspacePath,
        to: &WorkspacePath,
    ) -> Result<(Spot, Spot, rustix::fs::Stat), Stop> {
        let (old, new) = (self.spot(from)?, self.spot(to)?);
        let stat = self.stat_at(&old)?.ok_or_else(|| self.missing(from))?;
        match FileKind::of(&stat) {
            FileKind::File => identity::writable(&old.folder, &old.path, &stat)?,
            FileKind::Symlink => {
                let text = link_text(&old.folder, &old.path)?;
                self.leads(&new.path, &String::from_utf8_lossy(&text))?;
            }
            other => return Err(irregular(from, other).into()),
        }
        Ok((old, new, stat))
    }

    /// Has the symlink at `path` lead to `target`; makes it where nothing stands there.
    ///
    /// # Errors
    /// STALE where it does not lead to `expected`; PERMISSION_DENIED where `target` is outside or what a rule closes.
    pub(crate) fn put_link(
        &self,
        path: &WorkspacePath,
        expected: Option<&str>,
        target: &str,
    ) -> Result<(), WorkspaceError> {
        retry(path, || {
            let spot = self.spot(path)?;
            let leads = self.leads(&spot.path, target)?;
            self.locate(Access::Write, &leads)?;
            let temporary = Temporary::link(&self.state, &spot.folder, &spot.above, target)?;
            let lock = self.state.lock()?;
            self.unmoved(&spot)?;
            self.leads_to(&spot, expected)?;
            let (folder, name) = (&spot.folder, spot.path.name());
            match expected {
                Some(_) => renameat(folder, &temporary.name, folder, name),
                None => rename_new(folder, &temporary.name, folder, name),
            }
            .map_err(|error| Stop::of("link", path, error))?;
            drop(lock);
            temporary.renamed();
            fsync(&spot.folder).map_err(|error| not_durable(path, error).into())
        })
    }

    /// Removes the symlink at `path`.
    ///
    /// # Errors
    /// STALE where it does not lead to `expected`; PERMISSION_DENIED by a rule.
    pub(crate) fn remove_link(&self, path: &WorkspacePath, expected: &str) -> Result<(), WorkspaceError> {
        retry(path, || {
            let spot = self.spot(path)?;
            let lock = self.state.lock()?;
            self.unmoved(&spot)?;
            self.leads_to(&spot, Some(expected))?;
            unlinkat(&spot.folder, spot.path.name(), AtFlags::empty())
                .map_err(|error| Stop::of("remove", path, error))?;
            drop(lock);
            fsync(&spot.folder).map_err(|error| not_durable(path, error).into())
        })
    }

    /// Gives the file at `path` other permissions.
    ///
    /// # Errors
    /// NOT_FOUND; PERMISSION_DENIED by a rule, for a file that is marked read-only, and for one with several names.
    pub(crate) fn set_permissions(
        &self,
        path: &WorkspacePath,
        gives: Permissions,
    ) -> Result<(), WorkspaceError> {
        retry(path, || {
            let located = self.locate(Access::Write, path)?;
            if located.stat.is_none() {
                return Err(self.missing(path).into());
            }
            let spot = self.spot(&located.path)?;
            let (file, stat) = self.open_file(&located.path)?;
            identity::replaceable(&spot.folder, &located.path, &stat)?;
            let bits = gives.on(stat.st_mode & 0o7777);
            fchmod(&file, Mode::from_raw_mode(bits)).map_err(|error| Stop::of("change", path, error))?;
            fsync(&file).map_err(|error| not_durable(path, error).into())
        })
    }

    /// Where an entry is that is to be changed: its folder opened, both spellings judged.
    fn spot(&self, asked: &WorkspacePath) -> Result<Spot, Stop> {
        self.permit(Access::Write, asked).map_err(WorkspaceError::from)?;
        let path = self.root.resolve_entry(asked)?;
        self.permit(Access::Write, &path).map_err(WorkspaceError::from)?;
        let Some(above) = path.parent() else { return Err(irregular(asked, FileKind::Folder).into()) };
        let folder = self.root.folder(&above).map_err(|error| match error {
            Errno::NOENT => no_folder(&path, &above).into(),
            error => Stop::of("write", asked, error),
        })?;
        Ok(Spot { path, above, folder })
    }

    fn stat_at(&self, spot: &Spot) -> Result<Option<rustix::fs::Stat>, Stop> {
        match statat(&spot.folder, spot.path.name(), AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => Ok(None),
            stat => stat.map(Some).map_err(|error| Stop::of("write", &spot.path, error)),
        }
    }

    /// Whether the folder that was opened is still the one at its path.
    fn unmoved(&self, spot: &Spot) -> Result<(), Stop> {
        let failed = |error| Stop::of("write", &spot.path, error);
        let now = self.root.folder(&spot.above).and_then(fstat).map_err(failed)?;
        let then = fstat(&spot.folder).map_err(failed)?;
        if same(&now, &then) { Ok(()) } else { Err(Stop::Swapped) }
    }

    /// Whether a symlink leads to where it is expected to; with nothing expected, whether nothing stands there.
    fn leads_to(&self, spot: &Spot, expected: Option<&str>) -> Result<(), Stop> {
        let found = match self.stat_at(spot)? {
            None => None,
            Some(stat) if FileKind::of(&stat) == FileKind::Symlink => {
                Some(link_text(&spot.folder, &spot.path)?)
            }
            Some(_) => return Err(taken(&spot.path).into()),
        };
        if found.as_deref() == expected.map(str::as_bytes) {
            return Ok(());
        }
        let found = found.map(|text| String::from_utf8_lossy(&text).into_owned());
        let (path, expected) = (spot.path.clone(), expected.map(str::to_owned));
        Err(WorkspaceError::LinkChanged { path, expected, found }.into())
    }
}

fn link_text(folder: &OwnedFd, path: &WorkspacePath) -> Result<Vec<u8>, Stop> {
    let text = readlinkat(folder, path.name(), Vec::new());
    text.map(std::ffi::CString::into_bytes).map_err(|error| match error {
        Errno::INVAL | Errno::NOENT => Stop::Swapped,
        error => errno::failed("read the link", path, error).into(),
    })
}

fn taken(path: &WorkspacePath) -> WorkspaceError {
    WorkspaceError::Taken { path: path.clone() }
}
