//! The parts of a log, each block chained to the one before: one write an event, whole or not at all.

use std::fmt;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use rustix::fs;
use rustix::io::{self, Errno};

use super::belongs::{self, Standing};
use super::block::{Numbers, Place, Prepared};
use super::error::{JournalError, disk};
use super::event::Preparer;
use super::file::{self, Id, LOG, again};
use super::head::Head;
use super::key::Key;
use super::opening::{self, FolderOpener, Opening};
use super::sync::{Mark, Syncer};
use crate::base::clock::Clock;
use crate::base::markdown;
use crate::protocol::{Event, LogEvent};

/// What befell a log, a sentence each, until somebody takes it.
#[derive(Clone, Debug, Default)]
pub(super) struct Troubles(Arc<Mutex<Vec<String>>>);

impl Troubles {
    /// Adds a sentence.
    pub(super) fn add(&self, trouble: String) {
        tracing::warn!("{trouble}");
        self.0.lock().push(trouble);
    }

    /// Takes all.
    pub(super) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock())
    }
}

/// A log's parts, open for writing, and where their chain stands.
pub(super) struct Chain {
    pub(super) dir: OwnedFd,
    /// Where the log stands while its folder is in its place.
    path: PathBuf,
    folder: FolderOpener,
    session: String,
    root: String,
    /// Bytes after which a new part begins.
    rotate_bytes: u64,
    clock: Arc<dyn Clock>,
    pub(super) preparer: Arc<Preparer>,
    pub(super) syncer: Arc<Syncer>,
    pub(super) key: Key,
    pub(super) log: Arc<OwnedFd>,
    id: Id,
    /// Bytes of the part that is written to.
    pub(super) length: u64,
    /// Blocks in that part.
    pub(super) blocks: u64,
    /// Full parts.
    pub(super) parts: u64,
    pub(super) seq: u64,
    pub(super) hash: String,
    pub(super) numbers: Numbers,
    closed: bool,
    buffer: String,
    /// What the person should hear of, once.
    pub(super) troubles: Troubles,
}

impl fmt::Debug for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chain").field("length", &self.length).field("seq", &self.seq).finish_non_exhaustive()
    }
}

impl Chain {
    /// Opens or makes the log in a session's folder `dir`, which is locked, and recovers it.
    ///
    /// # Errors
    /// [`JournalError::Foreign`] for a log that is not to be continued; those of the disk.
    pub(super) fn open(
        dir: OwnedFd,
        given: Opening,
        preparer: Arc<Preparer>,
        syncer: Arc<Syncer>,
    ) -> Result<Self, JournalError> {
        let failed = disk("open the session log");
        let Opening { session, root, folder, clock, keeper, .. } = given;
        let head = keeper.head(&session).filter(|head| head.seq > 0);
        let standing = belongs::check(&dir, &session, &root, &keeper, head.as_ref())?;
        let parts = again(|| file::parts(&dir)).map_err(failed)?.last().copied().unwrap_or(0);
        let log = file::open_log(&dir).map_err(failed)?;
        let path = opening::path(&root, &session);
        let mut chain = Self {
            dir,
            path,
            folder,
            session,
            root,
            rotate_bytes: preparer.settings().rotate_bytes,
            clock,
            preparer,
            syncer,
            key: keeper.key().clone(),
            id: (0, 0),
            log: Arc::new(log),
            length: 0,
            blocks: 0,
            parts,
            seq: 0,
            hash: String::new(),
            numbers: Numbers::new(),
            closed: false,
            buffer: String::new(),
            troubles: Troubles::default(),
        };
        chain.id = chain.identity()?;
        chain.begin(standing, head)?;
        Ok(chain)
    }

    /// Takes up what is there, and says what befell it.
    fn begin(&mut self, standing: Standing, head: Option<Head>) -> Result<(), JournalError> {
        match (standing, head) {
            (Standing::Absent, Some(head)) => {
                self.numbers = head.numbers;
                self.recover(None)?;
                self.restarted(head.seq, "was removed")
            }
            (_, head) => self.recover(head.as_ref()),
        }
    }

