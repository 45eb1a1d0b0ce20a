//! The time that a fetch may take of the network. Time in which a person is asked does not count.

use std::time::{Duration, Instant};

use crate::error::FetchError;

/// The rest of the budget.
#[derive(Debug)]
pub(crate) struct NetworkBudget {
    whole: Duration,
    left: Duration,
}

impl NetworkBudget {
    pub(crate) fn new(whole: Duration) -> Self {
        Self { whole, left: whole }
    }

    /// Waits as long as there is time.
    pub(crate) async fn run_within<T>(&mut self, work: impl Future<Output = T>) -> Result<T, FetchError> {
        let began = Instant::now();
        let done = tokio::time::timeout(self.left, work).await;
        self.left = self.left.saturating_sub(began.elapsed());
        done.map_err(|_| FetchError::Late(self.whole))
    }
}
