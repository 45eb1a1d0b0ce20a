//! Folders that their owner may not enter, list or write, because a command or the owner closed them: they are opened for a
//! look, and closed again.

use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, Stat};
use rustix::io::Result;

/// Folders that are open to their owner until this is dropped.
#[derive(Debug, Default)]
pub(crate) struct OpenedFolders(Vec<SavedFolderMode>);

/// A folder as it was.
#[derive(Debug)]
struct SavedFolderMode {
    path: PathBuf,
    place: (u64, u64),
    mode: Mode,
}

impl OpenedFolders {
    /// Gives the owner every right to the folder at `path`. The answer is whether its mode was changed for that.
    pub(crate) fn open_to_owner(&mut self, path: &Path) -> bool {
        let Ok((folder, found)) = open_folder(path) else { return false };
        let mode = Mode::from_raw_mode(found.st_mode);
        let is_own = found.st_uid == rustix::process::geteuid().as_raw();
        if !is_own || mode.contains(Mode::RWXU) || set_mode(&folder, mode | Mode::RWXU).is_err() {
            return false;
        }
        self.0.push(SavedFolderMode { path: path.to_owned(), place: (found.st_dev, found.st_ino), mode });
        true
    }

    /// Returns whether this process may enter an open folder, or opening it would not help.
    pub(crate) fn may_enter(&self, folder: &OwnedFd) -> bool {
        let user = rustix::process::geteuid();
        let may = |found: Stat| {
            found.st_uid != user.as_raw() || Mode::from_raw_mode(found.st_mode).contains(Mode::XUSR)
        };
        user.is_root() || rustix::fs::fstat(folder).is_ok_and(may)
    }
}

impl Drop for OpenedFolders {
    fn drop(&mut self) {
        // The entries of a folder were opened after the folder.
        for closed in self.0.iter().rev() {
            if let Ok((folder, found)) = open_folder(&closed.path)
                && (found.st_dev, found.st_ino) == closed.place
            {
                let _ = set_mode(&folder, closed.mode);
            }
        }
    }
}

/// The folder itself, with no symlink on the way: another command may still swap what lies in a workspace.
pub(crate) fn open_folder(path: &Path) -> Result<(OwnedFd, Stat)> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let strict = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let folder = rustix::fs::openat2(CWD, path, flags, Mode::empty(), strict)?;
    let found = rustix::fs::fstat(&folder)?;
    Ok((folder, found))
}

fn set_mode(folder: &OwnedFd, mode: Mode) -> Result<()> {
    rustix::fs::chmod(format!("/proc/self/fd/{}", folder.as_raw_fd()), mode)
}
