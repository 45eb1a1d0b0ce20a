//! The workspace's root folder: the one descriptor that everything is opened beneath.
//!
//! # Invariants
//!
//! - No removal or replacement of `.wherefore` or the root needs a restart.
//!   Test: `our_folder_is_removed`, `the_root_is_removed_and_made_anew`,
//!   `a_root_made_anew_is_worked_in_without_a_restart`

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::RwLock;
use rustix::fs::{AtFlags, CWD, Mode, OFlags, ResolveFlags, fstat, open, openat, openat2, stat, statat};
use rustix::io::{Errno, retry_on_intr};

use super::errno;
use super::error::WorkspaceError;
use super::stat::{FileKind, file_id, is_same_file};
use crate::base::{FileId, PathError, WorkspacePath};

/// The root of a workspace. It stays on the folder that was opened until [`WorkspaceRoot::renew_folder`] finds another
/// one of the same owner at its path.
#[derive(Debug)]
pub struct WorkspaceRoot {
    place: RwLock<Arc<RootFolder>>,
    path: String,
    /// Its absolute path without symlinks.
    real: String,
    /// The number of times that it was opened.
    opened: AtomicU64,
}

/// The folder that a root was opened on.
#[derive(Debug)]
pub(super) struct RootFolder {
    folder: OwnedFd,
    id: FileId,
    /// The user that owns it.
    owner: u32,
    /// Set where the kernel has no `openat2`.
    portable: Option<cap_std::fs::Dir>,
}

impl AsFd for RootFolder {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.folder.as_fd()
    }
}

impl RootFolder {
    fn from_folder(folder: OwnedFd, portable: bool) -> Result<Self, Errno> {
        let stat = fstat(&folder)?;
        let copy = || folder.try_clone().map_err(|error| errno::errno_of(&error));
        let portable =
            portable.then(copy).transpose()?.map(|copy| cap_std::fs::Dir::from_std_file(copy.into()));
        Ok(Self { id: file_id(&stat), owner: stat.st_uid, folder, portable })
    }
}

/// The flags of every open beneath the root. Links are expanded by `resolve`, part by part, so that the rules see their
/// targets; the kernel follows none.
const BENEATH: ResolveFlags =
    ResolveFlags::BENEATH.union(ResolveFlags::NO_MAGICLINKS).union(ResolveFlags::NO_SYMLINKS);
const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
/// The kernel answers EAGAIN where a rename disturbed the lookup.
const DISTURBED: usize = 100;

impl WorkspaceRoot {
    /// Opens the folder at `path`.
    ///
    /// # Errors
    /// NOT_FOUND, PERMISSION_DENIED, or INVALID_ARGS where it is no folder or its path is not UTF-8.
    pub fn open(path: &Path) -> Result<Self, WorkspaceError> {
        let root = Self::open_portable(path)?;
        let place = root.current_folder();
        let probe = openat2(&*place, ".", OFlags::PATH | OFlags::CLOEXEC, Mode::empty(), BENEATH);
        if probe.is_ok() {
            let folder = place
                .folder
                .try_clone()
                .map_err(|error| unopened_error(&root.path, errno::errno_of(&error)))?;
            root.put_folder(
                RootFolder::from_folder(folder, false).map_err(|error| unopened_error(&root.path, error))?,
            );
        }
        Ok(root)
    }

