//! A cheap indication that a log may have changed.

use std::path::Path;

use rustix::fs::{self, AtFlags, Mode, OFlags, Stat};
use rustix::io;

use super::error::{JournalError, disk_error};
use super::file::{LOG, list_parts, part_name};

/// The metadata of a log's files: if it is equal, nothing was written in between. A stored value that is overwritten
/// in place is not detected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogStamp(Vec<[i128; 4]>);

impl LogStamp {
    /// The stamp of the log in a session's folder.
    ///
    /// # Errors
    /// [`JournalError::Missing`] if there is no such folder; those of the disk.
    pub fn from_dir(dir: &Path) -> Result<Self, JournalError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let fd = match fs::open(dir, flags, Mode::empty()) {
            Err(io::Errno::NOENT | io::Errno::NOTDIR) => return Err(JournalError::Missing(dir.to_owned())),
            opened => opened.map_err(disk_error("open the session's folder"))?,
        };
        let look = || {
            let mut stamps = vec![stat_stamp(&fs::fstat(&fd)?)];
            let names = list_parts(&fd)?.into_iter().map(part_name).chain([LOG.to_owned()]);
            for name in names {
                match fs::statat(&fd, name, AtFlags::SYMLINK_NOFOLLOW) {
                    Err(io::Errno::NOENT) => stamps.push([-1; 4]),
                    stat => stamps.push(stat_stamp(&stat?)),
                }
            }
            io::Result::Ok(Self(stamps))
        };
        look().map_err(disk_error("look at the session's folder"))
    }
}

/// The inode, the length, and the times of the last write and of the last change of any kind.
fn stat_stamp(stat: &Stat) -> [i128; 4] {
    let time = |seconds: i64, nanos: i128| i128::from(seconds) * 1_000_000_000 + nanos;
    [
        i128::from(stat.st_ino),
        i128::from(stat.st_size),
        time(stat.st_mtime, i128::from(stat.st_mtime_nsec)),
        time(stat.st_ctime, i128::from(stat.st_ctime_nsec)),
    ]
}
