//! Replaces a file whole, with these guarantees of a write.
//!
//! The new bytes go to a temporary in the same folder, get the old file's identity, and are on the disk
//! before a rename puts them at the name; the folder's fsync makes that durable. Whatever fails before the
//! rename leaves the old file; nothing after it can.
//!
//! # Invariants
//!
//! - No reader sees half a file.
//!   Test: `a_reader_sees_old_or_new`

use std::io::{Seek, Write};
use std::os::fd::OwnedFd;

use rustix::fs::{
    AtFlags, Mode, RenameFlags, fchmod, fstat, fsync, linkat, renameat, renameat_with, statat, unlinkat,
};
use rustix::io::Errno;

use super::errno;
use super::error::WorkspaceError;
use super::files::{WorkspaceFiles, irregular_error, not_durable};
use super::identity;
use super::permissions::Permissions;
use super::resolve::LocatedPath;
use super::root::WorkspaceRoot;
use super::stat::{FileKind, is_same_file, modified_time};
use super::swap::{RetryStop, retry_swapped};
use super::temp::TemporaryFile;
use crate::base::{WorkspacePath, hash};
use crate::protocol::PathAccess;

/// The expected state of the path before a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExpectedFile {
    /// Whatever does.
    Anything,
    /// Nothing.
    Absent,
    /// A file whose bytes have this hash ([`hash::short_hash`]).
    Hash(String),
}

/// A write that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenFile {
    /// Where, symlinks followed.
    pub path: WorkspacePath,
    /// True where nothing stood there before.
    pub created: bool,
    /// The hash of the new content.
    pub hash: String,
    /// The number of its bytes.
    pub size: u64,
}

/// The function that writes the new bytes into the temporary. It is called again for each try.
type FillBytes<'a> = &'a mut dyn FnMut(&mut dyn Write) -> std::io::Result<()>;

/// The target of a write: the name and the file seen there.
struct WriteTarget<'a> {
    path: &'a WorkspacePath,
    above: WorkspacePath,
    folder: OwnedFd,
    old: Option<(OwnedFd, rustix::fs::Stat)>,
}

impl WorkspaceFiles {
    /// Puts `bytes` at `path`, whole and durable, or changes nothing.
    ///
    /// # Errors
    /// STALE where `expect` does not hold; NOT_FOUND where the folder is missing; PERMISSION_DENIED for a
    /// path that is closed, read-only, or could not stay the same file; QUOTA_EXCEEDED; with `applied` set
    /// where the write took effect but its durability is not certain.
    pub fn write_bytes(
        &self,
        path: &WorkspacePath,
        bytes: &[u8],
        expect: &ExpectedFile,
    ) -> Result<WrittenFile, WorkspaceError> {
        self.write_bytes_as(path, bytes, expect, Permissions::PLAIN)
    }

    /// Writes like [`Self::write_bytes`], and gives a new file `permissions`.
    ///
    /// # Errors
    /// As [`Self::write_bytes`].
    pub(crate) fn write_bytes_as(
        &self,
        path: &WorkspacePath,
        bytes: &[u8],
        expect: &ExpectedFile,
        permissions: Permissions,
    ) -> Result<WrittenFile, WorkspaceError> {
        self.replace_file(path, permissions, expect, &mut |out| out.write_all(bytes))
    }

    /// Writes like [`Self::write_bytes_as`], with the bytes that `fill` writes.
    pub(super) fn replace_file(
        &self,
        path: &WorkspacePath,
        permissions: Permissions,
        expect: &ExpectedFile,
        fill: FillBytes<'_>,
    ) -> Result<WrittenFile, WorkspaceError> {
        retry_swapped(path, || {
            let located = self.paths.locate_permitted(PathAccess::Write, path)?;
            let place = self.open_target(&located)?;
            if let Some((_, stat)) = &place.old {
                identity::check_replaceable(&place.folder, place.path, stat)?;
            }
            self.replace_once(&place, permissions, expect, fill)
        })
    }

