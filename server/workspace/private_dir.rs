//! A private folder of wherefore below some root: opened beneath the root's descriptor with no symlink on the way, its
//! files regular, read up to a size, and replaced whole.

use std::ffi::CString;
use std::io::{Read, Seek, SeekFrom};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::{
    AtFlags, Dir, Mode, OFlags, Timespec, Timestamps, UTIME_NOW, fchmod, fstat, fsync, futimens, mkdirat,
    renameat, unlinkat,
};
use rustix::io::Errno;

use super::errno;
use super::error::WorkspaceError;
use super::file_lock::FileLock;
use super::files::irregular_error;
use super::root::{RootOpenError, WorkspaceRoot};
use super::stat::FileKind;
use crate::base::{WorkspacePath, tree};

/// The permissions of our own folder.
pub(super) const PRIVATE: Mode = Mode::RWXU;
/// The bits of a mode that let others in.
const OTHERS: u32 = 0o077;

/// The stamp of one state of a file.
pub(crate) type PrivateFileStamp = (i64, u64, i64, u64);

/// An entry of a folder.
#[derive(Clone, Debug)]
pub(super) struct PrivateDirEntry {
    pub(super) is_folder: bool,
    pub(super) bytes: u64,
    pub(super) changed: SystemTime,
}

/// A private folder at a path below a root.
#[derive(Debug)]
pub(super) struct PrivateDir {
    root: Arc<WorkspaceRoot>,
    at: WorkspacePath,
}

impl PrivateDir {
    /// The folder `at` below `root`. Touches nothing yet.
    pub(super) fn new(root: Arc<WorkspaceRoot>, at: WorkspacePath) -> Self {
        Self { root, at }
    }

    /// The root that it is below.
    pub(super) fn root(&self) -> &Arc<WorkspaceRoot> {
        &self.root
    }

    /// A path of the shelf, seen from the root.
    pub(super) fn path_inside(&self, path: &str) -> Result<WorkspacePath, WorkspaceError> {
        let leaves = || WorkspaceError::LeavesOurs { path: path.to_owned(), folder: self.at.clone() };
        self.at.join(path).ok_or_else(leaves)
    }

    /// Returns whether the shelf's own folder is there.
    pub(super) fn is_there(&self) -> bool {
        self.root.open_at(&self.at, OFlags::PATH | OFlags::DIRECTORY).is_ok()
    }

    /// Makes the shelf's own folder where it is missing, and closes it to others.
    pub(super) fn prepare_dir(&self) -> Result<OwnedFd, WorkspaceError> {
        let folder = self.make_dir(&self.at)?;
        let failed = |error| errno::system_error("prepare", &self.at, error);
        if fstat(&folder).map_err(failed)?.st_mode & OTHERS != 0 {
            fchmod(&folder, PRIVATE).map_err(failed)?;
        }
        Ok(folder)
    }

    /// Opens a folder of the shelf, made with those above it where missing.
    pub(super) fn open_dir(&self, path: &str) -> Result<OwnedFd, WorkspaceError> {
        self.make_dir(&self.path_inside(path)?)
    }

    fn make_dir(&self, path: &WorkspacePath) -> Result<OwnedFd, WorkspaceError> {
        match self.root.open_folder(path) {
            Ok(folder) => return Ok(folder),
            Err(Errno::NOENT) => {}
            Err(error) => return Err(blocked_error(path, error)),
        }
        let above = match path.parent() {
            Some(above) if above.is_root() => {
                self.root.open_folder(&above).map_err(|error| blocked_error(path, error))?
            }
            Some(above) => self.make_dir(&above)?,
            None => return Err(blocked_error(path, Errno::NOENT)),
        };
        match mkdirat(&above, path.name(), PRIVATE) {
            Ok(()) => fsync(&above).map_err(|error| blocked_error(path, error))?,
            Err(Errno::EXIST) => {}
            Err(error) => return Err(blocked_error(path, error)),
        }
        self.root.open_folder(path).map_err(|error| blocked_error(path, error))
    }

