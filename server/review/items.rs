//! The proposals in memory, and the lists by which they are found: none is looked through for a single change.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::item::Item;
use crate::base::{ProposalId, WorkspacePath};
use crate::protocol::{Policy, Proposal};

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
        let id = item.proposal.id.clone();
        for file in &item.proposal.files {
            self.by_path.entry(file.path.clone()).or_default().insert(id.clone());
        }
        self.all.insert(id.clone(), Arc::new(item));
        self.index(&id);
    }

    /// Changes one; nothing where it is not there.
    pub(super) fn change<T>(&mut self, id: &str, change: impl FnOnce(&mut Item) -> T) -> Option<T> {
        let changed = change(Arc::make_mut(self.all.get_mut(id)?));
        self.index(id);
        Some(changed)
    }

    /// Changes the paths of one; says what `change` says, and no where it is not there.
    pub(super) fn change_paths(&mut self, id: &str, change: impl FnOnce(&mut Proposal) -> bool) -> bool {
        let Some(item) = self.all.get_mut(id) else { return false };
        let before: Vec<WorkspacePath> = item.proposal.files.iter().map(|file| file.path.clone()).collect();
        let changed = change(&mut Arc::make_mut(item).proposal);
        let after: Vec<WorkspacePath> = item.proposal.files.iter().map(|file| file.path.clone()).collect();
        before.iter().for_each(|path| self.leaves(path, id));
        for path in after {
            self.by_path.entry(path).or_default().insert(id.into());
        }
        changed
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
        item.proposal.files.iter().for_each(|file| self.leaves(&file.path, id));
        let age = age(&item);
        self.waiting.remove(&age);
        self.past.remove(&age);
        self.due.remove(id);
        self.arriving.remove(id);
    }

    fn index(&mut self, id: &str) {
        let Some((id, item)) = self.all.get_key_value(id) else { return };
        let past = item.life.is_past(item.is_decided());
        put(&mut self.waiting, age(item), item.is_waiting());
        put(&mut self.past, age(item), past);
        put(&mut self.arriving, id.clone(), !item.is_up() && item.policy != Policy::Auto);
        put(&mut self.due, id.clone(), item.is_due());
    }
}

fn age(item: &Item) -> Age {
    (item.proposal.created.clone(), item.proposal.id.clone())
}

fn put<T: Ord>(set: &mut BTreeSet<T>, value: T, is_in: bool) {
    match is_in {
        true => set.insert(value),
        false => set.remove(&value),
    };
}
