//! The thread that keeps the list current between queries, and informs listeners.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::read;

use super::SharedWatch;
use super::poll_hints::PollHints;
use super::tree::WatchedTree;
use crate::protocol::WatchBackend;

/// The time for which events gather before they are handled: a burst of them is handled as one. A query does not wait
/// for this.
const GATHER: Duration = Duration::from_millis(4);
/// The shortest time between two readings of polled folders.
const POLL: Duration = Duration::from_secs(2);
/// The divisor of the time that polling takes at most.
const SHARE: u32 = 20;
/// The longest time for which polling is put off.
const RARELY: Duration = Duration::from_secs(60);
/// The longest time for which notify's poll back end may not tell two changes apart.
const WHOLE_SECOND: Duration = Duration::from_millis(1_100);
/// The time between two checks whether a missing root is back.
const MISSING: Duration = Duration::from_secs(1);
/// The time between two checks whether the root was replaced, or a rule from outside of it changed.
const OUTER: Duration = Duration::from_secs(10);
/// The pause after it changed faster than it could be read.
const AGAIN: Duration = Duration::from_millis(100);
/// The longest time of one turn with much to do, before queries get theirs.
const TURN: Duration = Duration::from_secs(10);

/// Runs until the watch is ended.
pub(super) fn run_worker(shared: &Arc<SharedWatch>) {
    let mut outer = Instant::now() + OUTER;
    let mut hints: Option<PollHints> = None;
    let mut again: Option<Instant> = None;
    while !shared.stop.load(Ordering::Relaxed) {
        let mut tree = shared.tree.lock();
        let now = Instant::now();
        let events = hints.as_ref().map_or_else(Vec::new, PollHints::take_events);
        if !events.is_empty() {
            // A second change in the second in which notify looked shows in no time that it compares.
            again = Some(again.map_or(now + poll_pause(&tree), |due| due.max(now + WHOLE_SECOND)));
        }
        let mut read_now = tree.handle_hints(events);
        if again.is_some_and(|due| now >= due) {
            (again, read_now) = (None, true);
        }
        if now >= outer {
            tree.check_outer();
            outer = now + OUTER;
        }
        let due = |tree: &WatchedTree| poll_due(tree, hints.is_some());
        let all = (read_now || due(&tree).is_some_and(|due| now >= due)).then_some(now);
        // The error is returned by the next query.
        let _ = tree.catch_up(all, now + TURN);
        let missing = tree.top.is_none();
        shared.notify_listeners(&mut tree);
        shared.publish_status(&tree);
        let due = [
            // The folders that could not be read as fast as they changed.
            tree.rescans.due.map(|_| Instant::now() + AGAIN),
            (!tree.known.missed.is_empty()).then(|| Instant::now() + AGAIN),
            Some(if missing { Instant::now() + MISSING } else { outer }),
            due(&tree),
            again,
            shared.due_at(&tree),
        ];
        let (source, polled, pause) =
            (tree.known.folders.source.clone(), take_polled(&mut tree), poll_pause(&tree));
        let is_hinted = tree.options.backend != WatchBackend::Inotify;
        drop(tree);
        if let Some(polled) = polled.filter(|_| is_hinted) {
            // Without the thread, the folders are read here as often as it would look at them.
            hints = hints.filter(|_| !polled.is_empty());
            if hints.is_none() && !polled.is_empty() {
                hints = PollHints::start().ok();
            }
            if let Some(hints) = &hints {
                hints.watch_folders(polled, pause);
            }
        }
        let until = due.into_iter().flatten().min().unwrap_or(outer);
        let events = source.as_ref().map(|source| PollFd::new(source.as_ref(), PollFlags::IN));
        let hinted = hints.as_ref().map(|hints| PollFd::new(hints, PollFlags::IN));
        let woken = PollFd::new(&shared.wake, PollFlags::IN);
        let mut waited: Vec<PollFd<'_>> = events.into_iter().chain(hinted).chain([woken.clone()]).collect();
        wait_ready(&mut waited, until.saturating_duration_since(Instant::now()));
        wait_ready(&mut [woken], GATHER);
        let _ = read(&shared.wake, &mut [0_u8; 8]);
    }
    shared.tree.lock().forget_all();
}

/// Returns the absolute paths of the folders that the system does not watch, if they are others than before.
fn take_polled(tree: &mut WatchedTree) -> Option<BTreeSet<PathBuf>> {
    let top = tree.top.as_ref()?;
    let polled = tree.known.folders.take_polled()?;
    Some(polled.iter().map(|path| top.real.join(path.as_ref())).collect())
}

/// When polled folders are to be read next; `None` if there are none. Where notify looks at them too, that is rare: it
/// is for times that were set back.
fn poll_due(tree: &WatchedTree, is_hinted: bool) -> Option<Instant> {
    let (begun, _) = tree.polled_at.filter(|_| !tree.known.folders.polled.is_empty())?;
    Some(begun + if is_hinted { RARELY } else { poll_pause(tree) })
}

/// The time between two readings of polled folders, by how long the last one took.
fn poll_pause(tree: &WatchedTree) -> Duration {
    tree.polled_at.map_or(POLL, |(_, took)| (took * SHARE).clamp(POLL, RARELY))
}

/// Waits until one of them is ready, or so long.
fn wait_ready(descriptors: &mut [PollFd<'_>], most: Duration) {
    // A millisecond more, so that what is due at its end is.
    let most = most + Duration::from_millis(1);
    let seconds = i64::try_from(most.as_secs()).unwrap_or(i64::MAX);
    let timeout = Timespec { tv_sec: seconds, tv_nsec: i64::from(most.subsec_nanos()) };
    let _ = poll(descriptors, Some(&timeout));
}
