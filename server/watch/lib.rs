//! Watches a folder: the list of its files, kept current, and the promise that an answer counts every change that was on
//! the disk before it was asked for.
//!
//! The kernel puts an event into our queue before the call that made the change returns. So who asks takes the events
//! that wait and looks at what they name: then the list is no older than the question. What the kernel does not tell of
//! is looked at instead. A change through a memory map counts when the map is closed, and one through a
//! name that a file was given outside of the watched folders when something else leads to it.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod batch;
mod catch_up;
mod filesystem;
mod inotify;
mod links;
mod list;
mod listener;
mod look;
mod options;
mod outer;
mod poll;
mod rules;
mod scan;
mod snapshot;
mod stamp;
#[cfg(test)]
mod tests;
mod tree;
mod walk;
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

pub use batch::{Batch, Change, ChangeKind};
pub use listener::Listener;
pub use options::Options;
pub use snapshot::FileEntry;
pub use snapshot::Snapshot;
pub use stamp::Stamp;
use tree::Tree;

use crate::protocol::WatchStatus;

/// Why a folder cannot be watched.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// There is no folder at that path.
    #[error("{} is no folder that can be read: {source}", path.display())]
    Root {
        /// The path.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The system lacks what it takes.
    #[error("the watch cannot be started: {0}")]
    System(#[from] std::io::Error),
}

/// Why the list could not be brought up to date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unsettled {
    /// There was more to read than could be read by the deadline: at the start, or while very much changes.
    #[error("files are still being read")]
    Busy,
    /// No folder stands at the root's path.
    #[error("the root is gone")]
    RootMissing,
    /// The watch was ended.
    #[error("the folder is no longer watched")]
    Ended,
}

/// How long the status waits for what is under way; what it tells else is a little older.
const STATUS: Duration = Duration::from_millis(20);

/// A folder that is watched. Clones are the same watch; it ends with the last of them.
#[derive(Clone)]
pub struct Watch(Arc<Handle>);

struct Handle(Arc<Shared>);

impl Drop for Handle {
    fn drop(&mut self) {
        self.0.end();
    }
}

struct Shared {
    stop: Arc<AtomicBool>,
    /// Wakes the thread.
    wake: OwnedFd,
    tree: Mutex<Tree>,
    /// What is known as of when the tree was last held.
    published: Mutex<(Arc<Snapshot>, WatchStatus)>,
    listeners: Mutex<Option<Sender<Arc<Batch>>>>,
    quiet: Duration,
    longest: Duration,
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watch").finish_non_exhaustive()
    }
}

impl Watch {
    /// Watches the folder at a path. Its files are read on another thread; who asks meanwhile waits for that.
    ///
    /// # Errors
    /// Where there is no folder, or the system gives no thread.
    pub fn start(root: &Path, options: Options) -> Result<Self, StartError> {
        let wrong = |source| StartError::Root { path: root.to_owned(), source };
        std::fs::read_dir(root).map_err(wrong)?;
        let root = std::path::absolute(root).map_err(wrong)?;
        let (quiet, longest) = (options.quiet, options.longest);
        let stop = Arc::new(AtomicBool::new(false));
        let tree = Tree::new(root, options, stop.clone());
        let published = Mutex::new((tree.files.clone(), tree.status()));
        let wake =
            eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).map_err(std::io::Error::from)?;
        let listeners = Mutex::new(Some(Sender::new(listener::KEPT)));
        let shared =
            Arc::new(Shared { stop, wake, tree: Mutex::new(tree), published, listeners, quiet, longest });
        let worker = shared.clone();
        std::thread::Builder::new().name("watch".to_owned()).spawn(move || worker::run(&worker))?;
        Ok(Self(Arc::new(Handle(shared))))
    }

    /// The files, with every change that was on the disk when this was called.
    ///
    /// # Errors
    /// Why that cannot be said by the deadline.
    pub fn settled(&self, deadline: Instant) -> Result<Arc<Snapshot>, Unsettled> {
        let shared = &self.0.0;
        let asked = Instant::now();
        let mut tree = shared.tree.try_lock_until(deadline).ok_or(Unsettled::Busy)?;
        if shared.stop.load(Ordering::Relaxed) {
            return Err(Unsettled::Ended);
        }
        let (before, open) = (tree.files.generation(), shared.due(&tree).is_some());
        let caught_up = tree.catch_up(Some(asked), deadline);
        if tree.files.generation() != before {
            shared.publish(&tree);
        }
        if !open && shared.due(&tree).is_some() {
            shared.nudge();
        }
        caught_up.map(|()| tree.files.clone())
    }

    /// The files as they are known, at once: what happened in the last few milliseconds may be missing.
    pub fn known(&self) -> Arc<Snapshot> {
        self.0.0.published.lock().0.clone()
    }

    /// Hears of changes from now on.
    pub fn subscribe(&self) -> Listener {
        let listeners = self.0.0.listeners.lock();
        // Of a watch that has ended nothing is heard.
        listeners.as_ref().map_or_else(|| Listener::new(&Sender::new(1)), Listener::new)
    }

    /// How it stands.
    pub fn status(&self) -> WatchStatus {
        let shared = &self.0.0;
        match shared.tree.try_lock_for(STATUS) {
            Some(tree) => tree.status(),
            None => shared.published.lock().1.clone(),
        }
    }

    /// Ends it now: its thread stops, the kernel watches nothing more, listeners hear that it ended.
    pub fn end(&self) {
        self.0.0.end();
    }
}

impl Shared {
    fn end(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.listeners.lock().take();
        self.nudge();
    }

    fn nudge(&self) {
        // A counter that is full wakes as well.
        let _ = rustix::io::write(&self.wake, &1_u64.to_ne_bytes());
    }

    /// When listeners are to hear of what changed.
    fn due(&self, tree: &Tree) -> Option<Instant> {
        tree.window.due(self.quiet, self.longest)
    }

    /// Tells listeners what changed, where it is time.
    fn tell(&self, tree: &mut Tree) {
        if self.due(tree).is_some_and(|due| Instant::now() >= due) {
            let files = tree.files.clone();
            if let (Some(batch), Some(sender)) = (tree.window.close(&files), self.listeners.lock().as_ref()) {
                // Nobody may be listening.
                let _ = sender.send(Arc::new(batch));
            }
        }
    }

    fn publish(&self, tree: &Tree) {
        *self.published.lock() = (tree.files.clone(), tree.status());
    }
}
