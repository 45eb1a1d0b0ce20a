//! The parts of a log, each block chained to the one before: one write an event, whole or not at all.

use std::fmt;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use rustix::fs;
use rustix::io::{self, Errno};

use super::block::{Numbers, Place, Prepared};
use super::event::Preparer;
use super::file::{self, LOG, disk_fault};
use super::sync::{Mark, Syncer};
use super::text;
use crate::base::hash;
use crate::ports::Clock;
use crate::protocol::{Event, Fault, LogEvent};

/// A log's parts, open for writing, and where their chain stands.
pub struct Chain {
    dir: OwnedFd,
    session: String,
    root: String,
    /// Bytes after which a new part begins.
    rotate_bytes: u64,
    clock: Arc<dyn Clock>,
    preparer: Arc<Preparer>,
    syncer: Arc<Syncer>,
    log: Arc<OwnedFd>,
    /// Bytes of the part that is written to.
    length: u64,
    /// Blocks in that part.
    blocks: u64,
    /// Full parts.
    parts: u64,
    seq: u64,
    hash: String,
    numbers: Numbers,
    closed: bool,
    buffer: String,
}

impl fmt::Debug for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chain").field("length", &self.length).field("seq", &self.seq).finish_non_exhaustive()
    }
}

impl Chain {
    /// Opens or makes the log in a session's folder `dir`, and recovers it.
    ///
    /// # Errors
    /// Those of the disk.
    pub fn open(
        dir: OwnedFd,
        session: &str,
        root: &str,
        clock: Arc<dyn Clock>,
        preparer: Arc<Preparer>,
        syncer: Arc<Syncer>,
    ) -> Result<Self, Fault> {
        let fault = |error| disk_fault("open the session log", error);
        let parts = file::parts(&dir).map_err(fault)?.last().copied().unwrap_or(0);
        let (log, _) = file::open_log(&dir).map_err(fault)?;
        let mut chain = Self {
            dir,
            session: session.to_owned(),
            root: root.to_owned(),
            rotate_bytes: preparer.settings().rotate_bytes,
            clock,
            preparer,
            syncer,
            log: Arc::new(log),
            length: 0,
            blocks: 0,
            parts,
            seq: 0,
            hash: String::new(),
            numbers: Numbers::new(),
            closed: false,
            buffer: String::new(),
        };
        chain.recover()?;
        Ok(chain)
    }

    /// Writes an event that was prepared, with the stored values that it names.
    ///
    /// # Errors
    /// Those of the disk: the event is not in the log then, and the log is whole. After a sync that failed, or
    /// after [`Chain::close`], nothing is taken.
    pub fn append(&mut self, event: &Prepared, values: Vec<String>) -> Result<Mark, Fault> {
        if self.closed {
            return Err(Fault::internal(format!("the log of session {} is closed", self.session)));
        }
        self.syncer.check()?;
        self.settle()?;
        if self.length >= self.rotate_bytes && self.blocks > 1 {
            self.rotate()?;
        }
        self.write(event, values)
    }

    /// Takes nothing more.
    pub fn close(&mut self) {
        self.closed = true;
    }

    /// Whether it takes nothing more.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// The last number given out of the ids with this prefix, 0 where there is none.
    pub fn last_number(&self, prefix: &str) -> u64 {
        self.numbers.get(prefix).copied().unwrap_or_default()
    }

    /// Prepares an event of the log's own and writes it.
    fn note(&mut self, event: Event) -> Result<(), Fault> {
        let (event, values) = self.preparer.prepare(LogEvent::from(event))?;
        self.write(&event, values).map(drop)
    }

    /// Writes a block, whole or not at all.
    fn write(&mut self, event: &Prepared, values: Vec<String>) -> Result<Mark, Fault> {
        // A number once given out is never given out again, also where its event is refused by the disk.
        for (prefix, number) in &event.numbers {
            match self.numbers.get_mut(prefix) {
                Some(last) => *last = (*last).max(*number),
                None => drop(self.numbers.insert(prefix.clone(), *number)),
            }
        }
        let time = format!("{:.3}", self.clock.now());
        let place = Place { seq: self.seq + 1, time: &time, last: &self.numbers, prev: &self.hash };
        let hash = event.compose(&mut self.buffer, &place);
        put(&self.log, self.buffer.as_bytes(), self.length)
            .map_err(|error| disk_fault("write to the session log", error))?;
        self.length += self.buffer.len() as u64;
        self.blocks += 1;
        self.seq += 1;
        self.hash = hash;
        Ok(self.syncer.wrote(&self.log, values))
    }