    /// Removes a file. As with every other act, a symlink is followed: the file goes, the link stays.
    ///
    /// # Errors
    /// STALE where `expect` does not hold; NOT_FOUND; INVALID_ARGS for a folder; PERMISSION_DENIED.
    pub fn remove_file(&self, path: &WorkspacePath, expect: &ExpectedFile) -> Result<(), WorkspaceError> {
        retry_swapped(path, || {
            let located = self.paths.locate_permitted(PathAccess::Write, path)?;
            let place = self.open_target(&located)?;
            match &place.old {
                Some((_, stat)) => identity::check_writable(&place.folder, place.path, stat)?,
                None => return Err(self.paths.missing_error(path).into()),
            }
            let lock = self.state.lock_workspace()?;
            place.check_unmoved(&self.paths.root)?;
            check_expected(&place, expect)?;
            unlinkat(&place.folder, place.path.name(), AtFlags::empty())
                .map_err(|error| RetryStop::from_errno("remove", path, error))?;
            drop(lock);
            fsync(&place.folder).map_err(|error| not_durable(path, error).into())
        })
    }

    fn open_target<'a>(&self, located: &'a LocatedPath) -> Result<WriteTarget<'a>, RetryStop> {
        let path = &located.path;
        let Some(above) = path.parent() else { return Err(irregular_error(path, FileKind::Folder).into()) };
        let folder = self.paths.root.open_folder(&above).map_err(|error| match error {
            Errno::NOENT => no_folder(path, &above).into(),
            error => RetryStop::from_errno("write", path, error),
        })?;
        let old = located.stat.as_ref().map(|_| self.paths.open_file(path)).transpose()?;
        Ok(WriteTarget { path, above, folder, old })
    }

    fn replace_once(
        &self,
        place: &WriteTarget<'_>,
        permissions: Permissions,
        expect: &ExpectedFile,
        fill: FillBytes<'_>,
    ) -> Result<WrittenFile, RetryStop> {
        let failed = |error| errno::system_error("write", place.path, error);
        let mode = match (&place.old, permissions) {
            (None, Permissions::Masked(bits)) => Mode::from_raw_mode(bits & 0o777),
            _ => Mode::RUSR | Mode::WUSR,
        };
        let temporary = TemporaryFile::make_file(&self.state, &place.folder, &place.above, mode)?;
        let mut out = HashingWriter { file: &temporary.file, hash: hash::HashStream::default(), size: 0 };
        fill(&mut out).map_err(|error| failed(errno::errno_of(&error)))?;
        let (hash, size) = (out.hash.short_hash(), out.size);
        match (&place.old, permissions) {
            (Some((old, stat)), _) => identity::take_over(old, stat, &temporary.file, place.path)?,
            (None, Permissions::Exactly(bits)) => {
                fchmod(&temporary.file, Mode::from_raw_mode(bits & 0o777)).map_err(failed)?;
            }
            (None, Permissions::Masked(_)) => {}
        }
        fsync(&temporary.file).map_err(failed)?;
        self.commit_write(place, expect, temporary)?;
        Ok(WrittenFile { path: place.path.clone(), created: place.old.is_none(), hash, size })
    }

    /// Puts the temporary at the name, if the entry there is still the one that was seen and expected.
    fn commit_write(
        &self,
        place: &WriteTarget<'_>,
        expect: &ExpectedFile,
        temporary: TemporaryFile,
    ) -> Result<(), RetryStop> {
        let lock = self.state.lock_workspace()?;
        place.check_unmoved(&self.paths.root)?;
        check_expected(place, expect)?;
        let (folder, from, name) = (&place.folder, temporary.name.as_str(), place.path.name());
        let renamed = match place.old {
            Some(_) => renameat(folder, from, folder, name),
            None => rename_new(folder, from, folder, name),
        };
        match renamed {
            Ok(()) => {}
            Err(Errno::EXIST) if place.old.is_none() => return Err(RetryStop::Swapped),
            Err(error) => return Err(RetryStop::from_errno("write", place.path, error)),
        }
        drop(lock);
        let durable = fsync(folder);
        temporary.mark_renamed();
        durable.map_err(|error| not_durable(place.path, error).into())
    }
}

