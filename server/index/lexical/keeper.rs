//! The thread that keeps an index up to date while nothing else is to be done.

use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use parking_lot::{Condvar, Mutex, MutexGuard};

use super::entry::FileList;
use super::index::LexicalIndex;
use super::source::TextSource;
use super::update::UpdateError;

/// The niceness of the thread, from 0 to 19.
const NICE: i32 = 10;

/// The pause after an update before files that had changed just then are tried again.
const AGAIN: Duration = Duration::from_secs(2);

/// Receives reports on a keeper's work, on the keeper's thread.
pub trait KeeperReport: Send {
    /// Reports the number of finished files, and of all files that are to be added.
    fn progress(&mut self, done: usize, total: usize);

    /// The index cannot be brought up to date; searches go on without. Said once for each new list of files at most.
    fn trouble(&mut self, trouble: &UpdateError);
}

/// Updates an index in the background for each new list. Dropping it stops that.
#[derive(Debug)]
pub struct IndexKeeper {
    shared: Arc<KeeperShared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct KeeperShared {
    state: Mutex<KeeperState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct KeeperState {
    list: Option<FileList>,
    stopped: bool,
}

impl IndexKeeper {
    /// Starts the thread. Files are read through `source`, which has to open all that a search of any caller may see.
    ///
    /// # Errors
    /// Fails if the system cannot start a thread.
    pub fn start(
        index: Arc<LexicalIndex>,
        source: impl TextSource + Send + 'static,
        report: impl KeeperReport + 'static,
    ) -> std::io::Result<Self> {
        let shared = Arc::new(KeeperShared::default());
        let of_thread = Arc::clone(&shared);
        let work = move || of_thread.keep_updated(&index, &source, report);
        let thread = thread::Builder::new().name("index".to_owned()).spawn(work)?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// Sets the current list of files. An update under way goes on and is followed by one for this list.
    pub fn set_list(&self, list: FileList) {
        self.shared.lock_state().list = Some(list);
        self.shared.changed.notify_all();
    }
}

impl Drop for IndexKeeper {
    fn drop(&mut self) {
        self.shared.lock_state().stopped = true;
        self.shared.changed.notify_all();
        // Its own thread may hold what owns this for the last time, and cannot wait for itself.
        let others = |thread: &JoinHandle<()>| thread.thread().id() != thread::current().id();
        if let Some(thread) = self.thread.take().filter(others) {
            // Whatever ended it, it is over.
            let _ = thread.join();
        }
    }
}

impl KeeperShared {
    fn lock_state(&self) -> MutexGuard<'_, KeeperState> {
        self.state.lock()
    }

    fn keep_updated(&self, index: &LexicalIndex, source: &dyn TextSource, mut report: impl KeeperReport) {
        // On Linux this is the thread's alone. Where it may not, it runs like any other.
        let _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), NICE);
        let mut kept = None;
        while let Some((list, fresh)) = self.next_list(kept.take()) {
            let mut progress = |done, total| report.progress(done, total);
            match index.update(&list, source, &mut progress, &|| !self.lock_state().stopped) {
                // Files that changed just now are tried again, as long as that makes progress.
                Ok(update) if update.left > 0 && (fresh || update.added > 0) => kept = Some(list),
                Ok(_) => {}
                Err(trouble) => report.trouble(&trouble),
            }
        }
    }

    /// The list to work on next, and whether it is a new one; nothing at the end. `kept` comes again after a while.
    fn next_list(&self, kept: Option<FileList>) -> Option<(FileList, bool)> {
        let mut state = self.lock_state();
        let idle = |state: &mut KeeperState| state.list.is_none() && !state.stopped;
        match &kept {
            Some(_) => {
                self.changed.wait_while_for(&mut state, idle, AGAIN);
            }
            None => self.changed.wait_while(&mut state, idle),
        }
        if state.stopped {
            return None;
        }
        let fresh = state.list.take();
        let is_fresh = fresh.is_some();
        fresh.or(kept).map(|list| (list, is_fresh))
    }
}
