//! Writing the log: one write an event, in order, each block chained to the one before.

use std::collections::BTreeMap;
use std::fmt;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use rustix::fs::{self, FlockOperation};
use rustix::io::{self, Errno};
use serde_json::json;
use tokio::sync::watch;

use super::block::{Numbers, Place, Prepared};
use super::event::prepare;
use super::file::{self, LOG, disk_fault};
use super::seal::{Sealer, Store};
use super::sync::{Mark, Syncer};
use super::text;
use crate::base::hash;
use crate::ports::Clock;
use crate::protocol::{Code, Event, Fault, LogEvent, LogSettings, Verbosity};

/// Bytes of a value that stand in the log with the most verbosity, as a multiple of the setting.
const VERBOSE: usize = 16;

/// The session log, open for writing. One process at a time has a session's log open; any number of its
/// threads may append.
pub struct Journal {
    dir: OwnedFd,
    session: String,
    root: String,
    settings: LogSettings,
    clock: Arc<dyn Clock>,
    store: Store,
    state: Mutex<State>,
    length: watch::Sender<u64>,
    syncer: Arc<Syncer>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Debug)]
struct State {
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

impl fmt::Debug for Journal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Journal").field("session", &self.session).field("state", &self.state).finish()
    }
}

impl Journal {
    /// Opens or makes the log in a session's folder `dir`. What a crash or another program left behind the
    /// last whole block is set aside beside it, and a `recovery` event says so. Reads no more of the log than
    /// its end.
    ///
    /// # Errors
    /// One that [`Journal::is_taken`] where another process has it open; PERMISSION_DENIED where something
    /// else than a regular file stands in its place; those of the disk.
    pub fn open(
        dir: OwnedFd,
        session: &str,
        root: &str,
        settings: &LogSettings,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, Fault> {
        let fault = |error| disk_fault("open the session log", error);
        // A descriptor of its own: the lock belongs to it, and it can be synced.
        let dir = file::folder(dir).map_err(fault)?;
        match fs::flock(&dir, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => return Err(taken(session)),
            Err(error) => return Err(fault(error)),
        }
        let parts = file::parts(&dir).map_err(fault)?.last().copied().unwrap_or(0);
        let (log, _) = file::open_log(&dir).map_err(fault)?;
        let syncer = Arc::new(Syncer::new(file::folder(&dir).map_err(fault)?));
        let state = State {
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
        let journal = Self {
            store: Store::new(file::folder(&dir).map_err(fault)?),
            dir,
            session: session.to_owned(),
            root: root.to_owned(),
            settings: settings.clone(),
            clock,
            state: Mutex::new(state),
            length: watch::Sender::default(),
            syncer: syncer.clone(),
            thread: Mutex::default(),
        };
        journal.recover(&mut journal.state())?;
        let thread = std::thread::Builder::new().name("journal".to_owned()).spawn(move || syncer.run());
        let thread = thread.map_err(|error| Fault::internal(format!("could not start a thread: {error}")))?;
        *journal.thread.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread);
        Ok(journal)
    }

    /// Whether a fault of [`Journal::open`] means that another process has the log open: take another session.
    pub fn is_taken(fault: &Fault) -> bool {
        fault.details.as_ref().is_some_and(|details| details["taken"] == json!(true))
    }

    /// Writes an event. It is in the file when this returns, and on the disk once its mark is
    /// [durable](Journal::durable).
    ///
    /// # Errors
    /// QUOTA_EXCEEDED on a full disk, others of the disk: the event is not in the log then, the log is whole,
    /// and the next event is taken. After a sync that failed, or after [`Journal::close`], nothing is taken.
    pub fn append(&self, event: impl Into<LogEvent>) -> Result<Mark, Fault> {
        let (prepared, values) = self.prepare(event.into())?;
        let mut state = self.state();
        if state.closed {
            return Err(Fault::internal(format!("the log of session {} is closed", self.session)));
        }
        self.syncer.check()?;
        self.settle(&mut state)?;
        if state.length >= self.settings.rotate_bytes && state.blocks > 1 {
            self.rotate(&mut state)?;
        }
        self.write(&mut state, &prepared, values)
    }

    /// Waits until the disk has everything up to `mark`. One sync serves all who wait.
    ///
    /// # Errors
    /// The fault of a sync that failed: it is not tried again, and the log takes nothing more.
    pub async fn durable(&self, mark: Mark) -> Result<(), Fault> {
        self.syncer.durable(mark).await
    }

    /// [`Journal::durable`], blocking this thread.
    ///
    /// # Errors
    /// The fault of a sync that failed.
    pub fn sync(&self, mark: Mark) -> Result<(), Fault> {
        futures::executor::block_on(self.durable(mark))
    }

    /// Ends the session: writes `session_end`, waits for the disk, and takes nothing more.
    ///
    /// # Errors
    /// Those of writing and syncing. Closing a closed log does nothing.
    pub fn close(&self, totals: BTreeMap<String, u64>) -> Result<(), Fault> {
        if self.state().closed {
            return Ok(());
        }
        let mark = self.append(Event::SessionEnd { totals })?;
        self.state().closed = true;
        self.sync(mark)
    }

    /// The last number given out of the ids with this prefix (`c` for calls), 0 where there is none.
    pub fn last_number(&self, prefix: &str) -> u64 {
        self.state().numbers.get(prefix).copied().unwrap_or_default()
    }

    /// The log's path: absolute where the workspace's is.
    pub fn path(&self) -> PathBuf {
        Path::new(&self.root).join(".wherefore/sessions").join(&self.session).join(LOG)
    }

    /// The session's id.
    pub fn session(&self) -> &str {
        &self.session
    }

    /// The settings it was opened with.
    pub fn settings(&self) -> &LogSettings {
        &self.settings
    }

    /// The length of the part that is written to, in bytes, as it changes.
    pub fn watch(&self) -> watch::Receiver<u64> {
        self.length.subscribe()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn prepare(&self, event: LogEvent) -> Result<(Prepared, Vec<String>), Fault> {
        let verbosity = self.settings.verbosity;
        let factor = if verbosity == Verbosity::Verbose { VERBOSE } else { 1 };
        let mut sealer = Sealer::new(&self.store, self.settings.inline_bytes.saturating_mul(factor));
        let prepared = prepare(event, verbosity, &mut sealer)?;
        Ok((prepared, sealer.fresh))
    }

    /// Writes a block, whole or not at all.
    fn write(&self, state: &mut State, event: &Prepared, values: Vec<String>) -> Result<Mark, Fault> {
        // A number once given out is never given out again, also where its event is refused by the disk.
        for (prefix, number) in &event.numbers {
            match state.numbers.get_mut(prefix) {
                Some(last) => *last = (*last).max(*number),
                None => drop(state.numbers.insert(prefix.clone(), *number)),
            }
        }
        let time = format!("{:.3}", self.clock.now());
        let place = Place { seq: state.seq + 1, time: &time, last: &state.numbers, prev: &state.hash };
        let hash = event.compose(&mut state.buffer, &place);
        put(&state.log, state.buffer.as_bytes(), state.length)
            .map_err(|error| disk_fault("write to the session log", error))?;
        state.length += state.buffer.len() as u64;
        state.blocks += 1;
        state.seq += 1;
        state.hash = hash;
        self.length.send_replace(state.length);
        Ok(self.syncer.wrote(&state.log, values))
    }

    /// Brings the part at hand to its last whole block and continues from there; starts it where it has none.
    fn recover(&self, state: &mut State) -> Result<(), Fault> {
        let fault = |error| disk_fault("recover the session log", error);
        let end = file::length(&state.log).map_err(fault)?;
        let tail = file::tail(end, &mut |from, to| file::read(&state.log, from, to)).map_err(fault)?;
        let keep = tail.as_ref().map_or(0, |tail| tail.end);
        let kept = self.cut(state, keep, end)?;
        match tail {
            Some(tail) if tail.seq >= state.seq => {
                state.blocks = 2;
                state.seq = tail.seq;
                state.hash = tail.hash;
                state.numbers = tail.numbers;
            }
            // The log was put back to an older state behind our back: go on with the newer chain, which shows it.
            Some(_) => state.blocks = 2,
            None => self.start(state)?,
        }
        let Some(kept) = kept else { return Ok(()) };
        let reason = "the end of the log was torn or not ours; it was set aside";
        let event = Event::Recovery { reason: reason.to_owned(), kept, bytes: end - keep };
        let (event, values) = self.prepare(event.into())?;
        self.write(state, &event, values).map(drop)
    }

    /// Sets aside what stands from `keep` to `end`, and gives the name of the file that has it.
    fn cut(&self, state: &mut State, keep: u64, end: u64) -> Result<Option<String>, Fault> {
        let fault = |error| disk_fault("set aside the torn end of the session log", error);
        state.length = keep;
        if keep == end {
            return Ok(None);
        }
        let kept = file::set_aside(&self.dir, &state.log, keep, end).map_err(fault)?;
        self.syncer.renamed();
        fs::ftruncate(&state.log, keep).map_err(fault)?;
        Ok(Some(kept))
    }

    /// Begins a part: its title, and `session_start`, which continues the part before where there is one.
    fn start(&self, state: &mut State) -> Result<(), Fault> {
        if state.seq == 0 && state.parts > 0 {
            self.resume(state)?;
        }
        let name = text::line(&self.session, 80);
        let title = match state.parts {
            0 => format!("# Session {name}\n\n"),
            parts => format!("# Session {name}, part {}\n\n", parts + 1),
        };
        put(&state.log, title.as_bytes(), 0).map_err(|error| disk_fault("begin the session log", error))?;
        state.length = title.len() as u64;
        state.blocks = 0;
        state.hash = hash::full(format!("{}{title}", state.hash).as_bytes());
        self.syncer.renamed();
        let event = Event::SessionStart {
            session: self.session.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            root: self.root.clone(),
            continues: (state.parts > 0).then(|| file::part_name(state.parts)),
        };
        let (event, values) = self.prepare(event.into())?;
        self.write(state, &event, values).map(drop)
    }

    /// Takes the chain up from the last full part.
    fn resume(&self, state: &mut State) -> Result<(), Fault> {
        let fault = |error| disk_fault("read the part before of the session log", error);
        let part = file::open_read(&self.dir, &file::part_name(state.parts)).map_err(fault)?;
        let end = file::length(&part).map_err(fault)?;
        let tail = file::tail(end, &mut |from, to| file::read(&part, from, to)).map_err(fault)?;
        if let Some(tail) = tail {
            (state.seq, state.hash, state.numbers) = (tail.seq, tail.hash, tail.numbers);
        }
        Ok(())
    }

    /// Makes sure that the file is as this journal left it; another program may have written to it.
    fn settle(&self, state: &mut State) -> Result<(), Fault> {
        let fault = |error| disk_fault("look at the session log", error);
        let stat = fs::fstat(&state.log).map_err(fault)?;
        let length = u64::try_from(stat.st_size).unwrap_or_default();
        if length == state.length && stat.st_nlink > 0 {
            return Ok(());
        }
        if stat.st_nlink > 0 && length > state.length {
            let keep = state.length;
            let kept = self.cut(state, keep, length)?.unwrap_or_default();
            let reason = "another program wrote to the log; what it wrote was set aside".to_owned();
            let event = Event::Recovery { reason, kept, bytes: length - keep };
            let (event, values) = self.prepare(event.into())?;
            return self.write(state, &event, values).map(drop);
        }
        state.log = Arc::new(file::open_log(&self.dir).map_err(fault)?.0);
        self.recover(state)
    }

    /// Gives the full part its number and begins the next one. Where that fails the full part stays in use.
    fn rotate(&self, state: &mut State) -> Result<(), Fault> {
        let fault = |error| disk_fault("begin a new part of the session log", error);
        let name = file::part_name(state.parts + 1);
        fs::renameat(&self.dir, LOG, &self.dir, &name).map_err(fault)?;
        self.syncer.renamed();
        let old = (state.log.clone(), state.length, state.blocks, state.hash.clone());
        let opened = file::open_log(&self.dir).map_err(fault);
        let started = opened.and_then(|(log, _)| {
            state.log = Arc::new(log);
            state.parts += 1;
            self.start(state).inspect_err(|_| state.parts -= 1)
        });
        if started.is_err() {
            (state.log, state.length, state.blocks, state.hash) = old;
            let _ = fs::renameat(&self.dir, &name, &self.dir, LOG);
        }
        started
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        self.syncer.stop();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
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

fn taken(session: &str) -> Fault {
    Fault::new(Code::NotAuthorized, format!("the log of session {session} is open in another process"))
        .suggest("use another session")
        .detail(json!({ "taken": true }))
}
