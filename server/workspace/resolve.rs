//! Resolves paths: symlinks are expanded part by part beneath the root.

use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;

use rustix::fs::{AtFlags, OFlags, fstat, openat, readlinkat, statat};
use rustix::io::Errno;

use super::errno;
use super::error::WorkspaceError;
use super::root::{RootFolder, WorkspaceRoot};
use super::stat::{FileKind, file_id};
use super::swap::{RetryStop, retry_swapped};
use crate::base::{FileId, WorkspacePath};

/// Links followed before they count as a circle, as in the kernel.
const LINKS: usize = 40;

/// A resolved path.
#[derive(Debug)]
pub(super) struct LocatedPath {
    /// The path with every symlink expanded.
    pub path: WorkspacePath,
    /// The metadata of the entry there; nothing where it does not exist yet.
    pub stat: Option<rustix::fs::Stat>,
}

impl WorkspaceRoot {
    /// The path that `path` leads to, symlinks followed. What does not exist yet is taken as it is written.
    ///
    /// # Errors
    /// PERMISSION_DENIED where a link leads outside the workspace or round in a circle.
    pub fn resolve_path(&self, path: &WorkspacePath) -> Result<WorkspacePath, WorkspaceError> {
        self.locate_path(path).map(|located| located.path)
    }

    /// Resolves a path as [`Self::resolve_path`], and returns the regular file that is there, if one is.
    ///
    /// # Errors
    /// As [`Self::resolve_path`].
    pub fn resolve_with_id(
        &self,
        path: &WorkspacePath,
    ) -> Result<(WorkspacePath, Option<FileId>), WorkspaceError> {
        let LocatedPath { path, stat } = self.locate_path(path)?;
        let file = stat.filter(|stat| FileKind::from_stat(stat) == FileKind::File).map(|stat| file_id(&stat));
        Ok((path, file))
    }

    /// Resolves the path of the entry at `path` itself: symlinks on the way are followed, and a symlink at its end is
    /// not.
    ///
    /// # Errors
    /// As [`Self::resolve_path`].
    pub fn resolve_entry(&self, path: &WorkspacePath) -> Result<WorkspacePath, WorkspaceError> {
        let Some(above) = path.parent() else { return Ok(path.clone()) };
        let above = self.resolve_path(&above)?;
        above.join(path.name()).ok_or_else(|| errno::system_error("open", path, Errno::INVAL))
    }

    /// Resolves an entry as [`Self::resolve_entry`], and returns the regular file that is there, if one is.
    ///
    /// # Errors
    /// As [`Self::resolve_path`].
    pub fn resolve_entry_with_id(
        &self,
        path: &WorkspacePath,
    ) -> Result<(WorkspacePath, Option<FileId>), WorkspaceError> {
        let path = self.resolve_entry(path)?;
        let stat = self.open_at(&path, OFlags::PATH | OFlags::NOFOLLOW).and_then(fstat).ok();
        Ok((path, stat.filter(|stat| FileKind::from_stat(stat) == FileKind::File).map(|stat| file_id(&stat))))
    }

    pub(super) fn locate_path(&self, asked: &WorkspacePath) -> Result<LocatedPath, WorkspaceError> {
        // Most paths hold no symlink: then one open is enough.
        match self.open_at(asked, OFlags::PATH | OFlags::NOFOLLOW).and_then(fstat) {
            Ok(stat) if FileKind::from_stat(&stat) != FileKind::Symlink => {
                return Ok(LocatedPath { path: asked.clone(), stat: Some(stat) });
            }
            Err(Errno::NOENT) => return Ok(LocatedPath { path: asked.clone(), stat: None }),
            Ok(_) | Err(Errno::LOOP) => {}
            Err(error) => return Err(errno::system_error("open", asked, error)),
        }
        retry_swapped(asked, || {
            PathWalk { root: self, top: self.current_folder(), asked, done: Vec::new(), folder: None }
                .walk_path()
        })
    }
}

