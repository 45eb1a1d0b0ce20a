//! The turns of decisions: one at a time for a call, one at a time for a file, and other files meanwhile.
//!
//! A task that waits for a file holds at most the turn of a call, and other files only in the order of their names. So
//! no two tasks wait for each other.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use tokio::sync::{Mutex as Gate, OwnedMutexGuard};

use crate::base::WorkspacePath;

/// The number of gates from which unused ones are removed.
const MANY: usize = 512;

/// A turn, until it is dropped.
pub(super) type DecisionTurn = OwnedMutexGuard<()>;

/// The turns of calls and files.
#[derive(Debug, Default)]
pub(super) struct DecisionTurns(Mutex<HashMap<String, Weak<Gate<()>>>>);

impl DecisionTurns {
    /// Waits for the turn of a call: its checkpoint and its proposal.
    pub(super) async fn await_call(&self, call: &str) -> DecisionTurn {
        self.gate_named(format!("call {call}")).lock_owned().await
    }

    /// Waits for the turn of a file.
    pub(super) async fn await_file(&self, path: &WorkspacePath) -> DecisionTurn {
        self.gate_named(format!("file {path}")).lock_owned().await
    }

    /// Waits for the turns of several files.
    pub(super) async fn await_files(&self, mut paths: Vec<WorkspacePath>) -> Vec<DecisionTurn> {
        paths.sort_by(|a, b| a.as_str().cmp(b.as_str()));
        paths.dedup_by(|a, b| a.as_str() == b.as_str());
        let mut turns = Vec::new();
        for path in &paths {
            turns.push(self.await_file(path).await);
        }
        turns
    }

    /// Returns the turn of a file, where no task has it.
    pub(super) fn try_file(&self, path: &WorkspacePath) -> Option<DecisionTurn> {
        self.gate_named(format!("file {path}")).try_lock_owned().ok()
    }

    fn gate_named(&self, name: String) -> Arc<Gate<()>> {
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
