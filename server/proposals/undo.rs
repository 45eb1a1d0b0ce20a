//! An applied change is taken back, with later edits kept; or refused where they overlap.
//!
//! # Invariants
//!
//! - No undo writes what the rules refuse when it is made.
//!   Test: `an_undo_goes_by_the_rules_of_now`

mod back;
mod consent;
mod plan;

use std::sync::Arc;

use super::decision_turns::DecisionTurns;
use super::deliveries::OutcomeDeliveries;
use super::follow_texts::TextFollower;
use super::place_whole::StepPlacer;
use super::store::ProposalStore;
use crate::base::CallId;
use crate::protocol::{Code, DecidedBy, Fault, UndoAnswer};
use crate::review::{QueuedProposal, ReviewEvent};
use crate::session::WorkspaceSession;
use crate::workspace::{Checkpoint, Checkpoints};

/// The target of an undo.
enum UndoTarget<'a> {
    /// A change that was applied.
    Applied(Checkpoint, tokio::sync::MutexGuard<'a, ()>),
    /// Nothing was applied: what waited is rejected, and that is the answer.
    Withdrawn(UndoAnswer),
}

/// Undos: whole calls whose changes are taken back, one at a time.
#[derive(Debug)]
pub struct UndoRunner {
    session: Arc<WorkspaceSession>,
    store: Arc<ProposalStore>,
    texts: Arc<TextFollower>,
    turns: Arc<DecisionTurns>,
    steps: Arc<StepPlacer>,
    deliveries: Arc<OutcomeDeliveries>,
    /// The lock that is held while a change is taken back: one at a time.
    undoing: tokio::sync::Mutex<()>,
}

impl UndoRunner {
    /// Takes back the calls of a session, whose proposals a store has.
    pub(super) fn new(
        session: Arc<WorkspaceSession>,
        store: Arc<ProposalStore>,
        texts: Arc<TextFollower>,
        turns: Arc<DecisionTurns>,
        steps: Arc<StepPlacer>,
        deliveries: Arc<OutcomeDeliveries>,
    ) -> Self {
        Self { session, store, texts, turns, steps, deliveries, undoing: tokio::sync::Mutex::default() }
    }

    /// Takes back the change of a call: the last call that changed anything when none is named. Its hunks that still
    /// wait are rejected. The undo has an id of its own and can be undone.
    ///
    /// # Errors
    /// NOT_FOUND where nothing of that call is kept or nothing of it is left to take back, STALE where later edits
    /// overlap; then nothing changed, unless the fault states `applied`.
    pub async fn undo_call(&self, call: Option<&str>) -> Result<UndoAnswer, Fault> {
        // It writes and waits for the disk: not where requests are read.
        tokio::task::yield_now().await;
        let (found, _one_at_a_time) = match self.choose_change(call).await? {
            UndoTarget::Applied(found, one_at_a_time) => (found, one_at_a_time),
            UndoTarget::Withdrawn(answer) => return Ok(answer),
        };
        let checkpoints = Checkpoints::new(self.session.workspace().state());
        let name = format!("{}/{}", found.session, found.call);
        let _turn = self.turns.await_call(&name).await;
        let paths = found.steps.iter().flat_map(|step| [Some(step.path.clone()), step.from.clone()]);
        let _files = self.turns.await_files(paths.flatten().collect()).await;
        // As it is by now: a decision on another hunk of the call may have come first.
        let checkpoint = checkpoints.find_checkpoint(&name)?;
        if checkpoint.undone {
            return Err(Fault::new(Code::NotFound, format!("call {} was undone already", checkpoint.call))
                .with_suggestion("undo the undo by its own id to bring the change back"));
        }
        let proposal = self.store.items().of_call(&name).map(|item| item.proposal().id.clone());
        let withdraw =
            || proposal.as_ref().map_or(Ok(0), |id| self.store.withdraw_pending(id, DecidedBy::Person));
        match self.take_all_back(&checkpoint).await {
            // Nothing of it is in the workspace any more. Its waiting hunks are withdrawn where the call was named, and
            // only then.
            Err(fault) if fault.code == Code::NotFound && fault.applied.is_none() && call.is_some() => {
                match withdraw()? {
                    0 => Err(fault),
                    withdrawn => {
                        let call = checkpoint.call;
                        Ok(UndoAnswer { call, undo_id: CallId::default(), paths: Vec::new(), withdrawn })
                    }
                }
            }
            Err(fault) => Err(fault),
            Ok((undo_id, paths)) => {
                let done = withdraw().map_err(|fault| Fault { applied: Some(true), ..fault });
                if let Some(id) = &proposal {
                    // The person who took it back need not review it any more.
                    let _ = self.store.apply_event(id, ReviewEvent::Undone);
                }
                if let Some(item) = proposal.as_ref().and_then(|id| self.store.get(id)) {
                    self.deliveries.deliver_undone(item.proposal());
                    self.deliveries.mark_delivered(&item.proposal().id)?;
                }
                done.map(|withdrawn| UndoAnswer { call: checkpoint.call, undo_id, paths, withdrawn })
            }
        }
    }

    /// The change that is to be taken back, once the person said yes where they are asked; no other undo goes on until what
    /// it comes with is dropped.
    async fn choose_change(&self, call: Option<&str>) -> Result<UndoTarget<'_>, Fault> {
        let checkpoints = Checkpoints::new(self.session.workspace().state());
        let find =
            || call.map_or_else(|| checkpoints.latest_change(None), |call| checkpoints.find_checkpoint(call));
        loop {
            let found = match (find(), call.and_then(|call| self.find_undecided(call))) {
                (Ok(found), _) => found,
                (Err(_), Some(item)) => {
                    // Nothing of it was applied: what waits is all there is.
                    let _turn = self.turns.await_call(&item.call_key()).await;
                    let withdrawn = self.store.withdraw_pending(&item.proposal().id, DecidedBy::Person)?;
                    let call = item.proposal().call_id.clone();
                    let answer =
                        UndoAnswer { call, undo_id: CallId::default(), paths: Vec::new(), withdrawn };
                    return Ok(UndoTarget::Withdrawn(answer));
                }
                (Err(error), None) => return Err(error.into()),
            };
            // A person may take minutes to answer: no other undo waits for that.
            self.may_undo(&found).await?;
            let one_at_a_time = self.undoing.lock().await;
            // Another undo may have come first; then a different call is the last one, with files of its own.
            if call.is_some()
                || find().is_ok_and(|now| (&now.session, &now.call) == (&found.session, &found.call))
            {
                return Ok(UndoTarget::Applied(found, one_at_a_time));
            }
        }
    }

    /// The proposal of a call, named as `c-0007` or `SESSION/c-0007`, with hunks that wait.
    fn find_undecided(&self, call: &str) -> Option<Arc<QueuedProposal>> {
        let items = self.store.items();
        let named = |item: &&Arc<QueuedProposal>| item.proposal().call_id == call || item.call_key() == call;
        items.waiting_items().filter(named).last().cloned()
    }
}
