//! What waits for a decision, kept in memory and beside the log, and the waiting for it.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::watch;

use super::cut;
use super::follower::WantedLooks;
use super::handing;
use super::interrupted::InterruptedCalls;
use super::item::{Item, ReviewEffect, ReviewEvent};
use super::items::Items;
use super::keep;
use super::lifecycle::{CallStage, LifecycleEffect, LifecycleEvent};
use super::record::Unlogged;
use super::report;
use super::turns::Turns;
use crate::base::{ProposalId, WorkspacePath, blocking};
use crate::journal::Journal;
use crate::protocol::{
    Code, Delivery, DeliveryStatus, Event, Fault, Hunk, HunkState, Notice, Origin, Policy, Proposal,
    ProposalState, ProposalsParams,
};
use crate::registry::{Call, Draft};
use crate::session::Session;

/// The proposals of a workspace.
#[derive(Debug)]
pub struct ProposalQueue {
    pub(super) session: Arc<Session>,
    items: Mutex<Items>,
    /// Who may carry out a decision.
    pub(super) turns: Turns,
    /// Files whose text changes because a decision is carried out, not because a person types.
    pub(super) placing: Mutex<BTreeSet<WorkspacePath>>,
    changed: watch::Sender<u64>,
    undone: Mutex<Vec<(String, Delivery)>>,
    /// Held while a change is taken back: one at a time.
    pub(super) undoing: tokio::sync::Mutex<()>,
    pub(super) unlogged: Unlogged,
    /// Proposals whose agents wait no more.
    pub(super) interrupted: InterruptedCalls,
    /// The files that are to be looked at.
    pub(super) looks: Arc<WantedLooks>,
}

impl Drop for ProposalQueue {
    /// Whoever waits for files to look at goes.
    fn drop(&mut self) {
        self.looks.wake();
    }
}

/// A call whose proposal is remembered until this is dropped: it still has to answer.
#[derive(Debug)]
pub struct OpenCall<'a> {
    queue: &'a ProposalQueue,
    id: ProposalId,
}

impl OpenCall<'_> {
    /// Its proposal's id.
    pub fn id(&self) -> &ProposalId {
        &self.id
    }
}

impl Drop for OpenCall<'_> {
    fn drop(&mut self) {
        if self.queue.advance(&self.id, LifecycleEvent::CallEnded) == Some(LifecycleEffect::Forget) {
            self.queue.items().forget();
        }
    }
}

impl ProposalQueue {
    /// The queue of a session, with what earlier processes left in it.
    pub fn open(session: Arc<Session>) -> Self {
        let queue = Self {
            items: Mutex::default(),
            turns: Turns::default(),
            placing: Mutex::default(),
            changed: watch::Sender::new(0),
            undone: Mutex::default(),
            undoing: tokio::sync::Mutex::default(),
            unlogged: Unlogged::default(),
            interrupted: InterruptedCalls::default(),
            looks: Arc::default(),
            session,
        };
        handing::finish(&queue.session);
        for left in keep::left(&queue.session) {
            queue.publish_later(&left.item, left.effects);
            queue.items().insert(left.item);
        }
        queue.look_at_opening();
        queue
    }

