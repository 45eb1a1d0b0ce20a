//! The delivery of outcomes: by the answer of the call that made a proposal, or with a later result of its agent.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::runtime::{Handle, RuntimeFlavor};

use super::proposal_report;
use super::store::ProposalStore;
use crate::base::{ProposalId, run_blocking};
use crate::protocol::{Delivery, DeliveryStatus, Fault, Origin, Proposal};
use crate::review::{CallStage, LifecycleEffect, LifecycleEvent, QueuedProposal, ReviewEffect, ReviewEvent};
use crate::session::WorkspaceSession;

/// The most undos kept for agents: an agent that never calls again gets none.
const MOST_UNDOS: usize = 256;

/// The outcomes that agents have, and those that they are still to get.
#[derive(Debug)]
pub struct OutcomeDeliveries {
    session: Arc<WorkspaceSession>,
    store: Arc<ProposalStore>,
    undone: Mutex<Vec<(String, Delivery)>>,
}

impl OutcomeDeliveries {
    /// The deliveries of the proposals in a store.
    pub(super) fn new(session: Arc<WorkspaceSession>, store: Arc<ProposalStore>) -> Self {
        Self { session, store, undone: Mutex::default() }
    }

    /// Notes that a proposal's call was answered while hunks still waited, or that its answer was not read: a later
    /// result delivers the outcome to the agent.
    pub fn answered_pending(&self, id: &str) -> Result<(), Fault> {
        // The lock on the proposals ends here: what follows takes it itself.
        let effect = self.store.advance_call(id, LifecycleEvent::AnsweredPending);
        match effect {
            Some(LifecycleEffect::Update) => run_blocking(|| self.store.update_item(id)),
            _ => Ok(()),
        }
    }

    /// Notes that the agent of a proposal knows its outcome.
    pub fn mark_delivered(&self, id: &str) -> Result<(), Fault> {
        let effect = self.store.advance_call(id, LifecycleEvent::DeliveredByAnswer);
        match effect {
            Some(LifecycleEffect::Keep) => run_blocking(|| self.store.store_proposal(id)),
            _ => Ok(()),
        }
    }

    /// Keeps a proposal whose call is being answered for a later review. Changes in the workspace are not put in doubt
    /// where that fails: the failure is reported.
    pub(super) fn keep_for_review(&self, id: &str) {
        if let Err(fault) = self.mark_delivered(id) {
            let message = format!("{id} cannot be kept for a review afterwards: {}", fault.message);
            self.session.troubles().report_trouble(message);
        }
    }

    /// Takes the decisions that an agent has not got yet, each once. Those of an earlier connection of the same agent,
    /// which gets no more results, go to this one, and so do those of its calls by another door.
    pub fn take_deliveries(&self, agent: &Origin) -> Vec<Delivery> {
        let addressee = agent.delivery_key();
        let mut found: Vec<Delivery> = Vec::new();
        let is_for = |item: &&Arc<QueuedProposal>| {
            let origin = &item.proposal().origin;
            item.life().stage == CallStage::Answered && self.session.presence().is_same_agent(origin, agent)
        };
        let waiting: Vec<ProposalId> =
            self.store.items().due_items().filter(is_for).map(|item| item.proposal().id.clone()).collect();
        // Of two results at the same time, one delivers it.
        let mut told = Vec::new();
        for id in waiting {
            let delivered = self.store.change_item(&id, ReviewEvent::Call(LifecycleEvent::Delivered));
            let deliver = ReviewEffect::Call(LifecycleEffect::Deliver);
            if let Some((item, _)) = delivered.filter(|(_, effects)| effects.contains(&deliver)) {
                found.push(proposal_report::new_delivery(item.proposal(), item.proposal().state().into()));
                told.push(id);
            }
        }
        self.store_delivered(told);
        let mut undone = self.undone.lock();
        let mine = undone.extract_if(.., |(to, _)| *to == addressee).map(|(_, delivery)| delivery);
        found.extend(mine);
        found
    }

    /// Stores in our folder that outcomes were delivered. A failure makes the next process deliver the outcome again:
    /// better twice than never. So no answer waits for it, where the process goes on after that.
    fn store_delivered(&self, told: Vec<ProposalId>) {
        if told.is_empty() {
            return;
        }
        let store = self.store.clone();
        let keep = move || {
            // A delivered outcome is in the log, or nothing can be written there.
            let _ = store.log().write_unlogged();
            told.iter().for_each(|id| drop(store.store_proposal(id)));
            store.forget_past();
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
        let entry =
            (proposal.origin.delivery_key(), proposal_report::new_delivery(proposal, DeliveryStatus::Undone));
        let mut undone = self.undone.lock();
        if undone.len() == MOST_UNDOS {
            undone.remove(0);
        }
        undone.push(entry);
    }
}
