//! Who may carry out a decision: one at a time for a call, one at a time for a file, and files of others meanwhile.
//!
//! Whoever waits for a file holds at most the turn of a call, and no other file but in the order of their names. So
//! nobody waits for somebody who waits for them.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use tokio::sync::{Mutex as Gate, OwnedMutexGuard};

use crate::base::WorkspacePath;

/// Gates that are looked through for those that nobody uses any more.
const MANY: usize = 512;

/// A turn, until it is dropped.
pub(super) type Turn = OwnedMutexGuard<()>;

/// The turns of calls and files.
#[derive(Debug, Default)]
pub(super) struct Turns(Mutex<HashMap<String, Weak<Gate<()>>>>);

impl Turns {
    /// Waits for the turn of a call: its checkpoint and its proposal.
    pub(super) async fn call(&self, call: &str) -> Turn {
        self.gate(format!("call {call}")).lock_owned().await
    }

    /// Waits for the turn of a file.
    pub(super) async fn file(&self, path: &WorkspacePath) -> Turn {
        self.gate(format!("file {path}")).lock_owned().await
    }

    /// Waits for the turns of several files.
    pub(super) async fn files(&self, mut paths: Vec<WorkspacePath>) -> Vec<Turn> {
        paths.sort_by(|a, b| a.as_str().cmp(b.as_str()));
        paths.dedup_by(|a, b| a.as_str() == b.as_str());
        let mut turns = Vec::new();
        for path in &paths {
            turns.push(self.file(path).await);
        }
        turns
    }

    /// The turn of a file, where nobody has it.
    pub(super) fn file_now(&self, path: &WorkspacePath) -> Option<Turn> {
        self.gate(format!("file {path}")).try_lock_owned().ok()
    }

    fn gate(&self, name: String) -> Arc<Gate<()>> {
        let mut gates = self.0.lock();
        if gates.len() >= MANY {
            gates.retain(|_, gate| gate.strong_count() > 0);
        }
        if let Some(gate) = gates.get(&name).and_then(Weak::upgrade) {
            return gate;
        }
        let gate = Arc::new(Gate::new(()));
        gates.insert(name, Arc::downgrade(&gate));
        gate
    }
}
