//! What this machine keeps of one workspace, in the person's own state folder: proposals, checkpoints with the bytes
//! they need, intents of writes under way, the lock.
//!
//! Invariants: nothing that lies in the workspace is read as state, so a repository brings none along; a folder that
//! belongs to somebody else, or that lies in the workspace, is not used; a file is replaced whole.

use std::fs::DirBuilder;
use std::io::Write;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use rustix::fs::{
    Access, AtFlags, Mode, OFlags, access, fchmod, fstat, fsync, openat, renameat, statat, unlinkat,
};
use rustix::io::Errno;

use super::errno;
use super::error::WorkspaceError;
use super::lock::Lock;
use super::root::Root;
use super::shelf::{PRIVATE, Shelf, is_ours, too_large};
use super::stat::same;
use crate::base::{WorkspacePath, hash, ids, person};
use crate::rules::Held;

/// Bytes of the largest proposal, and of the largest checkpoint.
pub(super) const LARGEST: u64 = 16 << 20;
/// Bytes of the largest content that is kept for an undo.
const LARGEST_OBJECT: u64 = 1 << 30;
/// The folder of all roots in the person's state folder.
pub(super) const ROOTS: &str = "roots";
/// The file that says which root a folder is of.
pub(super) const NAMED: &str = "root";
/// Where intents and our own half-written files stand.
pub(super) const TEMPORARY: &str = "tmp";
pub(super) const OBJECTS: &str = "objects";
/// Where files are put that do not hold together.
pub(super) const ASIDE: &str = "aside";
const LOCK: &str = "lock";
/// Characters of a root's name that stand in the name of its folder.
const READABLE: usize = 40;

/// The state of one workspace. Its folder is made on the first write.
#[derive(Debug)]
pub struct State {
    workspace: Arc<Root>,
    /// The person's state folder; nothing where there is none.
    base: Option<PathBuf>,
    held: Held,
    shelf: Mutex<Option<Arc<Shelf>>>,
}

impl State {
    /// The state of the workspace at `workspace`, in the person's state folder `base`. Touches nothing yet.
    pub fn new(workspace: Arc<Root>, base: Option<PathBuf>) -> Self {
        let state = Self { workspace, base, held: Held::default(), shelf: Mutex::default() };
        if let Some(path) = state.in_workspace() {
            state.held.close_private(path);
        }
        state
    }

    /// What is closed in the workspace for as long as something holds it; our own state for ever.
    pub fn held(&self) -> &Held {
        &self.held
    }

    /// The workspace's root.
    pub fn workspace(&self) -> &Arc<Root> {
        &self.workspace
    }

    /// The person's state folder; nothing where they have none.
    pub fn base(&self) -> Option<&Path> {
        self.base.as_deref()
    }

    /// The absolute path of its folder; nothing where the person has no state folder.
    pub fn path(&self) -> Option<PathBuf> {
        Some(self.base.as_ref()?.join(ROOTS).join(folder_name(self.workspace.real())))
    }

    /// Its folder, for a person to read.
    pub fn shown(&self) -> String {
        self.path().map_or_else(|| "your state folder".to_owned(), |path| path.display().to_string())
    }

    /// The bytes that it takes up.
    pub fn size(&self) -> u64 {
        self.opened(false).ok().flatten().map_or(0, |shelf| shelf.size("."))
    }

    /// Of how many workspaces the person's state folder `base` keeps something, and the bytes of all.
    pub fn of_all(base: &Path) -> (usize, u64) {
        let Ok(root) = Root::open(base) else { return (0, 0) };
        let shelf = Shelf::new(Arc::new(root), WorkspacePath::root());
        (shelf.list(ROOTS).map_or(0, |roots| roots.len()), shelf.size("."))
    }

    /// Why nothing can be kept in it, where that is known without writing anything.
    pub fn trouble(&self) -> Option<WorkspaceError> {
        if let Err(error) = self.opened(false) {
            return Some(error);
        }
        let path = self.path()?;
        let there = path.ancestors().find(|above| above.symlink_metadata().is_ok())?;
        let writable = match there.is_dir() {
            true => access(there, Access::WRITE_OK | Access::EXEC_OK),
            false => Err(Errno::NOTDIR),
        };
        let failed = |error| self.told(errno::failed("write in", &WorkspacePath::root(), error));
        writable.err().map(failed)
    }

    /// Where the person's state folder lies in the workspace, if it does: closed to every tool.
    fn in_workspace(&self) -> Option<WorkspacePath> {
        let base = real(self.base.as_deref()?);
        let rest = base.strip_prefix(self.workspace.real()).ok()?.to_str()?;
        WorkspacePath::clean(rest).filter(|path| !path.is_root())
    }

    /// The bytes of a file of at most [`LARGEST`] bytes; nothing where it is not there.
    ///
    /// # Errors
    /// As the system says; UNSUPPORTED for a larger one, INVALID_ARGS for what is no regular file.
    pub fn read(&self, path: &str) -> Result<Option<Vec<u8>>, WorkspaceError> {
        self.read_up_to(path, LARGEST)
    }

