//! A private folder of ours below some root: opened beneath the root's descriptor with no symlink on the way, its
//! files regular, read up to a size, and replaced whole.

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
use super::files::irregular;
use super::lock::Lock;
use super::root::{OpenError, Root};
use super::stat::FileKind;
use crate::base::WorkspacePath;

/// What a folder of ours permits, and to whom.
pub(super) const PRIVATE: Mode = Mode::RWXU;
/// The bits of a mode that let others in.
const OTHERS: u32 = 0o077;

/// One state of a file.
pub(crate) type Stamp = (i64, u64, i64, u64);

/// One entry of a folder.
#[derive(Clone, Debug)]
pub(super) struct ShelfEntry {
    pub(super) is_folder: bool,
    pub(super) bytes: u64,
    pub(super) changed: SystemTime,
}

/// A private folder at a path below a root.
#[derive(Debug)]
pub(super) struct Shelf {
    root: Arc<Root>,
    at: WorkspacePath,
}

impl Shelf {
    /// The folder `at` below `root`. Touches nothing yet.
    pub(super) fn new(root: Arc<Root>, at: WorkspacePath) -> Self {
        Self { root, at }
    }

    /// What it stands below.
    pub(super) fn root(&self) -> &Arc<Root> {
        &self.root
    }

    /// A path of the shelf, seen from the root.
    pub(super) fn inside(&self, path: &str) -> Result<WorkspacePath, WorkspaceError> {
        let leaves = || WorkspaceError::LeavesOurs { path: path.to_owned(), folder: self.at.clone() };
        self.at.join(path).ok_or_else(leaves)
    }

    /// Whether the shelf's own folder is there.
    pub(super) fn stands(&self) -> bool {
        self.root.open_at(&self.at, OFlags::PATH | OFlags::DIRECTORY).is_ok()
    }

    /// Makes the shelf's own folder where it is missing, and closes it to others.
    pub(super) fn prepare(&self) -> Result<OwnedFd, WorkspaceError> {
        let folder = self.make(&self.at)?;
        let failed = |error| errno::failed("prepare", &self.at, error);
        if fstat(&folder).map_err(failed)?.st_mode & OTHERS != 0 {
            fchmod(&folder, PRIVATE).map_err(failed)?;
        }
        Ok(folder)
    }

    /// Opens a folder of the shelf, made with those above it where missing.
    pub(super) fn dir(&self, path: &str) -> Result<OwnedFd, WorkspaceError> {
        self.make(&self.inside(path)?)
    }

    fn make(&self, path: &WorkspacePath) -> Result<OwnedFd, WorkspaceError> {
        match self.root.folder(path) {
            Ok(folder) => return Ok(folder),
            Err(Errno::NOENT) => {}
            Err(error) => return Err(blocked(path, error)),
        }
        let above = match path.parent() {
            Some(above) if above.is_root() => {
                self.root.folder(&above).map_err(|error| blocked(path, error))?
            }
            Some(above) => self.make(&above)?,
            None => return Err(blocked(path, Errno::NOENT)),
        };
        match mkdirat(&above, path.name(), PRIVATE) {
            Ok(()) => fsync(&above).map_err(|error| blocked(path, error))?,
            Err(Errno::EXIST) => {}
            Err(error) => return Err(blocked(path, error)),
        }
        self.root.folder(path).map_err(|error| blocked(path, error))
    }

    /// The bytes of a file of at most `max` bytes; nothing where it is not there. UNSUPPORTED for a larger one,
    /// INVALID_ARGS for what is no regular file.
    pub(super) fn read(&self, path: &str, max: u64) -> Result<Option<Vec<u8>>, WorkspaceError> {
        let path = self.inside(path)?;
        let (file, stat) = match self.root.open_file(&path) {
            Ok(opened) => opened,
            Err(OpenError::Errno(Errno::NOENT)) => return Ok(None),
            Err(OpenError::Errno(error)) => return Err(errno::failed("read", &path, error)),
            Err(OpenError::FileKind(kind)) => return Err(irregular(&path, kind)),
        };
        let size = u64::try_from(stat.st_size).unwrap_or_default();
        let mut bytes = Vec::with_capacity(usize::try_from(size.min(max)).unwrap_or(0));
        let read = std::fs::File::from(file).take(max.saturating_add(1)).read_to_end(&mut bytes);
        read.map_err(|error| errno::failed("read", &path, errno::of(&error)))?;
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
        let path = self.inside(path)?;
        let file = match self.root.open_file(&path) {
            Ok((file, _)) => file,
            Err(OpenError::Errno(Errno::NOENT)) => return Ok(None),
            Err(OpenError::Errno(error)) => return Err(errno::failed("read", &path, error)),
            Err(OpenError::FileKind(kind)) => return Err(irregular(&path, kind)),
        };
        let mut file = std::fs::File::from(file);
        let mut bytes = Vec::new();
        let read = file.seek(SeekFrom::Start(from)).and_then(|_| file.take(max).read_to_end(&mut bytes));
        read.map_err(|error| errno::failed("read", &path, errno::of(&error)))?;
        Ok(Some(bytes))
    }

    /// What tells one state of a file from the next; nothing where it is not there.
    pub(super) fn stamp(&self, path: &str) -> Option<Stamp> {
        let path = self.inside(path).ok()?;
        let file = self.root.open_at(&path, OFlags::PATH | OFlags::NOFOLLOW).ok()?;
        let stat = fstat(&file).ok()?;
        Some((stat.st_mtime, stat.st_mtime_nsec, stat.st_size, stat.st_ino))
    }