impl WriteTarget<'_> {
    /// Checks that folder and file are still the ones that were opened, each at its path.
    fn check_unmoved(&self, root: &WorkspaceRoot) -> Result<(), RetryStop> {
        let failed = |error| RetryStop::from_errno("write", self.path, error);
        let folder = root.open_folder(&self.above).map_err(failed)?;
        if !is_same_file(&fstat(&folder).map_err(failed)?, &fstat(&self.folder).map_err(failed)?) {
            return Err(RetryStop::Swapped);
        }
        match (statat(&self.folder, self.path.name(), AtFlags::SYMLINK_NOFOLLOW), &self.old) {
            (Ok(now), Some((_, then))) if is_same_file(&now, then) => Ok(()),
            (Err(Errno::NOENT), None) => Ok(()),
            (Ok(_) | Err(Errno::NOENT), _) => Err(RetryStop::Swapped),
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

/// Checks that the file at the place is the one that the caller knows.
fn check_expected(place: &WriteTarget<'_>, expect: &ExpectedFile) -> Result<(), WorkspaceError> {
    match (expect, &place.old) {
        (ExpectedFile::Anything, _) | (ExpectedFile::Absent, None) => Ok(()),
        (ExpectedFile::Absent, Some(old)) => {
            let found = hash_of(old).map_err(|error| errno::system_error("read", place.path, error))?;
            Err(stale_error(place, "exists already", None, found))
        }
        (ExpectedFile::Hash(hash), None) => {
            Err(WorkspaceError::Gone { path: place.path.clone(), expected: hash.clone() })
        }
        (ExpectedFile::Hash(hash), Some(old)) => {
            let found = hash_of(old).map_err(|error| errno::system_error("read", place.path, error))?;
            if found == *hash {
                Ok(())
            } else {
                Err(stale_error(place, "has changed since it was read", Some(hash), found))
            }
        }
    }
}

fn stale_error(
    place: &WriteTarget<'_>,
    what: &'static str,
    expected: Option<&str>,
    found: String,
) -> WorkspaceError {
    let stat = place.old.as_ref().and_then(|(file, _)| fstat(file).ok());
    let (size, modified) = stat.map(|stat| (stat.st_size, modified_time(&stat))).unzip();
    let (path, expected) = (place.path.clone(), expected.map(str::to_owned));
    WorkspaceError::Stale { path, what, expected, found, size, modified }
}

pub(super) fn no_folder(path: &WorkspacePath, folder: &WorkspacePath) -> WorkspaceError {
    WorkspaceError::FolderMissing { path: path.clone(), folder: folder.clone() }
}

/// The hash of an open file's bytes as they are now.
fn hash_of((file, _): &(OwnedFd, rustix::fs::Stat)) -> Result<String, Errno> {
    let file = file.try_clone().map_err(|error| errno::errno_of(&error))?;
    let mut file = std::fs::File::from(file);
    file.rewind().map_err(|error| errno::errno_of(&error))?;
    let mut out = HashingWriter { file: std::io::sink(), hash: hash::HashStream::default(), size: 0 };
    std::io::copy(&mut std::io::BufReader::with_capacity(1 << 17, file), &mut out)
        .map_err(|error| errno::errno_of(&error))?;
    Ok(out.hash.short_hash())
}

/// Hashes what is written through it.
struct HashingWriter<W> {
    file: W,
    hash: hash::HashStream,
    size: u64,
}

impl<W: Write> Write for HashingWriter<W> {
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
