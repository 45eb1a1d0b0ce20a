//! A limit of messages per second; those above it are counted, and sent as one.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

const WINDOW: Duration = Duration::from_secs(1);

/// Counts messages in windows of a second.
#[derive(Debug)]
pub(super) struct MessageRate {
    begun: Instant,
    shown: u32,
    folded_count: u64,
    /// Calls among the folded ones that were named after all.
    named_count: u64,
}

impl Default for MessageRate {
    fn default() -> Self {
        Self { begun: Instant::now(), shown: 0, folded_count: 0, named_count: 0 }
    }
}

impl MessageRate {
    /// Counts a message; returns whether it may be shown now.
    pub(super) fn admit_message(&mut self, per_second: u32) -> bool {
        if self.folded_count == 0 && self.begun.elapsed() >= WINDOW {
            (self.begun, self.shown) = (Instant::now(), 0);
        }
        if self.shown < per_second {
            self.shown += 1;
            return true;
        }
        self.folded_count += 1;
        false
    }

    /// Counts messages that were lost before they came here.
    pub(super) fn fold_lost(&mut self, count: u64) {
        self.folded_count += count;
    }

    /// Counts a folded call that was named by itself.
    pub(super) fn count_named(&mut self) {
        self.named_count += 1;
    }

    /// Returns the number of folded calls that were named by themselves since the last call of this method.
    pub(super) fn take_named_count(&mut self) -> u64 {
        std::mem::take(&mut self.named_count)
    }

    /// Returns whether folded messages have to be sent.
    pub(super) fn is_folding(&self) -> bool {
        self.folded_count > 0
    }

    /// Waits until the folded messages have to be sent, and returns their number; waits forever if there are none.
    pub(super) async fn take_folded(&mut self) -> u64 {
        if self.folded_count == 0 {
            return std::future::pending().await;
        }
        sleep_until(self.begun + WINDOW).await;
        (self.begun, self.shown) = (Instant::now(), 1);
        std::mem::take(&mut self.folded_count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_above_the_rate_is_told_as_one() {
        let mut rate = MessageRate::default();
        let admitted = (0..10).filter(|_| rate.admit_message(4)).count();
        assert_eq!(admitted, 4);
        rate.fold_lost(5);
        assert_eq!(rate.take_folded().await, 11);
        assert!(rate.admit_message(4));
    }
}
