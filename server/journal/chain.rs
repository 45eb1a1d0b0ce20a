//! The parts of a log, each block chained to the one before: one write an event, whole or not at all.

use std::fmt;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use rustix::fs;
use rustix::io::{self, Errno};

use super::block::{ChainPosition, IdNumbers, PreparedEvent};
use super::continuation::{self, LogPresence};
use super::error::{JournalError, disk_error};
use super::event::EventPreparer;
use super::file::{self, InodeId, LOG, retry_interrupted};
use super::head::LogHead;
use super::key::LogKey;
use super::options::{self, FolderOpener, JournalOptions};
use super::sync::{LogSyncer, WriteMark};
use crate::base::clock::Clock;
use crate::base::markdown;
use crate::protocol::{Event, LogEvent};

/// Problems of a log that were not reported yet, a sentence each.
#[derive(Clone, Debug, Default)]
pub(super) struct PendingTroubles(Arc<Mutex<Vec<String>>>);

impl PendingTroubles {
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

/// The parts of a log, open for writing, and the state of their chain.
pub(super) struct LogChain {
    pub(super) dir: OwnedFd,
    /// The path of the log while its folder is in its place.
    path: PathBuf,
    folder: FolderOpener,
    session: String,
    root: String,
    /// Bytes after which a new part begins.
    rotate_bytes: u64,
    clock: Arc<dyn Clock>,
    pub(super) preparer: Arc<EventPreparer>,
    pub(super) syncer: Arc<LogSyncer>,
    pub(super) key: LogKey,
    pub(super) log: Arc<OwnedFd>,
    id: InodeId,
    /// Bytes of the part that is written to.
    pub(super) length: u64,
    /// Blocks in that part.
    pub(super) blocks: u64,
    /// Full parts.
    pub(super) parts: u64,
    pub(super) seq: u64,
    pub(super) hash: String,
    pub(super) numbers: IdNumbers,
    closed: bool,
    buffer: String,
    /// Problems to report to the person, once.
    pub(super) troubles: PendingTroubles,
}

impl fmt::Debug for LogChain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chain").field("length", &self.length).field("seq", &self.seq).finish_non_exhaustive()
    }
}

