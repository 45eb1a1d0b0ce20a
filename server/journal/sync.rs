//! The thread that brings the log to the disk: one sync serves all waiting threads.
//!
//! After a sync that failed, the kernel may drop the data and report success the next time. So a part of the log
//! whose sync failed is never synced again: the chain goes on in a new part ([`LogSyncer::continue_in`]). A failure before
//! any data was at stake, as for lack of descriptors, is tried again.

use std::ops::RangeInclusive;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};
use rustix::fs;
use rustix::io::Errno;
use tokio::sync::watch;

use super::error::{JournalError, disk_error};
use super::file::{self, retry_interrupted};
use super::head::{HeadFile, LogHead};
use super::seal::{RESULTS, ValueStore};

/// The longest time that written data waits for the disk without a request.
const MAX_SYNC_DELAY: Duration = Duration::from_secs(1);
/// Stored values that may wait for the disk; more of them wake the thread.
const VALUES: usize = 256;

/// A position in the order of writes: everything up to it is durable once its sync has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct WriteMark(u64);

/// The progress of syncing.
#[derive(Clone, Debug, Default)]
struct SyncProgress {
    synced: u64,
    /// The number of the last block that is durable.
    seq: u64,
    /// Tries so far.
    tries: u64,
    /// A try that failed: its number, the last mark it was for, and why.
    failed: Option<(u64, u64, JournalError)>,
    /// The sync of the current part failed: it is not synced again.
    broken: Option<JournalError>,
    /// Marks in parts that were given up.
    lost: Vec<(RangeInclusive<u64>, JournalError)>,
}

impl SyncProgress {
    /// The outcome of a wait for `mark` that began after `tries` tries; none while it continues.
    fn wait_outcome(&self, mark: u64, tries: u64) -> Option<Result<(), JournalError>> {
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

/// The data to sync.
#[derive(Debug, Default)]
struct PendingSync {
    written: u64,
    wanted: u64,
    since: Option<Instant>,
    logs: Vec<Arc<OwnedFd>>,
    values: Vec<String>,
    /// The last block that was written.
    head: Option<LogHead>,
    folder: bool,
    stop: bool,
}

/// The consequence of a failed sync.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SyncFailure {
    /// Nothing was at stake: the same sync is tried again.
    Again(Errno),
    /// The written data may be lost, even if the next sync succeeds.
    Lost(Errno),
    /// The log was removed meanwhile.
    Gone,
}

/// Shared by the writers and the thread.
#[derive(Debug)]
pub(super) struct LogSyncer {
    dir: Mutex<Arc<OwnedFd>>,
    store: Arc<ValueStore>,
    head: Option<HeadFile>,
    todo: Mutex<PendingSync>,
    wake: Condvar,
    progress: watch::Sender<SyncProgress>,
}

impl LogSyncer {
    /// Serves the session of this folder, whose last durable block is kept in `head`. Nothing is synced until
    /// [`LogSyncer::run`].
    pub(super) fn new(dir: OwnedFd, store: Arc<ValueStore>, head: Option<HeadFile>) -> Self {
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

    fn lock_pending(&self) -> MutexGuard<'_, PendingSync> {
        self.todo.lock()
    }

    fn dir(&self) -> Arc<OwnedFd> {
        self.dir.lock().clone()
    }

    /// Notes that `log` was written to up to the block `head`, after the stored values it names.
    pub(super) fn note_write(&self, log: &Arc<OwnedFd>, values: Vec<String>, head: LogHead) -> WriteMark {
        let mut todo = self.lock_pending();
        todo.written += 1;
        todo.head = Some(head);
        if !todo.logs.last().is_some_and(|last| Arc::ptr_eq(last, log)) {
            todo.logs.push(log.clone());
        }
        todo.values.extend(values);
        let wake = todo.since.is_none() || todo.values.len() == VALUES;
        todo.since.get_or_insert_with(Instant::now);
        let mark = WriteMark(todo.written);
        drop(todo);
        if wake {
            self.wake.notify_all();
        }
        mark
    }

