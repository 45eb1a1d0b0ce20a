//! By what one sees cheaply that a log may be another than before.

use std::path::Path;

use rustix::fs::{self, AtFlags, Mode, OFlags, Stat};
use rustix::io;

use super::error::{JournalError, disk};
use super::file::{LOG, part_name, parts};

/// How the files of a log look from outside: two that are equal were not written to in between. A stored value that is
/// overwritten in its place does not show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogStamp(Vec<[i128; 4]>);

impl LogStamp {
    /// The stamp of the log in a session's folder.
    ///
    /// # Errors
    /// [`JournalError::Missing`] where there is no such folder; those of the disk.
    pub fn of(dir: &Path) -> Result<Self, JournalError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let fd = match fs::open(dir, flags, Mode::empty()) {
            Err(io::Errno::NOENT | io::Errno::NOTDIR) => return Err(JournalError::Missing(dir.to_owned())),
            opened => opened.map_err(disk("open the session's folder"))?,
        };
        let look = || {
            let mut stamps = vec![stamp(&fs::fstat(&fd)?)];
            let names = parts(&fd)?.into_iter().map(part_name).chain([LOG.to_owned()]);
            for name in names {
                match fs::statat(&fd, name, AtFlags::SYMLINK_NOFOLLOW) {
                    Err(io::Errno::NOENT) => stamps.push([-1; 4]),
                    stat => stamps.push(stamp(&stat?)),
                }
            }
            io::Result::Ok(Self(stamps))
        };
        look().map_err(disk("look at the session's folder"))
    }
}

/// Which file it is, how long, and when it was last written to and last changed at all.
fn stamp(stat: &Stat) -> [i128; 4] {
    let time = |seconds: i64, nanos: i128| i128::from(seconds) * 1_000_000_000 + nanos;
    [
        i128::from(stat.st_ino),
        i128::from(stat.st_size),
        time(stat.st_mtime, i128::from(stat.st_mtime_nsec)),
        time(stat.st_ctime, i128::from(stat.st_ctime_nsec)),
    ]
}
