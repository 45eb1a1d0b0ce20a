//! The changes that a command made on an overlay: what they are, and where they stand.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
use serde::Serialize;

use crate::layer_reader::{LayerReader, ReadLimits};
use crate::spec::OverlaySpec;

/// A path that a command changed, relative to the writable folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OverlayChange {
    /// The path.
    pub path: PathBuf,
    /// The kind of the change.
    pub kind: OverlayChangeKind,
}

/// The kinds of changes to a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OverlayChangeKind {
    /// A file is new, or holds something else, or has another mode. [`OverlayLayers::open_file`] opens it.
    File {
        /// Its permissions.
        mode: u32,
        /// Its size in bytes.
        size: u64,
        /// Its size on the disk, in bytes: less than its size if it has holes.
        on_disk: u64,
        /// Its inode, if it has further names in the layer.
        linked: Option<u64>,
        /// True if there was a file before.
        existed: bool,
        /// The earlier path, if its content was moved here unchanged.
        renamed_from: Option<PathBuf>,
    },
    /// A file holds what it held, and was given another time than that of the change: by `touch -d`, `cp -p` or the like.
    Dated,
    /// A folder is new.
    Folder {
        /// Its permissions.
        mode: u32,
    },
    /// The permissions of a folder that was there are others.
    FolderMode {
        /// Its permissions now.
        mode: u32,
    },
    /// A symlink is new, or leads elsewhere.
    Symlink {
        /// The path that it leads to.
        target: PathBuf,
    },
    /// The path is gone, with everything in it.
    Removed,
    /// A socket, a FIFO or a device. It is never brought into the folder.
    Special,
    /// The path was not read, with everything in it.
    Unread(UnreadReason),
}

/// The reason why a path of a layer was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnreadReason {
    /// Its path is longer than the system allows.
    Deep,
    /// There is more in the layer than is read of one.
    TooMuch,
    /// The system refuses to list it.
    Refused,
}

/// The layers of a run, which a caller reads after its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OverlayLayers {
    /// The writable folder itself, which the command did not change.
    pub lower: PathBuf,
    /// The folder that holds what the command changed.
    pub upper: PathBuf,
}

impl OverlayLayers {
    pub(crate) fn from_layers(layers: &OverlaySpec) -> Self {
        Self { lower: layers.at.as_path().to_owned(), upper: layers.upper.as_path().to_owned() }
    }

    /// Returns the changes, each folder before its entries. A file that was opened for writing and stayed unchanged
    /// is not a change. Entries of the upper layer that their owner may not read are opened to the owner; the changes
    /// hold the earlier mode. This takes limited time and memory: paths beyond the limits are returned as
    /// [`OverlayChangeKind::Unread`].
    pub fn changes(&self) -> io::Result<Vec<OverlayChange>> {
        LayerReader::read_overlay(self, ReadLimits::default())
    }

    /// Opens a file of the upper layer, by its path in a change.
    pub fn open_file(&self, path: &Path) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        Ok(open_below(&open_root(&self.upper)?, path, flags)?.into())
    }
}

pub(crate) fn open_root(folder: &Path) -> rustix::io::Result<OwnedFd> {
    rustix::fs::openat(CWD, folder, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
}

/// Opens the file at `path` below `folder`, without following symlinks.
pub(crate) fn open_below(folder: &OwnedFd, path: &Path, flags: OFlags) -> rustix::io::Result<OwnedFd> {
    let strict = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS | ResolveFlags::BENEATH;
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    rustix::fs::openat2(folder, path, flags, Mode::empty(), strict)
}