    pub(super) fn items(&self) -> MutexGuard<'_, Items> {
        self.items.lock()
    }

    /// Puts a call's draft in the queue. What the policy `auto` applies at once is not up for review before that; anything
    /// else is shown, pending.
    ///
    /// # Errors
    /// What keeps it from being logged or kept; QUOTA_EXCEEDED where too many wait already.
    pub fn submit(&self, call: &Call, draft: Draft, policy: Policy) -> Result<OpenCall<'_>, Fault> {
        let item = cut::cut(&self.session, call, draft, policy)?;
        let proposal = item.proposal().clone();
        let id = proposal.id.clone();
        let diffs = proposal.files.iter().zip(item.views()).map(|(file, view)| report::diff(file, view));
        let event = Event::Proposal {
            proposal: id.clone(),
            call_id: proposal.call_id.clone(),
            policy,
            files: diffs.collect(),
            hunks: report::decisions(&proposal, |_| true),
        };
        self.admit(item)?;
        let open = OpenCall { queue: self, id: id.clone() };
        let written = self.write_unlogged().and_then(|()| Ok(self.session.log().write(event)?));
        let done = written.and_then(|_| self.keep(&id));
        if let Err(fault) = done {
            self.items().remove(&id);
            return Err(fault);
        }
        if self.advance(&id, LifecycleEvent::Logged(policy)) == Some(LifecycleEffect::Announce) {
            self.session.memory().stands(&proposal);
            let paths: Vec<WorkspacePath> = proposal.files.iter().map(|file| file.path.clone()).collect();
            self.session.editor().tell(Notice::Proposed(proposal));
            // A change between the agent's look and now was told before the hunks were here.
            self.look_soon(paths);
        }
        Ok(open)
    }

    /// Has something happen to a proposal's call; gives what that asks for.
    pub(super) fn advance(&self, id: &str, event: LifecycleEvent) -> Option<LifecycleEffect> {
        let (_, effects) = self.items().happen(id, ReviewEvent::Call(event))?;
        effects.into_iter().find_map(|effect| match effect {
            ReviewEffect::Call(effect) => Some(effect),
            _ => None,
        })
    }

    /// Has something happen to a proposal, and carries out what that asks for. Gives what could not be done of that.
    pub(super) fn happen(&self, id: &str, event: ReviewEvent<'_>) -> Vec<Fault> {
        let happened = self.items().happen(id, event);
        happened.map_or_else(Vec::new, |(item, effects)| self.publish(item, effects))
    }

    /// Tells the log, the state folder and the editor what a transition asks for. Gives what could not be done of that.
    pub(super) fn publish(&self, item: Arc<Item>, effects: Vec<ReviewEffect>) -> Vec<Fault> {
        let mut faults = Vec::new();
        for effect in &effects {
            match effect {
                ReviewEffect::Log(by, hunks) => faults.extend(self.record(item.proposal(), *by, hunks).err()),
                ReviewEffect::TellPlaces => self.tell_places(&item.proposal().id),
                _ => {}
            }
        }
        let id = item.proposal().id.clone();
        // One that is looked at elsewhere would be copied to be changed.
        drop(item);
        if effects.contains(&ReviewEffect::Call(LifecycleEffect::Update)) {
            faults.extend(self.update(&id).err());
        }
        faults
    }

    /// The same for a folder that is opened. The log is opened by whoever does something, not by who only looks: it is told
    /// with the next decision, and so is the state folder.
    pub(super) fn publish_later(&self, item: &Item, effects: Vec<ReviewEffect>) {
        for effect in effects {
            if let ReviewEffect::Log(by, hunks) = effect {
                self.record_later(item.proposal(), by, &hunks);
            }
        }
        self.session.memory().stands(item.proposal());
    }

    /// Takes a proposal in, unless as many wait as may.
    fn admit(&self, item: Item) -> Result<(), Fault> {
        let most = self.session.workspace().settings().limits.held;
        let mut items = self.items();
        if item.policy() != Policy::Auto && items.count_waiting() >= most {
            return Err(Fault::new(
                Code::QuotaExceeded,
                format!("{most} changes wait for a decision already; that is the limit (limits.held)"),
            )
            .suggest(
                "ask the person to decide on what waits (`wherefore review`), and wait for that with review.wait, \
                 before you propose more",
            ));
        }
        items.insert(item);
        Ok(())
    }

    /// Keeps an item as it is now, tells the editor and wakes who waits. One that is decided and told to its
    /// agent leaves our folder.
    pub(super) fn update(&self, id: &str) -> Result<(), Fault> {
        let kept = self.keep(id);
        let mut items = self.items();
        if let Some(item) = items.get(id).filter(|item| item.is_up()) {
            // Before anybody else changes it: what is told last is how it stands.
            self.session.memory().stands(item.proposal());
            self.session.editor().tell(Notice::Changed(item.proposal().clone()));
        }
        items.forget();
        drop(items);
        self.changed.send_modify(|count| *count += 1);
        kept
    }

    /// One proposal.
    pub fn get(&self, id: &str) -> Option<Arc<Item>> {
        self.items().get(id)
    }

    /// The proposals asked for, oldest first. Nothing is read for them from the disk.
    pub fn list(&self, params: &ProposalsParams) -> Vec<Proposal> {
        self.select(params).iter().map(|item| item.proposal().clone()).collect()
    }

    /// The same without a copy of their texts, to be looked at and let go.
    pub fn select(&self, params: &ProposalsParams) -> Vec<Arc<Item>> {
        let open = self.session.log().opened().map_or("", Journal::session);
        let wanted = |item: &&Arc<Item>| {
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
        let mut found: Vec<Arc<Item>> = self.items().all().filter(wanted).cloned().collect();
        found.sort_by(|a, b| a.age().cmp(&b.age()));
        found
    }

    /// Hunks that wait, and files with such hunks.
    pub fn waiting(&self) -> (u32, u32) {
        let items = self.items();
        let mut hunks = 0;
        let mut files = BTreeSet::new();
        for file in items.waiting().flat_map(|item| &item.proposal().files) {
            let pending = file.hunks.iter().filter(|hunk| hunk.state == HunkState::Pending).count();
            hunks += u32::try_from(pending).unwrap_or(u32::MAX);
            if pending > 0 {
                files.insert(file.path.as_str());
            }
        }
        (hunks, u32::try_from(files.len()).unwrap_or(u32::MAX))
    }

    /// Hunks that a policy applied and no person has looked at.
    pub fn unreviewed(&self) -> u32 {
        let items = self.items();
        let hunks = items.all().filter(|item| item.is_up()).flat_map(|item| item.proposal().hunks());
        u32::try_from(hunks.filter(|hunk| hunk.is_unreviewed()).count()).unwrap_or(u32::MAX)
    }

    /// Waits until no hunk of a proposal is pending, or `limit` has passed; then how it stands.
    pub async fn wait(&self, id: &str, limit: Duration) -> Option<Arc<Item>> {
        self.wait_telling(id, limit, |_| {}).await
    }

    /// The same; `tell` is told how the proposal stands, at first and after each change, while a hunk is pending.
    pub(super) async fn wait_telling(
        &self,
        id: &str,
        limit: Duration,
        tell: impl Fn(&Item),
    ) -> Option<Arc<Item>> {
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

    /// Notes that a proposal's call was answered while hunks still waited, or that nobody heard the answer: its agent
    /// hears of the outcome with a later result.
    pub fn answered_pending(&self, id: &str) -> Result<(), Fault> {
        // The lock on the proposals ends here: what follows takes it itself.
        let effect = self.advance(id, LifecycleEvent::AnsweredPending);
        match effect {
            Some(LifecycleEffect::Update) => blocking(|| self.update(id)),
            _ => Ok(()),
        }
    }

    /// Notes that the agent of a proposal knows its outcome.
    pub fn told(&self, id: &str) -> Result<(), Fault> {
        let effect = self.advance(id, LifecycleEvent::ToldByAnswer);
        match effect {
            Some(LifecycleEffect::Keep) => blocking(|| self.keep(id)),
            _ => Ok(()),
        }
    }

    /// Decisions that an agent has not heard of yet, each given once. Those of an earlier connection of the same agent,
    /// which hears no more of them, are given to this one, and so are those of its calls by another door.
    pub fn deliveries(self: &Arc<Self>, agent: &Origin) -> Vec<Delivery> {
        let addressee = agent.addressee();
        let mut found: Vec<Delivery> = Vec::new();
        let is_for = |item: &&Arc<Item>| {
            let origin = &item.proposal().origin;
            item.life().stage == CallStage::Answered && self.session.presence().is_same_agent(origin, agent)
        };
        let waiting: Vec<ProposalId> =
            self.items().due().filter(is_for).map(|item| item.proposal().id.clone()).collect();
        // Of two results at one time one tells of it.
        let mut told = Vec::new();
        for id in waiting {
            let delivered = self.items().happen(&id, ReviewEvent::Call(LifecycleEvent::Delivered));
            let deliver = ReviewEffect::Call(LifecycleEffect::Deliver);
            if let Some((item, _)) = delivered.filter(|(_, effects)| effects.contains(&deliver)) {
                found.push(report::delivery(item.proposal(), item.proposal().state().into()));
                told.push(id);
            }
        }
        self.keep_told(told);
        let mut undone = self.undone.lock();
        let mine = undone.extract_if(.., |(to, _)| *to == addressee).map(|(_, delivery)| delivery);
        found.extend(mine);
        found
    }

    /// Notes in our folder that agents know of proposals. What could not be noted is told again by the next process: better
    /// twice than never. So no answer waits for it, where the process goes on after that.
    fn keep_told(self: &Arc<Self>, told: Vec<ProposalId>) {
        if told.is_empty() {
            return;
        }
        let queue = self.clone();
        let keep = move || {
            // What is told to an agent is in the log, or nothing can be written there.
            let _ = queue.write_unlogged();
            told.iter().for_each(|id| drop(queue.keep(id)));
            queue.items().forget();
        };
        match Handle::try_current() {
            Ok(runtime) if runtime.runtime_flavor() == RuntimeFlavor::MultiThread => {
                runtime.spawn_blocking(keep);
            }
            _ => keep(),
        }
    }

    /// Lets the agent of a call know, with its next result, that a person took its change back.
    pub(super) fn deliver_undone(&self, proposal: &Proposal) {
        let entry = (proposal.origin.addressee(), report::delivery(proposal, DeliveryStatus::Undone));
        self.undone.lock().push(entry);
    }
}
