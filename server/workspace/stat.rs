//! The metadata of a file, known without reading it.

use rustix::fs::FileType;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::base::{FileId, WorkspacePath};

/// The kind of the entry at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "each is the file type of its name")]
pub enum FileKind {
    File,
    #[serde(rename = "directory")]
    Folder,
    Symlink,
    Fifo,
    Socket,
    CharDevice,
    BlockDevice,
    Unknown,
}

impl FileKind {
    pub(super) fn from_stat(stat: &rustix::fs::Stat) -> Self {
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Self::File,
            FileType::Directory => Self::Folder,
            FileType::Symlink => Self::Symlink,
            FileType::Fifo => Self::Fifo,
            FileType::Socket => Self::Socket,
            FileType::CharacterDevice => Self::CharDevice,
            FileType::BlockDevice => Self::BlockDevice,
            _ => Self::Unknown,
        }
    }

    /// Its name in a sentence, with its article.
    pub fn noun(self) -> &'static str {
        match self {
            Self::File => "a file",
            Self::Folder => "a folder",
            Self::Symlink => "a symlink",
            Self::Fifo => "a FIFO",
            Self::Socket => "a socket",
            Self::CharDevice | Self::BlockDevice => "a device",
            Self::Unknown => "of an unknown kind",
        }
    }
}

/// A file or folder, symlinks followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileStat {
    /// Its path, symlinks followed.
    pub path: WorkspacePath,
    /// Its kind.
    pub kind: FileKind,
    /// Its size in bytes.
    pub size: u64,
    /// Its permission bits.
    pub mode: u32,
    /// The number of its names.
    pub links: u64,
}

impl FileStat {
    #[allow(clippy::useless_conversion, clippy::unnecessary_cast, reason = "the widths differ by platform")]
    pub(super) fn new(path: WorkspacePath, stat: &rustix::fs::Stat) -> Self {
        Self {
            path,
            kind: FileKind::from_stat(stat),
            size: u64::try_from(stat.st_size).unwrap_or(0),
            mode: stat.st_mode & 0o7777,
            links: stat.st_nlink as u64,
        }
    }

    /// Returns whether it is a file that nobody may write to.
    pub fn is_read_only(&self) -> bool {
        self.kind == FileKind::File && self.mode & 0o222 == 0
    }
}

/// Returns when the content last changed, RFC 3339; the epoch where the system's time is invalid.
#[allow(clippy::unnecessary_cast, reason = "the widths differ by platform")]
pub(super) fn modified_time(stat: &rustix::fs::Stat) -> String {
    let nanoseconds = i32::try_from(stat.st_mtime_nsec).unwrap_or(0);
    jiff::Timestamp::new(stat.st_mtime as i64, nanoseconds).unwrap_or(jiff::Timestamp::UNIX_EPOCH).to_string()
}

/// Returns the id of the file.
#[allow(clippy::useless_conversion, clippy::unnecessary_cast, reason = "the widths differ by platform")]
pub(super) fn file_id(stat: &rustix::fs::Stat) -> FileId {
    FileId { device: stat.st_dev as u64, inode: stat.st_ino as u64 }
}

/// Returns whether both are one file.
pub(super) fn is_same_file(one: &rustix::fs::Stat, other: &rustix::fs::Stat) -> bool {
    file_id(one) == file_id(other)
}
