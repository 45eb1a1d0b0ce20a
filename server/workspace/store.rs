//! Our own folder in the workspace, `.wherefore`: state, sealed contents, the lock.
//!
//! Invariants: it is opened beneath the root with no symlink on the way, so that nothing planted in a project
//! leads our writes elsewhere; a file in it is replaced whole.

use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::sync::{Arc, OnceLock};

use rustix::fs::{
    AtFlags, Dir, Mode, OFlags, fchmod, fstat, fsync, mkdirat, openat, renameat, statat, unlinkat,
};
use rustix::io::Errno;

use super::errno;
use super::lock::Lock;
use super::root::Root;
use super::stat::same;
use crate::base::{OURS, WorkspacePath, hash, ids};
use crate::protocol::{Code, Fault};

/// Where intents and our own half-written files stand in it.
pub(super) const TEMPORARY: &str = "tmp";
const OBJECTS: &str = "objects";
const LOCK: &str = "lock";
const PRIVATE: Mode = Mode::RWXU;

/// One state of a file.
pub type Stamp = (i64, u64, i64, u64);

/// Our folder in a workspace. Made on the first use, so that only reading a project leaves nothing in it.
#[derive(Debug)]
pub struct Store {
    root: Arc<Root>,
    ready: OnceLock<()>,
}

impl Store {
    /// The store of the workspace at `root`. Touches nothing yet.
    pub fn new(root: Arc<Root>) -> Self {
        Self { root, ready: OnceLock::new() }
    }

    /// The workspace's root.
    pub fn root(&self) -> &Arc<Root> {
        &self.root
    }

    /// Opens a folder of the store, as `sessions/<id>`; `.` is the store's own. Makes it where it is missing.
    ///
    /// # Errors
    /// PERMISSION_DENIED where the workspace cannot be written or something stands in the way.
    pub fn dir(&self, path: &str) -> Result<OwnedFd, Fault> {
        self.make_ready()?;
        self.make(&inside(path)?)
    }

    /// The bytes of a file of the store; nothing where it is not there.
    ///
    /// # Errors
    /// As the system says.
    pub fn read(&self, path: &str) -> Result<Option<Vec<u8>>, Fault> {
        let path = inside(path)?;
        let file = match self.root.open_at(&path, OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK) {
            Ok(file) => file,
            Err(Errno::NOENT) => return Ok(None),
            Err(error) => return Err(errno::fault("read", &path, error)),
        };
        let mut bytes = Vec::new();
        let read = std::fs::File::from(file).read_to_end(&mut bytes);
        read.map_err(|error| errno::fault("read", &path, errno::of(&error)))?;
        Ok(Some(bytes))
    }

    /// What tells one state of a file of the store from the next: its time, size and identity. Nothing where it is not
    /// there.
    pub fn stamp(&self, path: &str) -> Option<Stamp> {
        let path = inside(path).ok()?;
        let file = self.root.open_at(&path, OFlags::PATH | OFlags::NOFOLLOW).ok()?;
        let stat = fstat(&file).ok()?;
        Some((stat.st_mtime, stat.st_mtime_nsec, stat.st_size, stat.st_ino))
    }

    /// Writes a file of the store whole, durable when this returns. Its folder is made where it is missing.
    ///
    /// # Errors
    /// As the system says; the file is then as it was.
    pub fn write(&self, path: &str, bytes: &[u8]) -> Result<(), Fault> {
        let target = inside(path)?;
        let folder = self.dir(target.parent().as_ref().map_or(".", |folder| outside(folder)))?;
        let temporary = self.writing()?;
        let name = ids::unique();
        let written = (|| {
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let file = openat(&temporary, &name, flags, Mode::RUSR | Mode::WUSR)?;
            let mut file = std::fs::File::from(file);
            file.write_all(bytes).map_err(|error| errno::of(&error))?;
            fsync(&file)?;
            renameat(&temporary, &name, &folder, target.name())?;
            fsync(&folder)
        })();
        written.map_err(|error| {
            let _ = unlinkat(&temporary, &name, AtFlags::empty());
            errno::fault("write", &target, error)
        })
    }

    /// The names in a folder of the store, sorted; none where it is not there.
    ///
    /// # Errors
    /// As the system says.
    pub fn list(&self, path: &str) -> Result<Vec<String>, Fault> {
        let path = inside(path)?;
        let failed = |error| errno::fault("list", &path, error);
        let folder = match self.root.folder(&path) {
            Ok(folder) => folder,
            Err(Errno::NOENT) => return Ok(Vec::new()),
            Err(error) => return Err(failed(error)),
        };
        let mut names = Vec::new();
        for entry in Dir::new(folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            names.extend(
                entry
                    .file_name()
                    .to_str()
                    .ok()
                    .filter(|name| !matches!(*name, "." | ".."))
                    .map(str::to_owned),
            );
        }
        names.sort();
        Ok(names)
    }

