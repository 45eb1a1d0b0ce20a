//! Replacing a file whole: what a write guarantees stands here.
//!
//! The new bytes go to a temporary in the same folder, get the old file's identity, and are on the disk
//! before a rename puts them at the name; the folder's fsync makes that durable. Whatever fails before the
//! rename leaves the old file; nothing after it can.

use std::io::{Seek, Write};
use std::os::fd::OwnedFd;

use rustix::fs::{
    AtFlags, Mode, RenameFlags, fchmod, fstat, fsync, linkat, renameat, renameat_with, statat, unlinkat,
};
use rustix::io::Errno;

use super::errno;
use super::error::WorkspaceError;
use super::files::{Files, irregular, not_durable};
use super::identity;
use super::permissions::Permissions;
use super::resolve::Located;
use super::stat::{FileKind, modified, same};
use super::swap::{Stop, retry};
use super::temp::Temporary;
use crate::base::{WorkspacePath, hash};
use crate::protocol::Access;

/// What must stand at the path for a write to happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expect {
    /// Whatever does.
    Anything,
    /// Nothing.
    Absent,
    /// A file whose bytes have this hash ([`hash::short`]).
    Hash(String),
}

/// A write that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Where, symlinks followed.
    pub path: WorkspacePath,
    /// Whether nothing stood there before.
    pub created: bool,
    /// The hash of what stands there now.
    pub hash: String,
    /// How many bytes that is.
    pub size: u64,
}

/// Puts the new bytes into the temporary. Called anew for each try.
type Fill<'a> = &'a mut dyn FnMut(&mut dyn Write) -> std::io::Result<()>;

/// What is about to be replaced: the name and the file seen there.
struct WriteTarget<'a> {
    path: &'a WorkspacePath,
    above: WorkspacePath,
    folder: OwnedFd,
    old: Option<(OwnedFd, rustix::fs::Stat)>,
}

impl Files {
    /// Puts `bytes` at `path`, whole and durable, or changes nothing.
    ///
    /// # Errors
    /// STALE where `expect` does not hold; NOT_FOUND where the folder is missing; PERMISSION_DENIED for a
    /// path that is closed, read-only, or could not stay the same file; QUOTA_EXCEEDED; with `applied` set
    /// where the write took effect but its durability is not certain.
    pub fn write(
        &self,
        path: &WorkspacePath,
        bytes: &[u8],
        expect: &Expect,
    ) -> Result<Written, WorkspaceError> {
        self.write_as(path, bytes, expect, Permissions::PLAIN)
    }

    /// [`Files::write`], where a new file gets `permissions`.
    ///
    /// # Errors
    /// As [`Files::write`].
    pub(crate) fn write_as(
        &self,
        path: &WorkspacePath,
        bytes: &[u8],
        expect: &Expect,
        permissions: Permissions,
    ) -> Result<Written, WorkspaceError> {
        self.replace(path, permissions, expect, &mut |out| out.write_all(bytes))
    }

    /// [`Files::write_as`] with the bytes that `fill` gives.
    pub(super) fn replace(
        &self,
        path: &WorkspacePath,
        permissions: Permissions,
        expect: &Expect,
        fill: Fill<'_>,
    ) -> Result<Written, WorkspaceError> {
        retry(path, || {
            let located = self.locate(Access::Write, path)?;
            let place = self.place(&located)?;
            if let Some((_, stat)) = &place.old {
                identity::replaceable(&place.folder, place.path, stat)?;
            }
            self.replace_once(&place, permissions, expect, fill)
        })
    }

    /// Removes a file. As with every other act, a symlink is followed: the file goes, the link stays.
    ///
    /// # Errors
    /// STALE where `expect` does not hold; NOT_FOUND; INVALID_ARGS for a folder; PERMISSION_DENIED.
    pub fn remove(&self, path: &WorkspacePath, expect: &Expect) -> Result<(), WorkspaceError> {
        retry(path, || {
            let located = self.locate(Access::Write, path)?;
            let place = self.place(&located)?;
            match &place.old {
                Some((_, stat)) => identity::writable(&place.folder, place.path, stat)?,
                None => return Err(self.missing(path).into()),
            }
            let lock = self.state.lock()?;
            self.still(&place)?;
            expected(&place, expect)?;
            unlinkat(&place.folder, place.path.name(), AtFlags::empty())
                .map_err(|error| Stop::of("remove", path, error))?;
            drop(lock);
            fsync(&place.folder).map_err(|error| not_durable(path, error).into())
        })
    }

