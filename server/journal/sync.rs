//! One thread that brings the log to the disk: one sync serves all who wait.
//!
//! After a sync that failed, the kernel may drop the data and report success the next time. So a part of the log whose
//! sync failed is never synced again: the chain goes on in a new part ([`Syncer::mended`]). What failed before any
//! data was at stake, as for lack of descriptors, is tried again.

use std::ops::RangeInclusive;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};
use rustix::fs;
use rustix::io::Errno;
use tokio::sync::watch;

use super::error::{JournalError, disk};
use super::file::{self, again};
use super::head::{Head, HeadFile};
use super::seal::{RESULTS, Store};

/// How long written data may wait for the disk when nobody asks for it.
const LAZY: Duration = Duration::from_secs(1);
/// Stored values that may wait for the disk; more of them wake the thread.
const VALUES: usize = 256;

/// A place in the order of writes: everything up to it is durable once its sync has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark(u64);

/// How far the disk has come.
#[derive(Clone, Debug, Default)]
struct Progress {
    synced: u64,
    /// The number of the last block that is durable.
    seq: u64,
    /// Tries so far.
    tries: u64,
    /// A try that failed: its number, the last mark it was for, and why.
    failed: Option<(u64, u64, JournalError)>,
    /// The sync of the part at hand failed: it is not synced again.
    broken: Option<JournalError>,
    /// Marks in parts that were given up.
    lost: Vec<(RangeInclusive<u64>, JournalError)>,
}

impl Progress {
    /// How a wait for `mark` that began after `tries` tries ends; nothing while it goes on.
    fn outcome(&self, mark: u64, tries: u64) -> Option<Result<(), JournalError>> {
        if let Some((_, error)) = self.lost.iter().find(|(marks, _)| marks.contains(&mark)) {
            return Some(Err(error.clone()));
        }
        if self.synced >= mark {
            return Some(Ok(()));
        }
        if let Some(error) = &self.broken {
            return Some(Err(error.clone()));
        }
        let failed = self.failed.as_ref().filter(|(number, upto, _)| *number > tries && *upto >= mark);
        failed.map(|(_, _, error)| Err(error.clone()))
    }
}

/// What is to be synced.
#[derive(Debug, Default)]
struct Todo {
    written: u64,
    wanted: u64,
    since: Option<Instant>,
    logs: Vec<Arc<OwnedFd>>,
    values: Vec<String>,
    /// The last block that was written.
    head: Option<Head>,
    folder: bool,
    stop: bool,
}

/// What a failed sync leaves to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Failure {
    /// Nothing was at stake: the same is tried again.
    Again(Errno),
    /// What was written may be lost, whatever the next sync says.
    Lost(Errno),
    /// The log was removed meanwhile.
    Gone,
}

/// Shared by the writers and the thread.
#[derive(Debug)]
pub(super) struct Syncer {
    dir: Mutex<Arc<OwnedFd>>,
    store: Arc<Store>,
    head: Option<HeadFile>,
    todo: Mutex<Todo>,
    wake: Condvar,
    progress: watch::Sender<Progress>,
}

impl Syncer {
    /// For the session whose folder this is, and whose last durable block is kept in `head`. Nothing is synced until
    /// [`Syncer::run`].
    pub(super) fn new(dir: OwnedFd, store: Arc<Store>, head: Option<HeadFile>) -> Self {
        let dir = Mutex::new(Arc::new(dir));
        Self {
            dir,
            store,
            head,
            todo: Mutex::default(),
            wake: Condvar::new(),
            progress: watch::Sender::default(),
        }
    }