    /// Opens the folder as on a kernel without `openat2`: cap-std opens each folder on the way.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_portable(path: &Path) -> Result<Self, WorkspaceError> {
        let text =
            |path: std::io::Result<PathBuf>| path.ok().and_then(|path| path.to_str().map(str::to_owned));
        let Some(given) = text(std::path::absolute(path)) else {
            return Err(WorkspaceError::RootName { path: path.to_owned() });
        };
        let real = text(std::fs::canonicalize(path)).unwrap_or_else(|| given.clone());
        let climbs = path.components().any(|part| part == Component::ParentDir);
        let text = if climbs { real.clone() } else { given };
        let folder = retry_on_intr(|| open(text.as_str(), FOLDER, Mode::empty()))
            .map_err(|source| WorkspaceError::NoRoot { path: text.clone(), source })?;
        let place = RootFolder::from_folder(folder, true).map_err(|error| unopened_error(&text, error))?;
        Ok(Self { place: RwLock::new(Arc::new(place)), path: text, real, opened: AtomicU64::new(0) })
    }

    /// Opens the folder at the root's path, where it is another one than was opened: a checkout made again, or one that
    /// was put back. Returns how often that happened. It has to be the same owner's, and no symlink may lead there that
    /// did not before. While the path does not exist it keeps the folder that it has.
    ///
    /// # Errors
    /// NOT_FOUND where the folder that it has was removed.
    pub fn renew_folder(&self) -> Result<u64, WorkspaceError> {
        let (place, opened) = (self.current_folder(), self.opened.load(Ordering::Acquire));
        let found = retry_on_intr(|| stat(self.real.as_str()));
        if found.is_ok_and(|found| file_id(&found) == place.id) {
            return Ok(opened);
        }
        let another = self.open_again(place.portable.is_some());
        match another {
            Ok(another) if another.id != place.id && another.owner == place.owner => {
                self.put_folder(another);
                Ok(self.opened.fetch_add(1, Ordering::AcqRel) + 1)
            }
            _ if fstat(&*place).is_ok_and(|stat| stat.st_nlink == 0) => {
                Err(WorkspaceError::RootRemoved { path: self.path.clone() })
            }
            _ => Ok(opened),
        }
    }

    fn open_again(&self, portable: bool) -> Result<RootFolder, Errno> {
        let flags = FOLDER | OFlags::NOFOLLOW;
        let links = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        let folder = match portable {
            false => retry_on_intr(|| openat2(CWD, self.real.as_str(), flags, Mode::empty(), links))?,
            true => {
                let folder = retry_on_intr(|| open(self.real.as_str(), flags, Mode::empty()))?;
                let real = std::fs::canonicalize(&self.real).map_err(|error| errno::errno_of(&error))?;
                if real != Path::new(&self.real) || file_id(&stat(&real)?) != file_id(&fstat(&folder)?) {
                    return Err(Errno::LOOP);
                }
                folder
            }
        };
        RootFolder::from_folder(folder, portable)
    }

    fn put_folder(&self, place: RootFolder) {
        *self.place.write() = Arc::new(place);
    }

    /// Its absolute path, as it was given. For reading the spelling of paths and for showing; nothing is
    /// opened by it.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Its absolute path without symlinks, as it was when it was opened.
    pub fn real_path(&self) -> &str {
        &self.real
    }

    /// Returns the name of the mechanism that keeps opens beneath it: `openat2` or `cap-std`.
    pub fn confined_by(&self) -> &'static str {
        if self.current_folder().portable.is_some() { "cap-std" } else { "openat2" }
    }

    /// Reads a path as a caller writes it. An absolute one may spell the root as it was given or as it really
    /// is.
    ///
    /// # Errors
    /// As [`WorkspacePath::parse`].
    pub fn parse_path(&self, asked: &str) -> Result<WorkspacePath, PathError> {
        WorkspacePath::parse(&self.path, asked)
            .or_else(|error| WorkspacePath::parse(&self.real, asked).map_err(|_| error))
    }

    /// The folder that it is on now.
    pub(super) fn current_folder(&self) -> Arc<RootFolder> {
        self.place.read().clone()
    }

    /// Opens exactly this path: ELOOP where any part of it is a symlink. With `O_PATH` and `O_NOFOLLOW` the last part
    /// may be one.
    pub(super) fn open_at(&self, path: &WorkspacePath, flags: OFlags) -> Result<OwnedFd, Errno> {
        let flags = flags | OFlags::CLOEXEC;
        let place = self.current_folder();
        match &place.portable {
            Some(top) => open_portably(top, path, flags),
            None => {
                let once = || openat2(&*place, path.as_str(), flags, Mode::empty(), BENEATH);
                let mut result = once();
                for _ in 0..DISTURBED {
                    match result {
                        Err(Errno::AGAIN | Errno::INTR) => result = once(),
                        _ => break,
                    }
                }
                result
            }
        }
    }

    /// Opens a folder for listing, for making things in it and for fsync.
    pub(super) fn open_folder(&self, path: &WorkspacePath) -> Result<OwnedFd, Errno> {
        self.open_at(path, FOLDER | OFlags::NOFOLLOW)
    }

    /// Opens a regular file without ever opening anything else: what is there is looked at first, and what
    /// was opened is looked at again.
    pub(super) fn open_file(
        &self,
        path: &WorkspacePath,
    ) -> Result<(OwnedFd, rustix::fs::Stat), RootOpenError> {
        let seen = fstat(self.open_at(path, OFlags::PATH | OFlags::NOFOLLOW)?)?;
        match FileKind::from_stat(&seen) {
            FileKind::File => {}
            FileKind::Symlink => return Err(RootOpenError::Errno(Errno::LOOP)),
            other => return Err(RootOpenError::FileKind(other)),
        }
        self.open_seen(path, file_id(&seen))
    }

    /// Opens the regular file that was seen at this path a moment ago; ELOOP where another file is there now.
    pub(super) fn open_seen(
        &self,
        path: &WorkspacePath,
        seen: FileId,
    ) -> Result<(OwnedFd, rustix::fs::Stat), RootOpenError> {
        // Should a FIFO or a terminal stand there by now, this neither waits nor takes it over.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = self.open_at(path, flags)?;
        let opened = fstat(&file)?;
        match FileKind::from_stat(&opened) {
            FileKind::File if file_id(&opened) == seen => Ok((file, opened)),
            _ => Err(RootOpenError::Errno(Errno::LOOP)),
        }
    }
}