    fn place<'a>(&self, located: &'a Located) -> Result<WriteTarget<'a>, Stop> {
        let path = &located.path;
        let Some(above) = path.parent() else { return Err(irregular(path, FileKind::Folder).into()) };
        let folder = self.root.folder(&above).map_err(|error| match error {
            Errno::NOENT => no_folder(path, &above).into(),
            error => Stop::of("write", path, error),
        })?;
        let old = located.stat.as_ref().map(|_| self.open_file(path)).transpose()?;
        Ok(WriteTarget { path, above, folder, old })
    }

    fn replace_once(
        &self,
        place: &WriteTarget<'_>,
        permissions: Permissions,
        expect: &Expect,
        fill: Fill<'_>,
    ) -> Result<Written, Stop> {
        let failed = |error| errno::failed("write", place.path, error);
        let mode = match (&place.old, permissions) {
            (None, Permissions::Masked(bits)) => Mode::from_raw_mode(bits & 0o777),
            _ => Mode::RUSR | Mode::WUSR,
        };
        let temporary = Temporary::make(&self.state, &place.folder, &place.above, mode)?;
        let mut out = Hashing { file: &temporary.file, hash: hash::Stream::default(), size: 0 };
        fill(&mut out).map_err(|error| failed(errno::of(&error)))?;
        let (hash, size) = (out.hash.short(), out.size);
        match (&place.old, permissions) {
            (Some((old, stat)), _) => identity::take_over(old, stat, &temporary.file, place.path)?,
            (None, Permissions::Exactly(bits)) => {
                fchmod(&temporary.file, Mode::from_raw_mode(bits & 0o777)).map_err(failed)?;
            }
            (None, Permissions::Masked(_)) => {}
        }
        fsync(&temporary.file).map_err(failed)?;
        self.commit(place, expect, temporary)?;
        Ok(Written { path: place.path.clone(), created: place.old.is_none(), hash, size })
    }

    /// Puts the temporary at the name, if what stands there is still what was seen and expected.
    fn commit(&self, place: &WriteTarget<'_>, expect: &Expect, temporary: Temporary) -> Result<(), Stop> {
        let lock = self.state.lock()?;
        self.still(place)?;
        expected(place, expect)?;
        let (folder, from, name) = (&place.folder, temporary.name.as_str(), place.path.name());
        let renamed = match place.old {
            Some(_) => renameat(folder, from, folder, name),
            None => rename_new(folder, from, folder, name),
        };
        match renamed {
            Ok(()) => {}
            Err(Errno::EXIST) if place.old.is_none() => return Err(Stop::Swapped),
            Err(error) => return Err(Stop::of("write", place.path, error)),
        }
        drop(lock);
        let durable = fsync(folder);
        temporary.renamed();
        durable.map_err(|error| not_durable(place.path, error).into())
    }

    /// Whether folder and file are still the ones that were opened, each at its path.
    fn still(&self, place: &WriteTarget<'_>) -> Result<(), Stop> {
        let failed = |error| Stop::of("write", place.path, error);
        let folder = self.root.folder(&place.above).map_err(failed)?;
        if !same(&fstat(&folder).map_err(failed)?, &fstat(&place.folder).map_err(failed)?) {
            return Err(Stop::Swapped);
        }
        match (statat(&place.folder, place.path.name(), AtFlags::SYMLINK_NOFOLLOW), &place.old) {
            (Ok(now), Some((_, then))) if same(&now, then) => Ok(()),
            (Err(Errno::NOENT), None) => Ok(()),
            (Ok(_) | Err(Errno::NOENT), _) => Err(Stop::Swapped),
            (Err(error), _) => Err(failed(error)),
        }
    }
}

/// Renames where nothing may be replaced; EEXIST where something is there.
pub(super) fn rename_new(
    from_folder: &OwnedFd,
    from: &str,
    folder: &OwnedFd,
    name: &str,
) -> Result<(), Errno> {
    match renameat_with(from_folder, from, folder, name, RenameFlags::NOREPLACE) {
        // Some file systems know no such rename. A second name is refused as well where one is taken.
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
            linkat(from_folder, from, folder, name, AtFlags::empty())?;
            unlinkat(from_folder, from, AtFlags::empty())
        }
        renamed => renamed,
    }
}

/// Whether what stands at the place is what the caller knows.
fn expected(place: &WriteTarget<'_>, expect: &Expect) -> Result<(), WorkspaceError> {
    match (expect, &place.old) {
        (Expect::Anything, _) | (Expect::Absent, None) => Ok(()),
        (Expect::Absent, Some(old)) => {
            let found = hash_of(old).map_err(|error| errno::failed("read", place.path, error))?;
            Err(stale(place, "exists already", None, found))
        }
        (Expect::Hash(hash), None) => {
            Err(WorkspaceError::Gone { path: place.path.clone(), expected: hash.clone() })
        }
        (Expect::Hash(hash), Some(old)) => {
            let found = hash_of(old).map_err(|error| errno::failed("read", place.path, error))?;
            if found == *hash {
                Ok(())
            } else {
                Err(stale(place, "has changed since it was read", Some(hash), found))
            }
        }
    }
}

fn stale(
    place: &WriteTarget<'_>,
    what: &'static str,
    expected: Option<&str>,
    found: String,
) -> WorkspaceError {
    let stat = place.old.as_ref().and_then(|(file, _)| fstat(file).ok());
    let (size, modified) = stat.map(|stat| (stat.st_size, modified(&stat))).unzip();
    let (path, expected) = (place.path.clone(), expected.map(str::to_owned));
    WorkspaceError::Stale { path, what, expected, found, size, modified }
}

pub(super) fn no_folder(path: &WorkspacePath, folder: &WorkspacePath) -> WorkspaceError {
    WorkspaceError::FolderMissing { path: path.clone(), folder: folder.clone() }
}

/// The hash of an open file's bytes as they are now.
fn hash_of((file, _): &(OwnedFd, rustix::fs::Stat)) -> Result<String, Errno> {
    let file = file.try_clone().map_err(|error| errno::of(&error))?;
    let mut file = std::fs::File::from(file);
    file.rewind().map_err(|error| errno::of(&error))?;
    let mut out = Hashing { file: std::io::sink(), hash: hash::Stream::default(), size: 0 };
    std::io::copy(&mut std::io::BufReader::with_capacity(1 << 17, file), &mut out)
        .map_err(|error| errno::of(&error))?;
    Ok(out.hash.short())
}

/// Hashes what is written through it.
struct Hashing<W> {
    file: W,
    hash: hash::Stream,
    size: u64,
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let count = self.file.write(bytes)?;
        self.hash.update(&bytes[..count]);
        self.size += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}