    fn todo(&self) -> MutexGuard<'_, Todo> {
        self.todo.lock()
    }

    fn dir(&self) -> Arc<OwnedFd> {
        self.dir.lock().clone()
    }

    /// Notes that `log` was written to up to the block `head`, after the stored values it names.
    pub(super) fn wrote(&self, log: &Arc<OwnedFd>, values: Vec<String>, head: Head) -> Mark {
        let mut todo = self.todo();
        todo.written += 1;
        todo.head = Some(head);
        if !todo.logs.last().is_some_and(|last| Arc::ptr_eq(last, log)) {
            todo.logs.push(log.clone());
        }
        todo.values.extend(values);
        let wake = todo.since.is_none() || todo.values.len() == VALUES;
        todo.since.get_or_insert_with(Instant::now);
        let mark = Mark(todo.written);
        drop(todo);
        if wake {
            self.wake.notify_all();
        }
        mark
    }

    /// Notes that a name in the session's folder changed.
    pub(super) fn renamed(&self) {
        self.todo().folder = true;
    }

    /// Notes that the last block is not in the log after all.
    pub(super) fn forget_head(&self) {
        self.todo().head = None;
    }

    /// Notes how far the log was durable when it was opened.
    pub(super) fn begin(&self, seq: u64) {
        self.progress.send_modify(|progress| progress.seq = progress.seq.max(seq));
    }

    /// Why the part at hand is not to be written to any more, and the number of the last block that is durable.
    pub(super) fn broken(&self) -> Option<(JournalError, u64)> {
        let progress = self.progress.borrow();
        progress.broken.clone().map(|error| (error, progress.seq))
    }

    /// The log goes on in a new part: what was written to the one before is given up where it was not durable.
    /// `log` is the new part, `last` the last mark in the one before.
    pub(super) fn mended(&self, log: &Arc<OwnedFd>, last: Mark) {
        let mut todo = self.todo();
        todo.logs.retain(|other| Arc::ptr_eq(other, log));
        self.progress.send_modify(|progress| {
            if let Some(error) = progress.broken.take() {
                progress.lost.push((progress.synced + 1..=last.0, error));
            }
        });
        drop(todo);
        self.wake.notify_all();
    }

    /// The mark of what was written last.
    pub(super) fn written(&self) -> Mark {
        Mark(self.todo().written)
    }

    /// The log goes on in another folder: what stood in the one before is given up.
    pub(super) fn moved(&self, dir: OwnedFd) {
        *self.dir.lock() = Arc::new(dir);
        let mut todo = self.todo();
        let written = todo.written;
        (todo.logs, todo.values) = (Vec::new(), Vec::new());
        self.progress.send_modify(|progress| {
            let error = progress.broken.take().unwrap_or(JournalError::Removed);
            if written > progress.synced {
                progress.lost.push((progress.synced + 1..=written, error));
            }
            progress.seq = 0;
        });
    }

    /// Waits until a sync that began after `mark`'s write has ended.
    ///
    /// # Errors
    /// The error of a sync that failed. Where data was lost by it, every wait for the same mark ends so; else the next
    /// wait tries again.
    pub(super) async fn durable(&self, mark: Mark) -> Result<(), JournalError> {
        let mut progress = self.progress.subscribe();
        let tries = self.want(mark);
        let done = progress.wait_for(|progress| progress.outcome(mark.0, tries).is_some()).await;
        let done = done.ok().and_then(|progress| progress.outcome(mark.0, tries));
        done.unwrap_or(Err(JournalError::ClosedUnsynced))
    }

    /// Has everything up to `mark` synced, and gives how many tries there were before.
    fn want(&self, mark: Mark) -> u64 {
        let mut todo = self.todo();
        let progress = self.progress.borrow();
        if progress.outcome(mark.0, progress.tries).is_none() {
            todo.wanted = todo.wanted.max(mark.0);
            self.wake.notify_all();
        }
        progress.tries
    }

    /// Ends the thread after one last sync.
    pub(super) fn stop(&self) {
        self.todo().stop = true;
        self.wake.notify_all();
    }

    /// The thread's work.
    pub(super) fn run(&self) {
        loop {
            let (work, stop) = self.next();
            if work.written > self.progress.borrow().synced && self.progress.borrow().broken.is_none() {
                match self.sync(&work) {
                    Ok(()) => self.synced(&work),
                    Err(failure) => self.failed(work, failure),
                }
            }
            if stop {
                return;
            }
        }
    }

    /// Waits for work: at once where someone waits for it, within a second otherwise.
    fn next(&self) -> (Todo, bool) {
        let mut todo = self.todo();
        loop {
            let (synced, broken) = {
                let progress = self.progress.borrow();
                (progress.synced, progress.broken.is_some())
            };
            let left = todo.since.map(|since| LAZY.saturating_sub(since.elapsed()));
            let due = left.is_some_and(|left| left.is_zero());
            let wanted = todo.wanted > synced || due || todo.values.len() >= VALUES;
            if todo.stop || (wanted && !broken) {
                let rest =
                    Todo { written: todo.written, wanted: todo.wanted, stop: todo.stop, ..Todo::default() };
                let stop = todo.stop;
                return (std::mem::replace(&mut *todo, rest), stop);
            }
            match left.filter(|_| !broken) {
                Some(left) => {
                    self.wake.wait_for(&mut todo, left);
                }
                None => self.wake.wait(&mut todo),
            }
        }
    }

    fn synced(&self, work: &Todo) {
        self.progress.send_modify(|progress| {
            progress.tries += 1;
            progress.synced = work.written;
            progress.seq = work.head.as_ref().map_or(progress.seq, |head| head.seq);
        });
        // After the log, so that what is kept of it is never ahead of it; and after those who wait have heard.
        if let (Some(file), Some(head)) = (&self.head, &work.head) {
            file.put(head);
        }
    }

    /// Puts back what is to be tried again, and tells who waits.
    fn failed(&self, work: Todo, failure: Failure) {
        let mut todo = self.todo();
        let written = todo.written;
        self.progress.send_modify(|progress| {
            progress.tries += 1;
            match failure {
                Failure::Again(errno) => {
                    let error = disk("bring the log to the disk")(errno);
                    progress.failed = Some((progress.tries, work.written, error));
                }
                Failure::Lost(source) => progress.broken = Some(JournalError::Unsynced { source }),
                Failure::Gone => progress.broken = Some(JournalError::Removed),
            }
        });
        match failure {
            Failure::Again(_) => {
                let newer = std::mem::take(&mut *todo);
                let logs =
                    newer.logs.into_iter().filter(|log| !work.logs.iter().any(|old| Arc::ptr_eq(old, log)));
                *todo = Todo {
                    written,
                    wanted: if newer.wanted > work.written { newer.wanted } else { 0 },
                    since: Some(Instant::now()),
                    logs: work.logs.iter().cloned().chain(logs).collect(),
                    values: work.values.into_iter().chain(newer.values).collect(),
                    head: newer.head.or(work.head),
                    folder: work.folder || newer.folder,
                    stop: newer.stop,
                };
            }
            Failure::Lost(_) | Failure::Gone => {
                drop(todo);
                // A value that is named again is stored again.
                self.store.distrust(&work.values);
            }
        }
    }

    /// Stored values first, then the parts that name them, oldest first, then the folder.
    fn sync(&self, work: &Todo) -> Result<(), Failure> {
        let dir = self.dir();
        if !work.values.is_empty() {
            self.sync_values(&dir, &work.values)?;
        }
        for log in &work.logs {
            sync(|| fs::fdatasync(log))?;
        }
        let removed = |log: &Arc<OwnedFd>| fs::fstat(log).is_ok_and(|stat| stat.st_nlink == 0);
        if work.logs.last().is_some_and(removed) {
            return Err(Failure::Gone);
        }
        if work.folder || !work.values.is_empty() {
            sync(|| fs::fsync(&*dir))?;
        }
        if work.folder {
            // The session's folder may be as new as the log in it.
            let parent = again(|| file::parent(&dir)).map_err(unopened)?;
            sync(|| fs::fsync(&parent))?;
        }
        Ok(())
    }

    fn sync_values(&self, dir: &OwnedFd, values: &[String]) -> Result<(), Failure> {
        let results = again(|| file::subfolder(dir, RESULTS)).map_err(unopened)?;
        for value in values {
            match again(|| file::open_read(&results, value)) {
                Ok(file) => sync(|| fs::fdatasync(&file))?,
                // Somebody removed it since; whoever reads the log is told so.
                Err(Errno::NOENT) => self.store.distrust(std::slice::from_ref(value)),
                Err(error) => return Err(Failure::Again(error)),
            }
        }
        sync(|| fs::fsync(&results))
    }
}

/// Syncs, again where the call was interrupted.
fn sync(once: impl FnMut() -> Result<(), Errno>) -> Result<(), Failure> {
    again(once).map_err(|error| match error {
        // The system gives these before it looks at the data.
        Errno::MFILE | Errno::NFILE | Errno::NOMEM | Errno::INTR | Errno::AGAIN => Failure::Again(error),
        error => Failure::Lost(error),
    })
}

/// Why a folder of the log cannot be opened.
fn unopened(error: Errno) -> Failure {
    if error == Errno::NOENT { Failure::Gone } else { Failure::Again(error) }
}
