//! The source of events: the one interface behind which the kernel's inotify and the crate `notify` stand.

use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::time::Instant;

use rustix::io::Errno;

use super::inotify::Inotify;
use super::list::FolderIdentity;
use super::notify_source::NotifySource;
use crate::protocol::WatchBackend;

/// The reason why a folder is not watched.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum WatchRefusal {
    /// No more watches are allowed, by the system or by the options.
    Limit,
    /// Another folder is at the path by now.
    Moved,
    /// Anything else; the folder may be gone.
    Other(Errno),
}

/// The kinds of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum RawEventKind {
    /// A name was made, removed or moved.
    Name,
    /// The content of a file changed, which its stamp may not show.
    Content,
    /// Permissions, times or the number of names changed.
    Attributes {
        /// True if those of a folder did.
        is_folder: bool,
    },
    /// The watched folder was moved.
    Moved,
    /// The watch ended, with its folder.
    WatchEnded,
    /// The file system of the watched folder was unmounted.
    Unmounted,
    /// Events were lost.
    Overflow,
}

/// An event of a watched folder.
#[derive(Debug)]
pub(super) struct RawEvent {
    /// The watch.
    pub(super) watch: i32,
    pub(super) kind: RawEventKind,
    /// The name in the watched folder; `None` if the event is about the folder itself.
    pub(super) name: Option<String>,
}

/// The outcome of waiting for the events up to now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EventBarrier {
    /// All events of changes before the question are waiting to be taken.
    Reached,
    /// The deadline came first.
    Late,
    /// The source reports nothing any more.
    Broken,
}

/// The source of events. Its events are taken by any thread that needs the changes up to now.
#[derive(Debug)]
pub(super) enum EventSource {
    Inotify(Inotify),
    Notify(Box<NotifySource>),
}

impl EventSource {
    /// Watches the open folder that was found at a path. With inotify the watch is the same if the folder is watched
    /// already; with notify it is a new one in place of the old one, so that the folder is to be listed after this.
    pub(super) fn watch_folder(
        &self,
        folder: BorrowedFd<'_>,
        path: &Path,
        identity: FolderIdentity,
    ) -> Result<i32, WatchRefusal> {
        match self {
            Self::Inotify(source) => source.watch_folder(folder),
            Self::Notify(source) => source.watch_folder(path, identity),
        }
    }

    /// Ends a watch. It may have ended with its folder.
    pub(super) fn end_watch(&self, watch: i32) {
        match self {
            Self::Inotify(source) => source.end_watch(watch),
            Self::Notify(source) => source.end_watch(watch),
        }
    }

    /// Ends the watches for which this does not hold.
    pub(super) fn keep_only(&self, is_kept: impl Fn(i32) -> bool) {
        match self {
            Self::Inotify(source) => source.keep_only(is_kept),
            Self::Notify(source) => source.keep_only(is_kept),
        }
    }

    /// Waits until the events of all changes before this call can be taken. The kernel's own queue needs no waiting.
    pub(super) fn reach_barrier(&self, deadline: Instant) -> EventBarrier {
        match self {
            Self::Inotify(_) => EventBarrier::Reached,
            Self::Notify(source) => source.reach_barrier(deadline),
        }
    }

    /// Returns the number of waiting events at most.
    pub(super) fn waiting_events(&self) -> u64 {
        match self {
            Self::Inotify(source) => source.waiting_events(),
            Self::Notify(source) => source.waiting_events(),
        }
    }

    /// Takes so many events or some more, fewer if no more are waiting; returns the number.
    pub(super) fn take_events(&self, wanted: u64, events: &mut Vec<RawEvent>) -> u64 {
        match self {
            Self::Inotify(source) => source.take_events(wanted, events),
            Self::Notify(source) => source.take_events(wanted, events),
        }
    }

    /// Returns the back end.
    pub(super) fn backend(&self) -> WatchBackend {
        match self {
            Self::Inotify(_) => WatchBackend::Inotify,
            Self::Notify(_) => WatchBackend::Notify,
        }
    }

    /// Returns whether unmounts have to be looked for, since no event reports them.
    pub(super) fn misses_unmounts(&self) -> bool {
        matches!(self, Self::Notify(_))
    }
}

impl AsFd for EventSource {
    /// Readable while events wait.
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Inotify(source) => source.as_fd(),
            Self::Notify(source) => source.as_fd(),
        }
    }
}
