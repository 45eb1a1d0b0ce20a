//! Writing the log: from any number of threads, in order, at once or soon.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::{JoinHandle, Thread};

use parking_lot::{Mutex, MutexGuard};
use rustix::fs::{self, FlockOperation};
use rustix::io::Errno;

use super::chain::{LogChain, PendingTroubles};
use super::error::{JournalError, disk_error};
use super::event::EventPreparer;
use super::file;
use super::observer::LogObserver;
use super::options::{self, JournalOptions};
use super::recover;
use super::seal::ValueStore;
use super::sync::{LogSyncer, WriteMark};
use crate::protocol::{Event, LogEvent, LogSettings};

/// Events that may be posted and not written; the poster of one more writes them.
const POSTED: usize = 256;

/// The session log, open for writing. One process at a time has a session's log open; any number of its
/// threads may append.
#[derive(Debug)]
pub struct Journal {
    session: String,
    root: String,
    writer: Arc<LogWriter>,
    syncer: Arc<LogSyncer>,
    /// Writes the posted events.
    poster: Thread,
    threads: Mutex<Vec<JoinHandle<()>>>,
    troubles: PendingTroubles,
}

/// An event that was posted.
#[derive(Clone, Debug)]
pub struct PostedEvent(Arc<OnceLock<Result<WriteMark, JournalError>>>);

#[derive(Debug)]
struct LogWriter {
    preparer: Arc<EventPreparer>,
    chain: Mutex<LogChain>,
    /// Oldest first. Only the holder of the chain takes from it.
    posted: Mutex<VecDeque<(LogEvent, PostedEvent)>>,
    stop: AtomicBool,
}

impl Journal {
    /// Opens or makes a session's log. Bytes that a crash or another program left behind the last whole block are set
    /// aside into a file, and a `recovery` event records that. It reads no more of the log than its end.
    ///
    /// # Errors
    /// [`JournalError::Locked`] if another process has it open, [`JournalError::Foreign`] if this machine did not
    /// write it for this folder, or if its end was cut off. Errors of the disk, also if the path is not a regular
    /// file.
    pub fn open(opening: JournalOptions) -> Result<Self, JournalError> {
        let failed = disk_error("open the session log");
        // A descriptor of its own: the lock belongs to it, and it can be synced.
        let dir = file::reopen_folder((opening.folder)()?).map_err(failed)?;
        match fs::flock(&dir, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => return Err(JournalError::Locked { session: opening.session }),
            Err(error) => return Err(failed(error)),
        }
        let store = Arc::new(ValueStore::new(file::reopen_folder(&dir).map_err(failed)?));
        let head = opening.keeper.head_file(&opening.session);
        let syncer =
            Arc::new(LogSyncer::new(file::reopen_folder(&dir).map_err(failed)?, store.clone(), head));
        let preparer = Arc::new(EventPreparer::new(opening.settings.clone(), store));
        let (session, root) = (opening.session.clone(), opening.root.clone());
        let chain = LogChain::open(dir, opening, preparer.clone(), syncer.clone())?;
        let troubles = chain.troubles();
        let writer = Arc::new(LogWriter {
            preparer,
            chain: Mutex::new(chain),
            posted: Mutex::default(),
            stop: AtomicBool::new(false),
        });
        let posting = spawn_thread("log-writer", {
            let writer = writer.clone();
            move || writer.run()
        })?;
        let poster = posting.thread().clone();
        let threads = Mutex::new(vec![posting]);
        let journal = Self { session, root, writer, syncer: syncer.clone(), poster, threads, troubles };
        let syncing = spawn_thread("log-sync", move || syncer.run())?;
        journal.lock_threads().push(syncing);
        Ok(journal)
    }

