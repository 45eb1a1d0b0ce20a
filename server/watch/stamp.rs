//! A file's state, which is compared without reading the file.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

use rustix::fs::Stat;

/// A second, in nanoseconds.
const SECOND_NS: i64 = 1_000_000_000;
/// The longest time after a change in which a second one could leave an equal stamp, if the system counts time in
/// ticks.
const TICK_NS: i64 = SECOND_NS / 10;
/// That time if the file system keeps whole or even seconds.
const COARSE_NS: i64 = 3 * SECOND_NS;

/// A file's size, times and inode. Where two are equal, the content is, but for writes so near to each other that the
/// file system's clock does not tell them apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct StatStamp {
    /// Its size in bytes.
    pub size: u64,
    /// When its content changed last, in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// When anything of it changed last, in nanoseconds since 1970. No program can set this one.
    pub ctime_ns: i64,
    /// Its inode.
    pub inode: u64,
}

impl StatStamp {
    pub(super) fn from_stat(stat: &Stat) -> Self {
        Self {
            size: u64::try_from(stat.st_size).unwrap_or(0),
            mtime_ns: to_nanoseconds(stat.st_mtime, stat.st_mtime_nsec),
            ctime_ns: to_nanoseconds(stat.st_ctime, stat.st_ctime_nsec),
            inode: stat.st_ino,
        }
    }

    /// Makes the stamp of a file from its metadata.
    pub fn from_metadata(found: &Metadata) -> Self {
        Self {
            size: found.size(),
            mtime_ns: found.mtime().saturating_mul(SECOND_NS).saturating_add(found.mtime_nsec()),
            ctime_ns: found.ctime().saturating_mul(SECOND_NS).saturating_add(found.ctime_nsec()),
            inode: found.ino(),
        }
    }

    /// Returns whether a later change is sure to leave another stamp: the last one is long enough ago at `now_ns`,
    /// nanoseconds since 1970.
    pub fn is_settled(&self, now_ns: i64) -> bool {
        let coarse = self.ctime_ns % SECOND_NS == 0;
        let quiet = if coarse { COARSE_NS } else { TICK_NS };
        now_ns.saturating_sub(self.mtime_ns.max(self.ctime_ns)) > quiet
    }

    /// Returns whether this is surely one file with unchanged content, under any name: its inode might have been
    /// given to another file, but not with an equal time and size.
    pub(super) fn same_content(&self, other: &Self) -> bool {
        (self.inode, self.size, self.mtime_ns) == (other.inode, other.size, other.mtime_ns)
    }
}

/// The time, in nanoseconds since 1970.
pub(super) fn now_ns() -> i64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0, |now| i64::try_from(now.as_nanos()).unwrap_or(i64::MAX))
}

fn to_nanoseconds(seconds: i64, rest: u64) -> i64 {
    seconds.saturating_mul(SECOND_NS).saturating_add(i64::try_from(rest).unwrap_or(0))
}
