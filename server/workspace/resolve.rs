//! Where a path leads: symlinks expanded part by part beneath the root.

use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;

use rustix::fs::{AtFlags, OFlags, fstat, openat, readlinkat, statat};
use rustix::io::Errno;

use super::errno;
use super::error::WorkspaceError;
use super::root::{Root, RootFolder};
use super::stat::{FileKind, id};
use super::swap::{Stop, retry};
use crate::base::{FileId, WorkspacePath};

/// Links followed before they count as a circle, as in the kernel.
const LINKS: usize = 40;

/// Where a path leads.
#[derive(Debug)]
pub(super) struct Located {
    /// The path with every symlink expanded.
    pub path: WorkspacePath,
    /// What stands there; nothing where it does not exist yet.
    pub stat: Option<rustix::fs::Stat>,
}

impl Root {
    /// The path that `path` leads to, symlinks followed. What does not exist yet is taken as it is written.
    ///
    /// # Errors
    /// PERMISSION_DENIED where a link leads outside the workspace or round in a circle.
    pub fn resolve(&self, path: &WorkspacePath) -> Result<WorkspacePath, WorkspaceError> {
        self.locate(path).map(|located| located.path)
    }

    /// [`Root::resolve`], and which regular file stands there, if one does.
    ///
    /// # Errors
    /// As [`Root::resolve`].
    pub fn look(&self, path: &WorkspacePath) -> Result<(WorkspacePath, Option<FileId>), WorkspaceError> {
        let Located { path, stat } = self.locate(path)?;
        let file = stat.filter(|stat| FileKind::of(stat) == FileKind::File).map(|stat| id(&stat));
        Ok((path, file))
    }

    /// The path of what stands at `path` itself: symlinks on the way are followed, and a symlink at its end is not.
    ///
    /// # Errors
    /// As [`Root::resolve`].
    pub fn resolve_entry(&self, path: &WorkspacePath) -> Result<WorkspacePath, WorkspaceError> {
        let Some(above) = path.parent() else { return Ok(path.clone()) };
        let above = self.resolve(&above)?;
        above.join(path.name()).ok_or_else(|| errno::failed("open", path, Errno::INVAL))
    }

    /// [`Root::resolve_entry`], and which regular file stands there, if one does.
    ///
    /// # Errors
    /// As [`Root::resolve`].
    pub fn look_entry(
        &self,
        path: &WorkspacePath,
    ) -> Result<(WorkspacePath, Option<FileId>), WorkspaceError> {
        let path = self.resolve_entry(path)?;
        let stat = self.open_at(&path, OFlags::PATH | OFlags::NOFOLLOW).and_then(fstat).ok();
        Ok((path, stat.filter(|stat| FileKind::of(stat) == FileKind::File).map(|stat| id(&stat))))
    }

    pub(super) fn locate(&self, asked: &WorkspacePath) -> Result<Located, WorkspaceError> {
        // Most paths hold no symlink: then one open says all.
        match self.open_at(asked, OFlags::PATH | OFlags::NOFOLLOW).and_then(fstat) {
            Ok(stat) if FileKind::of(&stat) != FileKind::Symlink => {
                return Ok(Located { path: asked.clone(), stat: Some(stat) });
            }
            Err(Errno::NOENT) => return Ok(Located { path: asked.clone(), stat: None }),
            Ok(_) | Err(Errno::LOOP) => {}
            Err(error) => return Err(errno::failed("open", asked, error)),
        }
        retry(asked, || {
            PathWalk { root: self, top: self.place(), asked, done: Vec::new(), folder: None }.run()
        })
    }
}

/// A walk down a path.
struct PathWalk<'a> {
    root: &'a Root,
    top: Arc<RootFolder>,
    asked: &'a WorkspacePath,
    /// The parts behind it; none is a symlink.
    done: Vec<String>,
    /// The folder they lead to; the root where absent.
    folder: Option<OwnedFd>,
}

impl PathWalk<'_> {
    fn run(mut self) -> Result<Located, Stop> {
        let mut todo: Vec<String> = self.asked.parts().map(str::to_owned).collect();
        todo.reverse();
        let mut links = 0;
        while let Some(part) = todo.pop() {
            if part == ".." {
                self.up()?;
                continue;
            }
            let folder = self.folder.as_ref().map_or(self.top.as_fd(), AsFd::as_fd);
            let stat = match statat(folder, &part, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => stat,
                Err(Errno::NOENT) => return self.missing(part, todo),
                Err(error) => return Err(self.failed(error)),
            };
            match FileKind::of(&stat) {
                FileKind::Symlink if links == LINKS => return Err(self.failed(Errno::LOOP)),
                FileKind::Symlink => {
                    links += 1;
                    let target =
                        readlinkat(folder, &part, Vec::new()).map_err(|error| self.swapped(error))?;
                    todo.extend(self.target(&part, target.to_str().ok())?);
                }
                FileKind::Folder => {
                    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                    let below = openat(folder, &part, flags, rustix::fs::Mode::empty())
                        .map_err(|error| self.swapped(error))?;
                    self.folder = Some(below);
                    self.done.push(part);
                }
                _ if todo.is_empty() => {
                    self.done.push(part);
                    return Ok(Located { path: self.path()?, stat: Some(stat) });
                }
                _ => return Err(self.failed(Errno::NOTDIR)),
            }
        }
        let folder = self.folder.as_ref().map_or(self.top.as_fd(), AsFd::as_fd);
        let stat = fstat(folder).map_err(|error| self.failed(error))?;
        Ok(Located { path: self.path()?, stat: Some(stat) })
    }

    /// One folder up, never above the root.
    fn up(&mut self) -> Result<(), Stop> {
        if self.done.pop().is_none() {
            return Err(self.outside(".."));
        }
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW;
        let above = self.path()?;
        self.folder = Some(self.root.open_at(&above, flags).map_err(|error| self.swapped(error))?);
        Ok(())
    }

    /// The parts of a link's target, last first.
    fn target(&self, link: &str, target: Option<&str>) -> Result<Vec<String>, Stop> {
        match target {
            Some(target) if !target.starts_with('/') => {
                let parts = target.split('/').filter(|part| !matches!(*part, "" | "."));
                Ok(parts.rev().map(str::to_owned).collect())
            }
            _ => Err(self.outside(link)),
        }
    }

    /// What is not there yet: the rest is taken as written.
    fn missing(mut self, part: String, todo: Vec<String>) -> Result<Located, Stop> {
        self.done.push(part);
        self.done.extend(todo.into_iter().rev());
        if self.done.iter().any(|part| part == "..") {
            return Err(self.failed(Errno::NOENT));
        }
        Ok(Located { path: self.path()?, stat: None })
    }

    fn path(&self) -> Result<WorkspacePath, Stop> {
        WorkspacePath::clean(&self.done.join("/")).ok_or_else(|| self.outside(".."))
    }

    /// An error with an entry that was there a moment ago.
    fn swapped(&self, error: Errno) -> Stop {
        match error {
            Errno::LOOP | Errno::NOTDIR | Errno::NOENT | Errno::INVAL | Errno::XDEV => Stop::Swapped,
            error => self.failed(error),
        }
    }

    fn failed(&self, error: Errno) -> Stop {
        errno::failed("open", self.asked, error).into()
    }

    fn outside(&self, link: &str) -> Stop {
        WorkspaceError::LeadsOutside { path: self.asked.clone(), link: link.to_owned() }.into()
    }
}