    /// Notes that a name in the session's folder changed.
    pub(super) fn note_rename(&self) {
        self.lock_pending().folder = true;
    }

    /// Notes that the last block is not in the log after all.
    pub(super) fn forget_head(&self) {
        self.lock_pending().head = None;
    }

    /// Sets the durable length of the log when it was opened.
    pub(super) fn set_durable(&self, seq: u64) {
        self.progress.send_modify(|progress| progress.seq = progress.seq.max(seq));
    }

    /// The reason why the current part must not be written to any more, and the number of the last durable block.
    pub(super) fn sync_error(&self) -> Option<(JournalError, u64)> {
        let progress = self.progress.borrow();
        progress.broken.clone().map(|error| (error, progress.seq))
    }

    /// Continues in a new part: writes to the one before that are not durable are given up. `log` is the new part,
    /// `last` the last mark in the one before.
    pub(super) fn continue_in(&self, log: &Arc<OwnedFd>, last: WriteMark) {
        let mut todo = self.lock_pending();
        todo.logs.retain(|other| Arc::ptr_eq(other, log));
        self.progress.send_modify(|progress| {
            if let Some(error) = progress.broken.take() {
                progress.lost.push((progress.synced + 1..=last.0, error));
            }
        });
        drop(todo);
        self.wake.notify_all();
    }

    /// The mark of the last write.
    pub(super) fn last_mark(&self) -> WriteMark {
        WriteMark(self.lock_pending().written)
    }

