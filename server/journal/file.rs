//! The log's files at the level of descriptors: opened without following links, searched from the end.

use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{self, AtFlags, FileType, Mode, OFlags};
use rustix::io::{self, Errno};

use super::block::{IdNumbers, LogBlock, MAX_BLOCK_BYTES};
use super::key::LogKey;
use super::split::STARTS;

/// The part of a log that is written to; full parts are `session-log.1.md` and up.
pub const LOG: &str = "session-log.md";

/// The number of retries of an interrupted call, and the pause before each one after the first few.
const TRIES: u32 = 200;
const PAUSE: std::time::Duration = std::time::Duration::from_millis(2);
/// Bytes of a torn end that are kept for the person.
const KEPT: u64 = 64 << 20;
/// Bytes that blocks are looked for in at once.
const WINDOW: u64 = 128 << 10;
/// The number of zero bytes in a row that are a hole from a power cut; no text holds them.
const HOLE: [u8; 16] = [0; 16];

/// Repeats a system call as long as it is only interrupted or deferred.
///
/// # Errors
/// The system's error.
pub(super) fn retry_interrupted<T>(mut once: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    for tried in 0..TRIES {
        match once() {
            Err(Errno::INTR | Errno::AGAIN) if tried < 8 => {}
            Err(Errno::INTR | Errno::AGAIN) => std::thread::sleep(PAUSE),
            done => return done,
        }
    }
    once()
}

/// Returns whether bytes hold the zeros that a power cut leaves in place of unwritten data.
pub(super) fn has_hole(bytes: &[u8]) -> bool {
    memchr::memmem::find(bytes, &HOLE).is_some()
}

/// The identity of a file: its device and inode.
pub(super) type InodeId = (u64, u64);

/// The identity of a file from its `stat`.
pub(super) fn inode_id(stat: &fs::Stat) -> InodeId {
    (stat.st_dev, stat.st_ino)
}

/// The name of a full part.
pub(super) fn part_name(part: u64) -> String {
    format!("session-log.{part}.md")
}

/// The numbers of the full parts, in order.
///
/// # Errors
/// Errors of the disk.
pub(super) fn list_parts(dir: &OwnedFd) -> io::Result<Vec<u64>> {
    let mut parts = Vec::new();
    for entry in fs::Dir::read_from(dir)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy();
        let number = name.strip_prefix("session-log.").and_then(|rest| rest.strip_suffix(".md"));
        let number = number.and_then(|number| number.parse().ok());
        parts.extend(number.filter(|number| *number > 0 && part_name(*number) == name));
    }
    parts.sort_unstable();
    Ok(parts)
}

