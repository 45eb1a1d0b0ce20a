//! Who hears of changes.

use std::sync::Arc;

use tokio::sync::broadcast::error::RecvError;
#[cfg(test)]
use tokio::sync::broadcast::error::TryRecvError;
use tokio::sync::broadcast::{Receiver, Sender};

use super::batch::Batch;
use crate::protocol::RescanReason;

/// Batches that are kept for a listener which is slow.
pub(super) const KEPT: usize = 64;

/// Hears of the changes that come after it was made.
#[derive(Debug)]
pub struct Listener(Receiver<Arc<Batch>>);

impl Listener {
    pub(super) fn new(sender: &Sender<Arc<Batch>>) -> Self {
        Self(sender.subscribe())
    }

    #[cfg(test)]
    /// The next changes, where there are some already.
    pub fn ready(&mut self) -> Option<Arc<Batch>> {
        match self.0.try_recv() {
            Ok(batch) => Some(batch),
            Err(TryRecvError::Lagged(_)) => Some(lagged()),
            Err(TryRecvError::Empty | TryRecvError::Closed) => None,
        }
    }

    /// The next changes, for a task; none once the watch has ended. A listener that was too slow hears that it missed some.
    pub async fn next(&mut self) -> Option<Arc<Batch>> {
        match self.0.recv().await {
            Ok(batch) => Some(batch),
            Err(RecvError::Lagged(_)) => Some(lagged()),
            Err(RecvError::Closed) => None,
        }
    }

    /// The next changes, for a thread that may wait; none once the watch has ended. A listener that was too slow hears
    /// that it missed some.
    pub fn wait(&mut self) -> Option<Arc<Batch>> {
        match self.0.blocking_recv() {
            Ok(batch) => Some(batch),
            Err(RecvError::Lagged(_)) => Some(lagged()),
            Err(RecvError::Closed) => None,
        }
    }
}

fn lagged() -> Arc<Batch> {
    Arc::new(Batch { generation: 0, changes: Vec::new(), rescan: Some(RescanReason::Lagged) })
}