impl LogChain {
    /// Opens or makes the log in a session's folder `dir`, which is locked, and recovers it.
    ///
    /// # Errors
    /// [`JournalError::Foreign`] for a log that is not to be continued; those of the disk.
    pub(super) fn open(
        dir: OwnedFd,
        given: JournalOptions,
        preparer: Arc<EventPreparer>,
        syncer: Arc<LogSyncer>,
    ) -> Result<Self, JournalError> {
        let failed = disk_error("open the session log");
        let JournalOptions { session, root, folder, clock, keeper, .. } = given;
        let head = keeper.head(&session).filter(|head| head.seq > 0);
        let standing = continuation::check_continuable(&dir, &session, &root, &keeper, head.as_ref())?;
        let parts =
            retry_interrupted(|| file::list_parts(&dir)).map_err(failed)?.last().copied().unwrap_or(0);
        let log = file::open_log(&dir).map_err(failed)?;
        let path = options::log_path(&root, &session);
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
            numbers: IdNumbers::new(),
            closed: false,
            buffer: String::new(),
            troubles: PendingTroubles::default(),
        };
        chain.id = chain.log_identity()?;
        chain.begin_log(standing, head)?;
        Ok(chain)
    }

    /// Continues the existing log, and records damage to it.
    fn begin_log(&mut self, standing: LogPresence, head: Option<LogHead>) -> Result<(), JournalError> {
        match (standing, head) {
            (LogPresence::Absent, Some(head)) => {
                self.numbers = head.numbers;
                self.recover_part(None)?;
                self.note_restart(head.seq, "was removed")
            }
            (_, head) => self.recover_part(head.as_ref()),
        }
    }

    /// Writes an event that was prepared, with the stored values that it names.
    ///
    /// # Errors
    /// Errors of the disk: the event is not in the log then, the log is whole, and the next event is accepted. After
    /// [`LogChain::close`] nothing is accepted.
    pub(super) fn append_event(
        &mut self,
        event: &PreparedEvent,
        values: Vec<String>,
    ) -> Result<WriteMark, JournalError> {
        if self.closed {
            return Err(JournalError::Closed { session: self.session.clone() });
        }
        self.ensure_in_place()?;
        if let Some((error, durable)) = self.syncer.sync_error() {
            self.give_up_part(&error, durable)?;
        }
        if self.length >= self.rotate_bytes && self.blocks > 1 {
            retry_interrupted(|| fs::fdatasync(&self.log))
                .map_err(disk_error("sync a full part of the log"))?;
            self.rotate_part()?;
        }
        self.write_block(event, values)
    }

    /// Takes nothing more.
    pub(super) fn close(&mut self) {
        self.closed = true;
    }

    /// Returns whether it is closed.
    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }

    /// The number of its last event.
    pub(super) fn seq(&self) -> u64 {
        self.seq
    }

    /// The last number given out of the ids with this prefix, 0 if there is none.
    pub(super) fn last_number(&self, prefix: &str) -> u64 {
        self.numbers.get(prefix).copied().unwrap_or_default()
    }

    /// The problems to report to the person.
    pub(super) fn troubles(&self) -> PendingTroubles {
        self.troubles.clone()
    }

    /// Prepares an event of the log's own and writes it.
    pub(super) fn write_own_event(&mut self, event: Event) -> Result<(), JournalError> {
        let (event, values) = self.preparer.prepare_event(LogEvent::from(event))?;
        self.write_block(&event, values).map(drop)
    }

    /// Writes a block, whole or not at all.
    fn write_block(&mut self, event: &PreparedEvent, values: Vec<String>) -> Result<WriteMark, JournalError> {
        // A number once given out is never given out again, also where its event is refused by the disk.
        self.reserve_numbers(&event.numbers);
        let time = format!("{:.3}", self.clock.now());
        let place = ChainPosition { seq: self.seq + 1, time: &time, last: &self.numbers, prev: &self.hash };
        let hash = event.compose_block(&mut self.buffer, &place, &self.key);
        append_bytes(&self.log, self.buffer.as_bytes(), self.length)
            .map_err(disk_error("write to the session log"))?;
        self.length += self.buffer.len() as u64;
        self.blocks += 1;
        self.seq += 1;
        self.hash = hash;
        let head = LogHead {
            seq: self.seq,
            hash: self.hash.clone(),
            part: self.parts + 1,
            end: self.length,
            numbers: self.numbers.clone(),
        };
        Ok(self.syncer.note_write(&self.log, values, head))
    }

    /// Marks numbers as used.
    pub(super) fn reserve_numbers(&mut self, numbers: &IdNumbers) {
        for (prefix, number) in numbers {
            match self.numbers.get_mut(prefix) {
                Some(last) => *last = (*last).max(*number),
                None => drop(self.numbers.insert(prefix.clone(), *number)),
            }
        }
    }

    /// Begins a part: its title, and `session_start`, which continues the part before if there is one.
    pub(super) fn start_part(&mut self) -> Result<(), JournalError> {
        if self.seq == 0 && self.parts > 0 {
            self.resume_chain()?;
        }
        let name = markdown::escape_markdown(&self.session, 80);
        let title = match self.parts {
            0 => format!("# Session {name}\n\n"),
            parts => format!("# Session {name}, part {}\n\n", parts + 1),
        };
        append_bytes(&self.log, title.as_bytes(), 0).map_err(disk_error("begin the session log"))?;
        self.length = title.len() as u64;
        self.blocks = 0;
        self.hash = self.key.hash_bytes(format!("{}{title}", self.hash).as_bytes());
        self.syncer.note_rename();
        let event = Event::SessionStart {
            session: self.session.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            root: self.root.clone(),
            continues: (self.parts > 0).then(|| file::part_name(self.parts)),
            key: self.key.name().map(str::to_owned),
        };
        self.write_own_event(event)
    }

    /// Continues the chain from the last full part.
    fn resume_chain(&mut self) -> Result<(), JournalError> {
        let failed = disk_error("read the part before of the session log");
        let part = file::open_read(&self.dir, &file::part_name(self.parts)).map_err(failed)?;
        let end = file::file_length(&part).map_err(failed)?;
        let tail = file::find_tail(end, &self.key, &mut |from, to| file::read_range(&part, from, to))
            .map_err(failed)?;
        if let Some(tail) = tail {
            (self.seq, self.hash) = (tail.seq, tail.hash);
            self.reserve_numbers(&tail.numbers);
        }
        Ok(())
    }

    fn log_identity(&self) -> Result<InodeId, JournalError> {
        let stat =
            retry_interrupted(|| fs::fstat(&self.log)).map_err(disk_error("look at the session log"))?;
        Ok(file::inode_id(&stat))
    }

    /// Opens the current part again.
    pub(super) fn reopen_part(&mut self) -> Result<(), JournalError> {
        let failed = disk_error("open the session log");
        self.parts =
            retry_interrupted(|| file::list_parts(&self.dir)).map_err(failed)?.last().copied().unwrap_or(0);
        self.log = Arc::new(file::open_log(&self.dir).map_err(failed)?);
        self.id = self.log_identity()?;
        Ok(())
    }

    /// Ensures that the log is in its place, as this journal left it. Another program may have written to it, removed
    /// it, or replaced the workspace's folder.
    fn ensure_in_place(&mut self) -> Result<(), JournalError> {
        let failed = disk_error("look at the session log");
        let mut stat =
            retry_interrupted(|| fs::stat(&self.path)).ok().filter(|stat| file::inode_id(stat) == self.id);
        if stat.is_none() {
            let dir = file::reopen_folder((self.folder)()?).map_err(failed)?;
            let there = retry_interrupted(|| fs::fstat(&dir)).map_err(failed)?;
            if file::inode_id(&there)
                != file::inode_id(&retry_interrupted(|| fs::fstat(&self.dir)).map_err(failed)?)
            {
                return self.move_to(dir);
            }
            let here = retry_interrupted(|| fs::statat(&self.dir, LOG, fs::AtFlags::SYMLINK_NOFOLLOW));
            stat = here.ok().filter(|stat| file::inode_id(stat) == self.id);
        }
        match stat.map(|stat| u64::try_from(stat.st_size).unwrap_or_default()) {
            Some(length) if length == self.length => Ok(()),
            Some(length) if length > self.length => self.set_aside_foreign(length),
            Some(_) => self.recover_part(None),
            None => {
                let dir = file::reopen_folder(&self.dir).map_err(failed)?;
                self.syncer.move_to(dir);
                let begun = self.reopen_part().and_then(|()| self.recover_part(None));
                begun.inspect_err(|_| self.forget_identity())
            }
        }
    }

    /// Makes the next event look for the log again.
    pub(super) fn forget_identity(&mut self) {
        self.id = (0, 0);
        self.syncer.forget_head();
    }

    /// Gives the current part its number and begins the next one. On failure it stays in use.
    pub(super) fn rotate_part(&mut self) -> Result<(), JournalError> {
        let failed = disk_error("begin a new part of the session log");
        let name = file::part_name(self.parts + 1);
        retry_interrupted(|| fs::renameat(&self.dir, LOG, &self.dir, &name)).map_err(failed)?;
        self.syncer.note_rename();
        let old = (self.log.clone(), self.id, self.length, self.blocks, self.seq, self.hash.clone());
        let opened = file::open_log(&self.dir).map_err(failed);
        let started = opened.and_then(|log| {
            self.log = Arc::new(log);
            self.id = self.log_identity()?;
            self.parts += 1;
            self.start_part().inspect_err(|_| self.parts -= 1)
        });
        if started.is_err() {
            (self.log, self.id, self.length, self.blocks, self.seq, self.hash) = old;
            self.syncer.forget_head();
            let _ = retry_interrupted(|| fs::renameat(&self.dir, &name, &self.dir, LOG));
        }
        started
    }
}

/// Appends bytes in one write. Where the disk takes only some of them the file is cut back to `length`.
fn append_bytes(log: &OwnedFd, bytes: &[u8], length: u64) -> io::Result<()> {
    match retry_interrupted(|| io::write(log, bytes)) {
        Ok(count) if count == bytes.len() => Ok(()),
        short => {
            // If this fails too, the next event finds more bytes in the file than expected.
            let _ = retry_interrupted(|| fs::ftruncate(log, length));
            Err(short.err().unwrap_or(Errno::NOSPC))
        }
    }
}