    /// Continues in another folder: the writes to the one before are given up.
    pub(super) fn move_to(&self, dir: OwnedFd) {
        *self.dir.lock() = Arc::new(dir);
        let mut todo = self.lock_pending();
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
    /// The error of a sync that failed. If data was lost by it, every wait for the same mark ends so; else the next
    /// wait tries again.
    pub(super) async fn wait_durable(&self, mark: WriteMark) -> Result<(), JournalError> {
        let mut progress = self.progress.subscribe();
        let tries = self.request_sync(mark);
        let done = progress.wait_for(|progress| progress.wait_outcome(mark.0, tries).is_some()).await;
        let done = done.ok().and_then(|progress| progress.wait_outcome(mark.0, tries));
        done.unwrap_or(Err(JournalError::ClosedUnsynced))
    }

    /// Requests a sync of everything up to `mark`, and returns the number of tries before.
    fn request_sync(&self, mark: WriteMark) -> u64 {
        let mut todo = self.lock_pending();
        let progress = self.progress.borrow();
        if progress.wait_outcome(mark.0, progress.tries).is_none() {
            todo.wanted = todo.wanted.max(mark.0);
            self.wake.notify_all();
        }
        progress.tries
    }

    /// Ends the thread after one last sync.
    pub(super) fn stop(&self) {
        self.lock_pending().stop = true;
        self.wake.notify_all();
    }

    /// Runs the thread.
    pub(super) fn run(&self) {
        loop {
            let (work, stop) = self.next_work();
            if work.written > self.progress.borrow().synced && self.progress.borrow().broken.is_none() {
                match self.sync_work(&work) {
                    Ok(()) => self.note_synced(&work),
                    Err(failure) => self.note_failure(work, failure),
                }
            }
            if stop {
                return;
            }
        }
    }

    /// Waits for work: at once if a thread waits for it, within a second otherwise.
    fn next_work(&self) -> (PendingSync, bool) {
        let mut todo = self.lock_pending();
        loop {
            let (synced, broken) = {
                let progress = self.progress.borrow();
                (progress.synced, progress.broken.is_some())
            };
            let left = todo.since.map(|since| MAX_SYNC_DELAY.saturating_sub(since.elapsed()));
            let due = left.is_some_and(|left| left.is_zero());
            let wanted = todo.wanted > synced || due || todo.values.len() >= VALUES;
            if todo.stop || (wanted && !broken) {
                let rest = PendingSync {
                    written: todo.written,
                    wanted: todo.wanted,
                    stop: todo.stop,
                    ..PendingSync::default()
                };
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

    fn note_synced(&self, work: &PendingSync) {
        // After the log, so that the head is never ahead of it; and before the waiting threads go on: a process that ends
        // once its calls are durable leaves a head of them.
        if let (Some(file), Some(head)) = (&self.head, &work.head) {
            file.write_head(head);
        }
        self.progress.send_modify(|progress| {
            progress.tries += 1;
            progress.synced = work.written;
            progress.seq = work.head.as_ref().map_or(progress.seq, |head| head.seq);
        });
        if let (Some(file), Some(_)) = (&self.head, &work.head) {
            file.sync_first_state();
        }
    }

    /// Keeps the work that is to be tried again, and notifies the waiting threads.
    fn note_failure(&self, work: PendingSync, failure: SyncFailure) {
        let mut todo = self.lock_pending();
        let written = todo.written;
        self.progress.send_modify(|progress| {
            progress.tries += 1;
            match failure {
                SyncFailure::Again(errno) => {
                    let error = disk_error("bring the log to the disk")(errno);
                    progress.failed = Some((progress.tries, work.written, error));
                }
                SyncFailure::Lost(source) => progress.broken = Some(JournalError::Unsynced { source }),
                SyncFailure::Gone => progress.broken = Some(JournalError::Removed),
            }
        });
        match failure {
            SyncFailure::Again(_) => {
                let newer = std::mem::take(&mut *todo);
                let logs =
                    newer.logs.into_iter().filter(|log| !work.logs.iter().any(|old| Arc::ptr_eq(old, log)));
                *todo = PendingSync {
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
            SyncFailure::Lost(_) | SyncFailure::Gone => {
                drop(todo);
                // A value that is referenced again is stored again.
                self.store.forget_values(&work.values);
            }
        }
    }

    /// Syncs stored values first, then the parts that reference them, oldest first, then the folder.
    fn sync_work(&self, work: &PendingSync) -> Result<(), SyncFailure> {
        let dir = self.dir();
        if !work.values.is_empty() {
            self.sync_values(&dir, &work.values)?;
        }
        for log in &work.logs {
            sync_file(|| fs::fdatasync(log))?;
        }
        let removed = |log: &Arc<OwnedFd>| fs::fstat(log).is_ok_and(|stat| stat.st_nlink == 0);
        if work.logs.last().is_some_and(removed) {
            return Err(SyncFailure::Gone);
        }
        if work.folder || !work.values.is_empty() {
            sync_file(|| fs::fsync(&*dir))?;
        }
        if work.folder {
            // The session's folder may be as new as the log in it.
            let parent = retry_interrupted(|| file::open_parent(&dir)).map_err(open_failure)?;
            sync_file(|| fs::fsync(&parent))?;
        }
        Ok(())
    }

    fn sync_values(&self, dir: &OwnedFd, values: &[String]) -> Result<(), SyncFailure> {
        let results = retry_interrupted(|| file::open_subfolder(dir, RESULTS)).map_err(open_failure)?;
        for value in values {
            match retry_interrupted(|| file::open_read(&results, value)) {
                Ok(file) => sync_file(|| fs::fdatasync(&file))?,
                // Another program removed it since; a reader of the log gets an error.
                Err(Errno::NOENT) => self.store.forget_values(std::slice::from_ref(value)),
                Err(error) => return Err(SyncFailure::Again(error)),
            }
        }
        sync_file(|| fs::fsync(&results))
    }
}

/// Syncs, again if the call was interrupted.
fn sync_file(once: impl FnMut() -> Result<(), Errno>) -> Result<(), SyncFailure> {
    retry_interrupted(once).map_err(|error| match error {
        // The system returns these errors before it reads the data.
        Errno::MFILE | Errno::NFILE | Errno::NOMEM | Errno::INTR | Errno::AGAIN => SyncFailure::Again(error),
        error => SyncFailure::Lost(error),
    })
}

/// The failure of opening a folder of the log.
fn open_failure(error: Errno) -> SyncFailure {
    if error == Errno::NOENT { SyncFailure::Gone } else { SyncFailure::Again(error) }
}
