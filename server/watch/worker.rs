//! The thread that keeps the list current while nobody asks, and tells listeners.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::read;

use super::Shared;
use super::tree::Tree;

/// How long events are let gather before they are looked at: a burst of them is looked at as one. Who asks does not wait
/// for this.
const GATHER: Duration = Duration::from_millis(4);
/// How often polled folders are read at the most.
const POLL: Duration = Duration::from_secs(2);
/// Of the time, polling takes one part in so many,
const SHARE: u32 = 20;
/// but it is not put off for longer than this.
const RARELY: Duration = Duration::from_secs(60);
/// How often it is looked whether a root that is gone is back.
const MISSING: Duration = Duration::from_secs(1);
/// How often it is looked whether the root is another, or a rule from outside of it.
const OUTER: Duration = Duration::from_secs(10);
/// How long it is let be after it changed faster than it could be read.
const AGAIN: Duration = Duration::from_millis(100);
/// What one turn may take where there is much to do, before those who ask get theirs.
const TURN: Duration = Duration::from_secs(10);

/// Runs until the watch is ended.
pub(super) fn run(shared: &Arc<Shared>) {
    let mut outer = Instant::now() + OUTER;
    while !shared.stop.load(Ordering::Relaxed) {
        let mut tree = shared.tree.lock();
        let now = Instant::now();
        if now >= outer {
            tree.check_outer();
            outer = now + OUTER;
        }
        let all = poll_due(&tree).is_some_and(|due| now >= due).then_some(now);
        // Why it cannot is told to who asks.
        let _ = tree.catch_up(all, now + TURN);
        let missing = tree.top.is_none();
        shared.tell(&mut tree);
        shared.publish(&tree);
        let due = [
            // What could not be read as fast as it changed.
            tree.rescan.map(|_| Instant::now() + AGAIN),
            Some(if missing { Instant::now() + MISSING } else { outer }),
            poll_due(&tree),
            shared.due(&tree),
        ];
        let source = tree.source.clone();
        drop(tree);
        let until = due.into_iter().flatten().min().unwrap_or(outer);
        let events = source.as_ref().map(|source| PollFd::new(source.as_ref(), PollFlags::IN));
        let woken = PollFd::new(&shared.wake, PollFlags::IN);
        let mut waited: Vec<PollFd<'_>> = events.into_iter().chain([woken.clone()]).collect();
        wait(&mut waited, until.saturating_duration_since(Instant::now()));
        wait(&mut [woken], GATHER);
        let _ = read(&shared.wake, &mut [0_u8; 8]);
    }
    shared.tree.lock().forget();
}

/// When polled folders are to be read next; none where there are none.
fn poll_due(tree: &Tree) -> Option<Instant> {
    let (begun, took) = tree.polled_at.filter(|_| !tree.polled.is_empty())?;
    Some(begun + (took * SHARE).clamp(POLL, RARELY))
}

/// Waits until one of them is ready, or so long.
fn wait(descriptors: &mut [PollFd<'_>], most: Duration) {
    // A millisecond more, so that what is due at its end is.
    let most = most + Duration::from_millis(1);
    let seconds = i64::try_from(most.as_secs()).unwrap_or(i64::MAX);
    let timeout = Timespec { tv_sec: seconds, tv_nsec: i64::from(most.subsec_nanos()) };
    let _ = poll(descriptors, Some(&timeout));
}
