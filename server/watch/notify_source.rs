//! The crate `notify` as a source: events by path, from the system's own watcher, and a marker that says when all up to
//! now have come.
//!
//! notify reads the kernel's queue on a thread of its own. So who asks renames a file in a private folder that the same
//! watcher watches: once that rename is reported, so is everything before it.
//!
//! A path may lead to another folder than the one that was listed there. So each watch is checked after it was made,
//! and made again whenever an event names its folder; the folder is listed after that.

use std::collections::HashMap;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use notify::{Config, ErrorKind, RecommendedWatcher, RecursiveMode, Watcher};
use parking_lot::Mutex;
use rustix::fs::{AtFlags, CWD, statat};
use rustix::io::Errno;
use tempfile::TempDir;

use super::event_queue::{EventQueue, QueuedEvent};
use super::event_source::{EventBarrier, RawEvent, RawEventKind, WatchRefusal};
use super::list::{FolderIdentity, identity_of};
use super::rules::is_rule;

/// True where the system's watcher takes a whole tree at once and is slow to take many folders.
const TAKES_TREES: bool = cfg!(any(target_os = "macos", windows));

/// The longest time that a marker may take before the watcher counts as broken.
const BROKEN: Duration = Duration::from_secs(10);

/// A watched folder.
#[derive(Debug)]
struct Registration {
    watch: i32,
    identity: FolderIdentity,
}

/// The watcher, and the folders that it watches.
struct Registry {
    watcher: RecommendedWatcher,
    by_path: HashMap<PathBuf, Registration>,
    by_identity: HashMap<FolderIdentity, PathBuf>,
    by_watch: HashMap<i32, PathBuf>,
    last: i32,
}

/// The private folder with the file that is renamed, and the file's number.
#[derive(Debug)]
struct Marker {
    folder: TempDir,
    number: u64,
    /// When the first marker without an answer was set.
    unanswered: Option<Instant>,
}

/// The source.
pub(super) struct NotifySource {
    registry: Mutex<Registry>,
    marker: Mutex<Marker>,
    queue: Arc<EventQueue>,
    max: usize,
}

impl std::fmt::Debug for NotifySource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NotifySource").field("queue", &self.queue).finish_non_exhaustive()
    }
}

impl NotifySource {
    /// A source that watches at most so many folders.
    ///
    /// # Errors
    /// Why the system gives no watcher, or there is no place for the marker.
    pub(super) fn open(max: usize) -> Result<Self, String> {
        let no_folder = |error: std::io::Error| format!("no folder for its marker: {error}");
        let folder = tempfile::Builder::new().prefix("wherefore-watch-").tempdir().map_err(no_folder)?;
        // The paths of events have no symlinks in them.
        let real = folder.path().canonicalize().map_err(no_folder)?;
        std::fs::write(real.join("0"), "").map_err(no_folder)?;
        let queue = Arc::new(EventQueue::new(Some(real.clone())).map_err(|error| error.to_string())?);
        let heard = queue.clone();
        let config = Config::default().with_follow_symlinks(false);
        let watcher = RecommendedWatcher::new(
            move |event: notify::Result<notify::Event>| heard.receive_event(event),
            config,
        );
        let mut watcher = watcher.map_err(|error| error.to_string())?;
        watcher.watch(&real, RecursiveMode::NonRecursive).map_err(|error| error.to_string())?;
        let registry = Registry {
            watcher,
            by_path: HashMap::new(),
            by_identity: HashMap::new(),
            by_watch: HashMap::new(),
            last: 0,
        };
        let marker = Marker { folder, number: 0, unanswered: None };
        Ok(Self { registry: Mutex::new(registry), marker: Mutex::new(marker), queue, max })
    }

    /// Watches the folder at an absolute path, if it is that one. A watch that it had is replaced.
    pub(super) fn watch_folder(&self, path: &Path, identity: FolderIdentity) -> Result<i32, WatchRefusal> {
        let mut registry = self.registry.lock();
        if let Some(other) = registry.by_identity.get(&identity).filter(|other| *other != path).cloned() {
            if is_at(&other, identity) {
                // A folder is at two places, by a bind mount: its events would name one of them.
                return Err(WatchRefusal::Other(Errno::EXIST));
            }
            registry.release_path(&other);
        }
        if registry.by_path.get(path).is_some_and(|old| old.identity != identity) {
            registry.release_path(path);
        }
        if registry.by_path.len() >= self.max && !registry.by_path.contains_key(path) {
            return Err(WatchRefusal::Limit);
        }
        registry.watch_path(path)?;
        if !is_at(path, identity) {
            registry.release_path(path);
            return Err(WatchRefusal::Moved);
        }
        Ok(registry.note_watch(path, identity))
    }

    /// Ends a watch, unless another has replaced it.
    pub(super) fn end_watch(&self, watch: i32) {
        let mut registry = self.registry.lock();
        if let Some(path) = registry.by_watch.get(&watch).cloned() {
            registry.release_path(&path);
        }
    }

