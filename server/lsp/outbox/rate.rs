//! So many messages a second; what is above it is counted and told as one.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

const WINDOW: Duration = Duration::from_secs(1);

/// Counts messages in windows of a second.
#[derive(Debug)]
pub(super) struct Rate {
    begun: Instant,
    shown: u32,
    folded: u64,
}

impl Default for Rate {
    fn default() -> Self {
        Self { begun: Instant::now(), shown: 0, folded: 0 }
    }
}

impl Rate {
    /// Whether one more may be shown now; counts it either way.
    pub(super) fn admit(&mut self, per_second: u32) -> bool {
        if self.folded == 0 && self.begun.elapsed() >= WINDOW {
            (self.begun, self.shown) = (Instant::now(), 0);
        }
        if self.shown < per_second {
            self.shown += 1;
            return true;
        }
        self.folded += 1;
        false
    }

    /// Counts messages that were lost before they came here.
    pub(super) fn fold(&mut self, count: u64) {
        self.folded += count;
    }

    /// Whether something waits to be told as one.
    pub(super) fn is_folding(&self) -> bool {
        self.folded > 0
    }

    /// Waits until what was folded is to be told, and forgets it; forever while there is nothing.
    pub(super) async fn folded(&mut self) -> u64 {
        if self.folded == 0 {
            return std::future::pending().await;
        }
        sleep_until(self.begun + WINDOW).await;
        (self.begun, self.shown) = (Instant::now(), 1);
        std::mem::take(&mut self.folded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_above_the_rate_is_told_as_one() {
        let mut rate = Rate::default();
        let admitted = (0..10).filter(|_| rate.admit(4)).count();
        assert_eq!(admitted, 4);
        rate.fold(5);
        assert_eq!(rate.folded().await, 11);
        assert!(rate.admit(4));
    }
}