    /// The names in a folder, sorted; none where it is not there.
    pub(super) fn list(&self, path: &str) -> Result<Vec<String>, WorkspaceError> {
        let path = self.inside(path)?;
        let failed = |error| errno::failed("list", &path, error);
        let folder = match self.root.folder(&path) {
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
    pub(super) fn remove(&self, path: &str) -> Result<bool, WorkspaceError> {
        let path = self.inside(path)?;
        let removed = path.parent().ok_or(Errno::ISDIR).and_then(|folder| {
            let folder = self.root.folder(&folder)?;
            unlinkat(&folder, path.name(), AtFlags::empty())?;
            fsync(&folder)
        });
        match removed {
            Ok(()) => Ok(true),
            Err(Errno::NOENT) => Ok(false),
            Err(error) => Err(errno::failed("remove", &path, error)),
        }
    }

    /// What stands at a path, links not followed; nothing where it is neither file nor folder.
    pub(super) fn entry(&self, path: &str) -> Option<ShelfEntry> {
        let file = self.root.open_at(&self.inside(path).ok()?, OFlags::PATH | OFlags::NOFOLLOW).ok()?;
        let stat = fstat(&file).ok()?;
        let kind = FileKind::of(&stat);
        let seconds = Duration::from_secs(u64::try_from(stat.st_mtime).unwrap_or_default());
        matches!(kind, FileKind::File | FileKind::Folder).then(|| ShelfEntry {
            is_folder: kind == FileKind::Folder,
            bytes: u64::try_from(stat.st_size).unwrap_or_default(),
            changed: UNIX_EPOCH + seconds,
        })
    }

    /// The bytes of the files in a folder and below.
    pub(super) fn size(&self, folder: &str) -> u64 {
        let (mut bytes, mut folders) = (0, vec![folder.to_owned()]);
        while let Some(folder) = folders.pop() {
            for name in self.list(&folder).unwrap_or_default() {
                let path = format!("{folder}/{name}");
                match self.entry(&path) {
                    Some(entry) if entry.is_folder => folders.push(path),
                    entry => bytes += entry.map_or(0, |entry| entry.bytes),
                }
            }
        }
        bytes
    }

    /// Lets a file count as changed just now; false where it is not there.
    pub(super) fn touch(&self, path: &str) -> bool {
        let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
        let times = Timestamps { last_access: now, last_modification: now };
        let file = self.inside(path).ok().and_then(|path| self.root.open_file(&path).ok());
        file.is_some_and(|(file, _)| futimens(&file, &times).is_ok())
    }

    /// Removes an empty folder.
    pub(super) fn remove_folder(&self, path: &str) -> Result<(), Errno> {
        let path = self.inside(path).map_err(|_| Errno::INVAL)?;
        let above = self.root.folder(&path.parent().ok_or(Errno::INVAL)?)?;
        unlinkat(&above, path.name(), AtFlags::REMOVEDIR)
    }

    /// Removes a folder with the files in it and in the folders in it, unless a process has it locked; false where one
    /// has.
    pub(super) fn remove_unlocked(&self, path: &str) -> Result<bool, WorkspaceError> {
        let at = self.inside(path)?;
        let failed = |error| errno::failed("remove", &at, error);
        let Some(_lock) = Lock::try_alone(self.root.folder(&at).map_err(failed)?) else { return Ok(false) };
        self.remove_tree(path).map(|()| true)
    }

    /// Removes a folder with all that is in it; a link goes, and not what it leads to.
    pub(super) fn remove_tree(&self, path: &str) -> Result<(), WorkspaceError> {
        for name in self.list(path)? {
            let inner = format!("{path}/{name}");
            match self.entry(&inner) {
                Some(entry) if entry.is_folder => self.remove_tree(&inner)?,
                _ => drop(self.remove(&inner)?),
            }
        }
        let at = self.inside(path)?;
        self.remove_folder(path).map_err(|error| errno::failed("remove", &at, error))
    }

    /// Puts whatever stands at `from` at `to`, in a folder that is made where it is missing.
    pub(super) fn rename(&self, from: &str, to: &str) -> Result<(), WorkspaceError> {
        let (from, to) = (self.inside(from)?, self.inside(to)?);
        let target = self.make(&to.parent().unwrap_or_else(WorkspacePath::root))?;
        let source = from.parent().unwrap_or_else(WorkspacePath::root);
        let renamed = self.root.folder(&source).and_then(|source| {
            renameat(&source, from.name(), &target, to.name())?;
            fsync(&target)?;
            fsync(&source)
        });
        renamed.map_err(|error| errno::failed("move", &from, error))
    }
}

/// The error for a file of ours that is larger than it can be.
pub(super) fn too_large(path: &WorkspacePath, size: u64, max: u64) -> WorkspaceError {
    WorkspaceError::WouldBeTooLarge { path: path.clone(), size, max }
}

fn blocked(path: &WorkspacePath, error: Errno) -> WorkspaceError {
    match error {
        Errno::LOOP | Errno::NOTDIR | Errno::XDEV => WorkspaceError::Blocked { path: path.clone() },
        error => errno::failed("prepare", path, error),
    }
}

/// Whether a folder lets nobody else in, and is the person's.
pub(super) fn is_ours(stat: &rustix::fs::Stat) -> bool {
    FileKind::of(stat) == FileKind::Folder && stat.st_uid == rustix::process::geteuid().as_raw()
}