    /// Ends the watches for which this does not hold.
    pub(super) fn keep_only(&self, is_kept: impl Fn(i32) -> bool) {
        let mut registry = self.registry.lock();
        let strays: Vec<_> = registry
            .by_watch
            .iter()
            .filter(|(watch, _)| !is_kept(**watch))
            .map(|(_, path)| path.clone())
            .collect();
        strays.iter().for_each(|path| registry.release_path(path));
    }

    /// Waits until the events of all changes before this call can be taken.
    pub(super) fn reach_barrier(&self, deadline: Instant) -> EventBarrier {
        let mut marker = self.marker.lock();
        let (from, to) = (marker.number, marker.number + 1);
        let asked = Instant::now();
        let path = |number: u64| marker.folder.path().join(number.to_string());
        if std::fs::rename(path(from), path(to)).is_err() {
            return EventBarrier::Broken;
        }
        marker.number = to;
        let first = *marker.unanswered.get_or_insert(asked);
        if self.queue.wait_for_marker(to, deadline.min(first + BROKEN)) {
            marker.unanswered = None;
            return EventBarrier::Reached;
        }
        if first.elapsed() >= BROKEN { EventBarrier::Broken } else { EventBarrier::Late }
    }

    /// Returns the number of waiting events.
    pub(super) fn waiting_events(&self) -> u64 {
        self.queue.waiting_events()
    }

    /// Takes so many events, fewer if no more are waiting; returns the number.
    pub(super) fn take_events(&self, wanted: u64, events: &mut Vec<RawEvent>) -> u64 {
        let taken = self.queue.take_events(wanted);
        let count = u64::try_from(taken.len()).unwrap_or(u64::MAX);
        let mut registry = self.registry.lock();
        for event in taken {
            match event {
                QueuedEvent::Overflow => {
                    events.push(RawEvent { watch: -1, kind: RawEventKind::Overflow, name: None });
                }
                QueuedEvent::Path(path, kind) => events.extend(registry.resolve_event(&path, kind)),
            }
        }
        count
    }
}

impl Registry {
    fn watch_path(&mut self, path: &Path) -> Result<(), WatchRefusal> {
        let mode = match TAKES_TREES {
            // The first folder is the root.
            true if !self.by_path.is_empty() => return Ok(()),
            true => RecursiveMode::Recursive,
            false => RecursiveMode::NonRecursive,
        };
        self.watcher.watch(path, mode).map_err(|error| match error.kind {
            ErrorKind::MaxFilesWatch => WatchRefusal::Limit,
            ErrorKind::PathNotFound => WatchRefusal::Moved,
            ErrorKind::Io(error) => match Errno::from_io_error(&error) {
                Some(Errno::NOMEM | Errno::NOSPC) => WatchRefusal::Limit,
                Some(Errno::NOENT | Errno::NOTDIR) => WatchRefusal::Moved,
                errno => WatchRefusal::Other(errno.unwrap_or(Errno::IO)),
            },
            _ => WatchRefusal::Other(Errno::IO),
        })
    }

    fn note_watch(&mut self, path: &Path, identity: FolderIdentity) -> i32 {
        self.last += 1;
        let watch = self.last;
        if let Some(old) = self.by_path.insert(path.to_owned(), Registration { watch, identity }) {
            self.by_watch.remove(&old.watch);
        }
        self.by_identity.insert(identity, path.to_owned());
        self.by_watch.insert(watch, path.to_owned());
        watch
    }

    /// Ends the watch at a path.
    fn release_path(&mut self, path: &Path) {
        // It may have ended with its folder.
        let _ = self.watcher.unwatch(path);
        self.forget_path(path);
    }

    fn forget_path(&mut self, path: &Path) {
        if let Some(old) = self.by_path.remove(path) {
            self.by_watch.remove(&old.watch);
            self.by_identity.remove(&old.identity);
        }
    }

    /// Returns the event of a watch that a reported path stands for; `None` if its folder is not watched.
    fn resolve_event(&mut self, path: &Path, kind: RawEventKind) -> Option<RawEvent> {
        let parent = path.parent().and_then(|parent| self.by_path.get(parent));
        if let Some(parent) = parent {
            // A name that is not UTF-8 is not listed.
            let name = path.file_name()?.to_str()?.to_owned();
            let kind = match kind {
                RawEventKind::Attributes { .. } if is_rule(&name) => {
                    RawEventKind::Attributes { is_folder: path.is_dir() }
                }
                kind => kind,
            };
            return Some(RawEvent { watch: parent.watch, kind, name: Some(name) });
        }
        let watch = self.by_path.get(path)?.watch;
        let kind = match kind {
            RawEventKind::Name => RawEventKind::WatchEnded,
            kind => kind,
        };
        if kind == RawEventKind::WatchEnded && !TAKES_TREES {
            self.release_path(path);
        }
        Some(RawEvent { watch, kind, name: None })
    }
}

/// Returns whether a folder is the one at a path.
fn is_at(path: &Path, identity: FolderIdentity) -> bool {
    statat(CWD, path, AtFlags::empty()).is_ok_and(|stat| identity_of(&stat) == identity)
}

impl AsFd for NotifySource {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.queue.as_fd()
    }
}
