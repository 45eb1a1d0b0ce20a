//! Reads a folder and all beneath it, with several threads where there is much to read.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use rustix::io::Errno;

use super::list::{Folder, Listed, Reading};
use super::rules::Rules;
use super::stamp::Stamp;

/// What was found, in no order.
#[derive(Default)]
pub(super) struct Found {
    pub(super) folders: Vec<(Arc<str>, Folder)>,
    pub(super) files: Vec<(Arc<str>, Stamp)>,
    pub(super) linked: Vec<Arc<str>>,
    /// Names that are not UTF-8.
    pub(super) unnamed: usize,
    /// Folders that cannot be read.
    pub(super) unreadable: usize,
    /// Whether the limit of watches was met.
    pub(super) limited: bool,
}

impl Found {
    /// Takes in what is in a folder; gives back the folders in it, with the rules that count there.
    fn add(&mut self, path: &Arc<str>, listed: Result<Listed, Errno>) -> Vec<Job> {
        match listed {
            Ok(mut listed) => {
                self.files.append(&mut listed.files);
                self.linked.append(&mut listed.linked);
                self.unnamed += listed.unnamed;
                self.limited |= listed.limited;
                let rules = listed.folder.rules.clone();
                self.folders.push((path.clone(), listed.folder));
                listed.folders.into_iter().map(|path| (path, rules.clone())).collect()
            }
            // Gone again, or no folder any more: an event tells.
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Vec::new(),
            Err(_) => {
                self.unreadable += 1;
                Vec::new()
            }
        }
    }

    fn append(&mut self, mut other: Self) {
        self.folders.append(&mut other.folders);
        self.files.append(&mut other.files);
        self.linked.append(&mut other.linked);
        self.unnamed += other.unnamed;
        self.unreadable += other.unreadable;
        self.limited |= other.limited;
    }
}

/// A folder to read, and the rules that count in its parent.
type Job = (Arc<str>, Arc<Rules>);

/// Reads a folder and all beneath it on this thread. Where it is told to stop, what it gives is not all.
pub(super) fn here(reading: &Reading<'_>, start: Job) -> Found {
    let mut found = Found::default();
    let mut jobs = vec![start];
    while let Some((path, rules)) = jobs.pop() {
        if reading.stop.load(Ordering::Relaxed) {
            break;
        }
        jobs.append(&mut found.add(&path, reading.list(&path, &rules)));
    }
    found
}

/// Reads a folder and all beneath it on several threads; `meanwhile` is run every few milliseconds.
pub(super) fn everywhere(reading: &Reading<'_>, start: Job, mut meanwhile: impl FnMut()) -> Found {
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get().clamp(1, 4));
    let queue = Queue { state: Mutex::new((vec![start], 0)), more: Condvar::new(), done: Condvar::new() };
    let mut all = Found::default();
    std::thread::scope(|scope| {
        let work = || {
            let mut found = Found::default();
            while let Some((path, rules)) = queue.next() {
                let stopped = reading.stop.load(Ordering::Relaxed);
                queue.finish(if stopped {
                    Vec::new()
                } else {
                    found.add(&path, reading.list(&path, &rules))
                });
            }
            found
        };
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        while !queue.wait(Duration::from_millis(5)) {
            meanwhile();
        }
        for worker in workers {
            // A worker does not panic; if one did, its part would be missing, which a later rescan mends.
            all.append(worker.join().unwrap_or_default());
        }
    });
    all
}

/// Folders to read, and how many are being read.
struct Queue {
    state: Mutex<(Vec<Job>, usize)>,
    more: Condvar,
    done: Condvar,
}

impl Queue {
    /// The next folder; none once all are read.
    fn next(&self) -> Option<Job> {
        let mut state = self.state.lock();
        loop {
            if let Some(job) = state.0.pop() {
                state.1 += 1;
                return Some(job);
            }
            if state.1 == 0 {
                return None;
            }
            self.more.wait(&mut state);
        }
    }

    /// Tells that a folder was read and which are in it.
    fn finish(&self, mut jobs: Vec<Job>) {
        let mut state = self.state.lock();
        state.1 -= 1;
        let ended = state.1 == 0 && state.0.is_empty() && jobs.is_empty();
        let count = jobs.len();
        state.0.append(&mut jobs);
        drop(state);
        if ended {
            self.more.notify_all();
            self.done.notify_all();
        } else if count > 1 {
            self.more.notify_all();
        }
    }

    /// Waits until all are read, but no longer than this; tells whether they are.
    fn wait(&self, most: Duration) -> bool {
        let mut state = self.state.lock();
        if !(state.0.is_empty() && state.1 == 0) {
            self.done.wait_for(&mut state, most);
        }
        state.0.is_empty() && state.1 == 0
    }
}
