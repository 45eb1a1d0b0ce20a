//! Changes of definition files: a call that comes after one waits until it was read.

use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::{Mutex, watch};

/// The time for which a call waits for files that go on changing.
const PATIENCE: Duration = Duration::from_secs(2);

/// Looks for changed files that have not been reported yet, and notes them.
type LookForChanges = Box<dyn Fn() + Send + Sync>;

/// The changes so far, and those that were read.
#[derive(Default)]
pub struct DefinitionChanges {
    seen: AtomicU64,
    read: watch::Sender<u64>,
    look: OnceLock<LookForChanges>,
    /// The number of looks that began.
    looks: AtomicU64,
    /// Held by the call that waits, so that later ones do not overtake it.
    turn: Mutex<()>,
}

impl fmt::Debug for DefinitionChanges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DefinitionChanges").field("seen", &self.seen).finish_non_exhaustive()
    }
}

impl DefinitionChanges {
    /// Makes each call look for changes by `look`, which notes them. Only the first `look` that is set is used.
    pub fn look_with(&self, look: impl Fn() + Send + Sync + 'static) {
        let _ = self.look.set(Box::new(look));
    }

    /// Notes that a file changed.
    pub fn note(&self) {
        self.seen.fetch_add(1, Ordering::SeqCst);
    }

    /// Returns the number of changes seen.
    pub fn seen(&self) -> u64 {
        self.seen.load(Ordering::SeqCst)
    }

    /// Notes that the first `changes` were read.
    pub fn note_read(&self, changes: u64) {
        self.read.send_modify(|read| *read = (*read).max(changes));
    }

    /// Waits until every change so far was read. Calls pass in the order in which they came.
    pub(crate) async fn settled(&self) {
        let looks = self.looks.load(Ordering::SeqCst);
        let _turn = self.turn.lock().await;
        // A look that began after this call came has seen what this call's own would.
        if let Some(look) = self.look.get().filter(|_| self.looks.load(Ordering::SeqCst) == looks) {
            self.looks.fetch_add(1, Ordering::SeqCst);
            look();
        }
        let wanted = self.seen();
        if *self.read.borrow() < wanted {
            let mut read = self.read.subscribe();
            let waited = tokio::time::timeout(PATIENCE, read.wait_for(|read| *read >= wanted));
            // After that calls run with what there is, and none waits for the same changes again.
            if waited.await.is_err() {
                self.note_read(wanted);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[tokio::test]
    async fn a_call_waits_for_the_changes_before_it_and_no_later_ones() {
        let changes = Arc::new(DefinitionChanges::default());
        changes.settled().await;
        changes.note();
        let waiting = tokio::spawn({
            let changes = changes.clone();
            async move { changes.settled().await }
        });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        let seen = changes.seen();
        changes.note();
        changes.note_read(seen);
        waiting.await.unwrap();
        assert!(*changes.read.borrow() < changes.seen());
    }

    #[tokio::test]
    async fn calls_that_wait_together_look_once() {
        let changes = Arc::new(DefinitionChanges::default());
        let looks = Arc::new(AtomicU64::new(0));
        changes.look_with({
            let looks = looks.clone();
            move || {
                looks.fetch_add(1, Ordering::SeqCst);
            }
        });
        changes.note();
        let settle = || {
            let changes = changes.clone();
            tokio::spawn(async move { changes.settled().await })
        };
        let first = settle();
        tokio::task::yield_now().await;
        assert_eq!(looks.load(Ordering::SeqCst), 1);
        let others: Vec<_> = (0..20).map(|_| settle()).collect();
        tokio::task::yield_now().await;
        changes.note_read(changes.seen());
        first.await.unwrap();
        for other in others {
            other.await.unwrap();
        }
        assert_eq!(looks.load(Ordering::SeqCst), 2);
        changes.settled().await;
        assert_eq!(looks.load(Ordering::SeqCst), 3);
    }
}
