//! Listeners for changes.

use std::sync::Arc;

use tokio::sync::broadcast::error::RecvError;
#[cfg(test)]
use tokio::sync::broadcast::error::TryRecvError;
use tokio::sync::broadcast::{Receiver, Sender};

use super::batch::ChangeBatch;
use crate::protocol::RescanReason;

/// Batches that are kept for a listener which is slow.
pub(super) const KEPT: usize = 64;

/// Receives the changes that come after it was made.
#[derive(Debug)]
pub struct ChangeListener(Receiver<Arc<ChangeBatch>>);

impl ChangeListener {
    pub(super) fn new(sender: &Sender<Arc<ChangeBatch>>) -> Self {
        Self(sender.subscribe())
    }

    #[cfg(test)]
    /// The next changes, if there are some already.
    pub fn ready(&mut self) -> Option<Arc<ChangeBatch>> {
        match self.0.try_recv() {
            Ok(batch) => Some(batch),
            Err(TryRecvError::Lagged(_)) => Some(lagged_batch()),
            Err(TryRecvError::Empty | TryRecvError::Closed) => None,
        }
    }

    /// Returns the next changes, for a task; `None` once the watch has ended. A listener that was too slow is
    /// informed that it missed some.
    pub async fn next(&mut self) -> Option<Arc<ChangeBatch>> {
        match self.0.recv().await {
            Ok(batch) => Some(batch),
            Err(RecvError::Lagged(_)) => Some(lagged_batch()),
            Err(RecvError::Closed) => None,
        }
    }

    /// Returns the next changes, for a thread that may wait; `None` once the watch has ended. A listener that was too
    /// slow is informed that it missed some.
    pub fn wait(&mut self) -> Option<Arc<ChangeBatch>> {
        match self.0.blocking_recv() {
            Ok(batch) => Some(batch),
            Err(RecvError::Lagged(_)) => Some(lagged_batch()),
            Err(RecvError::Closed) => None,
        }
    }
}

fn lagged_batch() -> Arc<ChangeBatch> {
    Arc::new(ChangeBatch { generation: 0, changes: Vec::new(), rescan: Some(RescanReason::Lagged) })
}