    fn read_up_to(&self, path: &str, max: u64) -> Result<Option<Vec<u8>>, WorkspaceError> {
        let Some(shelf) = self.opened(false)? else { return Ok(None) };
        shelf.read(path, max).map_err(|error| self.told(error))
    }

    /// The names in a folder, sorted; none where it is not there.
    ///
    /// # Errors
    /// As the system says.
    pub fn list(&self, path: &str) -> Result<Vec<String>, WorkspaceError> {
        let Some(shelf) = self.opened(false)? else { return Ok(Vec::new()) };
        shelf.list(path).map_err(|error| self.told(error))
    }

    /// Writes a file of at most [`LARGEST`] bytes whole, durable when this returns.
    ///
    /// # Errors
    /// As the system says; QUOTA_EXCEEDED where it is larger. The file is then as it was.
    pub fn write(&self, path: &str, bytes: &[u8]) -> Result<(), WorkspaceError> {
        self.write_up_to(path, bytes, LARGEST)
    }

    fn write_up_to(&self, path: &str, bytes: &[u8], max: u64) -> Result<(), WorkspaceError> {
        let shelf = self.made()?;
        let target = shelf.inside(path)?;
        if bytes.len() as u64 > max {
            return Err(too_large(&target, bytes.len() as u64, max));
        }
        let above = path.rsplit_once('/').map_or(".", |(above, _)| above);
        let folder = shelf.dir(above).map_err(|error| self.told(error))?;
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
            self.told(errno::failed("write", &target, error))
        })
    }

    /// Adds bytes to the end of a file, in one piece; it may be lost in a power cut.
    ///
    /// # Errors
    /// As the system says.
    pub fn append(&self, path: &str, bytes: &[u8]) -> Result<(), WorkspaceError> {
        let shelf = self.made()?;
        let target = shelf.inside(path)?;
        let above = path.rsplit_once('/').map_or(".", |(above, _)| above);
        let folder = shelf.dir(above).map_err(|error| self.told(error))?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::APPEND | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let written = openat(&folder, target.name(), flags, Mode::RUSR | Mode::WUSR)
            .and_then(|file| std::fs::File::from(file).write_all(bytes).map_err(|error| errno::of(&error)));
        written.map_err(|error| self.told(errno::failed("write", &target, error)))
    }

    /// The bytes of a file from `from` on, of at most `max`; nothing where it is not there.
    ///
    /// # Errors
    /// As the system says.
    pub fn read_from(&self, path: &str, from: u64, max: u64) -> Result<Option<Vec<u8>>, WorkspaceError> {
        let Some(shelf) = self.opened(false)? else { return Ok(None) };
        shelf.read_from(path, from, max).map_err(|error| self.told(error))
    }

    /// Removes a file; false where it was not there.
    ///
    /// # Errors
    /// As the system says.
    pub fn remove(&self, path: &str) -> Result<bool, WorkspaceError> {
        let Some(shelf) = self.opened(false)? else { return Ok(false) };
        shelf.remove(path).map_err(|error| self.told(error))
    }

    /// Puts a file that does not hold together where nobody reads it, and gives that place.
    ///
    /// # Errors
    /// As the system says.
    pub fn set_aside(&self, path: &str) -> Result<String, WorkspaceError> {
        let aside = format!("{ASIDE}/{}-{}", ids::unique(), path.rsplit('/').next().unwrap_or(path));
        self.made()?.rename(path, &aside).map_err(|error| self.told(error))?;
        Ok(format!("{}/{aside}", self.shown()))
    }

    /// Keeps `bytes` under their hash ([`hash::short`]) and gives that.
    ///
    /// # Errors
    /// As the system says.
    pub fn put(&self, bytes: &[u8]) -> Result<String, WorkspaceError> {
        let hash = hash::short(bytes);
        // Made young, so that no sweep takes it before it is said what it is for.
        let kept = self.get(&hash).is_ok_and(|kept| kept.is_some());
        if !kept || !self.made()?.touch(&object(&hash)) {
            self.write_up_to(&object(&hash), bytes, LARGEST_OBJECT)?;
        }
        Ok(hash)
    }

    /// The bytes kept under `hash`; nothing where there are none or they have changed since.
    ///
    /// # Errors
    /// As the system says.
    pub fn get(&self, hash: &str) -> Result<Option<Vec<u8>>, WorkspaceError> {
        if hash.is_empty() || !hash.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Ok(None);
        }
        let kept = self.read_up_to(&object(hash), LARGEST_OBJECT)?;
        Ok(kept.filter(|bytes| hash::short(bytes) == hash))
    }

    /// Waits for the workspace's lock. Hold it for a check and a rename, no longer.
    ///
    /// # Errors
    /// TIMEOUT where another process does not let it go; PERMISSION_DENIED where the state folder cannot be written.
    pub fn lock(&self) -> Result<Lock, WorkspaceError> {
        let shelf = self.made()?;
        let folder = shelf.dir(".").map_err(|error| self.told(error))?;
        let path = shelf.inside(LOCK)?;
        let failed = |error| self.told(errno::failed("lock", &path, error));
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

    /// The folder of the intents and of our own temporaries, kept from being swept.
    pub(super) fn writing(&self) -> Result<Lock, WorkspaceError> {
        Lock::wait(self.made()?.dir(TEMPORARY).map_err(|error| self.told(error))?, true)
    }

    /// The names in the folder of the intents, with the folder itself where nobody writes.
    pub(super) fn left_behind(&self) -> Result<(Vec<String>, Option<Lock>), WorkspaceError> {
        let names = self.list(TEMPORARY)?;
        if names.is_empty() {
            return Ok((names, None));
        }
        Ok((names, Lock::try_alone(self.made()?.dir(TEMPORARY)?)))
    }

    fn made(&self) -> Result<Arc<Shelf>, WorkspaceError> {
        self.opened(true)?.ok_or(WorkspaceError::StateNotMade)
    }

    /// Its folder; made where that is wanted, else nothing where it is not there.
    pub(super) fn opened(&self, make: bool) -> Result<Option<Arc<Shelf>>, WorkspaceError> {
        let mut held = self.shelf.lock();
        // Somebody may have removed the folder meanwhile: then it is made anew, beneath a descriptor of its own.
        let stands = |shelf: &Arc<Shelf>| {
            let base = shelf.root().folder(&WorkspacePath::root()).and_then(fstat);
            base.is_ok_and(|base| base.st_nlink > 0) && shelf.stands()
        };
        if let Some(shelf) = held.as_ref().filter(|shelf| stands(shelf)) {
            return Ok(Some(shelf.clone()));
        }
        let base = self.place()?;
        if !base.is_dir() && !make {
            return Ok(None);
        }
        let shelf = self.open_below(base, make).map_err(|error| self.told(error))?;
        held.clone_from(&shelf);
        Ok(shelf)
    }

    fn open_below(&self, base: &Path, make: bool) -> Result<Option<Arc<Shelf>>, WorkspaceError> {
        if make {
            let made = DirBuilder::new().recursive(true).mode(PRIVATE.as_raw_mode()).create(base);
            made.map_err(|error| errno::failed("make", &WorkspacePath::root(), errno::of(&error)))?;
        }
        let root = Root::open(base)?;
        let top = root.folder(&WorkspacePath::root());
        own(top.map_err(|error| errno::failed("open", &WorkspacePath::root(), error))?)?;
        let name = format!("{ROOTS}/{}", folder_name(self.workspace.real()));
        let shelf =
            Shelf::new(Arc::new(root), WorkspacePath::clean(&name).unwrap_or_else(WorkspacePath::root));
        if !shelf.stands() && !make {
            return Ok(None);
        }
        let folder = shelf.prepare()?;
        own(&folder)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        if let Ok(file) = openat(&folder, NAMED, flags, Mode::RUSR | Mode::WUSR) {
            // For a person who looks: nothing goes by it.
            let _ = writeln!(std::fs::File::from(file), "{}", self.workspace.real());
        }
        Ok(Some(Arc::new(shelf)))
    }

    /// The person's state folder, where it may be used.
    fn place(&self) -> Result<&Path, WorkspaceError> {
        let Some(base) = self.base.as_deref() else {
            return Err(WorkspaceError::NoState);
        };
        let root = Path::new(self.workspace.real());
        let at_home = person::home().is_some_and(|home| real(&home).starts_with(root));
        if real(base).starts_with(root) && !at_home {
            return Err(WorkspaceError::StateInWorkspace { path: base.display().to_string() });
        }
        Ok(base)
    }

    /// An error about this folder, with what it is for and how to go on.
    fn told(&self, error: WorkspaceError) -> WorkspaceError {
        WorkspaceError::InState { source: Box::new(error), place: self.shown() }
    }
}

