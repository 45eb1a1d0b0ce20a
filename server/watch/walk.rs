//! Reads a folder and all beneath it, with several threads if there is much to read.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use rustix::io::Errno;

use super::list::{FolderIdentity, FolderReader, ListedFolder, WatchedFolder, is_absent};
use super::rules::FolderRules;
use super::stamp::StatStamp;

/// The results, in no order.
#[derive(Default)]
pub(super) struct WalkResult {
    pub(super) folders: Vec<(Arc<str>, WatchedFolder)>,
    pub(super) files: Vec<(Arc<str>, StatStamp)>,
    pub(super) linked: Vec<Arc<str>>,
    /// Names that are not UTF-8.
    pub(super) unnamed: usize,
    /// Folders that cannot be read, or not all that is in them.
    pub(super) unreadable: Vec<Arc<str>>,
    /// Folders that were gone, or others, when they were to be read.
    pub(super) missed: Vec<Arc<str>>,
    /// True if the limit of watches was reached.
    pub(super) limited: bool,
}

impl WalkResult {
    /// Takes in what is in a folder; gives back the folders in it, with the rules that count there.
    fn add_listing(&mut self, path: &Arc<str>, listed: Result<ListedFolder, Errno>) -> Vec<WalkJob> {
        match listed {
            Ok(mut listed) => {
                self.files.append(&mut listed.files);
                self.linked.append(&mut listed.linked);
                self.unnamed += listed.unnamed;
                self.limited |= listed.limited;
                if listed.closed {
                    self.unreadable.push(path.clone());
                }
                let (rules, identity) = (listed.folder.rules.clone(), listed.folder.identity);
                self.folders.push((path.clone(), listed.folder));
                listed.folders.into_iter().map(|path| (path, rules.clone(), Some(identity))).collect()
            }
            // Gone again, or no folder any more; or one above is away for a moment.
            Err(error) if is_absent(error) => {
                self.missed.push(path.clone());
                Vec::new()
            }
            Err(_) => {
                self.unreadable.push(path.clone());
                Vec::new()
            }
        }
    }

    fn merge_found(&mut self, mut other: Self) {
        self.folders.append(&mut other.folders);
        self.files.append(&mut other.files);
        self.linked.append(&mut other.linked);
        self.unnamed += other.unnamed;
        self.unreadable.append(&mut other.unreadable);
        self.missed.append(&mut other.missed);
        self.limited |= other.limited;
    }
}

/// A folder to read, the rules that count in its parent, and which folder that is.
pub(super) type WalkJob = (Arc<str>, Arc<FolderRules>, Option<FolderIdentity>);

/// Reads a folder and all beneath it on this thread. If it is stopped, the result is not complete.
pub(super) fn walk_here(reading: &FolderReader<'_>, start: WalkJob) -> WalkResult {
    let mut found = WalkResult::default();
    let mut jobs = vec![start];
    while let Some((path, rules, parent)) = jobs.pop() {
        if reading.stop.load(Ordering::Relaxed) {
            break;
        }
        jobs.append(&mut found.add_listing(&path, reading.list_folder(&path, &rules, parent)));
    }
    found
}

/// Reads a folder and all beneath it on several threads; `meanwhile` is run every few milliseconds.
pub(super) fn walk_in_threads(
    reading: &FolderReader<'_>,
    start: WalkJob,
    mut meanwhile: impl FnMut(),
) -> WalkResult {
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get().clamp(1, 4));
    let queue = WalkQueue { state: Mutex::new((vec![start], 0)), more: Condvar::new(), done: Condvar::new() };
    let mut all = WalkResult::default();
    std::thread::scope(|scope| {
        let work = || {
            let mut found = WalkResult::default();
            while let Some((path, rules, parent)) = queue.next_job() {
                let stopped = reading.stop.load(Ordering::Relaxed);
                queue.finish_job(if stopped {
                    Vec::new()
                } else {
                    found.add_listing(&path, reading.list_folder(&path, &rules, parent))
                });
            }
            found
        };
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        while !queue.wait_until_done(Duration::from_millis(5)) {
            meanwhile();
        }
        for worker in workers {
            // A worker does not panic; if one did, its part would be missing, which a later rescan mends.
            all.merge_found(worker.join().unwrap_or_default());
        }
    });
    all
}

/// Folders to read, and how many are being read.
struct WalkQueue {
    state: Mutex<(Vec<WalkJob>, usize)>,
    more: Condvar,
    done: Condvar,
}

impl WalkQueue {
    /// The next folder; none once all are read.
    fn next_job(&self) -> Option<WalkJob> {
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

    /// Records that a folder was read, and the folders in it.
    fn finish_job(&self, mut jobs: Vec<WalkJob>) {
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

    /// Waits until all are read, but no longer than this; returns whether they are.
    fn wait_until_done(&self, most: Duration) -> bool {
        let mut state = self.state.lock();
        if !(state.0.is_empty() && state.1 == 0) {
            self.done.wait_for(&mut state, most);
        }
        state.0.is_empty() && state.1 == 0
    }
}