    /// The bytes of a file of at most `max` bytes; nothing where it is not there. UNSUPPORTED for a larger one,
    /// INVALID_ARGS for what is no regular file.
    pub(super) fn read_file(&self, path: &str, max: u64) -> Result<Option<Vec<u8>>, WorkspaceError> {
        let path = self.path_inside(path)?;
        let (file, stat) = match self.root.open_file(&path) {
            Ok(opened) => opened,
            Err(RootOpenError::Errno(Errno::NOENT)) => return Ok(None),
            Err(RootOpenError::Errno(error)) => return Err(errno::system_error("read", &path, error)),
            Err(RootOpenError::FileKind(kind)) => return Err(irregular_error(&path, kind)),
        };
        let size = u64::try_from(stat.st_size).unwrap_or_default();
        let mut bytes = Vec::with_capacity(usize::try_from(size.min(max)).unwrap_or(0));
        let read = std::fs::File::from(file).take(max.saturating_add(1)).read_to_end(&mut bytes);
        read.map_err(|error| errno::system_error("read", &path, errno::errno_of(&error)))?;
        if size.max(bytes.len() as u64) > max {
            return Err(WorkspaceError::OursTooLarge { path, max });
        }
        Ok(Some(bytes))
    }

    /// The bytes of a file from `from` on, of at most `max`; nothing where it is not there.
    pub(super) fn read_from(
        &self,
        path: &str,
        from: u64,
        max: u64,
    ) -> Result<Option<Vec<u8>>, WorkspaceError> {
        let path = self.path_inside(path)?;
        let file = match self.root.open_file(&path) {
            Ok((file, _)) => file,
            Err(RootOpenError::Errno(Errno::NOENT)) => return Ok(None),
            Err(RootOpenError::Errno(error)) => return Err(errno::system_error("read", &path, error)),
            Err(RootOpenError::FileKind(kind)) => return Err(irregular_error(&path, kind)),
        };
        let mut file = std::fs::File::from(file);
        let mut bytes = Vec::new();
        let read = file.seek(SeekFrom::Start(from)).and_then(|_| file.take(max).read_to_end(&mut bytes));
        read.map_err(|error| errno::system_error("read", &path, errno::errno_of(&error)))?;
        Ok(Some(bytes))
    }

    /// Returns the stamp by which one state of a file differs from the next; nothing where there is no file.
    pub(super) fn file_stamp(&self, path: &str) -> Option<PrivateFileStamp> {
        let path = self.path_inside(path).ok()?;
        let file = self.root.open_at(&path, OFlags::PATH | OFlags::NOFOLLOW).ok()?;
        let stat = fstat(&file).ok()?;
        Some((stat.st_mtime, stat.st_mtime_nsec, stat.st_size, stat.st_ino))
    }

    /// The names in a folder, sorted; none where it is not there.
    pub(super) fn list_dir(&self, path: &str) -> Result<Vec<String>, WorkspaceError> {
        let path = self.path_inside(path)?;
        let failed = |error| errno::system_error("list", &path, error);
        let folder = match self.root.open_folder(&path) {
            Ok(folder) => folder,
            Err(Errno::NOENT) => return Ok(Vec::new()),
            Err(error) => return Err(failed(error)),
        };
        let mut names = Vec::new();
        for entry in Dir::new(folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name().to_str().ok().filter(|name| !matches!(*name, "." | ".."));
            names.extend(name.map(str::to_owned));
        }
        names.sort();
        Ok(names)
    }

    /// Removes a file; false where it was not there.
    pub(super) fn remove_file(&self, path: &str) -> Result<bool, WorkspaceError> {
        let path = self.path_inside(path)?;
        let removed = path.parent().ok_or(Errno::ISDIR).and_then(|folder| {
            let folder = self.root.open_folder(&folder)?;
            unlinkat(&folder, path.name(), AtFlags::empty())?;
            fsync(&folder)
        });
        match removed {
            Ok(()) => Ok(true),
            Err(Errno::NOENT) => Ok(false),
            Err(error) => Err(errno::system_error("remove", &path, error)),
        }
    }

    /// Returns the entry at a path, links not followed; nothing where it is neither file nor folder.
    pub(super) fn entry_at(&self, path: &str) -> Option<PrivateDirEntry> {
        let file = self.root.open_at(&self.path_inside(path).ok()?, OFlags::PATH | OFlags::NOFOLLOW).ok()?;
        let stat = fstat(&file).ok()?;
        let kind = FileKind::from_stat(&stat);
        let seconds = Duration::from_secs(u64::try_from(stat.st_mtime).unwrap_or_default());
        matches!(kind, FileKind::File | FileKind::Folder).then(|| PrivateDirEntry {
            is_folder: kind == FileKind::Folder,
            bytes: u64::try_from(stat.st_size).unwrap_or_default(),
            changed: UNIX_EPOCH + seconds,
        })
    }

