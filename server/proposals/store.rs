//! The proposals of a folder. Every change of one goes through their store, and from there to the log, the state folder,
//! the editor and those who wait.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::watch;

use super::decision_log::DecisionLog;
use super::proposal_folder::ProposalFolder;
use super::proposal_index::ProposalIndex;
use crate::journal::Journal;
use crate::protocol::{
    Code, DecidedBy, EditorNotice, Fault, Hunk, HunkState, Policy, Proposal, ProposalState, ProposalsParams,
};
use crate::review::{
    LifecycleEffect, LifecycleEvent, QueuedProposal, ReviewEffect, ReviewEvent, StorageStep,
};
use crate::session::WorkspaceSession;

/// The proposals of a folder, in memory and in the state folder, with the one way to change them.
#[derive(Debug)]
pub struct ProposalStore {
    session: Arc<WorkspaceSession>,
    items: Mutex<ProposalIndex>,
    log: DecisionLog,
    folder: ProposalFolder,
    changed: watch::Sender<u64>,
}

impl ProposalStore {
    /// The proposals of a session, with what earlier processes left.
    pub(super) fn open(session: Arc<WorkspaceSession>) -> Self {
        let store = Self {
            items: Mutex::default(),
            log: DecisionLog::new(session.clone()),
            folder: ProposalFolder::new(session.clone()),
            changed: watch::Sender::new(0),
            session,
        };
        for left in store.folder.load_left() {
            store.publish_later(&left.item, left.effects);
            store.items().insert(left.item);
        }
        store
    }

    pub(super) fn session(&self) -> &Arc<WorkspaceSession> {
        &self.session
    }

