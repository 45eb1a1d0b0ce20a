//! What becomes of a log that is not as it was left: a torn end, a sync that failed, a folder that was removed.
//!
//! What is set aside stays in a file beside the log, and a `recovery` event says what happened.

use std::os::fd::OwnedFd;

use rustix::fs::{self, FlockOperation};
use rustix::io;

use super::chain::Chain;
use super::error::{JournalError, disk};
use super::file::{self, LOG, Tail, again};
use super::head::Head;
use super::key::Key;
use crate::protocol::Event;

impl Chain {
    /// Brings the part at hand to its last whole block and continues from there; starts it where it has none. `head`
    /// is the last block that is known to be durable: from there on each block has to continue the one before.
    pub(super) fn recover(&mut self, head: Option<&Head>) -> Result<(), JournalError> {
        let failed = disk("recover the session log");
        let end = file::length(&self.log).map_err(failed)?;
        let tail = last_good(&self.log, self.parts, &self.key, head, end).map_err(failed)?;
        let keep = tail.as_ref().map_or(0, |tail| tail.end);
        let kept = self.cut(keep, end)?;
        match tail {
            Some(tail) if tail.seq >= self.seq => {
                self.blocks = 2;
                self.syncer.begin(tail.seq);
                (self.seq, self.hash) = (tail.seq, tail.hash);
                self.count(&tail.numbers);
            }
            // The log was put back to an older state behind our back: go on with the newer chain, which shows it.
            Some(_) => self.blocks = 2,
            None => self.start()?,
        }
        let Some(kept) = kept else { return Ok(()) };
        let reason = "the end of the log was torn or not ours; it was set aside".to_owned();
        self.note(Event::Recovery { reason, kept, bytes: end - keep, missing: None })
    }

    /// Sets aside what stands from `keep` to `end`, and gives the name of the file that has it.
    fn cut(&mut self, keep: u64, end: u64) -> Result<Option<String>, JournalError> {
        let failed = disk("set aside the torn end of the session log");
        self.length = keep;
        if keep == end {
            return Ok(None);
        }
        let kept = file::set_aside(&self.dir, &self.log, keep, end).map_err(failed)?;
        self.syncer.renamed();
        again(|| fs::ftruncate(&self.log, keep)).map_err(failed)?;
        Ok(Some(kept))
    }

    /// Sets aside what another program wrote behind the last block.
    pub(super) fn set_aside_foreign(&mut self, length: u64) -> Result<(), JournalError> {
        let keep = self.length;
        let kept = self.cut(keep, length)?.unwrap_or_default();
        let reason = "another program wrote to the log; what it wrote was set aside".to_owned();
        self.note(Event::Recovery { reason, kept, bytes: length - keep, missing: None })
    }

    /// A sync of the part at hand failed: the log goes on in the next one, which says what may be missing. The part
    /// is never synced again, since the kernel may have dropped what was to be written and say that all is well.
    pub(super) fn give_up_part(&mut self, error: &JournalError, durable: u64) -> Result<(), JournalError> {
        let written = self.syncer.written();
        let (first, last) = (durable + 1, self.seq);
        self.rotate()?;
        let missing = (first <= last).then_some((first, last));
        let which = match missing {
            Some((first, last)) if first == last => format!("event {first} may not be on the disk"),
            Some((first, last)) => format!("events {first} to {last} may not be on the disk"),
            None => "nothing of it is missing".to_owned(),
        };
        let reason = format!("{error}; {which}");
        self.troubles.add(format!("the session log goes on in a new part: {reason}"));
        self.note(Event::Recovery { reason, kept: String::new(), bytes: 0, missing })?;
        self.syncer.mended(&self.log, written);
        Ok(())
    }

    /// The log's place is in another folder now: takes up the log that is there, or begins one.
    pub(super) fn moved(&mut self, dir: OwnedFd) -> Result<(), JournalError> {
        let failed = disk("open the session log anew");
        again(|| fs::flock(&dir, FlockOperation::NonBlockingLockExclusive)).map_err(failed)?;
        let copies = (file::folder(&dir).map_err(failed)?, file::folder(&dir).map_err(failed)?);
        let before = std::mem::replace(&mut self.dir, dir);
        let events = self.seq;
        (self.seq, self.hash) = (0, String::new());
        let begun = self.reopen().and_then(|()| {
            self.syncer.moved(copies.0);
            self.preparer.store().moved(copies.1);
            self.recover(None)
        });
        if let Err(error) = begun {
            // The next event finds that the folder is another one, and tries again.
            self.dir = before;
            self.seq = events;
            self.misplaced();
            return Err(error);
        }
        self.restarted(events, "is not in its place any more")
    }

    /// Says that the log was begun anew.
    pub(super) fn restarted(&mut self, events: u64, what: &str) -> Result<(), JournalError> {
        let reason = format!("the log of this session {what}; {events} events stood in it");
        self.troubles.add(format!("a new session log was begun: {reason}"));
        self.note(Event::Recovery { reason, kept: String::new(), bytes: 0, missing: None })
    }
}

/// The last block that counts of the part that is written to, after so many full ones.
fn last_good(
    log: &OwnedFd,
    parts: u64,
    key: &Key,
    head: Option<&Head>,
    end: u64,
) -> io::Result<Option<Tail>> {
    let mut read = |from, to| file::read(log, from, to);
    let Some(head) = head else { return file::tail_before_holes(end, key, &mut read) };
    let (from, last) = match head.part == parts + 1 && head.end <= end {
        true => (head.end, file::tail(head.end, key, &mut read)?),
        false => (first_block(end, &mut read)?, None),
    };
    file::follow(from, end, last, key, &mut read)
}

/// Where the first block of a part begins, behind its title; its end where it has none.
fn first_block(end: u64, read: &mut file::Reading<'_>) -> io::Result<u64> {
    let bytes = read(0, end.min(4096))?;
    let titled = bytes.starts_with(b"# Session ");
    let at = memchr::memmem::find(&bytes, b"\n## ").filter(|_| titled);
    Ok(at.map_or(end, |at| at as u64 + 1))
}

/// Whether the log in a session's folder has an end that the next process to open it would set aside.
///
/// # Errors
/// Those of the disk.
pub(super) fn is_torn(dir: &OwnedFd, key: &Key, head: Option<&Head>) -> io::Result<bool> {
    let parts = again(|| file::parts(dir))?.last().copied().unwrap_or(0);
    let log = file::open_read(dir, LOG)?;
    let end = file::length(&log)?;
    Ok(last_good(&log, parts, key, head, end)?.map_or(0, |tail| tail.end) != end)
}
