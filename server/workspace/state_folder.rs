//! The folder in the person's own state folder in which the state of one workspace is kept.
//!
//! A folder that belongs to somebody else, or that lies in the workspace, is not used.

use std::fs::DirBuilder;
use std::io::Write;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use rustix::fs::{Access, Mode, OFlags, access, fchmod, fstat, openat};
use rustix::io::Errno;

use super::errno;
use super::error::WorkspaceError;
use super::private_dir::{PRIVATE, PrivateDir, is_ours};
use super::root::WorkspaceRoot;
use crate::base::{WorkspacePath, hash, person};

/// The folder of all roots in the person's state folder.
pub(super) const ROOTS: &str = "roots";
/// The file that names the root which a folder is of.
pub(super) const NAMED: &str = "root";
/// Characters of a root's name that stand in the name of its folder.
const READABLE: usize = 40;

/// The folder of a workspace's state. It is found, checked and, where that is wanted, made on each use.
#[derive(Debug)]
pub struct StateFolder {
    workspace: Arc<WorkspaceRoot>,
    /// The person's state folder; nothing where there is none.
    base: Option<PathBuf>,
    dir: Mutex<Option<Arc<PrivateDir>>>,
}

impl StateFolder {
    /// The folder of the workspace at `workspace` in the person's state folder `base`. Touches nothing yet.
    pub(super) fn new(workspace: Arc<WorkspaceRoot>, base: Option<PathBuf>) -> Self {
        Self { workspace, base, dir: Mutex::default() }
    }

    /// The workspace's root.
    pub fn workspace_root(&self) -> &Arc<WorkspaceRoot> {
        &self.workspace
    }

    /// The person's state folder; nothing where they have none.
    pub fn base_folder(&self) -> Option<&Path> {
        self.base.as_deref()
    }

    /// The absolute path of its folder; nothing where the person has no state folder.
    pub fn state_path(&self) -> Option<PathBuf> {
        Some(self.base.as_ref()?.join(ROOTS).join(folder_name(self.workspace.real_path())))
    }

    /// Its folder, for a person to read.
    pub fn display_path(&self) -> String {
        self.state_path().map_or_else(|| "your state folder".to_owned(), |path| path.display().to_string())
    }

    /// Returns the reason why nothing can be kept in it, where that is known without writing anything.
    pub fn known_trouble(&self) -> Option<WorkspaceError> {
        if let Err(error) = self.open_dir(false) {
            return Some(error);
        }
        let path = self.state_path()?;
        let there = path.ancestors().find(|above| above.symlink_metadata().is_ok())?;
        let writable = match there.is_dir() {
            true => access(there, Access::WRITE_OK | Access::EXEC_OK),
            false => Err(Errno::NOTDIR),
        };
        let failed =
            |error| self.in_state_error(errno::system_error("write in", &WorkspacePath::root(), error));
        writable.err().map(failed)
    }

    /// Returns the path of the person's state folder in the workspace, if it lies there: it is closed to every tool.
    pub(super) fn in_workspace(&self) -> Option<WorkspacePath> {
        let base = real_path(self.base.as_deref()?);
        let rest = base.strip_prefix(self.workspace.real_path()).ok()?.to_str()?;
        WorkspacePath::from_relative(rest).filter(|path| !path.is_root())
    }

    /// Its folder, made where it is not there.
    pub(super) fn make_dir(&self) -> Result<Arc<PrivateDir>, WorkspaceError> {
        self.open_dir(true)?.ok_or(WorkspaceError::StateNotMade)
    }

