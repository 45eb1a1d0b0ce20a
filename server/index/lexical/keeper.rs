//! The thread that keeps an index up to date while nothing else is to be done.

use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use parking_lot::{Condvar, Mutex, MutexGuard};

use super::entry::FileList;
use super::index::Index;
use super::source::Source;
use super::update::Trouble;

/// How much rather the system runs anything else, from 0 to 19.
const NICE: i32 = 10;

/// How long after an update the files are tried again that had changed just before.
const AGAIN: Duration = Duration::from_secs(2);

/// What a keeper tells of its work. It is called on the keeper's thread.
pub trait Report: Send {
    /// So many files of all that are to be taken in are done.
    fn progress(&mut self, done: usize, total: usize);

    /// The index cannot be brought up to date; searches go on without. Said once for each new list of files at most.
    fn trouble(&mut self, trouble: &Trouble);
}

/// Updates an index in the background, each time that it is told of a new list. Dropping it stops that.
#[derive(Debug)]
pub struct Keeper {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    list: Option<FileList>,
    stopped: bool,
}

impl Keeper {
    /// Starts the thread. Files are read through `source`, which has to open all that a search of any caller may see.
    ///
    /// # Errors
    /// Where the system gives no thread.
    pub fn start(
        index: Arc<Index>,
        source: impl Source + Send + 'static,
        report: impl Report + 'static,
    ) -> std::io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let of_thread = Arc::clone(&shared);
        let work = move || of_thread.keep(&index, &source, report);
        let thread = thread::Builder::new().name("index".to_owned()).spawn(work)?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// Tells of the files as they are now. An update under way goes on and is followed by one for these.
    pub fn listed(&self, list: FileList) {
        self.shared.lock().list = Some(list);
        self.shared.changed.notify_all();
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.shared.lock().stopped = true;
        self.shared.changed.notify_all();
        // Its own thread may hold what owns this for the last time, and cannot wait for itself.
        let others = |thread: &JoinHandle<()>| thread.thread().id() != thread::current().id();
        if let Some(thread) = self.thread.take().filter(others) {
            // Whatever ended it, it is over.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    fn keep(&self, index: &Index, source: &dyn Source, mut report: impl Report) {
        // On Linux this is the thread's alone. Where it may not, it runs like any other.
        let _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), NICE);
        let mut kept = None;
        while let Some((list, fresh)) = self.next(kept.take()) {
            let mut progress = |done, total| report.progress(done, total);
            match index.update(&list, source, &mut progress, &|| !self.lock().stopped) {
                // What changed just now is tried again, as long as that gets on.
                Ok(update) if update.left > 0 && (fresh || update.added > 0) => kept = Some(list),
                Ok(_) => {}
                Err(trouble) => report.trouble(&trouble),
            }
        }
    }

    /// The list to work on next, and whether it is a new one; nothing at the end. `kept` comes again after a while.
    fn next(&self, kept: Option<FileList>) -> Option<(FileList, bool)> {
        let mut state = self.lock();
        let idle = |state: &mut State| state.list.is_none() && !state.stopped;
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
