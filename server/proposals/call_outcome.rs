//! Answers a call on its proposal: a policy decides at once, or the caller waits for a person.

use std::sync::Arc;
use std::time::Duration;

use super::decide::DecisionRunner;
use super::deliveries::OutcomeDeliveries;
use super::interrupted_calls::InterruptedCalls;
use super::store::ProposalStore;
use super::{ask_client, proposal_answer, wait_for_person};
use crate::base::ProposalId;
use crate::protocol::{ChangeAnswer, Code, Fault, HunkState, Policy, ProposalState, Status};
use crate::review::QueuedProposal;
use crate::session::{CallScope, WorkspaceSession};

/// Calls that wait for the decisions on their proposals, and get their answers.
#[derive(Debug)]
pub struct CallReview {
    session: Arc<WorkspaceSession>,
    store: Arc<ProposalStore>,
    decisions: Arc<DecisionRunner>,
    deliveries: Arc<OutcomeDeliveries>,
    interrupted: Arc<InterruptedCalls>,
}

impl CallReview {
    /// Answers the calls whose proposals are in a store.
    pub(super) fn new(
        session: Arc<WorkspaceSession>,
        store: Arc<ProposalStore>,
        decisions: Arc<DecisionRunner>,
        deliveries: Arc<OutcomeDeliveries>,
        interrupted: Arc<InterruptedCalls>,
    ) -> Self {
        Self { session, store, decisions, deliveries, interrupted }
    }

    /// Lets the policy or the person decide on a proposal, and answers with its state after that.
    ///
    /// # Errors
    /// CANCELLED where the call was cancelled, and the error that keeps a policy from being carried out.
    pub(crate) async fn await_outcome(
        &self,
        id: &str,
        policy: Policy,
        scope: &CallScope,
    ) -> Result<(Status, ChangeAnswer), Fault> {
        if policy == Policy::Auto {
            return self.apply_and_answer(id, scope).await;
        }
        let attached = self.session.editor().attached();
        if policy == Policy::Ask && !attached {
            self.ask_client(id, scope).await;
        }
        let caller = scope.caller();
        let decides = caller.is_some_and(|caller| caller.decides());
        let is_shown = policy == Policy::Ask && (attached || decides);
        let limit = if is_shown { scope.wait_limit() } else { Duration::ZERO };
        let limit = caller.and_then(|caller| caller.patience()).filter(|_| is_shown).unwrap_or(limit);
        if let (Some(caller), Some(item)) = (caller.filter(|_| is_shown), self.store.get(id)) {
            caller.proposed(&item.proposal().id, &item.proposal().call_id);
        }
        let proposal = ProposalId::from(id);
        let left = async {
            match caller {
                Some(caller) => caller.left(&proposal).await,
                None => std::future::pending().await,
            }
        };
        let item = tokio::select! {
            item = self.wait_for_person(id, limit, scope) => item,
            () = left => self.store.get(id),
            () = scope.cancel_token().cancelled() => None,
        };
        if scope.cancel_token().is_cancelled() {
            // The caller does not read this answer: the decisions come with the agent's next result.
            self.deliveries.answered_pending(id)?;
            self.interrupted.note_interruption(id);
            let message = format!(
                "the call was cancelled; what nobody decided of its proposal {id} stays open for review"
            );
            return Err(Fault::new(Code::Cancelled, message));
        }
        let item = require_item(id, item)?;
        let is_pending = item.proposal().state() == ProposalState::Pending;
        if is_pending {
            self.deliveries.answered_pending(id)?
        } else {
            self.deliveries.mark_delivered(id)?
        }
        let status = if is_pending { Status::Pending } else { Status::Ok };
        Ok((status, proposal_answer(&self.session, scope.files(), &item)?))
    }

    /// Waits until no hunk of a proposal is pending, or `limit` has passed; then returns the proposal. The caller gets
    /// progress on what its call waits for, again after each decision.
    pub(crate) async fn wait_for_person(
        &self,
        id: &str,
        limit: Duration,
        scope: &CallScope,
    ) -> Option<Arc<QueuedProposal>> {
        let tell = |item: &QueuedProposal| {
            let on = wait_for_person::describe_pending([item.proposal()]);
            scope.report_waiting(Some(&format!("{}: {on}", wait_for_person::person_message(&self.session))));
        };
        // A call that does not wait reports no waiting.
        let item = match limit.is_zero() {
            true => self.store.wait_until_decided(id, limit).await,
            false => self.store.wait_with_progress(id, limit, tell).await,
        };
        scope.report_waiting(None);
        item
    }

    /// With no editor to show the change in, the person is asked in the agent's own client, where that can ask.
    async fn ask_client(&self, id: &str, scope: &CallScope) {
        let Some(caller) = scope.caller().filter(|caller| caller.waits()) else { return };
        let Some(item) = self.store.get(id) else { return };
        let limit = scope.wait_limit();
        tokio::select! {
            () = ask_client::ask_for_decision(&self.decisions, &**caller, item.proposal(), limit) => {}
            () = scope.cancel_token().cancelled() => {}
        }
    }

    /// Applies a proposal under the policy `auto`, and answers with the outcome.
    async fn apply_and_answer(&self, id: &str, scope: &CallScope) -> Result<(Status, ChangeAnswer), Fault> {
        let (item, fault) = self.decisions.apply_automatically(id).await;
        let item = require_item(id, item)?;
        if scope.cancel_token().is_cancelled() {
            // The caller does not read this answer: the outcome comes with the agent's next result too.
            self.deliveries.answered_pending(id)?;
        } else {
            self.deliveries.keep_for_review(id);
        }
        let dropped = item.proposal().hunks().any(|hunk| hunk.state == HunkState::Rejected);
        match fault {
            // A policy that could not carry its decision out gives the reason; the part that took effect stays and is
            // reported.
            Some(fault) if fault.applied == Some(true) || dropped => Err(fault),
            _ => Ok((Status::Ok, proposal_answer(&self.session, scope.files(), &item)?)),
        }
    }
}

fn require_item(id: &str, item: Option<Arc<QueuedProposal>>) -> Result<Arc<QueuedProposal>, Fault> {
    item.ok_or_else(|| Fault::internal(format!("proposal {id} is gone")))
}