    /// Its folder; made where that is wanted, else nothing where it is not there.
    pub(super) fn open_dir(&self, make: bool) -> Result<Option<Arc<PrivateDir>>, WorkspaceError> {
        let mut held = self.dir.lock();
        // The folder may have been removed: then it is made again, beneath a descriptor of its own.
        let stands = |shelf: &Arc<PrivateDir>| {
            let base = shelf.root().open_folder(&WorkspacePath::root()).and_then(fstat);
            base.is_ok_and(|base| base.st_nlink > 0) && shelf.is_there()
        };
        if let Some(shelf) = held.as_ref().filter(|shelf| stands(shelf)) {
            return Ok(Some(shelf.clone()));
        }
        let base = self.usable_base()?;
        if !base.is_dir() && !make {
            return Ok(None);
        }
        let shelf = self.open_below(base, make).map_err(|error| self.in_state_error(error))?;
        held.clone_from(&shelf);
        Ok(shelf)
    }

    fn open_below(&self, base: &Path, make: bool) -> Result<Option<Arc<PrivateDir>>, WorkspaceError> {
        if make {
            let made = DirBuilder::new().recursive(true).mode(PRIVATE.as_raw_mode()).create(base);
            made.map_err(|error| {
                errno::system_error("make", &WorkspacePath::root(), errno::errno_of(&error))
            })?;
        }
        let root = WorkspaceRoot::open(base)?;
        let top = root.open_folder(&WorkspacePath::root());
        claim_folder(top.map_err(|error| errno::system_error("open", &WorkspacePath::root(), error))?)?;
        let name = format!("{ROOTS}/{}", folder_name(self.workspace.real_path()));
        let shelf = PrivateDir::new(
            Arc::new(root),
            WorkspacePath::from_relative(&name).unwrap_or_else(WorkspacePath::root),
        );
        if !shelf.is_there() && !make {
            return Ok(None);
        }
        let folder = shelf.prepare_dir()?;
        claim_folder(&folder)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        if let Ok(file) = openat(&folder, NAMED, flags, Mode::RUSR | Mode::WUSR) {
            // For a person who looks: nothing goes by it.
            let _ = writeln!(std::fs::File::from(file), "{}", self.workspace.real_path());
        }
        Ok(Some(Arc::new(shelf)))
    }

    /// The person's state folder, where it may be used.
    fn usable_base(&self) -> Result<&Path, WorkspaceError> {
        let Some(base) = self.base.as_deref() else {
            return Err(WorkspaceError::NoState);
        };
        let root = Path::new(self.workspace.real_path());
        let at_home = person::home_dir().is_some_and(|home| real_path(&home).starts_with(root));
        if real_path(base).starts_with(root) && !at_home {
            return Err(WorkspaceError::StateInWorkspace { path: base.display().to_string() });
        }
        Ok(base)
    }

    /// An error about this folder, with what it is for and how to go on.
    pub(super) fn in_state_error(&self, error: WorkspaceError) -> WorkspaceError {
        WorkspaceError::InState { source: Box::new(error), place: self.display_path() }
    }
}

/// The name of a root's folder: what a person knows it by, and a hash of its whole path.
pub(super) fn folder_name(root: &str) -> String {
    let last = root.rsplit('/').find(|part| !part.is_empty()).unwrap_or("root");
    let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' };
    let readable: String = last.trim_start_matches('.').chars().take(READABLE).map(plain).collect();
    let mut hash = hash::short_hash(root.as_bytes());
    hash.truncate(16);
    format!("{readable}-{hash}")
}

/// Returns a path without symlinks, up to its last existing part.
fn real_path(path: &Path) -> PathBuf {
    let known = path.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
    known.map_or_else(
        || path.to_owned(),
        |(above, real)| path.strip_prefix(above).map_or(real.clone(), |rest| real.join(rest)),
    )
}

/// Refuses a folder of another user, and closes one of the person's own to others.
fn claim_folder(folder: impl std::os::fd::AsFd) -> Result<(), WorkspaceError> {
    let path = WorkspacePath::root();
    let failed = |error| errno::system_error("look at", &path, error);
    let stat = fstat(&folder).map_err(failed)?;
    if !is_ours(&stat) {
        return Err(WorkspaceError::StateOfAnother { user: stat.st_uid });
    }
    if stat.st_mode & 0o022 != 0 {
        fchmod(&folder, PRIVATE).map_err(failed)?;
    }
    Ok(())
}
