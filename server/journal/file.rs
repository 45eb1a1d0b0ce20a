//! The log's files at the level of descriptors: opened without following links, searched from the end.

use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{self, AtFlags, FileType, Mode, OFlags};
use rustix::io::{self, Errno};

use super::block::{Block, LARGEST, Numbers};
use super::key::Key;

/// The part of a log that is written to; full parts are `session-log.1.md` and up.
pub const LOG: &str = "session-log.md";

/// How often an interrupted call is made again, and how long it is put off each time after the first few.
const TRIES: u32 = 200;
const PAUSE: std::time::Duration = std::time::Duration::from_millis(2);
/// Bytes of a torn end that are kept for the person.
const KEPT: u64 = 64 << 20;
/// Bytes that blocks are looked for in at once.
const WINDOW: u64 = 128 << 10;
/// So many zero bytes in a row are a hole that a power cut left; no text holds them.
const HOLE: [u8; 16] = [0; 16];

/// Makes a call of the system again for as long as it is only interrupted or put off.
///
/// # Errors
/// What the system says then.
pub(super) fn again<T>(mut once: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    for tried in 0..TRIES {
        match once() {
            Err(Errno::INTR | Errno::AGAIN) if tried < 8 => {}
            Err(Errno::INTR | Errno::AGAIN) => std::thread::sleep(PAUSE),
            done => return done,
        }
    }
    once()
}

/// Whether bytes hold what a power cut leaves in place of data that did not reach the disk.
pub(super) fn has_hole(bytes: &[u8]) -> bool {
    memchr::memmem::find(bytes, &HOLE).is_some()
}

/// Which file a descriptor or a path leads to.
pub(super) type Id = (u64, u64);

/// The identity in what the system says of a file.
pub(super) fn id(stat: &fs::Stat) -> Id {
    (stat.st_dev, stat.st_ino)
}

/// The name of a full part.
pub(super) fn part_name(part: u64) -> String {
    format!("session-log.{part}.md")
}