    /// Opens a log of this machine that no process has open, and sets its torn end aside, if any; returns true in
    /// that case.
    ///
    /// # Errors
    /// As [`Journal::open`].
    pub fn mend_log(opening: JournalOptions) -> Result<bool, JournalError> {
        let failed = disk_error("look at the session log");
        let keeper = &opening.keeper;
        let head = keeper.head(&opening.session).filter(|head| head.seq > 0);
        if keeper.key().name().is_none() || head.is_none() {
            return Ok(false);
        }
        let dir = file::reopen_folder((opening.folder)()?).map_err(failed)?;
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

    /// Sets the observer that receives each event as it is written. The first one stays.
    pub fn set_observer(&self, observer: Arc<dyn LogObserver>) {
        self.writer.preparer.set_observer(observer);
    }

    /// Problems of the log since the last call, a sentence each.
    pub fn troubles(&self) -> Vec<String> {
        self.troubles.take()
    }

    /// Writes an event. It is in the file when this returns, behind all posted events, and on the disk once its mark
    /// is [durable](Journal::wait_durable).
    ///
    /// # Errors
    /// Errors of the disk: the event is not in the log then, the log is whole, and the next event is accepted. After
    /// [`Journal::close`] nothing is accepted.
    pub fn append(&self, event: impl Into<LogEvent>) -> Result<WriteMark, JournalError> {
        let (prepared, values) = self.writer.preparer.prepare_event(event.into())?;
        let mut chain = self.writer.lock_chain();
        self.writer.write_posted(&mut chain);
        chain.append_event(&prepared, values)
    }

    /// Posts an event: another thread writes it soon, behind all that was posted before. Until [`Journal::ensure_written`]
    /// succeeds it is only in memory.
    pub fn post(&self, event: impl Into<LogEvent>) -> PostedEvent {
        let posted = PostedEvent(Arc::default());
        let mut waiting = self.writer.lock_posted();
        waiting.push_back((event.into(), posted.clone()));
        let many = waiting.len() > POSTED;
        drop(waiting);
        match many {
            true => self.write_posted(),
            false => self.poster.unpark(),
        }
        posted
    }

    /// Ensures that a posted event is in the file, as [`Journal::append`] does.
    ///
    /// # Errors
    /// As [`Journal::append`].
    pub fn ensure_written(&self, posted: &PostedEvent) -> Result<WriteMark, JournalError> {
        if posted.0.get().is_none() {
            self.write_posted();
        }
        posted.0.get().cloned().unwrap_or_else(|| Err(JournalError::Unwritten))
    }

    /// Writes all posted events.
    pub fn write_posted(&self) {
        self.writer.write_posted(&mut self.writer.lock_chain());
    }

    /// Waits until the disk has everything up to `mark`. One sync serves all who wait.
    ///
    /// # Errors
    /// The error of a sync that failed. The log continues: in a new part if data may be lost.
    pub async fn wait_durable(&self, mark: WriteMark) -> Result<(), JournalError> {
        self.syncer.wait_durable(mark).await
    }

    /// [`Journal::wait_durable`], blocking this thread.
    ///
    /// # Errors
    /// The error of a sync that failed.
    pub fn sync(&self, mark: WriteMark) -> Result<(), JournalError> {
        futures::executor::block_on(self.wait_durable(mark))
    }

    /// Ends the session: writes `session_end`, waits for the disk, and accepts nothing more.
    ///
    /// # Errors
    /// Errors of writing and syncing. Closing a closed log does nothing.
    pub fn close(&self, totals: BTreeMap<String, u64>) -> Result<(), JournalError> {
        if self.writer.lock_chain().is_closed() {
            return Ok(());
        }
        let mark = self.append(Event::SessionEnd { totals })?;
        self.writer.lock_chain().close();
        let synced = self.sync(mark);
        if let Some(observer) = self.writer.preparer.observer() {
            observer.close();
        }
        synced
    }

    /// The number of events in the log.
    pub fn written_events(&self) -> u64 {
        self.writer.lock_chain().seq()
    }

    /// The last number given out of the ids with this prefix (`c` for calls), 0 if there is none.
    pub fn last_number(&self, prefix: &str) -> u64 {
        self.writer.lock_chain().last_number(prefix)
    }

    /// The log's path: absolute if the workspace's is.
    pub fn path(&self) -> PathBuf {
        options::log_path(&self.root, &self.session)
    }

    /// The session's id.
    pub fn session(&self) -> &str {
        &self.session
    }

    /// The settings it was opened with.
    pub fn settings(&self) -> &LogSettings {
        self.writer.preparer.settings()
    }

    fn lock_threads(&self) -> MutexGuard<'_, Vec<JoinHandle<()>>> {
        self.threads.lock()
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        self.write_posted();
        self.writer.stop.store(true, Ordering::SeqCst);
        self.poster.unpark();
        self.syncer.stop();
        for thread in self.lock_threads().drain(..) {
            let _ = thread.join();
        }
    }
}

impl LogWriter {
    fn lock_chain(&self) -> MutexGuard<'_, LogChain> {
        self.chain.lock()
    }

    fn lock_posted(&self) -> MutexGuard<'_, VecDeque<(LogEvent, PostedEvent)>> {
        self.posted.lock()
    }

    fn write_posted(&self, chain: &mut LogChain) {
        loop {
            let Some((event, posted)) = self.lock_posted().pop_front() else { return };
            let prepared = self.preparer.prepare_event(event);
            let written = prepared.and_then(|(event, values)| chain.append_event(&event, values));
            if let Err(error) = &written {
                tracing::warn!("an event is not in the session log: {error}");
            }
            // No other thread has taken this event.
            let _ = posted.0.set(written);
        }
    }

    /// Runs the thread that writes the posted events.
    fn run(&self) {
        while !self.stop.load(Ordering::SeqCst) {
            std::thread::park();
            if !self.lock_posted().is_empty() {
                self.write_posted(&mut self.lock_chain());
            }
        }
    }
}

fn spawn_thread(name: &str, work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, JournalError> {
    let spawned = std::thread::Builder::new().name(name.to_owned()).spawn(work);
    spawned.map_err(|error| JournalError::Thread(Arc::new(error)))
}
