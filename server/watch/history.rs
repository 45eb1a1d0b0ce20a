//! Which files changed lately, by generation.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

/// Changes that are kept.
const KEPT: usize = 32_768;

/// The last changes, oldest first.
#[derive(Debug, Default)]
pub(super) struct History {
    changes: VecDeque<(u64, Arc<str>)>,
    /// Everything after this generation is in `changes`.
    complete_after: u64,
}

impl History {
    pub(super) fn add(&mut self, generation: u64, path: &Arc<str>) {
        if self.changes.len() >= KEPT
            && let Some((oldest, _)) = self.changes.pop_front()
        {
            self.complete_after = oldest;
        }
        self.changes.push_back((generation, path.clone()));
    }

    /// Forgets all: anything may have changed up to this generation.
    pub(super) fn restart(&mut self, generation: u64) {
        self.changes.clear();
        self.complete_after = generation;
    }

    /// The paths that changed after a generation; none where that is no longer known.
    pub(super) fn since(&self, generation: u64) -> Option<Vec<Arc<str>>> {
        if generation < self.complete_after {
            return None;
        }
        let first = self.changes.partition_point(|(changed, _)| *changed <= generation);
        let paths: BTreeSet<&Arc<str>> = self.changes.range(first..).map(|(_, path)| path).collect();
        Some(paths.into_iter().cloned().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_knows_what_changed_since_or_that_it_does_not() {
        let mut history = History::default();
        assert_eq!(history.since(0), Some(Vec::new()));
        for generation in 1..=KEPT as u64 {
            history.add(generation, &Arc::from(format!("{}", generation % 7)));
        }
        assert_eq!(history.since(KEPT as u64 - 1), Some(vec![Arc::from(format!("{}", KEPT % 7))]));
        assert_eq!(history.since(0).map(|paths| paths.len()), Some(7));
        history.add(KEPT as u64 + 1, &Arc::from("new"));
        assert_eq!(history.since(0), None);
        assert_eq!(history.since(1).map(|paths| paths.len()), Some(8));
    }
}
