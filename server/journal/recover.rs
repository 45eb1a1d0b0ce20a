//! Recovery of a log after damage: a torn end, a failed sync, a removed folder.
//!
//! Bytes that are set aside are kept in a file in the log's folder, and a `recovery` event describes the damage.

use std::os::fd::OwnedFd;

use rustix::fs::{self, FlockOperation};
use rustix::io;

use super::chain::LogChain;
use super::error::{JournalError, disk_error};
use super::file::{self, LOG, LogTail, retry_interrupted};
use super::head::LogHead;
use super::key::LogKey;
use crate::protocol::Event;

impl LogChain {
    /// Restores the current part to its last whole block and continues from there; begins it if it has none. `head`
    /// is the last block that is known to be durable: each block after it has to continue the one before.
    pub(super) fn recover_part(&mut self, head: Option<&LogHead>) -> Result<(), JournalError> {
        let failed = disk_error("recover the session log");
        let end = file::file_length(&self.log).map_err(failed)?;
        let tail = last_good(&self.log, self.parts, &self.key, head, end).map_err(failed)?;
        let keep = tail.as_ref().map_or(0, |tail| tail.end);
        let kept = self.cut_tail(keep, end)?;
        match tail {
            Some(tail) if tail.seq >= self.seq => {
                self.blocks = 2;
                self.syncer.set_durable(tail.seq);
                (self.seq, self.hash) = (tail.seq, tail.hash);
                self.reserve_numbers(&tail.numbers);
            }
            // The log was reset to an older state: continue with the newer chain, which shows that.
            Some(_) => self.blocks = 2,
            None => self.start_part()?,
        }
        let Some(kept) = kept else { return Ok(()) };
        let reason = "the end of the log was torn or not ours; it was set aside".to_owned();
        self.write_own_event(Event::Recovery { reason, kept, bytes: end - keep, missing: None })
    }

    /// Sets aside the bytes from `keep` to `end`, and returns the name of the file that has them.
    fn cut_tail(&mut self, keep: u64, end: u64) -> Result<Option<String>, JournalError> {
        let failed = disk_error("set aside the torn end of the session log");
        self.length = keep;
        if keep == end {
            return Ok(None);
        }
        let kept = file::set_aside(&self.dir, &self.log, keep, end).map_err(failed)?;
        self.syncer.note_rename();
        retry_interrupted(|| fs::ftruncate(&self.log, keep)).map_err(failed)?;
        Ok(Some(kept))
    }

    /// Sets aside the bytes that another program wrote behind the last block.
    pub(super) fn set_aside_foreign(&mut self, length: u64) -> Result<(), JournalError> {
        let keep = self.length;
        let kept = self.cut_tail(keep, length)?.unwrap_or_default();
        let reason = "another program wrote to the log; what it wrote was set aside".to_owned();
        self.write_own_event(Event::Recovery { reason, kept, bytes: length - keep, missing: None })
    }

    /// A sync of the current part failed: the log continues in the next part, which lists the events that may be
    /// missing. The failed part is never synced again, since the kernel may have dropped the data and report success.
    pub(super) fn give_up_part(&mut self, error: &JournalError, durable: u64) -> Result<(), JournalError> {
        let written = self.syncer.last_mark();
        let (first, last) = (durable + 1, self.seq);
        self.rotate_part()?;
        let missing = (first <= last).then_some((first, last));
        let which = match missing {
            Some((first, last)) if first == last => format!("event {first} may not be on the disk"),
            Some((first, last)) => format!("events {first} to {last} may not be on the disk"),
            None => "nothing of it is missing".to_owned(),
        };
        let reason = format!("{error}; {which}");
        self.troubles.add(format!("the session log goes on in a new part: {reason}"));
        self.write_own_event(Event::Recovery { reason, kept: String::new(), bytes: 0, missing })?;
        self.syncer.continue_in(&self.log, written);
        Ok(())
    }

    /// The log's path is in another folder now: takes up the log there, or begins one.
    pub(super) fn move_to(&mut self, dir: OwnedFd) -> Result<(), JournalError> {
        let failed = disk_error("open the session log anew");
        retry_interrupted(|| fs::flock(&dir, FlockOperation::NonBlockingLockExclusive)).map_err(failed)?;
        let copies = (file::reopen_folder(&dir).map_err(failed)?, file::reopen_folder(&dir).map_err(failed)?);
        let before = std::mem::replace(&mut self.dir, dir);
        let events = self.seq;
        (self.seq, self.hash) = (0, String::new());
        let begun = self.reopen_part().and_then(|()| {
            self.syncer.move_to(copies.0);
            self.preparer.store().move_to(copies.1);
            self.recover_part(None)
        });
        if let Err(error) = begun {
            // The next event finds that the folder is another one, and tries again.
            self.dir = before;
            self.seq = events;
            self.forget_identity();
            return Err(error);
        }
        self.note_restart(events, "is not in its place any more")
    }

    /// Records that a new log was begun.
    pub(super) fn note_restart(&mut self, events: u64, what: &str) -> Result<(), JournalError> {
        let reason = format!("the log of this session {what}; {events} events stood in it");
        self.troubles.add(format!("a new session log was begun: {reason}"));
        self.write_own_event(Event::Recovery { reason, kept: String::new(), bytes: 0, missing: None })
    }
}

/// The last valid block of the current part, after `parts` full ones.
fn last_good(
    log: &OwnedFd,
    parts: u64,
    key: &LogKey,
    head: Option<&LogHead>,
    end: u64,
) -> io::Result<Option<LogTail>> {
    let mut read = |from, to| file::read_range(log, from, to);
    let Some(head) = head else { return file::tail_before_holes(end, key, &mut read) };
    let (from, last) = match head.part == parts + 1 && head.end <= end {
        true => (head.end, file::find_tail(head.end, key, &mut read)?),
        false => (first_block(end, &mut read)?, None),
    };
    file::follow_chain(from, end, last, key, &mut read)
}

/// The offset where the first block of a part begins, behind its title; the end of the part if it has no block.
fn first_block(end: u64, read: &mut file::RangeReader<'_>) -> io::Result<u64> {
    let bytes = read(0, end.min(4096))?;
    let titled = bytes.starts_with(b"# Session ");
    let at = memchr::memmem::find(&bytes, b"\n## ").filter(|_| titled);
    Ok(at.map_or(end, |at| at as u64 + 1))
}

/// Returns whether the log in a session's folder has an end that the next process to open it would set aside.
///
/// # Errors
/// Errors of the disk.
pub(super) fn is_torn(dir: &OwnedFd, key: &LogKey, head: Option<&LogHead>) -> io::Result<bool> {
    let parts = retry_interrupted(|| file::list_parts(dir))?.last().copied().unwrap_or(0);
    let log = file::open_read(dir, LOG)?;
    let end = file::file_length(&log)?;
    Ok(last_good(&log, parts, key, head, end)?.map_or(0, |tail| tail.end) != end)
}