/// A walk down a path.
struct PathWalk<'a> {
    root: &'a WorkspaceRoot,
    top: Arc<RootFolder>,
    asked: &'a WorkspacePath,
    /// The parts behind it; none is a symlink.
    done: Vec<String>,
    /// The folder they lead to; the root where absent.
    folder: Option<OwnedFd>,
}

impl PathWalk<'_> {
    fn walk_path(mut self) -> Result<LocatedPath, RetryStop> {
        let mut todo: Vec<String> = self.asked.parts().map(str::to_owned).collect();
        todo.reverse();
        let mut links = 0;
        while let Some(part) = todo.pop() {
            if part == ".." {
                self.go_up()?;
                continue;
            }
            let folder = self.folder.as_ref().map_or(self.top.as_fd(), AsFd::as_fd);
            let stat = match statat(folder, &part, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => stat,
                Err(Errno::NOENT) => return self.locate_missing(part, todo),
                Err(error) => return Err(self.open_error(error)),
            };
            match FileKind::from_stat(&stat) {
                FileKind::Symlink if links == LINKS => return Err(self.open_error(Errno::LOOP)),
                FileKind::Symlink => {
                    links += 1;
                    let target =
                        readlinkat(folder, &part, Vec::new()).map_err(|error| self.swapped_error(error))?;
                    todo.extend(self.target_parts(&part, target.to_str().ok())?);
                }
                FileKind::Folder => {
                    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                    let below = openat(folder, &part, flags, rustix::fs::Mode::empty())
                        .map_err(|error| self.swapped_error(error))?;
                    self.folder = Some(below);
                    self.done.push(part);
                }
                _ if todo.is_empty() => {
                    self.done.push(part);
                    return Ok(LocatedPath { path: self.current_path()?, stat: Some(stat) });
                }
                _ => return Err(self.open_error(Errno::NOTDIR)),
            }
        }
        let folder = self.folder.as_ref().map_or(self.top.as_fd(), AsFd::as_fd);
        let stat = fstat(folder).map_err(|error| self.open_error(error))?;
        Ok(LocatedPath { path: self.current_path()?, stat: Some(stat) })
    }

    /// Goes one folder up, never above the root.
    fn go_up(&mut self) -> Result<(), RetryStop> {
        if self.done.pop().is_none() {
            return Err(self.outside_error(".."));
        }
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW;
        let above = self.current_path()?;
        self.folder = Some(self.root.open_at(&above, flags).map_err(|error| self.swapped_error(error))?);
        Ok(())
    }

    /// The parts of a link's target, last first.
    fn target_parts(&self, link: &str, target: Option<&str>) -> Result<Vec<String>, RetryStop> {
        match target {
            Some(target) if !target.starts_with('/') => {
                let parts = target.split('/').filter(|part| !matches!(*part, "" | "."));
                Ok(parts.rev().map(str::to_owned).collect())
            }
            _ => Err(self.outside_error(link)),
        }
    }

    /// Resolves a path that does not exist yet: the rest is taken as written.
    fn locate_missing(mut self, part: String, todo: Vec<String>) -> Result<LocatedPath, RetryStop> {
        self.done.push(part);
        self.done.extend(todo.into_iter().rev());
        if self.done.iter().any(|part| part == "..") {
            return Err(self.open_error(Errno::NOENT));
        }
        Ok(LocatedPath { path: self.current_path()?, stat: None })
    }

    fn current_path(&self) -> Result<WorkspacePath, RetryStop> {
        WorkspacePath::from_relative(&self.done.join("/")).ok_or_else(|| self.outside_error(".."))
    }

    /// An error with an entry that was there a moment ago.
    fn swapped_error(&self, error: Errno) -> RetryStop {
        match error {
            Errno::LOOP | Errno::NOTDIR | Errno::NOENT | Errno::INVAL | Errno::XDEV => RetryStop::Swapped,
            error => self.open_error(error),
        }
    }

    fn open_error(&self, error: Errno) -> RetryStop {
        errno::system_error("open", self.asked, error).into()
    }

    fn outside_error(&self, link: &str) -> RetryStop {
        WorkspaceError::LeadsOutside { path: self.asked.clone(), link: link.to_owned() }.into()
    }
}
