//! The proposals of a folder as the rest of the program reaches them: a part for each thing that is done with them.

use std::sync::Arc;

use super::adopt::ChangeAdopter;
use super::call_outcome::CallReview;
use super::decide::DecisionRunner;
use super::decision_turns::DecisionTurns;
use super::deliveries::OutcomeDeliveries;
use super::follow_disk::DiskFollower;
use super::follow_texts::TextFollower;
use super::interrupted_calls::InterruptedCalls;
use super::new_proposal::DraftIntake;
use super::place_hunks::HunkPlacer;
use super::place_whole::StepPlacer;
use super::proposal_report::proposal_answer;
use super::store::ProposalStore;
use super::undo::UndoRunner;
use crate::protocol::{ChangeAnswer, Fault};
use crate::review::QueuedProposal;
use crate::session::WorkspaceSession;
use crate::workspace::WorkspaceFiles;

/// The proposals of a folder, with the parts that work on them.
#[derive(Debug)]
pub struct ProposalQueue {
    session: Arc<WorkspaceSession>,
    store: Arc<ProposalStore>,
    texts: Arc<TextFollower>,
    disk: Arc<DiskFollower>,
    intake: Arc<DraftIntake>,
    adopter: ChangeAdopter,
    calls: CallReview,
    deliveries: Arc<OutcomeDeliveries>,
    interrupted: Arc<InterruptedCalls>,
    decisions: Arc<DecisionRunner>,
    undos: UndoRunner,
}

impl ProposalQueue {
    /// The queue of a session, with what earlier processes left in it.
    pub fn open(session: Arc<WorkspaceSession>) -> Self {
        let own = || session.clone();
        let turns = Arc::new(DecisionTurns::default());
        let store = Arc::new(ProposalStore::open(own()));
        let texts = Arc::new(TextFollower::open(own(), store.clone(), turns.clone()));
        let disk = Arc::new(DiskFollower::new(own(), store.clone(), texts.clone()));
        let deliveries = Arc::new(OutcomeDeliveries::new(own(), store.clone()));
        let interrupted = Arc::new(InterruptedCalls::new(own(), store.clone()));
        let intake = Arc::new(DraftIntake::new(own(), store.clone(), disk.clone()));
        let adopter = ChangeAdopter::new(
            own(),
            store.clone(),
            texts.clone(),
            disk.clone(),
            intake.clone(),
            deliveries.clone(),
        );
        let steps = Arc::new(StepPlacer::new(own(), store.clone(), texts.clone()));
        let placer = HunkPlacer::new(own(), store.clone(), texts.clone(), steps.clone());
        let decisions =
            Arc::new(DecisionRunner::new(own(), store.clone(), texts.clone(), turns.clone(), placer));
        let calls =
            CallReview::new(own(), store.clone(), decisions.clone(), deliveries.clone(), interrupted.clone());
        let undos = UndoRunner::new(own(), store.clone(), texts.clone(), turns, steps, deliveries.clone());
        Self {
            store,
            texts,
            disk,
            intake,
            adopter,
            calls,
            deliveries,
            interrupted,
            decisions,
            undos,
            session,
        }
    }

    /// The proposals themselves.
    pub fn store(&self) -> &ProposalStore {
        &self.store
    }

    /// The texts that hunks stand in.
    pub fn texts(&self) -> &TextFollower {
        &self.texts
    }

    /// The files on the disk that hunks follow.
    pub fn disk(&self) -> &Arc<DiskFollower> {
        &self.disk
    }

    /// The intake of drafts.
    pub fn intake(&self) -> &DraftIntake {
        &self.intake
    }

    /// The intake of changes that are made already.
    pub fn adopter(&self) -> &ChangeAdopter {
        &self.adopter
    }

    /// The calls that wait for decisions.
    pub fn calls(&self) -> &CallReview {
        &self.calls
    }

    /// The outcomes for agents.
    pub fn deliveries(&self) -> &OutcomeDeliveries {
        &self.deliveries
    }

    /// The calls that were broken off.
    pub fn interrupted(&self) -> &Arc<InterruptedCalls> {
        &self.interrupted
    }

    /// The decisions.
    pub fn decisions(&self) -> &DecisionRunner {
        &self.decisions
    }

    /// The undos.
    pub fn undos(&self) -> &UndoRunner {
        &self.undos
    }

    /// Answers the call that made a proposal, in the proposal's state; see [`proposal_answer`].
    ///
    /// # Errors
    /// REJECTED where all of it was refused, STALE where the text changed under all of it.
    pub(crate) fn answer_call(
        &self,
        files: &WorkspaceFiles,
        item: &QueuedProposal,
    ) -> Result<ChangeAnswer, Fault> {
        proposal_answer(&self.session, files, item)
    }
}
