//! Watches a folder: the list of its files, kept current, and the promise that an answer counts every change that was on
//! the disk before it was asked for.
//!
//! The kernel puts an event into our queue before the call that made the change returns. So who asks takes the events
//! that wait and looks at what they name: then the list is no older than the question. The crate `notify`, which has a
//! queue of its own in between, stands behind the same interface and waits for a marker. What the kernel does not tell of
//! is looked at instead. A change through a memory map counts when the map is closed, and one through a
//! name that a file was given outside of the watched folders when something else leads to it.
//!
//! # Invariants
//!
//! - No file is missing in the list, and so in a search, whatever befell its folders: moved away and back, exchanged,
//!   replaced, closed for a while.
//!   Test: `folders_that_move_about_lose_no_file`, `what_was_away_when_it_was_looked_at_is_looked_at_again`,
//!   `what_was_away_when_it_was_polled_is_listed_again`,
//!   `a_folder_that_was_closed_for_a_while_is_read_once_it_is_open`,
//!   `files_written_in_a_folder_that_goes_away_and_comes_back_are_found`
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod batch;
mod catch_up;
mod event_queue;
mod event_source;
mod file_table;
mod filesystem;
mod folder_table;
mod inotify;
mod inspect;
mod known_tree;
mod list;
mod listener;
mod notify_source;
mod options;
mod outer;
mod poll;
mod poll_hints;
mod probe;
mod rules;
mod scan;
mod snapshot;
mod stamp;
mod status;
#[cfg(test)]
mod tests;
mod tree;
mod walk;
mod watch_root;
mod worker;

use wherefore_base as base;
use wherefore_protocol as protocol;

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rustix::event::{EventfdFlags, eventfd};
use tokio::sync::broadcast::Sender;

pub use batch::{ChangeBatch, FileChange, FileChangeKind};
pub use listener::ChangeListener;
pub use options::WatchOptions;
pub use probe::{BackendProbe, probe_backend};
pub use snapshot::FileEntry;
pub use snapshot::FileSnapshot;
pub use stamp::StatStamp;
use tree::WatchedTree;

use crate::protocol::WatchStatus;

/// The reason why a folder cannot be watched.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// There is no folder at that path.
    #[error("{} is no folder that can be read: {source}", path.display())]
    Root {
        /// The path.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The system lacks what it takes.
    #[error("the watch cannot be started: {0}")]
    System(#[from] std::io::Error),
}

/// The reason why the list could not be brought up to date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettleError {
    /// There was more to read than could be read by the deadline: at the start, or while very much changes.
    #[error("files are still being read")]
    Busy,
    /// There is no folder at the root's path.
    #[error("the root is gone")]
    RootMissing,
    /// The watch was ended.
    #[error("the folder is no longer watched")]
    Ended,
}

/// The longest time that the status waits for work under way; after that it is a little older.
const STATUS: Duration = Duration::from_millis(20);

/// A folder that is watched. Clones are the same watch; it ends with the last of them.
#[derive(Clone)]
pub struct FolderWatch(Arc<WatchHandle>);

struct WatchHandle(Arc<SharedWatch>);

impl Drop for WatchHandle {
    fn drop(&mut self) {
        self.0.end_watch();
    }
}

struct SharedWatch {
    stop: Arc<AtomicBool>,
    /// Wakes the thread.
    wake: OwnedFd,
    tree: Mutex<WatchedTree>,
    /// The state when the tree was last held.
    published: Mutex<(Arc<FileSnapshot>, WatchStatus)>,
    listeners: Mutex<Option<Sender<Arc<ChangeBatch>>>>,
    quiet: Duration,
    longest: Duration,
}

impl std::fmt::Debug for FolderWatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watch").finish_non_exhaustive()
    }
}

