//! Whether a log may be continued: one that came with the code, or whose end was cut off, may not.

use std::os::fd::OwnedFd;

use rustix::fs::{self, AtFlags};
use rustix::io::{self, Errno};
use serde_json::{Map, Value};

use super::block::Block;
use super::error::{ForeignReason, JournalError, disk};
use super::file::{self, LOG};
use super::head::{Head, Keeper};
use super::key::Key;
use super::yaml;
use crate::redact::redact;

/// Bytes in which the first event of a part is looked for.
const FIRST: u64 = 64 << 10;

/// What stands in a session's folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// No log.
    Absent,
    /// A log that may be continued, or the torn beginning of one.
    Ours,
}

/// The first event of a log, and whether its hash fits the key.
pub(super) struct First {
    /// Its fields.
    pub body: Map<String, Value>,
    /// Whether its hash fits.
    pub intact: bool,
}

impl First {
    /// The name of the key that the log says it is hashed with.
    pub(super) fn key(&self) -> Option<&str> {
        self.body.get("key").and_then(Value::as_str)
    }
}

/// The first event of the earliest part that is there; nothing where its beginning is torn.
///
/// # Errors
/// Those of the disk; ENOENT where there is no part.
pub(super) fn first(dir: &OwnedFd, key: &Key) -> io::Result<Option<First>> {
    let earliest = file::again(|| file::parts(dir))?
        .first()
        .map_or_else(|| LOG.to_owned(), |part| file::part_name(*part));
    let log = file::open_read(dir, &earliest)?;
    let bytes = file::read(&log, 0, FIRST.min(file::length(&log)?))?;
    let start = memchr::memmem::find(&bytes, b"\n## ").map(|at| at + 1);
    let block = start.and_then(|start| Block::parse(&bytes[start..], key));
    Ok(block.and_then(|block| Some(First { body: yaml::read(block.yaml).ok()?, intact: block.intact })))
}

/// Whether the log in a session's folder may be continued.
///
/// # Errors
/// [`JournalError::Foreign`] where it may not; those of the disk.
pub(super) fn check(
    dir: &OwnedFd,
    session: &str,
    root: &str,
    keeper: &Keeper,
    head: Option<&Head>,
) -> Result<Standing, JournalError> {
    let failed = disk("look at the session log");
    let first = match first(dir, keeper.key()) {
        Err(Errno::NOENT) => return Ok(Standing::Absent),
        // What stands in its place is refused where it is opened.
        Err(Errno::INVAL | Errno::LOOP) => return Ok(Standing::Ours),
        first => first.map_err(failed)?,
    };
    let refuse = |reason| Err(JournalError::Foreign { session: session.to_owned(), reason });
    let Some(first) = first else {
        return match head {
            Some(head) => refuse(ForeignReason::NoBeginning { events: head.seq }),
            None => Ok(Standing::Ours),
        };
    };
    if first.key() != keeper.key().name() {
        return refuse(match first.key() {
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
    match head.map(|head| fits(dir, head, keeper.key())).transpose().map_err(failed)? {
        Some(false) => refuse(ForeignReason::EndAltered { events: head.map_or(0, |head| head.seq) }),
        _ => Ok(Standing::Ours),
    }
}

/// Whether the last durable block stands in the log where it was written.
fn fits(dir: &OwnedFd, head: &Head, key: &Key) -> io::Result<bool> {
    let numbered = file::part_name(head.part);
    let there = fs::statat(dir, &numbered, AtFlags::SYMLINK_NOFOLLOW).is_ok();
    let log = match file::open_read(dir, if there { &numbered } else { LOG }) {
        Err(Errno::NOENT) => return Ok(false),
        log => log?,
    };
    if file::length(&log)? < head.end {
        return Ok(false);
    }
    let tail = file::tail(head.end, key, &mut |from, to| file::read(&log, from, to))?;
    Ok(tail.is_some_and(|tail| tail.end == head.end && tail.hash == head.hash && tail.seq == head.seq))
}
