//! The queue between a thread of `notify` and those who take its events.

use std::collections::VecDeque;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::Instant;

use notify::event::{AccessKind, AccessMode, EventKind, ModifyKind, RenameMode};
use parking_lot::{Condvar, Mutex};
use rustix::event::{EventfdFlags, eventfd};

use super::event_source::RawEventKind;

/// The most events that are kept, as many as inotify keeps; with more, all is read again.
const KEPT: usize = 16_384;

/// An event in the queue.
#[derive(Debug)]
pub(super) enum QueuedEvent {
    /// Something happened at an absolute path.
    Path(PathBuf, RawEventKind),
    /// Events were lost.
    Overflow,
}

#[derive(Debug, Default)]
struct QueueState {
    events: VecDeque<QueuedEvent>,
    /// The number of the last marker that was reported.
    marker: u64,
}

/// The queue. Its descriptor is readable while events wait.
#[derive(Debug)]
pub(super) struct EventQueue {
    state: Mutex<QueueState>,
    marked: Condvar,
    arrived: OwnedFd,
    /// The folder of the markers, whose events are not queued.
    markers: Option<PathBuf>,
}

impl EventQueue {
    /// An empty queue; `markers` is the folder of the markers, without symlinks.
    ///
    /// # Errors
    /// The system's error.
    pub(super) fn new(markers: Option<PathBuf>) -> std::io::Result<Self> {
        let arrived = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Self { state: Mutex::default(), marked: Condvar::new(), arrived, markers })
    }

    /// Queues what a watcher reports. An error may mean that something was missed.
    pub(super) fn receive_event(&self, event: notify::Result<notify::Event>) {
        let Ok(event) = event else { return self.push_event(QueuedEvent::Overflow) };
        if event.need_rescan() {
            self.push_event(QueuedEvent::Overflow);
        }
        let Some(kind) = kind_of(event.kind) else { return };
        for path in event.paths {
            match self.marker_at(&path) {
                Some(number) => self.note_marker(number),
                None => self.push_event(QueuedEvent::Path(path, kind)),
            }
        }
    }

    /// The number of the marker at a path in their folder; 0 for another file there.
    fn marker_at(&self, path: &Path) -> Option<u64> {
        let folder = self.markers.as_deref()?;
        let name = path.strip_prefix(folder).ok()?;
        Some(name.to_str().and_then(|name| name.parse().ok()).unwrap_or(0))
    }

    fn note_marker(&self, number: u64) {
        let mut state = self.state.lock();
        state.marker = state.marker.max(number);
        self.marked.notify_all();
    }

    pub(super) fn push_event(&self, event: QueuedEvent) {
        let mut state = self.state.lock();
        if state.events.len() >= KEPT {
            state.events.truncate(1);
            state.events.push_back(QueuedEvent::Overflow);
        }
        if state.events.is_empty() {
            // Under the lock: whoever empties the queue then resets the counter. One that is full is readable as well.
            let _ = rustix::io::write(&self.arrived, &1_u64.to_ne_bytes());
        }
        state.events.push_back(event);
    }

    /// Waits until a marker is reported; returns whether it was before the deadline.
    pub(super) fn wait_for_marker(&self, number: u64, deadline: Instant) -> bool {
        let mut state = self.state.lock();
        while state.marker < number {
            if self.marked.wait_until(&mut state, deadline).timed_out() {
                return state.marker >= number;
            }
        }
        true
    }

    /// Returns the number of waiting events.
    pub(super) fn waiting_events(&self) -> u64 {
        u64::try_from(self.state.lock().events.len()).unwrap_or(u64::MAX)
    }

    /// Takes so many events, fewer if no more are waiting.
    pub(super) fn take_events(&self, wanted: u64) -> Vec<QueuedEvent> {
        let mut state = self.state.lock();
        let count = state.events.len().min(usize::try_from(wanted).unwrap_or(usize::MAX));
        let taken = state.events.drain(..count).collect();
        if state.events.is_empty() {
            // It is empty as well if nobody wrote to it.
            let _ = rustix::io::read(&self.arrived, &mut [0_u8; 8]);
        }
        taken
    }
}

/// Returns the kind of an event; `None` if nothing changed.
fn kind_of(kind: EventKind) -> Option<RawEventKind> {
    match kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) | EventKind::Modify(ModifyKind::Data(_)) => {
            Some(RawEventKind::Content)
        }
        // Both names of a rename are reported one by one besides.
        EventKind::Access(_) | EventKind::Modify(ModifyKind::Name(RenameMode::Both)) => None,
        EventKind::Modify(ModifyKind::Metadata(_)) => Some(RawEventKind::Attributes { is_folder: false }),
        _ => Some(RawEventKind::Name),
    }
}

impl AsFd for EventQueue {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.arrived.as_fd()
    }
}