    /// Removes a file of the store; false where it was not there.
    ///
    /// # Errors
    /// As the system says.
    pub fn remove(&self, path: &str) -> Result<bool, Fault> {
        let path = inside(path)?;
        let removed = path.parent().ok_or(Errno::ISDIR).and_then(|folder| {
            let folder = self.root.folder(&folder)?;
            unlinkat(&folder, path.name(), AtFlags::empty())?;
            fsync(&folder)
        });
        match removed {
            Ok(()) => Ok(true),
            Err(Errno::NOENT) => Ok(false),
            Err(error) => Err(errno::fault("remove", &path, error)),
        }
    }

    /// Keeps `bytes` under their hash ([`hash::short`]) and gives that.
    ///
    /// # Errors
    /// As the system says.
    pub fn put(&self, bytes: &[u8]) -> Result<String, Fault> {
        let hash = hash::short(bytes);
        if self.get(&hash)?.is_none() {
            self.write(&object(&hash), bytes)?;
        }
        Ok(hash)
    }

    /// The bytes kept under `hash`; nothing where there are none or they have changed since.
    ///
    /// # Errors
    /// As the system says.
    pub fn get(&self, hash: &str) -> Result<Option<Vec<u8>>, Fault> {
        if hash.is_empty() || !hash.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Ok(None);
        }
        Ok(self.read(&object(hash))?.filter(|bytes| hash::short(bytes) == hash))
    }

    /// Waits for the workspace's lock. Hold it for a check and a rename, no longer.
    ///
    /// # Errors
    /// TIMEOUT where another process does not let it go; PERMISSION_DENIED where the workspace cannot be
    /// written.
    pub fn lock(&self) -> Result<Lock, Fault> {
        let folder = self.dir(".")?;
        let path = inside(LOCK)?;
        let failed = |error| errno::fault("lock", &path, error);
        loop {
            let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
            let file = openat(&folder, LOCK, flags, Mode::RUSR | Mode::WUSR).map_err(failed)?;
            let opened = fstat(&file).map_err(failed)?;
            let lock = Lock::wait(file, false)?;
            // A lock on a file that was removed meanwhile keeps nobody out.
            match statat(&folder, LOCK, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(now) if same(&now, &opened) => return Ok(lock),
                Ok(_) | Err(Errno::NOENT) => {}
                Err(error) => return Err(failed(error)),
            }
        }
    }

    /// The store's own folder, closed to others, with a `.gitignore` that keeps it out of version control.
    fn make_ready(&self) -> Result<(), Fault> {
        let path = inside(".")?;
        if self.ready.get().is_some() && self.root.open_at(&path, OFlags::PATH | OFlags::DIRECTORY).is_ok() {
            return Ok(());
        }
        let folder = self.make(&path)?;
        let failed = |error| errno::fault("prepare", &path, error);
        if fstat(&folder).map_err(failed)?.st_mode & 0o077 != 0 {
            fchmod(&folder, PRIVATE).map_err(failed)?;
        }
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match openat(&folder, ".gitignore", flags, Mode::RUSR | Mode::WUSR) {
            Ok(file) => {
                let written = std::fs::File::from(file).write_all(b"*\n");
                written.map_err(|error| failed(errno::of(&error)))?;
            }
            Err(Errno::EXIST) => {}
            Err(error) => return Err(failed(error)),
        }
        let _ = self.ready.set(());
        Ok(())
    }

    /// Opens a folder, made with those above it where missing.
    fn make(&self, path: &WorkspacePath) -> Result<OwnedFd, Fault> {
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
}

fn object(hash: &str) -> String {
    format!("{OBJECTS}/{hash}")
}

/// A path of the store, seen from the root.
fn inside(path: &str) -> Result<WorkspacePath, Fault> {
    let store = WorkspacePath::clean(OURS);
    store
        .and_then(|store| store.join(path))
        .ok_or_else(|| Fault::internal(format!("`{path}` leaves the store")))
}

/// A path of the store, seen from the store.
fn outside(path: &WorkspacePath) -> &str {
    path.as_str()
        .strip_prefix(OURS)
        .map(|rest| rest.trim_start_matches('/'))
        .filter(|rest| !rest.is_empty())
        .unwrap_or(".")
}

fn blocked(path: &WorkspacePath, error: Errno) -> Fault {
    match error {
        Errno::LOOP | Errno::NOTDIR | Errno::XDEV => {
            let message =
                format!("`{path}` must be a folder of this workspace; a symlink or file stands in its way");
            Fault::new(Code::PermissionDenied, message)
                .fatal()
                .suggest("ask the person to look at it and remove it")
        }
        error => errno::fault("prepare", path, error),
    }
}
