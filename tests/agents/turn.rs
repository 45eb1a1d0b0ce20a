//! Two places at a time: real agents take a whole processor each, and more tests may run than the machine has of those.

use std::cell::RefCell;
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};

/// Places that may be in use at once.
const PLACES: usize = 2;

static USED: Mutex<usize> = Mutex::new(0);
static FREED: Condvar = Condvar::new();

thread_local! {
    /// The turn of this thread's test: it may make several places.
    static TURN: RefCell<Weak<Turn>> = const { RefCell::new(Weak::new()) };
}

/// One of the turns, until the last place that has it is dropped.
pub(crate) struct Turn;

impl Turn {
    /// Waits for a turn, unless this thread has one.
    pub(crate) fn await_free() -> Arc<Self> {
        if let Some(turn) = TURN.with_borrow(Weak::upgrade) {
            return turn;
        }
        let used = USED.lock().unwrap_or_else(PoisonError::into_inner);
        let mut used = FREED.wait_while(used, |used| *used >= PLACES).unwrap_or_else(PoisonError::into_inner);
        *used += 1;
        let turn = Arc::new(Self);
        TURN.set(Arc::downgrade(&turn));
        turn
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        *USED.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        FREED.notify_one();
    }
}
