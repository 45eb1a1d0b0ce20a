//! The poll back end of `notify`: looks at the folders that the system does not watch, on threads of its own, and says
//! where something changed.
//!
//! Nothing is promised by it, as it compares times in whole seconds: before each answer the folders are read again
//! anyway, and once more a little after it found something. It finds changes in between, and no question waits for it.

use std::collections::{BTreeMap, BTreeSet};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use notify::{Config, PollWatcher, RecursiveMode, Watcher};

use super::event_queue::{EventQueue, QueuedEvent};
use super::list::{join_path, split_path};
use super::rules::is_rule;
use super::tree::WatchedTree;

/// The folders to look at, and the time between two looks.
type PollOrder = (BTreeSet<PathBuf>, Duration);

/// The watcher. It ends when this is dropped.
#[derive(Debug)]
pub(super) struct PollHints {
    orders: Sender<PollOrder>,
    queue: Arc<EventQueue>,
}

impl PollHints {
    /// Starts it, with no folders.
    ///
    /// # Errors
    /// The system's error.
    pub(super) fn start() -> std::io::Result<Self> {
        let queue = Arc::new(EventQueue::new(None)?);
        let (orders, received) = channel();
        let heard = queue.clone();
        let config = Config::default().with_manual_polling().with_follow_symlinks(false);
        let watcher = PollWatcher::new(
            move |event: notify::Result<notify::Event>| {
                // An error is about a folder that is gone or closed, which the next reading finds.
                if event.is_ok() {
                    heard.receive_event(event);
                }
            },
            config,
        );
        let watcher = watcher.map_err(std::io::Error::other)?;
        let queued = queue.clone();
        let thread = std::thread::Builder::new().name("watch-poll".to_owned());
        thread.spawn(move || run_polling(watcher, &received, &queued))?;
        Ok(Self { orders, queue })
    }

    /// Looks at these folders from now on, each so long after the last look.
    pub(super) fn watch_folders(&self, folders: BTreeSet<PathBuf>, pause: Duration) {
        // The thread ends with this only.
        let _ = self.orders.send((folders, pause));
    }

    /// Takes all events that wait.
    pub(super) fn take_events(&self) -> Vec<QueuedEvent> {
        self.queue.take_events(u64::MAX)
    }
}

impl AsFd for PollHints {
    /// Readable while events wait.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.queue.as_fd()
    }
}

fn run_polling(mut watcher: PollWatcher, orders: &Receiver<PollOrder>, queue: &EventQueue) {
    let mut watched = BTreeSet::new();
    let mut pause = Duration::from_secs(60);
    let mut due = Instant::now() + pause;
    loop {
        let (wanted, new_pause) = match orders.recv_timeout(due.saturating_duration_since(Instant::now())) {
            // Only the last one counts.
            Ok(order) => orders.try_iter().last().unwrap_or(order),
            Err(RecvTimeoutError::Timeout) => {
                // Its thread lives as long as the watcher.
                let _ = watcher.poll();
                due = Instant::now() + pause;
                continue;
            }
            Err(RecvTimeoutError::Disconnected) => return,
        };
        pause = new_pause;
        due = due.min(Instant::now() + pause);
        for gone in watched.difference(&wanted) {
            let _ = watcher.unwatch(gone);
        }
        let mut is_new = false;
        for folder in wanted.difference(&watched) {
            is_new |= watcher.watch(folder, RecursiveMode::NonRecursive).is_ok();
        }
        watched = wanted;
        if is_new {
            // What changed since they were listed is known to the watcher already, and to nobody else.
            queue.push_event(QueuedEvent::Overflow);
        }
    }
}

impl WatchedTree {
    /// Looks at the paths that these events name; returns whether all polled folders are to be read instead.
    pub(super) fn handle_hints(&mut self, events: Vec<QueuedEvent>) -> bool {
        let Some(real) = self.top.as_ref().map(|top| top.real.clone()) else { return false };
        let (mut paths, mut ruled) = (BTreeMap::new(), BTreeSet::new());
        let mut read_all = false;
        for event in events {
            let QueuedEvent::Path(path, _) = event else {
                read_all = true;
                continue;
            };
            let Some(path) = path.strip_prefix(&real).ok().and_then(|path| path.to_str()) else { continue };
            let (folder, name) = split_path(path);
            if is_rule(name)
                && self.known.folders.folders.get(folder).is_some_and(|known| known.rules.is_stale())
            {
                ruled.insert(Arc::from(folder));
            }
            paths.insert(join_path(folder, name), false);
        }
        self.inspect_paths(paths, ruled);
        if let Some(top) = &mut self.top {
            top.close_opened();
        }
        read_all
    }
}
