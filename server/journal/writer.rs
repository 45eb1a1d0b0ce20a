//! Writing the log: from any number of threads, in order, at once or soon.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::{JoinHandle, Thread};

use parking_lot::{Mutex, MutexGuard};
use rustix::fs::{self, FlockOperation};
use rustix::io::Errno;

use super::chain::{Chain, Troubles};
use super::error::{JournalError, disk};
use super::event::Preparer;
use super::file;
use super::observer::LogObserver;
use super::opening::{self, Opening};
use super::recover;
use super::seal::Store;
use super::sync::{Mark, Syncer};
use crate::protocol::{Event, LogEvent, LogSettings};

/// Events that may be posted and not written; whoever posts one more writes them.
const POSTED: usize = 256;

/// The session log, open for writing. One process at a time has a session's log open; any number of its
/// threads may append.
#[derive(Debug)]
pub struct Journal {
    session: String,
    root: String,
    writer: Arc<Writer>,
    syncer: Arc<Syncer>,
    /// Writes what was posted.
    poster: Thread,
    threads: Mutex<Vec<JoinHandle<()>>>,
    troubles: Troubles,
}

/// An event that was posted.
#[derive(Clone, Debug)]
pub struct Posted(Arc<OnceLock<Result<Mark, JournalError>>>);

#[derive(Debug)]
struct Writer {
    preparer: Arc<Preparer>,
    chain: Mutex<Chain>,
    /// Oldest first. Taken from only by who holds the chain.
    posted: Mutex<VecDeque<(LogEvent, Posted)>>,
    stop: AtomicBool,
}

impl Journal {
    /// Opens or makes a session's log. What a crash or another program left behind the last whole block is set aside
    /// beside it, and a `recovery` event says so. Reads no more of the log than its end.
    ///
    /// # Errors
    /// [`JournalError::Locked`] where another process has it open, [`JournalError::Foreign`] where this machine did not
    /// write it for this folder, or where its end was cut off. Those of the disk, also where something else than a
    /// regular file stands in its place.
    pub fn open(opening: Opening) -> Result<Self, JournalError> {
        let failed = disk("open the session log");
        // A descriptor of its own: the lock belongs to it, and it can be synced.
        let dir = file::folder((opening.folder)()?).map_err(failed)?;
        match fs::flock(&dir, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => return Err(JournalError::Locked { session: opening.session }),
            Err(error) => return Err(failed(error)),
        }
        let store = Arc::new(Store::new(file::folder(&dir).map_err(failed)?));
        let head = opening.keeper.file(&opening.session);
        let syncer = Arc::new(Syncer::new(file::folder(&dir).map_err(failed)?, store.clone(), head));
        let preparer = Arc::new(Preparer::new(opening.settings.clone(), store));
        let (session, root) = (opening.session.clone(), opening.root.clone());
        let chain = Chain::open(dir, opening, preparer.clone(), syncer.clone())?;
        let troubles = chain.troubles();
        let writer = Arc::new(Writer {
            preparer,
            chain: Mutex::new(chain),
            posted: Mutex::default(),
            stop: AtomicBool::new(false),
        });
        let posting = thread("log-writer", {
            let writer = writer.clone();
            move || writer.run()
        })?;
        let poster = posting.thread().clone();
        let threads = Mutex::new(vec![posting]);
        let journal = Self { session, root, writer, syncer: syncer.clone(), poster, threads, troubles };
        let syncing = thread("log-sync", move || syncer.run())?;
        journal.threads().push(syncing);
        Ok(journal)
    }

    /// Opens a log of this machine's that nobody has open, and sets its torn end aside, where it has one; says whether.
    ///
    /// # Errors
    /// As [`Journal::open`].
    pub fn mend(opening: Opening) -> Result<bool, JournalError> {
        let failed = disk("look at the session log");
        let keeper = &opening.keeper;
        let head = keeper.head(&opening.session).filter(|head| head.seq > 0);
        if keeper.key().name().is_none() || head.is_none() {
            return Ok(false);
        }
        let dir = file::folder((opening.folder)()?).map_err(failed)?;
        match recover::is_torn(&dir, keeper.key(), head.as_ref()) {
            Err(Errno::NOENT) => return Ok(false),
            torn => {
                if !torn.map_err(failed)? {
                    return Ok(false);
                }
            }
        }
        drop(dir);
        Self::open(opening).map(|_| true)
    }

    /// From now on an observer hears of each event as it is written. The first one stays.
    pub fn observe(&self, observer: Arc<dyn LogObserver>) {
        self.writer.preparer.observe(observer);
    }

    /// What befell the log since this was last asked, a sentence each.
    pub fn troubles(&self) -> Vec<String> {
        self.troubles.take()
    }