    /// Writes an event that was prepared, with the stored values that it names.
    ///
    /// # Errors
    /// Those of the disk: the event is not in the log then, the log is whole, and the next event is taken. After
    /// [`Chain::close`] nothing is taken.
    pub(super) fn append(&mut self, event: &Prepared, values: Vec<String>) -> Result<Mark, JournalError> {
        if self.closed {
            return Err(JournalError::Closed { session: self.session.clone() });
        }
        self.settle()?;
        if let Some((error, durable)) = self.syncer.broken() {
            self.give_up_part(&error, durable)?;
        }
        if self.length >= self.rotate_bytes && self.blocks > 1 {
            again(|| fs::fdatasync(&self.log)).map_err(disk("sync a full part of the log"))?;
            self.rotate()?;
        }
        self.write(event, values)
    }

    /// Takes nothing more.
    pub(super) fn close(&mut self) {
        self.closed = true;
    }

    /// Whether it takes nothing more.
    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }

    /// The number of its last event.
    pub(super) fn seq(&self) -> u64 {
        self.seq
    }

    /// The last number given out of the ids with this prefix, 0 where there is none.
    pub(super) fn last_number(&self, prefix: &str) -> u64 {
        self.numbers.get(prefix).copied().unwrap_or_default()
    }

    /// Where it puts what the person should hear of.
    pub(super) fn troubles(&self) -> Troubles {
        self.troubles.clone()
    }

    /// Prepares an event of the log's own and writes it.
    pub(super) fn note(&mut self, event: Event) -> Result<(), JournalError> {
        let (event, values) = self.preparer.prepare(LogEvent::from(event))?;
        self.write(&event, values).map(drop)
    }

    /// Writes a block, whole or not at all.
    fn write(&mut self, event: &Prepared, values: Vec<String>) -> Result<Mark, JournalError> {
        // A number once given out is never given out again, also where its event is refused by the disk.
        self.count(&event.numbers);
        let time = format!("{:.3}", self.clock.now());
        let place = Place { seq: self.seq + 1, time: &time, last: &self.numbers, prev: &self.hash };
        let hash = event.compose(&mut self.buffer, &place, &self.key);
        put(&self.log, self.buffer.as_bytes(), self.length).map_err(disk("write to the session log"))?;
        self.length += self.buffer.len() as u64;
        self.blocks += 1;
        self.seq += 1;
        self.hash = hash;
        let head = Head {
            seq: self.seq,
            hash: self.hash.clone(),
            part: self.parts + 1,
            end: self.length,
            numbers: self.numbers.clone(),
        };
        Ok(self.syncer.wrote(&self.log, values, head))
    }

    /// Takes numbers for given out.
    pub(super) fn count(&mut self, numbers: &Numbers) {
        for (prefix, number) in numbers {
            match self.numbers.get_mut(prefix) {
                Some(last) => *last = (*last).max(*number),
                None => drop(self.numbers.insert(prefix.clone(), *number)),
            }
        }
    }

    /// Begins a part: its title, and `session_start`, which continues the part before where there is one.
    pub(super) fn start(&mut self) -> Result<(), JournalError> {
        if self.seq == 0 && self.parts > 0 {
            self.resume()?;
        }
        let name = markdown::line(&self.session, 80);
        let title = match self.parts {
            0 => format!("# Session {name}\n\n"),
            parts => format!("# Session {name}, part {}\n\n", parts + 1),
        };
        put(&self.log, title.as_bytes(), 0).map_err(disk("begin the session log"))?;
        self.length = title.len() as u64;
        self.blocks = 0;
        self.hash = self.key.hash(format!("{}{title}", self.hash).as_bytes());
        self.syncer.renamed();
        let event = Event::SessionStart {
            session: self.session.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            root: self.root.clone(),
            continues: (self.parts > 0).then(|| file::part_name(self.parts)),
            key: self.key.name().map(str::to_owned),
        };
        self.note(event)
    }

    /// Takes the chain up from the last full part.
    fn resume(&mut self) -> Result<(), JournalError> {
        let failed = disk("read the part before of the session log");
        let part = file::open_read(&self.dir, &file::part_name(self.parts)).map_err(failed)?;
        let end = file::length(&part).map_err(failed)?;
        let tail = file::tail(end, &self.key, &mut |from, to| file::read(&part, from, to)).map_err(failed)?;
        if let Some(tail) = tail {
            (self.seq, self.hash) = (tail.seq, tail.hash);
            self.count(&tail.numbers);
        }
        Ok(())
    }

    fn identity(&self) -> Result<Id, JournalError> {
        let stat = again(|| fs::fstat(&self.log)).map_err(disk("look at the session log"))?;
        Ok(file::id(&stat))
    }

    /// Opens the part that is written to, anew.
    pub(super) fn reopen(&mut self) -> Result<(), JournalError> {
        let failed = disk("open the session log");
        self.parts = again(|| file::parts(&self.dir)).map_err(failed)?.last().copied().unwrap_or(0);
        self.log = Arc::new(file::open_log(&self.dir).map_err(failed)?);
        self.id = self.identity()?;
        Ok(())
    }

    /// Makes sure that the log stands in its place as this journal left it. Another program may have written to it,
    /// removed it, or put another folder in the place of the workspace.
    fn settle(&mut self) -> Result<(), JournalError> {
        let failed = disk("look at the session log");
        let mut stat = again(|| fs::stat(&self.path)).ok().filter(|stat| file::id(stat) == self.id);
        if stat.is_none() {
            let dir = file::folder((self.folder)()?).map_err(failed)?;
            let there = again(|| fs::fstat(&dir)).map_err(failed)?;
            if file::id(&there) != file::id(&again(|| fs::fstat(&self.dir)).map_err(failed)?) {
                return self.moved(dir);
            }
            let here = again(|| fs::statat(&self.dir, LOG, fs::AtFlags::SYMLINK_NOFOLLOW));
            stat = here.ok().filter(|stat| file::id(stat) == self.id);
        }
        match stat.map(|stat| u64::try_from(stat.st_size).unwrap_or_default()) {
            Some(length) if length == self.length => Ok(()),
            Some(length) if length > self.length => self.set_aside_foreign(length),
            Some(_) => self.recover(None),
            None => {
                let dir = file::folder(&self.dir).map_err(failed)?;
                self.syncer.moved(dir);
                let begun = self.reopen().and_then(|()| self.recover(None));
                begun.inspect_err(|_| self.misplaced())
            }
        }
    }

    /// The next event looks for the log anew.
    pub(super) fn misplaced(&mut self) {
        self.id = (0, 0);
        self.syncer.forget_head();
    }

    /// Gives the part at hand its number and begins the next one. Where that fails it stays in use.
    pub(super) fn rotate(&mut self) -> Result<(), JournalError> {
        let failed = disk("begin a new part of the session log");
        let name = file::part_name(self.parts + 1);
        again(|| fs::renameat(&self.dir, LOG, &self.dir, &name)).map_err(failed)?;
        self.syncer.renamed();
        let old = (self.log.clone(), self.id, self.length, self.blocks, self.seq, self.hash.clone());
        let opened = file::open_log(&self.dir).map_err(failed);
        let started = opened.and_then(|log| {
            self.log = Arc::new(log);
            self.id = self.identity()?;
            self.parts += 1;
            self.start().inspect_err(|_| self.parts -= 1)
        });
        if started.is_err() {
            (self.log, self.id, self.length, self.blocks, self.seq, self.hash) = old;
            self.syncer.forget_head();
            let _ = again(|| fs::renameat(&self.dir, &name, &self.dir, LOG));
        }
        started
    }
}

/// Appends bytes in one write. Where the disk takes only some of them the file is cut back to `length`.
fn put(log: &OwnedFd, bytes: &[u8], length: u64) -> io::Result<()> {
    match again(|| io::write(log, bytes)) {
        Ok(count) if count == bytes.len() => Ok(()),
        short => {
            // Where this fails too, the next event finds more in the file than there should be.
            let _ = again(|| fs::ftruncate(log, length));
            Err(short.err().unwrap_or(Errno::NOSPC))
        }
    }
}
