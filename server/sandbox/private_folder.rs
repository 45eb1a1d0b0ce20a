//! A private folder of a run. A command may fill it with anything, so it is removed with any contents.

use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;
use wherefore_base::tree::remove_tree;

/// A folder that goes when this is dropped.
#[derive(Debug)]
pub(crate) struct PrivateFolder(PathBuf);

impl PrivateFolder {
    /// Makes an empty one among the temporary folders.
    pub(crate) fn make() -> io::Result<Self> {
        tempfile::tempdir().map(|folder| Self(folder.keep()))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    fn remove(&self) -> rustix::io::Result<()> {
        let (Some(above), Some(name)) = (self.0.parent(), self.0.file_name()) else {
            return Err(Errno::INVAL);
        };
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let above = rustix::fs::openat(CWD, above, flags, Mode::empty())?;
        remove_tree(&above, &CString::new(name.as_bytes()).map_err(|_| Errno::INVAL)?)
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        // If it cannot be removed, it stays in the folder of temporary files.
        let _ = self.remove();
    }
}