    pub(super) fn items(&self) -> MutexGuard<'_, ProposalIndex> {
        self.items.lock()
    }

    /// The decisions on their way to the session log.
    pub fn log(&self) -> &DecisionLog {
        &self.log
    }

    /// Applies a lifecycle event to a proposal's call and returns its effect.
    pub(super) fn advance_call(&self, id: &str, event: LifecycleEvent) -> Option<LifecycleEffect> {
        let (_, effects) = self.change_item(id, ReviewEvent::Call(event))?;
        effects.into_iter().find_map(|effect| match effect {
            ReviewEffect::Call(effect) => Some(effect),
            _ => None,
        })
    }

    /// Applies an event to a proposal. Returns the item afterwards with the effects, which are left to the caller;
    /// nothing where there is no such proposal.
    pub(super) fn change_item(
        &self,
        id: &str,
        event: ReviewEvent<'_>,
    ) -> Option<(Arc<QueuedProposal>, Vec<ReviewEffect>)> {
        self.items().apply_event(id, event)
    }

    /// Applies an event to a proposal and carries out its effects. Returns the faults of those that failed.
    pub(super) fn apply_event(&self, id: &str, event: ReviewEvent<'_>) -> Vec<Fault> {
        let happened = self.change_item(id, event);
        happened.map_or_else(Vec::new, |(item, effects)| self.publish_effects(item, effects))
    }

    /// Carries out the effects of a transition in the log, the state folder and the editor. Returns the faults of those
    /// that failed.
    pub(super) fn publish_effects(
        &self,
        item: Arc<QueuedProposal>,
        effects: Vec<ReviewEffect>,
    ) -> Vec<Fault> {
        let mut faults = Vec::new();
        for effect in &effects {
            match effect {
                ReviewEffect::Log(by, hunks) => {
                    faults.extend(self.log.record_decision(item.proposal(), *by, hunks).err())
                }
                ReviewEffect::TellPlaces => self.notify_places(&item.proposal().id),
                _ => {}
            }
        }
        let id = item.proposal().id.clone();
        // Drop our `Arc` first: `Arc::make_mut` would clone the item.
        drop(item);
        if effects.contains(&ReviewEffect::Call(LifecycleEffect::Update)) {
            faults.extend(self.update_item(&id).err());
        }
        faults
    }

    /// Keeps effects for the next decision. Opening a folder must not create a log: the log and the state folder get
    /// the effects with the next decision.
    pub(super) fn publish_later(&self, item: &QueuedProposal, effects: Vec<ReviewEffect>) {
        for effect in effects {
            if let ReviewEffect::Log(by, hunks) = effect {
                self.log.record_later(item.proposal(), by, &hunks);
            }
        }
        self.session.memory().update_proposal(item.proposal());
    }

    /// Takes a proposal in, unless as many wait as may.
    pub(super) fn admit_item(&self, item: QueuedProposal) -> Result<(), Fault> {
        let most = self.session.workspace().settings().limits.held;
        let mut items = self.items();
        if item.policy() != Policy::Auto && items.count_waiting() >= most {
            return Err(Fault::new(
                Code::QuotaExceeded,
                format!("{most} changes wait for a decision already; that is the limit (limits.held)"),
            )
            .with_suggestion(
                "ask the person to decide on what waits (`wherefore review`), and wait for that with review.wait, \
                 before you propose more",
            ));
        }
        items.insert(item);
        Ok(())
    }

    /// Stores an item as it is now, notifies the editor and wakes the waiting callers. A decided item whose outcome was
    /// delivered leaves our folder.
    pub(super) fn update_item(&self, id: &str) -> Result<(), Fault> {
        let kept = self.store_and_show(id, |item| {
            if item.is_up() {
                self.session.memory().update_proposal(item.proposal());
                self.session.editor().tell(EditorNotice::Changed(item.proposal().clone()));
            }
        });
        self.forget_past();
        self.changed.send_modify(|count| *count += 1);
        kept
    }

    /// Sends the editor the current places of a proposal's hunks, if it shows any of them: an editor with a newer text
    /// uses its own marks until it gets the places for its version.
    fn notify_places(&self, id: &str) {
        let shown = |hunk: &Hunk| hunk.state == HunkState::Pending || hunk.is_unreviewed();
        let items = self.items();
        let item = items.get(id).filter(|item| item.is_up() && item.proposal().hunks().any(shown));
        // The notice is sent before another change: the last notice has to hold the current state.
        if let Some(item) = item {
            self.session.editor().tell(EditorNotice::Changed(item.proposal().clone()));
        }
    }

    /// Writes a proposal to our folder as it is now, or removes it there once its outcome is known and delivered.
    ///
    /// # Errors
    /// The error that keeps it from being written; QUOTA_EXCEEDED where it is too large to be kept.
    pub(super) fn store_proposal(&self, id: &str) -> Result<(), Fault> {
        self.store_and_show(id, |_| ())
    }

    /// The same; `show` is called with the proposal as it is after that, before another change: the last notice has to
    /// hold the current state.
    fn store_and_show(&self, id: &str, show: impl FnOnce(&QueuedProposal)) -> Result<(), Fault> {
        let storing = self.folder.lock_of(id);
        let _one_at_a_time = storing.lock();
        // As it is by now: who waited for the one before writes what that one has changed too.
        let items = self.items();
        let Some(item) = items.get(id) else { return Ok(()) };
        if item.storage_step() == StorageStep::Leave {
            show(&item);
            return Ok(());
        }
        // The lock on the proposals ends here: files are not written under it.
        drop(items);
        let written = self.folder.write_item(&item);
        // Drop our `Arc` first: `Arc::make_mut` would clone the item.
        drop(item);
        let mut items = self.items();
        let now = match &written {
            Ok(Some(event)) => items.apply_event(id, ReviewEvent::Call(*event)).map(|(item, _)| item),
            Ok(None) | Err(_) => items.get(id),
        };
        if let Some(item) = now {
            show(&item);
        }
        written.map(drop)
    }

    /// Forgets the oldest of what is over, in our folder too.
    pub(super) fn forget_past(&self) {
        // The lock on the proposals ends here: files are not removed under it.
        let forgotten = self.items().forget_oldest();
        forgotten.iter().for_each(|item| self.folder.remove_item(item));
    }

    /// Rejects the waiting hunks of a proposal whose call is taken back, and returns their number.
    pub(super) fn withdraw_pending(&self, id: &str, by: DecidedBy) -> Result<u32, Fault> {
        let Some((item, effects)) = self.change_item(id, ReviewEvent::Withdrawn(by)) else { return Ok(0) };
        let dropped = effects.iter().find_map(|effect| match effect {
            ReviewEffect::Log(logged, hunks) if *logged == by => Some(hunks.len()),
            _ => None,
        });
        match self.publish_effects(item, effects).into_iter().next() {
            Some(fault) => Err(fault),
            None => Ok(dropped.and_then(|dropped| u32::try_from(dropped).ok()).unwrap_or_default()),
        }
    }

    /// Returns the proposal with this id.
    pub fn get(&self, id: &str) -> Option<Arc<QueuedProposal>> {
        self.items().get(id)
    }

    /// The proposals asked for, oldest first. Nothing is read for them from the disk.
    pub fn list_proposals(&self, params: &ProposalsParams) -> Vec<Proposal> {
        self.select_items(params).iter().map(|item| item.proposal().clone()).collect()
    }

    /// Returns the items asked for, oldest first, without a copy of their texts.
    pub fn select_items(&self, params: &ProposalsParams) -> Vec<Arc<QueuedProposal>> {
        let open = self.session.log().journal_if_open().map_or("", Journal::session);
        let wanted = |item: &&Arc<QueuedProposal>| {
            let proposal = item.proposal();
            item.is_up()
                && (params.all
                    || proposal.state() == ProposalState::Pending
                    || (params.applied && proposal.hunks().any(Hunk::is_unreviewed)))
                && params
                    .path
                    .as_ref()
                    .is_none_or(|path| proposal.files.iter().any(|file| &file.path == path))
                && params.since.as_ref().is_none_or(|since| since.is_before(proposal, open))
        };
        let mut found: Vec<Arc<QueuedProposal>> = self.items().all().filter(wanted).cloned().collect();
        found.sort_by(|a, b| a.creation_order().cmp(&b.creation_order()));
        found
    }

    /// Hunks that wait, and files with such hunks.
    pub fn waiting_counts(&self) -> (u32, u32) {
        let items = self.items();
        let mut hunks = 0;
        let mut files = BTreeSet::new();
        for file in items.waiting_items().flat_map(|item| &item.proposal().files) {
            let pending = file.hunks.iter().filter(|hunk| hunk.state == HunkState::Pending).count();
            hunks += u32::try_from(pending).unwrap_or(u32::MAX);
            if pending > 0 {
                files.insert(file.path.as_str());
            }
        }
        (hunks, u32::try_from(files.len()).unwrap_or(u32::MAX))
    }

    /// Hunks that a policy applied and no person has looked at.
    pub fn count_unreviewed(&self) -> u32 {
        let items = self.items();
        let hunks = items.all().filter(|item| item.is_up()).flat_map(|item| item.proposal().hunks());
        u32::try_from(hunks.filter(|hunk| hunk.is_unreviewed()).count()).unwrap_or(u32::MAX)
    }

    /// Waits until no hunk of a proposal is pending, or `limit` has passed; then returns the proposal.
    pub async fn wait_until_decided(&self, id: &str, limit: Duration) -> Option<Arc<QueuedProposal>> {
        self.wait_with_progress(id, limit, |_| {}).await
    }

    /// Waits in the same way; `tell` is called with the proposal, at first and after each change, while a hunk is
    /// pending.
    pub(super) async fn wait_with_progress(
        &self,
        id: &str,
        limit: Duration,
        tell: impl Fn(&QueuedProposal),
    ) -> Option<Arc<QueuedProposal>> {
        let mut changes = self.changed.subscribe();
        let deadline = tokio::time::Instant::now() + limit;
        loop {
            changes.borrow_and_update();
            let item = self.get(id)?;
            if item.proposal().state() != ProposalState::Pending {
                return Some(item);
            }
            tell(&item);
            drop(item);
            if tokio::time::timeout_at(deadline, changes.changed()).await.is_err() {
                return self.get(id);
            }
        }
    }
}