    /// The bytes of the files in a folder and below.
    pub(super) fn total_size(&self, folder: &str) -> u64 {
        let (mut bytes, mut folders) = (0, vec![folder.to_owned()]);
        while let Some(folder) = folders.pop() {
            for name in self.list_dir(&folder).unwrap_or_default() {
                let path = format!("{folder}/{name}");
                match self.entry_at(&path) {
                    Some(entry) if entry.is_folder => folders.push(path),
                    entry => bytes += entry.map_or(0, |entry| entry.bytes),
                }
            }
        }
        bytes
    }

    /// Lets a file count as changed just now; false where it is not there.
    pub(super) fn touch_file(&self, path: &str) -> bool {
        let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
        let times = Timestamps { last_access: now, last_modification: now };
        let file = self.path_inside(path).ok().and_then(|path| self.root.open_file(&path).ok());
        file.is_some_and(|(file, _)| futimens(&file, &times).is_ok())
    }

    /// Removes an empty folder.
    pub(super) fn remove_folder(&self, path: &str) -> Result<(), Errno> {
        let path = self.path_inside(path).map_err(|_| Errno::INVAL)?;
        let above = self.root.open_folder(&path.parent().ok_or(Errno::INVAL)?)?;
        unlinkat(&above, path.name(), AtFlags::REMOVEDIR)
    }

    /// Removes a folder with the files in it and in the folders in it, unless a process has it locked; false where one
    /// has.
    pub(super) fn remove_unlocked(&self, path: &str) -> Result<bool, WorkspaceError> {
        let at = self.path_inside(path)?;
        let failed = |error| errno::system_error("remove", &at, error);
        let Some(_lock) = FileLock::try_alone(self.root.open_folder(&at).map_err(failed)?) else {
            return Ok(false);
        };
        self.remove_tree(path).map(|()| true)
    }

    /// Removes a folder with all that is in it; a link goes, and not what it leads to.
    pub(super) fn remove_tree(&self, path: &str) -> Result<(), WorkspaceError> {
        let at = self.path_inside(path)?;
        let removed = at.parent().ok_or(Errno::ISDIR).and_then(|above| {
            let name = CString::new(at.name()).map_err(|_| Errno::INVAL)?;
            tree::remove_tree(&self.root.open_folder(&above)?, &name)
        });
        removed.map_err(|error| errno::system_error("remove", &at, error))
    }

    /// Moves the entry at `from` to `to`, in a folder that is made where it is missing.
    pub(super) fn rename_entry(&self, from: &str, to: &str) -> Result<(), WorkspaceError> {
        let (from, to) = (self.path_inside(from)?, self.path_inside(to)?);
        let target = self.make_dir(&to.parent().unwrap_or_else(WorkspacePath::root))?;
        let source = from.parent().unwrap_or_else(WorkspacePath::root);
        let renamed = self.root.open_folder(&source).and_then(|source| {
            renameat(&source, from.name(), &target, to.name())?;
            fsync(&target)?;
            fsync(&source)
        });
        renamed.map_err(|error| errno::system_error("move", &from, error))
    }
}

/// Returns the error for a file of wherefore's own that is too large.
pub(super) fn too_large(path: &WorkspacePath, size: u64, max: u64) -> WorkspaceError {
    WorkspaceError::WouldBeTooLarge { path: path.clone(), size, max }
}

fn blocked_error(path: &WorkspacePath, error: Errno) -> WorkspaceError {
    match error {
        Errno::LOOP | Errno::NOTDIR | Errno::XDEV => WorkspaceError::Blocked { path: path.clone() },
        error => errno::system_error("prepare", path, error),
    }
}

/// Returns whether a folder is the person's and closed to everyone else.
pub(super) fn is_ours(stat: &rustix::fs::Stat) -> bool {
    FileKind::from_stat(stat) == FileKind::Folder && stat.st_uid == rustix::process::geteuid().as_raw()
}
