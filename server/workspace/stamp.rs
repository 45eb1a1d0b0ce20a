//! When a file was changed last, as another program may remember it.

use rustix::fs::{Timespec, Timestamps, UTIME_NOW, UTIME_OMIT, futimens};

use super::error::WorkspaceError;
use super::files::Files;
use super::swap::{Stop, retry};
use crate::base::WorkspacePath;
use crate::protocol::Access;

/// When a file was changed last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileStamp(Timespec);

impl FileStamp {
    /// Just now, as the system counts.
    pub(crate) const fn now() -> Self {
        Self(Timespec { tv_sec: 0, tv_nsec: UTIME_NOW })
    }
}

impl Files {
    /// When a file was changed last; nothing where there is none.
    ///
    /// # Errors
    /// PERMISSION_DENIED by a rule.
    pub(crate) fn stamp(&self, path: &WorkspacePath) -> Result<Option<FileStamp>, WorkspaceError> {
        retry(path, || {
            let located = self.locate(Access::Read, path)?;
            if located.stat.is_none() {
                return Ok(None);
            }
            let (_, stat) = self.open_file(&located.path)?;
            let tv_nsec = i64::try_from(stat.st_mtime_nsec).unwrap_or_default();
            Ok(Some(FileStamp(Timespec { tv_sec: stat.st_mtime, tv_nsec })))
        })
    }

    /// Has a file count as changed when the stamp says.
    ///
    /// # Errors
    /// NOT_FOUND; PERMISSION_DENIED by a rule or the system.
    pub(crate) fn restamp(&self, path: &WorkspacePath, stamp: FileStamp) -> Result<(), WorkspaceError> {
        retry(path, || {
            let located = self.locate(Access::Write, path)?;
            let (file, _) = self.open_file(&located.path)?;
            let same = Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT };
            let times = Timestamps { last_access: same, last_modification: stamp.0 };
            futimens(&file, &times).map_err(|error| Stop::of("change", path, error))
        })
    }
}
