//! The proposals in memory, and the lists by which they are found: none is looked through for a single change.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::base::{ProposalId, WorkspacePath};
use crate::protocol::Policy;
use crate::review::{ProposalStorage, QueuedProposal, ReviewEffect, ReviewEvent, apply_event};

/// The number of decided proposals that are kept, so that their hunks can still be taken back one by one, and looked at
/// afterwards.
const KEPT_DECIDED: usize = 200;

/// The time when a proposal was made, and its id: oldest first.
type ProposalAge = (String, ProposalId);

/// The proposals, by id.
#[derive(Debug, Default)]
pub(super) struct ProposalIndex {
    all: BTreeMap<ProposalId, Arc<QueuedProposal>>,
    /// The proposals that change a file, by its path.
    by_path: HashMap<WorkspacePath, BTreeSet<ProposalId>>,
    /// The proposals with hunks that wait.
    waiting: BTreeSet<ProposalAge>,
    /// The proposals that are about to wait: they are not shown before the log has them.
    arriving: BTreeSet<ProposalId>,
    /// The proposals that may be forgotten.
    past: BTreeSet<ProposalAge>,
    /// The proposals whose outcomes are still to be delivered to their agents.
    due: BTreeSet<ProposalId>,
    /// The number of times that a proposal was looked up by its id.
    #[cfg(test)]
    pub(super) lookups: std::sync::atomic::AtomicUsize,
}

impl ProposalIndex {
    /// Returns the proposal with this id, as it is now.
    pub(super) fn get(&self, id: &str) -> Option<Arc<QueuedProposal>> {
        #[cfg(test)]
        self.lookups.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        self.all.get(id).cloned()
    }

    /// All of them.
    pub(super) fn all(&self) -> impl Iterator<Item = &Arc<QueuedProposal>> {
        self.all.values()
    }

    /// The proposals with hunks that wait, oldest first.
    pub(super) fn waiting_items(&self) -> impl Iterator<Item = &Arc<QueuedProposal>> {
        self.waiting.iter().filter_map(|(_, id)| self.all.get(id))
    }

    /// The number of proposals with hunks that wait, or are about to.
    pub(super) fn count_waiting(&self) -> usize {
        self.waiting.len() + self.arriving.len()
    }

    /// The proposals whose outcomes are still to be delivered.
    pub(super) fn due_items(&self) -> impl Iterator<Item = &Arc<QueuedProposal>> {
        self.due.iter().filter_map(|id| self.all.get(id))
    }

    /// Returns the item of a call.
    pub(super) fn of_call(&self, call: &str) -> Option<&Arc<QueuedProposal>> {
        self.all.values().find(|item| item.call_key() == call)
    }

    /// The proposals that change a file.
    pub(super) fn items_at(&self, path: &WorkspacePath) -> impl Iterator<Item = &Arc<QueuedProposal>> {
        self.by_path.get(path).into_iter().flatten().filter_map(|id| self.all.get(id))
    }

    /// The ids of those that change a file.
    pub(super) fn ids_at(&self, path: &WorkspacePath) -> Vec<ProposalId> {
        self.by_path.get(path).into_iter().flatten().cloned().collect()
    }

    /// Takes one in.
    pub(super) fn insert(&mut self, item: QueuedProposal) {
        self.index_paths(&item);
        self.update_sets(&item);
        self.all.insert(item.proposal().id.clone(), Arc::new(item));
    }

    /// Applies an event to a proposal. Returns the item afterwards with the effects; nothing where there is no such
    /// proposal.
    pub(super) fn apply_event(
        &mut self,
        id: &str,
        event: ReviewEvent<'_>,
    ) -> Option<(Arc<QueuedProposal>, Vec<ReviewEffect>)> {
        let moves = matches!(event, ReviewEvent::Renamed(..));
        let (id, before) = self.all.remove_entry(id)?;
        if moves {
            before.proposal().files.iter().for_each(|file| self.unindex_path(&file.path, &id));
        }
        let (item, effects) = apply_event(Arc::unwrap_or_clone(before), event);
        if moves {
            self.index_paths(&item);
        }
        let item = Arc::new(item);
        self.update_sets(&item);
        self.all.insert(id, item.clone());
        Some((item, effects))
    }

    fn index_paths(&mut self, item: &QueuedProposal) {
        for file in &item.proposal().files {
            self.by_path.entry(file.path.clone()).or_default().insert(item.proposal().id.clone());
        }
    }

    fn unindex_path(&mut self, path: &WorkspacePath, id: &str) {
        if let Some(ids) = self.by_path.get_mut(path) {
            ids.remove(id);
            if ids.is_empty() {
                self.by_path.remove(path);
            }
        }
    }

    /// Forgets the oldest of the proposals that are decided, delivered and answered, until few enough are left. Returns
    /// those that our folder still keeps.
    pub(super) fn forget_oldest(&mut self) -> Vec<Arc<QueuedProposal>> {
        let mut kept = Vec::new();
        while self.past.len() > KEPT_DECIDED {
            let Some((_, oldest)) = self.past.pop_first() else { break };
            kept.extend(self.get(&oldest).filter(|item| item.life().keeping == ProposalStorage::Folder));
            self.remove(&oldest);
        }
        kept
    }

    /// Takes one away.
    pub(super) fn remove(&mut self, id: &str) {
        let Some(item) = self.all.remove(id) else { return };
        item.proposal().files.iter().for_each(|file| self.unindex_path(&file.path, id));
        let age = item_age(&item);
        self.waiting.remove(&age);
        self.past.remove(&age);
        self.due.remove(id);
        self.arriving.remove(id);
    }

    fn update_sets(&mut self, item: &QueuedProposal) {
        let id = &item.proposal().id;
        set_membership(&mut self.waiting, item_age(item), item.is_waiting());
        set_membership(&mut self.past, item_age(item), item.is_past());
        set_membership(&mut self.arriving, id.clone(), !item.is_up() && item.policy() != Policy::Auto);
        set_membership(&mut self.due, id.clone(), item.is_due());
    }
}

fn item_age(item: &QueuedProposal) -> ProposalAge {
    (item.proposal().created.clone(), item.proposal().id.clone())
}

fn set_membership<T: Ord>(set: &mut BTreeSet<T>, value: T, is_in: bool) {
    match is_in {
        true => set.insert(value),
        false => set.remove(&value),
    };
}