    /// Writes an event. It is in the file when this returns, behind all that was posted before, and on the disk
    /// once its mark is [durable](Journal::durable).
    ///
    /// # Errors
    /// Those of the disk: the event is not in the log then, the log is whole,
    /// and the next event is taken. After [`Journal::close`] nothing is taken.
    pub fn append(&self, event: impl Into<LogEvent>) -> Result<Mark, JournalError> {
        let (prepared, values) = self.writer.preparer.prepare(event.into())?;
        let mut chain = self.writer.chain();
        self.writer.write_posted(&mut chain);
        chain.append(&prepared, values)
    }

    /// Has an event written soon, by another thread, behind all that was posted before. Until
    /// [`Journal::written`] says so it is only in memory.
    pub fn post(&self, event: impl Into<LogEvent>) -> Posted {
        let posted = Posted(Arc::default());
        let mut waiting = self.writer.posted();
        waiting.push_back((event.into(), posted.clone()));
        let many = waiting.len() > POSTED;
        drop(waiting);
        match many {
            true => self.write_posted(),
            false => self.poster.unpark(),
        }
        posted
    }

    /// Makes sure that a posted event is in the file, as [`Journal::append`] does.
    ///
    /// # Errors
    /// As [`Journal::append`].
    pub fn written(&self, posted: &Posted) -> Result<Mark, JournalError> {
        if posted.0.get().is_none() {
            self.write_posted();
        }
        posted.0.get().cloned().unwrap_or_else(|| Err(JournalError::Unwritten))
    }

    /// Writes all that was posted.
    pub fn write_posted(&self) {
        self.writer.write_posted(&mut self.writer.chain());
    }

    /// Waits until the disk has everything up to `mark`. One sync serves all who wait.
    ///
    /// # Errors
    /// The error of a sync that failed. The log goes on: in a new part where data may be lost.
    pub async fn durable(&self, mark: Mark) -> Result<(), JournalError> {
        self.syncer.durable(mark).await
    }

    /// [`Journal::durable`], blocking this thread.
    ///
    /// # Errors
    /// The error of a sync that failed.
    pub fn sync(&self, mark: Mark) -> Result<(), JournalError> {
        futures::executor::block_on(self.durable(mark))
    }

    /// Ends the session: writes `session_end`, waits for the disk, and takes nothing more.
    ///
    /// # Errors
    /// Those of writing and syncing. Closing a closed log does nothing.
    pub fn close(&self, totals: BTreeMap<String, u64>) -> Result<(), JournalError> {
        if self.writer.chain().is_closed() {
            return Ok(());
        }
        let mark = self.append(Event::SessionEnd { totals })?;
        self.writer.chain().close();
        let synced = self.sync(mark);
        if let Some(observer) = self.writer.preparer.observer() {
            observer.close();
        }
        synced
    }

    /// How many events the log holds.
    pub fn written_events(&self) -> u64 {
        self.writer.chain().seq()
    }

    /// The last number given out of the ids with this prefix (`c` for calls), 0 where there is none.
    pub fn last_number(&self, prefix: &str) -> u64 {
        self.writer.chain().last_number(prefix)
    }

    /// The log's path: absolute where the workspace's is.
    pub fn path(&self) -> PathBuf {
        opening::path(&self.root, &self.session)
    }

    /// The session's id.
    pub fn session(&self) -> &str {
        &self.session
    }

    /// The settings it was opened with.
    pub fn settings(&self) -> &LogSettings {
        self.writer.preparer.settings()
    }

    fn threads(&self) -> MutexGuard<'_, Vec<JoinHandle<()>>> {
        self.threads.lock()
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        self.write_posted();
        self.writer.stop.store(true, Ordering::SeqCst);
        self.poster.unpark();
        self.syncer.stop();
        for thread in self.threads().drain(..) {
            let _ = thread.join();
        }
    }
}

impl Writer {
    fn chain(&self) -> MutexGuard<'_, Chain> {
        self.chain.lock()
    }

    fn posted(&self) -> MutexGuard<'_, VecDeque<(LogEvent, Posted)>> {
        self.posted.lock()
    }

    fn write_posted(&self, chain: &mut Chain) {
        loop {
            let Some((event, posted)) = self.posted().pop_front() else { return };
            let prepared = self.preparer.prepare(event);
            let written = prepared.and_then(|(event, values)| chain.append(&event, values));
            if let Err(error) = &written {
                tracing::warn!("an event is not in the session log: {error}");
            }
            // Nobody else has taken this event.
            let _ = posted.0.set(written);
        }
    }

    /// The work of the thread that writes what was posted.
    fn run(&self) {
        while !self.stop.load(Ordering::SeqCst) {
            std::thread::park();
            if !self.posted().is_empty() {
                self.write_posted(&mut self.chain());
            }
        }
    }
}

fn thread(name: &str, work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, JournalError> {
    let spawned = std::thread::Builder::new().name(name.to_owned()).spawn(work);
    spawned.map_err(|error| JournalError::Thread(Arc::new(error)))
}