fn object(hash: &str) -> String {
    format!("{OBJECTS}/{hash}")
}

/// The name of a root's folder: what a person knows it by, and a hash of its whole path.
pub(super) fn folder_name(root: &str) -> String {
    let last = root.rsplit('/').find(|part| !part.is_empty()).unwrap_or("root");
    let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' };
    let readable: String = last.trim_start_matches('.').chars().take(READABLE).map(plain).collect();
    let mut hash = hash::short(root.as_bytes());
    hash.truncate(16);
    format!("{readable}-{hash}")
}

/// A path without symlinks, as far as it exists.
fn real(path: &Path) -> PathBuf {
    let known = path.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
    known.map_or_else(
        || path.to_owned(),
        |(above, real)| path.strip_prefix(above).map_or(real.clone(), |rest| real.join(rest)),
    )
}

/// Refuses a folder of somebody else's, and closes one of ours to others.
fn own(folder: impl std::os::fd::AsFd) -> Result<(), WorkspaceError> {
    let path = WorkspacePath::root();
    let failed = |error| errno::failed("look at", &path, error);
    let stat = fstat(&folder).map_err(failed)?;
    if !is_ours(&stat) {
        return Err(WorkspaceError::StateOfAnother { user: stat.st_uid });
    }
    if stat.st_mode & 0o022 != 0 {
        fchmod(&folder, PRIVATE).map_err(failed)?;
    }
    Ok(())
}