/// Opens another descriptor of the folder, which can be locked and synced in spite of the flags of the first one.
///
/// # Errors
/// Errors of the disk.
pub(super) fn reopen_folder(dir: impl AsFd) -> io::Result<OwnedFd> {
    retry_interrupted(|| {
        fs::openat(&dir, ".", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
    })
}

/// The folder that a folder is in.
///
/// # Errors
/// Errors of the disk.
pub(super) fn open_parent(dir: &OwnedFd) -> io::Result<OwnedFd> {
    fs::openat(dir, "..", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
}

/// A folder inside `dir`, made if it is missing; a link is refused.
///
/// # Errors
/// Errors of the disk.
pub(super) fn open_subfolder(dir: &OwnedFd, name: &str) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match fs::openat(dir, name, flags, Mode::empty()) {
        Err(Errno::NOENT) => {}
        opened => return opened,
    }
    match fs::mkdirat(dir, name, Mode::RWXU) {
        Ok(()) | Err(Errno::EXIST) => fs::openat(dir, name, flags, Mode::empty()),
        Err(error) => Err(error),
    }
}

/// A log's part, opened for appending, made if it is missing. Anything but a regular file with one name is
/// refused.
///
/// # Errors
/// Errors of the disk; ELOOP, EMLINK or EINVAL if it is no such file.
pub(super) fn open_log(dir: &OwnedFd) -> io::Result<OwnedFd> {
    let flags = OFlags::RDWR
        | OFlags::APPEND
        | OFlags::NOFOLLOW
        | OFlags::NONBLOCK
        | OFlags::CLOEXEC
        | OFlags::NOCTTY;
    let mode = Mode::RUSR | Mode::WUSR;
    let make = || fs::openat(dir, LOG, flags | OFlags::CREATE | OFlags::EXCL, mode);
    let fd = match retry_interrupted(|| fs::openat(dir, LOG, flags, Mode::empty())) {
        Err(Errno::NOENT) => retry_interrupted(make)?,
        opened => opened?,
    };
    let stat = fs::fstat(&fd)?;
    if !FileType::from_raw_mode(stat.st_mode).is_file() {
        return Err(Errno::INVAL);
    }
    if stat.st_nlink > 1 {
        return Err(Errno::MLINK);
    }
    Ok(fd)
}

/// The length of an open file.
///
/// # Errors
/// Errors of the disk.
pub(super) fn file_length(fd: &OwnedFd) -> io::Result<u64> {
    Ok(u64::try_from(fs::fstat(fd)?.st_size).unwrap_or_default())
}

/// Writes a file whole: under another name first, then renamed.
///
/// # Errors
/// Errors of the disk; nothing is left behind then.
pub(super) fn replace_file(dir: &OwnedFd, name: &str, bytes: &[u8]) -> io::Result<()> {
    let other = format!(".{name}.{}", crate::base::ids::unique_word());
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let fd = fs::openat(dir, &other, flags, Mode::RUSR | Mode::WUSR)?;
    let written = write_all(&fd, bytes).and_then(|()| fs::renameat(dir, &other, dir, name));
    if written.is_err() {
        let _ = fs::unlinkat(dir, &other, AtFlags::empty());
    }
    written
}

fn write_all(fd: &OwnedFd, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match io::write(fd, bytes) {
            Ok(0) => return Err(Errno::IO),
            Ok(count) => bytes = &bytes[count..],
            Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Copies the bytes from `from` to `to` into a new file `recovered-N.bin`, syncs it, and returns its name. Only the
/// first 64 MB are copied.
///
/// # Errors
/// Errors of the disk.
pub(super) fn set_aside(dir: &OwnedFd, log: &OwnedFd, from: u64, to: u64) -> io::Result<String> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    for number in 1..u32::MAX {
        let name = format!("recovered-{number}.bin");
        let kept = match fs::openat(dir, &name, flags, Mode::RUSR | Mode::WUSR) {
            Err(Errno::EXIST) => continue,
            opened => opened?,
        };
        let copied = copy_range(log, from, to.min(from + KEPT), &kept)
            .and_then(|()| retry_interrupted(|| fs::fdatasync(&kept)));
        if copied.is_err() {
            let _ = fs::unlinkat(dir, &name, AtFlags::empty());
        }
        return copied.map(|()| name);
    }
    Err(Errno::EXIST)
}

fn copy_range(log: &OwnedFd, mut from: u64, to: u64, kept: &OwnedFd) -> io::Result<()> {
    while from < to {
        let bytes = read_range(log, from, to.min(from + (1 << 20)))?;
        if bytes.is_empty() {
            break;
        }
        write_all(kept, &bytes)?;
        from += bytes.len() as u64;
    }
    Ok(())
}

/// The bytes from `from` to `to`, fewer if the file ends before.
///
/// # Errors
/// Errors of the disk.
pub(super) fn read_range(fd: impl AsFd, from: u64, to: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(to.saturating_sub(from)).unwrap_or(usize::MAX)];
    let mut done = 0;
    while done < bytes.len() {
        match io::pread(&fd, &mut bytes[done..], from + done as u64) {
            Ok(0) => break,
            Ok(count) => done += count,
            Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(done);
    Ok(bytes)
}

/// The end of a log's last whole block, and the data that the next block needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LogTail {
    /// The offset where the block begins.
    pub start: u64,
    /// The offset where it ends.
    pub end: u64,
    /// Its number.
    pub seq: u64,
    /// Its hash.
    pub hash: String,
    /// The last numbers given out.
    pub numbers: IdNumbers,
}

impl LogTail {
    fn from_block(block: &LogBlock<'_>, start: u64) -> Self {
        let (seq, hash, numbers) = (block.seq, block.hash.to_owned(), block.id_numbers());
        Self { start, end: start + block.text.len() as u64, seq, hash, numbers }
    }
}

/// A function that reads the bytes between two offsets.
pub(super) type RangeReader<'a> = dyn FnMut(u64, u64) -> io::Result<Vec<u8>> + 'a;

/// Finds the last whole and intact block before `end`, reading backwards, no more than it has to.
///
/// # Errors
/// Errors of `read`.
pub(super) fn find_tail(end: u64, key: &LogKey, read: &mut RangeReader<'_>) -> io::Result<Option<LogTail>> {
    let mut limit = end;
    while let Some(start) = block_start(limit, read)? {
        let bytes = read(start, limit.min(start + MAX_BLOCK_BYTES as u64))?;
        if let Some(block) = LogBlock::parse(&bytes, key).filter(|block| block.intact) {
            return Ok(Some(LogTail::from_block(&block, start)));
        }
        limit = start;
    }
    Ok(None)
}

/// Like [`find_tail`], for a log whose durable length is unknown: blocks behind a hole that a power cut left do not count.
/// Holes are looked for in the last megabyte.
///
/// # Errors
/// Errors of `read`.
pub(super) fn tail_before_holes(
    end: u64,
    key: &LogKey,
    read: &mut RangeReader<'_>,
) -> io::Result<Option<LogTail>> {
    let Some(mut last) = find_tail(end, key, read)? else { return Ok(None) };
    let mut at = last.start;
    while end - at < 8 * WINDOW {
        let Some(before) = find_tail(at, key, read)? else { break };
        if before.end < at {
            if !has_hole(&read(before.end, at.min(before.end + MAX_BLOCK_BYTES as u64))?) {
                break;
            }
            last = before.clone();
        }
        at = before.start;
    }
    Ok(Some(last))
}

/// Follows the chain of blocks from `from` on, whose first block continues `last`, and returns the last block of the
/// chain.
///
/// # Errors
/// Errors of `read`.
pub(super) fn follow_chain(
    from: u64,
    end: u64,
    last: Option<LogTail>,
    key: &LogKey,
    read: &mut RangeReader<'_>,
) -> io::Result<Option<LogTail>> {
    let (mut at, mut last) = (from, last);
    let mut bytes = Vec::new();
    let mut begin = from;
    while at < end {
        let skip = usize::try_from(at - begin).unwrap_or(usize::MAX);
        let mut block = LogBlock::parse(bytes.get(skip..).unwrap_or_default(), key);
        if block.is_none() {
            let more = if begin == at { MAX_BLOCK_BYTES as u64 } else { WINDOW };
            (begin, bytes) = (at, read(at, end.min(at + more))?);
            block = LogBlock::parse(&bytes, key);
            if block.is_none() && more < MAX_BLOCK_BYTES as u64 {
                bytes = read(at, end.min(at + MAX_BLOCK_BYTES as u64))?;
                block = LogBlock::parse(&bytes, key);
            }
        }
        let continues = |block: &LogBlock<'_>| {
            last.as_ref().is_none_or(|last| block.seq == last.seq + 1 && block.prev == last.hash)
        };
        let Some(block) = block.filter(|block| block.intact && continues(block)) else { break };
        last = Some(LogTail::from_block(&block, at));
        at += block.text.len() as u64;
    }
    Ok(last)
}

/// The last place before `limit` where a line begins as a block does.
///
/// # Errors
/// Errors of `read`.
pub(super) fn block_start(limit: u64, read: &mut RangeReader<'_>) -> io::Result<Option<u64>> {
    /// Bytes of the longest mark without its last one, so that a mark on the edge of two steps is seen.
    const OVERLAP: u64 = STARTS[0].len() as u64 - 1;
    const STEP: u64 = 16 << 10;
    let mut to = limit;
    while to > 0 {
        let from = to.saturating_sub(STEP);
        let bytes = read(from, limit.min(to + OVERLAP))?;
        let last = |mark: &[u8]| memchr::memmem::rfind(&bytes, mark);
        if let Some(at) = STARTS.into_iter().filter_map(last).max() {
            return Ok(Some(from + at as u64 + 1));
        }
        to = from;
    }
    Ok(None)
}

/// A regular file opened for reading; a link is refused, a FIFO does not hang.
///
/// # Errors
/// Errors of the disk; EINVAL if it is no regular file.
pub(super) fn open_read(dir: impl AsFd, name: &str) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    let fd = retry_interrupted(|| fs::openat(&dir, name, flags, Mode::empty()))?;
    if FileType::from_raw_mode(fs::fstat(&fd)?.st_mode).is_file() { Ok(fd) } else { Err(Errno::INVAL) }
}
