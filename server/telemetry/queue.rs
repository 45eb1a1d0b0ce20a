//! The events that wait for the thread that exports them. A call gives its events away and goes on: it does not even wake that
//! thread, which costs more than all the rest.

use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::timeout;

use crate::journal::LoggedEvent;

/// Events that wait; further ones are dropped.
const MOST: usize = 4096;
/// The most bytes of waiting events.
const MOST_BYTES: usize = 16 << 20;
/// The number of events that are taken before the time.
const ENOUGH: usize = 1024;
/// The longest time that an event waits for others.
const WAIT: Duration = Duration::from_secs(2);

/// An event, and the time when it came, in nanoseconds since 1970.
#[derive(Debug)]
pub(super) struct QueuedEvent {
    pub event: LoggedEvent,
    pub at: u64,
}

/// The waiting events, limited in number.
#[derive(Debug, Default)]
pub(super) struct EventQueue {
    waiting: Mutex<WaitingEvents>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct WaitingEvents {
    events: Vec<QueuedEvent>,
    /// The bytes that they take in the log.
    bytes: usize,
    is_closed: bool,
}

impl EventQueue {
    /// Puts an event at the end; returns whether there was room.
    pub(super) fn put(&self, event: LoggedEvent, at: u64) -> bool {
        let mut waiting = self.waiting.lock();
        if waiting.is_closed || waiting.events.len() >= MOST || waiting.bytes >= MOST_BYTES {
            return false;
        }
        waiting.bytes += event.bytes;
        waiting.events.push(QueuedEvent { event, at });
        let count = waiting.events.len();
        drop(waiting);
        if count == 1 || count == ENOUGH {
            self.changed.notify_one();
        }
        true
    }

    /// Closes the queue: no further event is taken.
    pub(super) fn close(&self) {
        self.waiting.lock().is_closed = true;
        self.changed.notify_one();
    }

    /// Takes all waiting events, once there are enough or the first has waited long enough; returns whether more may
    /// come.
    pub(super) async fn take(&self) -> (Vec<QueuedEvent>, bool) {
        self.wait_for(1).await;
        // That the time is over is as good as that there is enough.
        let _ = timeout(WAIT, self.wait_for(ENOUGH)).await;
        let mut waiting = self.waiting.lock();
        waiting.bytes = 0;
        (std::mem::take(&mut waiting.events), !waiting.is_closed)
    }

    /// Waits until so many are there, or none can come any more.
    async fn wait_for(&self, count: usize) {
        loop {
            {
                let waiting = self.waiting.lock();
                if waiting.is_closed || waiting.events.len() >= count {
                    return;
                }
            }
            self.changed.notified().await;
        }
    }
}
