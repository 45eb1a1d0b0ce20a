//! Checks if a log may be continued: a log that came with the code, or whose end was cut off, must not be.

use std::os::fd::OwnedFd;

use rustix::fs::{self, AtFlags};
use rustix::io::{self, Errno};
use serde_json::{Map, Value};

use super::block::LogBlock;
use super::error::{ForeignReason, JournalError, disk_error};
use super::file::{self, LOG};
use super::head::{LogHead, LogKeeper};
use super::key::LogKey;
use crate::redact::redact;

/// Bytes in which the first event of a part is looked for.
const FIRST: u64 = 64 << 10;

/// The log of a session's folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LogPresence {
    /// There is no log.
    Absent,
    /// A log that may be continued, or the torn beginning of one.
    Ours,
}

/// The first event of a log, and whether its hash fits the key.
pub(super) struct FirstEvent {
    /// Its fields.
    pub body: Map<String, Value>,
    /// True if its hash fits.
    pub intact: bool,
}

impl FirstEvent {
    /// The name of the key that hashes the log, as the log itself states it.
    pub(super) fn key_name(&self) -> Option<&str> {
        self.body.get("key").and_then(Value::as_str)
    }
}

/// Reads the first event of the earliest part that exists; none if its beginning is torn.
///
/// # Errors
/// Errors of the disk; ENOENT if there is no part.
pub(super) fn read_first_event(dir: &OwnedFd, key: &LogKey) -> io::Result<Option<FirstEvent>> {
    let earliest = file::retry_interrupted(|| file::list_parts(dir))?
        .first()
        .map_or_else(|| LOG.to_owned(), |part| file::part_name(*part));
    let log = file::open_read(dir, &earliest)?;
    let bytes = file::read_range(&log, 0, FIRST.min(file::file_length(&log)?))?;
    let start = memchr::memmem::find(&bytes, b"\n## ").map(|at| at + 1);
    let block = start.and_then(|start| LogBlock::parse(&bytes[start..], key));
    Ok(block.and_then(|block| Some(FirstEvent { body: block.fields().ok()?, intact: block.intact })))
}

/// Checks if the log in a session's folder may be continued.
///
/// # Errors
/// [`JournalError::Foreign`] if it must not be; errors of the disk.
pub(super) fn check_continuable(
    dir: &OwnedFd,
    session: &str,
    root: &str,
    keeper: &LogKeeper,
    head: Option<&LogHead>,
) -> Result<LogPresence, JournalError> {
    let failed = disk_error("look at the session log");
    let first = match read_first_event(dir, keeper.key()) {
        Err(Errno::NOENT) => return Ok(LogPresence::Absent),
        // Anything else in its place is refused when it is opened.
        Err(Errno::INVAL | Errno::LOOP) => return Ok(LogPresence::Ours),
        first => first.map_err(failed)?,
    };
    let refuse = |reason| Err(JournalError::Foreign { session: session.to_owned(), reason });
    let Some(first) = first else {
        return match head {
            Some(head) => refuse(ForeignReason::NoBeginning { events: head.seq }),
            None => Ok(LogPresence::Ours),
        };
    };
    if first.key_name() != keeper.key().name() {
        return refuse(match first.key_name() {
            Some(_) => ForeignReason::OtherKey,
            None => ForeignReason::NoKey,
        });
    }
    if keeper.key().name().is_some() {
        if !first.intact {
            return refuse(ForeignReason::FirstAltered);
        }
        let written = first.body.get("root").and_then(Value::as_str);
        if written.is_some_and(|written| written != redact(root)) {
            return refuse(ForeignReason::OtherFolder);
        }
    }
    match head.map(|head| is_head_in_log(dir, head, keeper.key())).transpose().map_err(failed)? {
        Some(false) => refuse(ForeignReason::EndAltered { events: head.map_or(0, |head| head.seq) }),
        _ => Ok(LogPresence::Ours),
    }
}

/// Returns whether the log still holds the last durable block at the position where it was written.
fn is_head_in_log(dir: &OwnedFd, head: &LogHead, key: &LogKey) -> io::Result<bool> {
    let numbered = file::part_name(head.part);
    let there = fs::statat(dir, &numbered, AtFlags::SYMLINK_NOFOLLOW).is_ok();
    let log = match file::open_read(dir, if there { &numbered } else { LOG }) {
        Err(Errno::NOENT) => return Ok(false),
        log => log?,
    };
    if file::file_length(&log)? < head.end {
        return Ok(false);
    }
    let tail = file::find_tail(head.end, key, &mut |from, to| file::read_range(&log, from, to))?;
    Ok(tail.is_some_and(|tail| tail.end == head.end && tail.hash == head.hash && tail.seq == head.seq))
}
