//! One thread that brings what was written to the disk: one sync serves all who wait.

use std::os::fd::OwnedFd;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::fs;
use rustix::io::Errno;
use tokio::sync::watch;

use super::file::{self, disk_fault};
use super::seal::RESULTS;
use crate::protocol::Fault;

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
    failed: Option<Fault>,
}

/// What is to be synced.
#[derive(Debug, Default)]
struct Todo {
    written: u64,
    wanted: u64,
    since: Option<Instant>,
    logs: Vec<Arc<OwnedFd>>,
    values: Vec<String>,
    folder: bool,
    stop: bool,
}

/// Shared by the writers and the thread.
#[derive(Debug)]
pub struct Syncer {
    dir: OwnedFd,
    todo: Mutex<Todo>,
    wake: Condvar,
    progress: watch::Sender<Progress>,
}

impl Syncer {
    /// For the session whose folder this is. Nothing is synced until [`Syncer::run`].
    pub fn new(dir: OwnedFd) -> Self {
        Self { dir, todo: Mutex::default(), wake: Condvar::new(), progress: watch::Sender::default() }
    }

    fn todo(&self) -> MutexGuard<'_, Todo> {
        self.todo.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that `log` was written to, after the stored values it names.
    pub fn wrote(&self, log: &Arc<OwnedFd>, values: Vec<String>) -> Mark {
        let mut todo = self.todo();
        todo.written += 1;
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
    pub fn renamed(&self) {
        self.todo().folder = true;
    }

    /// The fault of a sync that failed, once one has: the log takes nothing more after it.
    ///
    /// # Errors
    /// That fault.
    pub fn check(&self) -> Result<(), Fault> {
        self.progress.borrow().failed.clone().map_or(Ok(()), Err)
    }

    /// Waits until a sync that began after `mark`'s write has ended.
    ///
    /// # Errors
    /// The fault of a sync that failed.
    pub async fn durable(&self, mark: Mark) -> Result<(), Fault> {
        let mut progress = self.progress.subscribe();
        if progress.borrow().synced < mark.0 {
            let mut todo = self.todo();
            todo.wanted = todo.wanted.max(mark.0);
            drop(todo);
            self.wake.notify_all();
        }
        let done = progress.wait_for(|progress| progress.synced >= mark.0 || progress.failed.is_some()).await;
        match done {
            Ok(progress) if progress.synced >= mark.0 => Ok(()),
            Ok(progress) => Err(progress.failed.clone().unwrap_or_else(|| Fault::internal("the log failed"))),
            Err(_) => Err(Fault::internal("the log was closed before it was on the disk")),
        }
    }

    /// Ends the thread after one last sync.
    pub fn stop(&self) {
        self.todo().stop = true;
        self.wake.notify_all();
    }

    /// The thread's work.
    pub fn run(&self) {
        loop {
            let (work, stop) = self.next();
            if work.written > self.progress.borrow().synced {
                let failed = self.sync(&work).err().map(|error| {
                    disk_fault("bring the log to the disk", error)
                        .suggest("start a new session: what this one wrote last may not be on the disk")
                        .fatal()
                });
                let end = failed.is_some();
                self.progress.send_modify(|progress| match failed {
                    Some(fault) => progress.failed = Some(fault),
                    None => progress.synced = work.written,
                });
                if end {
                    return;
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
            let synced = self.progress.borrow().synced;
            let left = todo.since.map(|since| LAZY.saturating_sub(since.elapsed()));
            let due = left.is_some_and(|left| left.is_zero());
            if todo.stop || todo.wanted > synced || due || todo.values.len() >= VALUES {
                let rest =
                    Todo { written: todo.written, wanted: todo.wanted, stop: todo.stop, ..Todo::default() };
                let stop = todo.stop;
                return (std::mem::replace(&mut *todo, rest), stop);
            }
            todo = match left {
                Some(left) => self.wake.wait_timeout(todo, left).unwrap_or_else(PoisonError::into_inner).0,
                None => self.wake.wait(todo).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    /// Stored values first, then the parts that name them, oldest first, then the folder.
    fn sync(&self, work: &Todo) -> Result<(), Errno> {
        if !work.values.is_empty() {
            let results = file::subfolder(&self.dir, RESULTS)?;
            for value in &work.values {
                fs::fdatasync(file::open_read(&results, value)?)?;
            }
            fs::fsync(&results)?;
        }
        work.logs.iter().try_for_each(fs::fdatasync)?;
        if work.folder || !work.values.is_empty() {
            fs::fsync(&self.dir)?;
        }
        if work.folder {
            // The session's folder may be as new as the log in it.
            fs::fsync(file::parent(&self.dir)?)?;
        }
        Ok(())
    }
}
