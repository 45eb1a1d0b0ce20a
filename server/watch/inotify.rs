//! The kernel's own watches: one instance, one watch a folder, events in the order in which things happened.

use std::collections::HashSet;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use parking_lot::Mutex;
use rustix::fs::inotify::{CreateFlags, ReadFlags, Reader, WatchFlags, add_watch, init, remove_watch};
use rustix::io::{Errno, ioctl_fionread};

use super::event_source::{RawEvent, RawEventKind, WatchRefusal};

/// The events of a watched folder that are requested.
const ASKED: WatchFlags = WatchFlags::MODIFY
    .union(WatchFlags::ATTRIB)
    .union(WatchFlags::CLOSE_WRITE)
    .union(WatchFlags::MOVED_FROM)
    .union(WatchFlags::MOVED_TO)
    .union(WatchFlags::CREATE)
    .union(WatchFlags::DELETE)
    .union(WatchFlags::DELETE_SELF)
    .union(WatchFlags::MOVE_SELF)
    .union(WatchFlags::EXCL_UNLINK)
    .union(WatchFlags::ONLYDIR);

/// The most bytes that one read takes.
const BUFFER: usize = 64 * 1024;

/// The least that an event takes in the kernel's queue, in bytes.
const EVENT: u64 = 16;

/// The instance. Its events are read by any thread that needs the changes up to now.
#[derive(Debug)]
pub(super) struct Inotify {
    descriptor: OwnedFd,
    max: usize,
    /// The watches that are there.
    live: Mutex<HashSet<i32>>,
}

impl Inotify {
    /// An instance that watches at most so many folders.
    pub(super) fn open(max: usize) -> Result<Self, Errno> {
        let descriptor = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
        Ok(Self { descriptor, max, live: Mutex::default() })
    }

    /// Watches the folder that is open. The watch is the same if it is watched already: while a watch lives, no
    /// other folder has its number.
    pub(super) fn watch_folder(&self, folder: BorrowedFd<'_>) -> Result<i32, WatchRefusal> {
        // The descriptor is used because another folder may be at its path by now.
        let path = format!("/proc/self/fd/{}", folder.as_raw_fd());
        let watch = add_watch(&self.descriptor, path, ASKED).map_err(|error| match error {
            Errno::NOSPC | Errno::NOMEM => WatchRefusal::Limit,
            error => WatchRefusal::Other(error),
        })?;
        let mut live = self.live.lock();
        if live.insert(watch) && live.len() > self.max {
            live.remove(&watch);
            let _ = remove_watch(&self.descriptor, watch);
            return Err(WatchRefusal::Limit);
        }
        Ok(watch)
    }

    /// Ends a watch. It may have ended with its folder.
    pub(super) fn end_watch(&self, watch: i32) {
        if self.live.lock().remove(&watch) {
            let _ = remove_watch(&self.descriptor, watch);
        }
    }

    /// Ends the watches for which this does not hold.
    pub(super) fn keep_only(&self, is_kept: impl Fn(i32) -> bool) {
        let strays: Vec<i32> = self.live.lock().iter().copied().filter(|watch| !is_kept(*watch)).collect();
        strays.into_iter().for_each(|watch| self.end_watch(watch));
    }

    /// Returns the number of waiting events at most.
    pub(super) fn waiting_events(&self) -> u64 {
        // An error means the same as a full queue: it is read to find out.
        ioctl_fionread(&self.descriptor).map_or(1, |bytes| bytes.div_ceil(EVENT))
    }

    /// Reads so many events or some more, fewer if no more are waiting; returns the number.
    pub(super) fn take_events(&self, wanted: u64, events: &mut Vec<RawEvent>) -> u64 {
        let mut buffer: Vec<u8> = Vec::with_capacity(BUFFER);
        let mut reader = Reader::new(&self.descriptor, buffer.spare_capacity_mut());
        let mut taken = 0;
        // A batch that was read is handled to its end: it is in no queue any more.
        while taken < wanted || !reader.is_buffer_empty() {
            match reader.next() {
                Ok(event) => {
                    taken += 1;
                    if event.events().contains(ReadFlags::IGNORED) {
                        self.live.lock().remove(&event.wd());
                    }
                    let name = event.file_name().map(|name| name.to_str().map(str::to_owned));
                    // A name that is not UTF-8 is not listed.
                    if let Some(name) = name.map_or(Some(None), |name| name.ok().map(Some)) {
                        events.push(RawEvent { watch: event.wd(), kind: kind_of(event.events()), name });
                    }
                }
                Err(Errno::INTR) => {}
                Err(_) => break,
            }
        }
        taken
    }
}

/// Returns the kind of an event with these flags; the kernel sets one for each thing that happened.
fn kind_of(flags: ReadFlags) -> RawEventKind {
    if flags.contains(ReadFlags::QUEUE_OVERFLOW) {
        RawEventKind::Overflow
    } else if flags.contains(ReadFlags::UNMOUNT) {
        RawEventKind::Unmounted
    } else if flags.contains(ReadFlags::IGNORED) {
        RawEventKind::WatchEnded
    } else if flags.contains(ReadFlags::MOVE_SELF) {
        RawEventKind::Moved
    } else if flags.contains(ReadFlags::ATTRIB) {
        RawEventKind::Attributes { is_folder: flags.contains(ReadFlags::ISDIR) }
    } else if flags.intersects(ReadFlags::MODIFY.union(ReadFlags::CLOSE_WRITE)) {
        RawEventKind::Content
    } else {
        RawEventKind::Name
    }
}

impl AsFd for Inotify {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }
}