/// The numbers of the full parts, in order.
///
/// # Errors
/// Those of the disk.
pub(super) fn parts(dir: &OwnedFd) -> io::Result<Vec<u64>> {
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

/// Another descriptor of the folder, which can be locked and synced whatever the first was opened for.
///
/// # Errors
/// Those of the disk.
pub(super) fn folder(dir: impl AsFd) -> io::Result<OwnedFd> {
    again(|| fs::openat(&dir, ".", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()))
}

/// The folder that a folder is in.
///
/// # Errors
/// Those of the disk.
pub(super) fn parent(dir: &OwnedFd) -> io::Result<OwnedFd> {
    fs::openat(dir, "..", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
}

/// A folder inside `dir`, made where it is missing; a link is refused.
///
/// # Errors
/// Those of the disk.
pub(super) fn subfolder(dir: &OwnedFd, name: &str) -> io::Result<OwnedFd> {
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

/// A log's part, opened for appending, made where it is missing. Anything but a regular file with one name is
/// refused.
///
/// # Errors
/// Those of the disk; ELOOP, EMLINK or EINVAL for what is no such file.
pub(super) fn open_log(dir: &OwnedFd) -> io::Result<OwnedFd> {
    let flags = OFlags::RDWR
        | OFlags::APPEND
        | OFlags::NOFOLLOW
        | OFlags::NONBLOCK
        | OFlags::CLOEXEC
        | OFlags::NOCTTY;
    let mode = Mode::RUSR | Mode::WUSR;
    let make = || fs::openat(dir, LOG, flags | OFlags::CREATE | OFlags::EXCL, mode);
    let fd = match again(|| fs::openat(dir, LOG, flags, Mode::empty())) {
        Err(Errno::NOENT) => again(make)?,
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
/// Those of the disk.
pub(super) fn length(fd: &OwnedFd) -> io::Result<u64> {
    Ok(u64::try_from(fs::fstat(fd)?.st_size).unwrap_or_default())
}

/// Writes a file whole: under another name first, then renamed.
///
/// # Errors
/// Those of the disk; nothing is left behind then.
pub(super) fn replace(dir: &OwnedFd, name: &str, bytes: &[u8]) -> io::Result<()> {
    let other = format!(".{name}.{}", crate::base::ids::unique());
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

/// Copies what stands from `from` to `to` into a new file `recovered-N.bin`, synced, and gives its name. Of more than
/// 64 MB it takes the first.
///
/// # Errors
/// Those of the disk.
pub(super) fn set_aside(dir: &OwnedFd, log: &OwnedFd, from: u64, to: u64) -> io::Result<String> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    for number in 1..u32::MAX {
        let name = format!("recovered-{number}.bin");
        let kept = match fs::openat(dir, &name, flags, Mode::RUSR | Mode::WUSR) {
            Err(Errno::EXIST) => continue,
            opened => opened?,
        };
        let copied =
            copy(log, from, to.min(from + KEPT), &kept).and_then(|()| again(|| fs::fdatasync(&kept)));
        if copied.is_err() {
            let _ = fs::unlinkat(dir, &name, AtFlags::empty());
        }
        return copied.map(|()| name);
    }
    Err(Errno::EXIST)
}

fn copy(log: &OwnedFd, mut from: u64, to: u64, kept: &OwnedFd) -> io::Result<()> {
    while from < to {
        let bytes = read(log, from, to.min(from + (1 << 20)))?;
        if bytes.is_empty() {
            break;
        }
        write_all(kept, &bytes)?;
        from += bytes.len() as u64;
    }
    Ok(())
}

/// The bytes from `from` to `to`, fewer where the file ends before.
///
/// # Errors
/// Those of the disk.
pub(super) fn read(fd: impl AsFd, from: u64, to: u64) -> io::Result<Vec<u8>> {
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

/// Where a log's last whole block ends, and what the next one needs of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tail {
    /// Where the block begins.
    pub start: u64,
    /// Where it ends.
    pub end: u64,
    /// Its number.
    pub seq: u64,
    /// Its hash.
    pub hash: String,
    /// The last numbers given out.
    pub numbers: Numbers,
}

impl Tail {
    fn of(block: &Block<'_>, start: u64) -> Self {
        let (seq, hash, numbers) = (block.seq, block.hash.to_owned(), block.numbers());
        Self { start, end: start + block.text.len() as u64, seq, hash, numbers }
    }
}

/// What reads the bytes from one place to another.
pub(super) type Reading<'a> = dyn FnMut(u64, u64) -> io::Result<Vec<u8>> + 'a;

/// Finds the last whole and intact block before `end`, reading backwards, no more than it has to.
///
/// # Errors
/// Those of `read`.
pub(super) fn tail(end: u64, key: &Key, read: &mut Reading<'_>) -> io::Result<Option<Tail>> {
    let mut limit = end;
    while let Some(start) = block_start(limit, read)? {
        let bytes = read(start, limit.min(start + LARGEST as u64))?;
        if let Some(block) = Block::parse(&bytes, key).filter(|block| block.intact) {
            return Ok(Some(Tail::of(&block, start)));
        }
        limit = start;
    }
    Ok(None)
}

/// The same where nobody knows how far the log was durable: blocks behind a hole that a power cut left do not count.
/// A hole is looked for in the last megabyte.
///
/// # Errors
/// Those of `read`.
pub(super) fn tail_before_holes(end: u64, key: &Key, read: &mut Reading<'_>) -> io::Result<Option<Tail>> {
    let Some(mut last) = tail(end, key, read)? else { return Ok(None) };
    let mut at = last.start;
    while end - at < 8 * WINDOW {
        let Some(before) = tail(at, key, read)? else { break };
        if before.end < at {
            if !has_hole(&read(before.end, at.min(before.end + LARGEST as u64))?) {
                break;
            }
            last = before.clone();
        }
        at = before.start;
    }
    Ok(Some(last))
}

/// Follows the blocks from `from` on, the first of which continues `last`, and gives the last one that does.
///
/// # Errors
/// Those of `read`.
pub(super) fn follow(
    from: u64,
    end: u64,
    last: Option<Tail>,
    key: &Key,
    read: &mut Reading<'_>,
) -> io::Result<Option<Tail>> {
    let (mut at, mut last) = (from, last);
    let mut bytes = Vec::new();
    let mut begin = from;
    while at < end {
        let skip = usize::try_from(at - begin).unwrap_or(usize::MAX);
        let mut block = Block::parse(bytes.get(skip..).unwrap_or_default(), key);
        if block.is_none() {
            let more = if begin == at { LARGEST as u64 } else { WINDOW };
            (begin, bytes) = (at, read(at, end.min(at + more))?);
            block = Block::parse(&bytes, key);
            if block.is_none() && more < LARGEST as u64 {
                bytes = read(at, end.min(at + LARGEST as u64))?;
                block = Block::parse(&bytes, key);
            }
        }
        let continues = |block: &Block<'_>| {
            last.as_ref().is_none_or(|last| block.seq == last.seq + 1 && block.prev == last.hash)
        };
        let Some(block) = block.filter(|block| block.intact && continues(block)) else { break };
        last = Some(Tail::of(&block, at));
        at += block.text.len() as u64;
    }
    Ok(last)
}

/// The last place before `limit` where a line begins as a block's heading does.
///
/// # Errors
/// Those of `read`.
pub(super) fn block_start(limit: u64, read: &mut Reading<'_>) -> io::Result<Option<u64>> {
    const MARK: &[u8] = b"\n## ";
    const STEP: u64 = 16 << 10;
    let mut to = limit;
    while to > 0 {
        let from = to.saturating_sub(STEP);
        let bytes = read(from, limit.min(to + MARK.len() as u64 - 1))?;
        if let Some(at) = bytes.windows(MARK.len()).rposition(|part| part == MARK) {
            return Ok(Some(from + at as u64 + 1));
        }
        to = from;
    }
    Ok(None)
}

/// A regular file opened for reading; a link is refused, a FIFO does not hang.
///
/// # Errors
/// Those of the disk; EINVAL for what is no regular file.
pub(super) fn open_read(dir: impl AsFd, name: &str) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    let fd = again(|| fs::openat(&dir, name, flags, Mode::empty()))?;
    if FileType::from_raw_mode(fs::fstat(&fd)?.st_mode).is_file() { Ok(fd) } else { Err(Errno::INVAL) }
}
