//! The kernel's own watches: one instance, one watch a folder, events in the order in which things happened.

use std::collections::HashSet;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use parking_lot::Mutex;
use rustix::fs::inotify::{CreateFlags, ReadFlags, Reader, WatchFlags, add_watch, init, remove_watch};
use rustix::io::{Errno, ioctl_fionread};

/// What is asked of a watched folder.
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

/// What one read takes at most, in bytes.
const BUFFER: usize = 64 * 1024;

/// The least that an event takes in the kernel's queue, in bytes.
const EVENT: u64 = 16;

/// Why a folder is not watched.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// No more watches are allowed, by the system or by us.
    Limit,
    /// Anything else; the folder may be gone.
    Other(Errno),
}

/// One event, as the kernel tells it.
#[derive(Debug)]
pub(super) struct Raw {
    /// The watch.
    pub(super) watch: i32,
    pub(super) flags: ReadFlags,
    /// The name in the watched folder; none where the event is about the folder itself.
    pub(super) name: Option<String>,
}

/// The instance. Its events are read by whoever needs to know what happened up to now.
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

    /// Watches the folder that is open. The watch is the same where it is watched already: while a watch lives, no
    /// other folder has its number.
    pub(super) fn add(&self, folder: BorrowedFd<'_>) -> Result<i32, Refused> {
        // By its descriptor: whatever stands at its path by now, this is the folder that is listed.
        let path = format!("/proc/self/fd/{}", folder.as_raw_fd());
        let watch = add_watch(&self.descriptor, path, ASKED).map_err(|error| match error {
            Errno::NOSPC | Errno::NOMEM => Refused::Limit,
            error => Refused::Other(error),
        })?;
        let mut live = self.live.lock();
        if live.insert(watch) && live.len() > self.max {
            live.remove(&watch);
            let _ = remove_watch(&self.descriptor, watch);
            return Err(Refused::Limit);
        }
        Ok(watch)
    }

    /// Ends a watch. It may have ended with its folder.
    pub(super) fn remove(&self, watch: i32) {
        if self.live.lock().remove(&watch) {
            let _ = remove_watch(&self.descriptor, watch);
        }
    }

    /// How many events wait at most.
    pub(super) fn waiting(&self) -> u64 {
        // An error means the same as a full queue: it is read to find out.
        ioctl_fionread(&self.descriptor).map_or(1, |bytes| bytes.div_ceil(EVENT))
    }

    /// Takes so many events or some more, fewer where no more wait; tells how many.
    pub(super) fn take(&self, wanted: u64, events: &mut Vec<Raw>) -> u64 {
        let mut buffer: Vec<u8> = Vec::with_capacity(BUFFER);
        let mut reader = Reader::new(&self.descriptor, buffer.spare_capacity_mut());
        let mut taken = 0;
        // What was read is taken to its end: it is in no queue any more.
        while taken < wanted || !reader.is_buffer_empty() {
            match reader.next() {
                Ok(event) => {
                    taken += 1;
                    if event.events().contains(ReadFlags::IGNORED) {
                        self.live.lock().remove(&event.wd());
                    }
                    let name = event.file_name().map(|name| name.to_str().map(str::to_owned));
                    // What is not UTF-8 is not listed.
                    if let Some(name) = name.map_or(Some(None), |name| name.ok().map(Some)) {
                        events.push(Raw { watch: event.wd(), flags: event.events(), name });
                    }
                }
                Err(Errno::INTR) => {}
                Err(_) => break,
            }
        }
        taken
    }
}

impl AsFd for Inotify {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }
}
