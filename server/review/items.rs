//! The proposals in memory, and the lists by which they are found: none is looked through for a single change.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::item::{Item, ReviewEffect, ReviewEvent, transition};
use crate::base::{ProposalId, WorkspacePath};
use crate::protocol::Policy;

/// How many decided proposals are kept, so that their hunks can still be taken back one by one.
const KEPT: usize = 200;

/// When a proposal was made, and its id: oldest first.
type Age = (String, ProposalId);

/// The proposals, by id.
#[derive(Debug, Default)]
pub(super) struct Items {
    all: BTreeMap<ProposalId, Arc<Item>>,
    /// The proposals that change a file, by its path.
    by_path: HashMap<WorkspacePath, BTreeSet<ProposalId>>,
    /// Those with hunks that wait.
    waiting: BTreeSet<Age>,
    /// Those that are about to wait: they are not shown before the log has them.
    arriving: BTreeSet<ProposalId>,
    /// Those that may be forgotten.
    past: BTreeSet<Age>,
    /// Those whose agents have to hear of their outcome.
    due: BTreeSet<ProposalId>,
}

impl Items {
    /// One of them, as it is now.
    pub(super) fn get(&self, id: &str) -> Option<Arc<Item>> {
        self.all.get(id).cloned()
    }

    /// All of them.
    pub(super) fn all(&self) -> impl Iterator<Item = &Arc<Item>> {
        self.all.values()
    }

    /// Those with hunks that wait, oldest first.
    pub(super) fn waiting(&self) -> impl Iterator<Item = &Arc<Item>> {
        self.waiting.iter().filter_map(|(_, id)| self.all.get(id))
    }

    /// How many have hunks that wait, or are about to.
    pub(super) fn count_waiting(&self) -> usize {
        self.waiting.len() + self.arriving.len()
    }

    /// Those whose agents have to hear of their outcome.
    pub(super) fn due(&self) -> impl Iterator<Item = &Arc<Item>> {
        self.due.iter().filter_map(|id| self.all.get(id))
    }

    /// That of a call.
    pub(super) fn of_call(&self, call: &str) -> Option<&Arc<Item>> {
        self.all.values().find(|item| item.call() == call)
    }

    /// The ids of those that change a file.
    pub(super) fn on(&self, path: &WorkspacePath) -> Vec<ProposalId> {
        self.by_path.get(path).into_iter().flatten().cloned().collect()
    }

    /// Takes one in.
    pub(super) fn insert(&mut self, item: Item) {
        self.enters(&item);
        self.index(&item);
        self.all.insert(item.proposal().id.clone(), Arc::new(item));
    }

    /// Has something happen to one. Gives it as it is afterwards, and what that asks for; nothing where it is not there.
    pub(super) fn happen(
        &mut self,
        id: &str,
        event: ReviewEvent<'_>,
    ) -> Option<(Arc<Item>, Vec<ReviewEffect>)> {
        let moves = matches!(event, ReviewEvent::Renamed(..));
        let (id, before) = self.all.remove_entry(id)?;
        if moves {
            before.proposal().files.iter().for_each(|file| self.leaves(&file.path, &id));
        }
        let (item, effects) = transition(Arc::unwrap_or_clone(before), event);
        if moves {
            self.enters(&item);
        }
        let item = Arc::new(item);
        self.index(&item);
        self.all.insert(id, item.clone());
        Some((item, effects))
    }

    fn enters(&mut self, item: &Item) {
        for file in &item.proposal().files {
            self.by_path.entry(file.path.clone()).or_default().insert(item.proposal().id.clone());
        }
    }

    fn leaves(&mut self, path: &WorkspacePath, id: &str) {
        if let Some(ids) = self.by_path.get_mut(path) {
            ids.remove(id);
            if ids.is_empty() {
                self.by_path.remove(path);
            }
        }
    }

    /// Forgets the oldest of those that are decided, told and answered, until few enough are left.
    pub(super) fn forget(&mut self) {
        while self.past.len() > KEPT {
            let Some((_, oldest)) = self.past.pop_first() else { return };
            self.remove(&oldest);
        }
    }

    /// Takes one away.
    pub(super) fn remove(&mut self, id: &str) {
        let Some(item) = self.all.remove(id) else { return };
        item.proposal().files.iter().for_each(|file| self.leaves(&file.path, id));
        let age = age(&item);
        self.waiting.remove(&age);
        self.past.remove(&age);
        self.due.remove(id);
        self.arriving.remove(id);
    }

    fn index(&mut self, item: &Item) {
        let id = &item.proposal().id;
        put(&mut self.waiting, age(item), item.is_waiting());
        put(&mut self.past, age(item), item.is_past());
        put(&mut self.arriving, id.clone(), !item.is_up() && item.policy() != Policy::Auto);
        put(&mut self.due, id.clone(), item.is_due());
    }
}

fn age(item: &Item) -> Age {
    (item.proposal().created.clone(), item.proposal().id.clone())
}

fn put<T: Ord>(set: &mut BTreeSet<T>, value: T, is_in: bool) {
    match is_in {
        true => set.insert(value),
        false => set.remove(&value),
    };
}