/// The reasons why a regular file was not opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RootOpenError {
    /// The system's error; ELOOP where it was swapped meanwhile.
    Errno(Errno),
    /// It is something else.
    FileKind(FileKind),
}

impl From<Errno> for RootOpenError {
    fn from(errno: Errno) -> Self {
        Self::Errno(errno)
    }
}

fn unopened_error(path: &str, source: Errno) -> WorkspaceError {
    WorkspaceError::RootUnopened { path: path.to_owned(), source }
}

/// Opens a path like [`WorkspaceRoot::open_at`], without `openat2`. cap-std opens each folder beneath the one before;
/// that it is the one at its name, and not where a symlink leads, is checked once it is open.
fn open_portably(top: &cap_std::fs::Dir, path: &WorkspacePath, flags: OFlags) -> Result<OwnedFd, Errno> {
    let mut folder = None;
    let mut parts = path.parts().peekable();
    while let Some(part) = parts.next() {
        let at = folder.as_ref().unwrap_or(top);
        if parts.peek().is_none() {
            return retry_on_intr(|| openat(at, part, flags | OFlags::NOFOLLOW, Mode::empty()));
        }
        folder = Some(open_step(at, part)?);
    }
    retry_on_intr(|| openat(top, ".", flags, Mode::empty()))
}

fn open_step(at: &cap_std::fs::Dir, part: &str) -> Result<cap_std::fs::Dir, Errno> {
    let entry = statat(at, part, AtFlags::SYMLINK_NOFOLLOW)?;
    match FileKind::from_stat(&entry) {
        FileKind::Folder => {}
        FileKind::Symlink => return Err(Errno::LOOP),
        _ => return Err(Errno::NOTDIR),
    }
    let opened = at.open_dir(part).map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::LOOP))?;
    let entry = statat(at, part, AtFlags::SYMLINK_NOFOLLOW)?;
    if is_same_file(&entry, &fstat(&opened)?) { Ok(opened) } else { Err(Errno::LOOP) }
}