impl FolderWatch {
    /// Watches the folder at a path. Its files are read on another thread; who asks meanwhile waits for that.
    ///
    /// # Errors
    /// Fails if there is no folder, or the system cannot start a thread.
    pub fn start(root: &Path, options: WatchOptions) -> Result<Self, StartError> {
        let wrong = |source| StartError::Root { path: root.to_owned(), source };
        std::fs::read_dir(root).map_err(wrong)?;
        let root = std::path::absolute(root).map_err(wrong)?;
        let (quiet, longest) = (options.quiet, options.longest);
        let stop = Arc::new(AtomicBool::new(false));
        let tree = WatchedTree::new(root, options, stop.clone());
        let published = Mutex::new((tree.known.files.snapshot.clone(), tree.status()));
        let wake =
            eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).map_err(std::io::Error::from)?;
        let listeners = Mutex::new(Some(Sender::new(listener::KEPT)));
        let shared = Arc::new(SharedWatch {
            stop,
            wake,
            tree: Mutex::new(tree),
            published,
            listeners,
            quiet,
            longest,
        });
        let worker = shared.clone();
        std::thread::Builder::new().name("watch".to_owned()).spawn(move || worker::run_worker(&worker))?;
        Ok(Self(Arc::new(WatchHandle(shared))))
    }

    /// The files, with every change that was on the disk when this was called.
    ///
    /// # Errors
    /// Why that cannot be said by the deadline.
    pub fn current_snapshot(&self, deadline: Instant) -> Result<Arc<FileSnapshot>, SettleError> {
        let shared = &self.0.0;
        let asked = Instant::now();
        let mut tree = shared.tree.try_lock_until(deadline).ok_or(SettleError::Busy)?;
        if shared.stop.load(Ordering::Relaxed) {
            return Err(SettleError::Ended);
        }
        let (before, open) = (tree.known.files.snapshot.generation(), shared.due_at(&tree).is_some());
        let caught_up = tree.catch_up(Some(asked), deadline);
        if tree.known.files.snapshot.generation() != before {
            shared.publish_status(&tree);
        }
        if !open && shared.due_at(&tree).is_some() {
            shared.wake_thread();
        }
        caught_up.map(|()| tree.known.files.snapshot.clone())
    }

    /// The files as they are known, at once: what happened in the last few milliseconds may be missing.
    pub fn known_snapshot(&self) -> Arc<FileSnapshot> {
        self.0.0.published.lock().0.clone()
    }

    /// Returns a listener for changes from now on.
    pub fn subscribe(&self) -> ChangeListener {
        let listeners = self.0.0.listeners.lock();
        // A watch that has ended has no more changes.
        listeners.as_ref().map_or_else(|| ChangeListener::new(&Sender::new(1)), ChangeListener::new)
    }

    /// Returns the status.
    pub fn status(&self) -> WatchStatus {
        let shared = &self.0.0;
        match shared.tree.try_lock_for(STATUS) {
            Some(tree) => tree.status(),
            None => shared.published.lock().1.clone(),
        }
    }

    /// Ends it now: its thread stops, the kernel watches nothing more, listeners hear that it ended.
    pub fn end_watch(&self) {
        self.0.0.end_watch();
    }
}

impl SharedWatch {
    fn end_watch(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.listeners.lock().take();
        self.wake_thread();
    }

    fn wake_thread(&self) {
        // A counter that is full wakes as well.
        let _ = rustix::io::write(&self.wake, &1_u64.to_ne_bytes());
    }

    /// Returns the time at which listeners are to get the changes.
    fn due_at(&self, tree: &WatchedTree) -> Option<Instant> {
        tree.known.files.window.due_at(self.quiet, self.longest)
    }

    /// Sends the changes to listeners, if it is time.
    fn notify_listeners(&self, tree: &mut WatchedTree) {
        if self.due_at(tree).is_some_and(|due| Instant::now() >= due) {
            let files = tree.known.files.snapshot.clone();
            if let (Some(batch), Some(sender)) =
                (tree.known.files.window.close_window(&files), self.listeners.lock().as_ref())
            {
                // There may be no listener.
                let _ = sender.send(Arc::new(batch));
            }
        }
    }

    fn publish_status(&self, tree: &WatchedTree) {
        *self.published.lock() = (tree.known.files.snapshot.clone(), tree.status());
    }
}