    /// Brings the part at hand to its last whole block and continues from there; starts it where it has none.
    fn recover(&mut self) -> Result<(), Fault> {
        let fault = |error| disk_fault("recover the session log", error);
        let end = file::length(&self.log).map_err(fault)?;
        let tail = file::tail(end, &mut |from, to| file::read(&self.log, from, to)).map_err(fault)?;
        let keep = tail.as_ref().map_or(0, |tail| tail.end);
        let kept = self.cut(keep, end)?;
        match tail {
            Some(tail) if tail.seq >= self.seq => {
                self.blocks = 2;
                self.seq = tail.seq;
                self.hash = tail.hash;
                self.numbers = tail.numbers;
            }
            // The log was put back to an older state behind our back: go on with the newer chain, which shows it.
            Some(_) => self.blocks = 2,
            None => self.start()?,
        }
        let Some(kept) = kept else { return Ok(()) };
        let reason = "the end of the log was torn or not ours; it was set aside";
        let event = Event::Recovery { reason: reason.to_owned(), kept, bytes: end - keep };
        self.note(event)
    }

    /// Sets aside what stands from `keep` to `end`, and gives the name of the file that has it.
    fn cut(&mut self, keep: u64, end: u64) -> Result<Option<String>, Fault> {
        let fault = |error| disk_fault("set aside the torn end of the session log", error);
        self.length = keep;
        if keep == end {
            return Ok(None);
        }
        let kept = file::set_aside(&self.dir, &self.log, keep, end).map_err(fault)?;
        self.syncer.renamed();
        fs::ftruncate(&self.log, keep).map_err(fault)?;
        Ok(Some(kept))
    }

    /// Begins a part: its title, and `session_start`, which continues the part before where there is one.
    fn start(&mut self) -> Result<(), Fault> {
        if self.seq == 0 && self.parts > 0 {
            self.resume()?;
        }
        let name = text::line(&self.session, 80);
        let title = match self.parts {
            0 => format!("# Session {name}\n\n"),
            parts => format!("# Session {name}, part {}\n\n", parts + 1),
        };
        put(&self.log, title.as_bytes(), 0).map_err(|error| disk_fault("begin the session log", error))?;
        self.length = title.len() as u64;
        self.blocks = 0;
        self.hash = hash::full(format!("{}{title}", self.hash).as_bytes());
        self.syncer.renamed();
        let event = Event::SessionStart {
            session: self.session.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            root: self.root.clone(),
            continues: (self.parts > 0).then(|| file::part_name(self.parts)),
        };
        self.note(event)
    }

    /// Takes the chain up from the last full part.
    fn resume(&mut self) -> Result<(), Fault> {
        let fault = |error| disk_fault("read the part before of the session log", error);
        let part = file::open_read(&self.dir, &file::part_name(self.parts)).map_err(fault)?;
        let end = file::length(&part).map_err(fault)?;
        let tail = file::tail(end, &mut |from, to| file::read(&part, from, to)).map_err(fault)?;
        if let Some(tail) = tail {
            (self.seq, self.hash, self.numbers) = (tail.seq, tail.hash, tail.numbers);
        }
        Ok(())
    }

    /// Makes sure that the file is as this journal left it; another program may have written to it.
    fn settle(&mut self) -> Result<(), Fault> {
        let fault = |error| disk_fault("look at the session log", error);
        let stat = fs::fstat(&self.log).map_err(fault)?;
        let length = u64::try_from(stat.st_size).unwrap_or_default();
        if length == self.length && stat.st_nlink > 0 {
            return Ok(());
        }
        if stat.st_nlink > 0 && length > self.length {
            let keep = self.length;
            let kept = self.cut(keep, length)?.unwrap_or_default();
            let reason = "another program wrote to the log; what it wrote was set aside".to_owned();
            let event = Event::Recovery { reason, kept, bytes: length - keep };
            return self.note(event);
        }
        self.log = Arc::new(file::open_log(&self.dir).map_err(fault)?.0);
        self.recover()
    }

    /// Gives the full part its number and begins the next one. Where that fails the full part stays in use.
    fn rotate(&mut self) -> Result<(), Fault> {
        let fault = |error| disk_fault("begin a new part of the session log", error);
        let name = file::part_name(self.parts + 1);
        fs::renameat(&self.dir, LOG, &self.dir, &name).map_err(fault)?;
        self.syncer.renamed();
        let old = (self.log.clone(), self.length, self.blocks, self.hash.clone());
        let opened = file::open_log(&self.dir).map_err(fault);
        let started = opened.and_then(|(log, _)| {
            self.log = Arc::new(log);
            self.parts += 1;
            self.start().inspect_err(|_| self.parts -= 1)
        });
        if started.is_err() {
            (self.log, self.length, self.blocks, self.hash) = old;
            let _ = fs::renameat(&self.dir, &name, &self.dir, LOG);
        }
        started
    }
}

/// Appends bytes in one write. Where the disk takes only some of them the file is cut back to `length`.
fn put(log: &OwnedFd, bytes: &[u8], length: u64) -> io::Result<()> {
    let written = loop {
        match io::write(log, bytes) {
            Err(Errno::INTR) => {}
            written => break written,
        }
    };
    match written {
        Ok(count) if count == bytes.len() => Ok(()),
        short => {
            // Where this fails too, the next event finds more in the file than there should be.
            let _ = fs::ftruncate(log, length);
            Err(short.err().unwrap_or(Errno::NOSPC))
        }
    }
}
