//! The hunks of one review and the decisions on them, for every screen.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::cli::backend::RequestTarget;
use crate::protocol::{Act, DecideParams, Fault, Hunk, HunkState, Proposal, ProposedFile};
use crate::requests::Decide;
use crate::requests::decide::DecideAnswer;

/// The receiver of decisions.
pub(in crate::cli) trait DecisionTarget {
    /// Carries out a decision.
    ///
    /// # Errors
    /// The reason why it cannot be carried out.
    fn send_decision(&mut self, decision: DecideParams) -> Result<DecideAnswer, Fault>;
}

impl DecisionTarget for RequestTarget {
    fn send_decision(&mut self, decision: DecideParams) -> Result<DecideAnswer, Fault> {
        self.ask::<Decide>(decision)
    }
}

/// A hunk of the review.
#[derive(Clone, Debug)]
pub(in crate::cli) struct ReviewStep {
    pub(super) proposal: Rc<Proposal>,
    /// The index of its file in the proposal.
    pub(super) file: usize,
    /// The hunk as it was listed, updated by each decision on its proposal, which may move its lines.
    pub(super) hunk: Hunk,
    /// The decision made here.
    pub(super) decided: Option<Act>,
}

impl ReviewStep {
    /// The hunks of a proposal that need a decision.
    pub(in crate::cli) fn steps_of_proposal(proposal: &Proposal, applied: bool) -> Vec<Self> {
        let shared = Rc::new(proposal.clone());
        let of_file = |(file, proposed): (usize, &ProposedFile)| {
            let shared = shared.clone();
            let shown = proposed.hunks.iter().filter(move |hunk| is_open(hunk, applied)).cloned();
            shown
                .map(move |hunk| Self { proposal: shared.clone(), file, hunk, decided: None })
                .collect::<Vec<_>>()
        };
        proposal.files.iter().enumerate().flat_map(of_file).collect()
    }

    pub(super) fn file(&self) -> &ProposedFile {
        &self.proposal.files[self.file]
    }

    fn decision_params(&self, act: Act, reason: Option<String>) -> DecideParams {
        let (proposal, hunks) = (Some(self.proposal.id.clone()), vec![self.hunk.id.clone()]);
        DecideParams { proposal, hunks, reason, ..DecideParams::all(act) }
    }

    fn is_same_file(&self, other: &Self) -> bool {
        self.proposal.id == other.proposal.id && self.file == other.file
    }
}

/// Returns whether a hunk needs a decision; `applied` includes hunks that a policy applied.
pub(super) fn is_open(hunk: &Hunk, applied: bool) -> bool {
    hunk.state == HunkState::Pending || (applied && hunk.is_unreviewed())
}

/// The decision of the last key. It is sent with the next one, so that it can be taken back.
#[derive(Debug)]
struct HeldDecision {
    /// The hunk that the key was pressed at.
    at: usize,
    decisions: Vec<(usize, DecideParams)>,
}

/// The hunks of one review, in order.
#[derive(Debug)]
pub(in crate::cli) struct ReviewSession {
    pub(super) steps: Vec<ReviewStep>,
    /// True if hunks that a policy applied are included.
    applied: bool,
    held: Option<HeldDecision>,
    /// Messages of the server about decisions, not shown yet.
    said: Vec<String>,
    went_wrong: bool,
}

impl ReviewSession {
    pub(in crate::cli) fn new(proposals: &[Proposal], applied: bool) -> Self {
        let steps =
            proposals.iter().flat_map(|proposal| ReviewStep::steps_of_proposal(proposal, applied)).collect();
        Self { steps, applied, held: None, said: Vec::new(), went_wrong: false }
    }

    /// Returns whether all decisions that were sent were carried out.
    pub(in crate::cli) fn went_well(&self) -> bool {
        !self.went_wrong
    }

    /// Returns whether a hunk waits for a decision.
    pub(super) fn is_open(&self, at: usize) -> bool {
        self.steps.get(at).is_some_and(|step| step.decided.is_none() && is_open(&step.hunk, self.applied))
    }

    /// The next open hunk from `at` on, or else the first one.
    pub(super) fn next_open(&self, at: usize) -> Option<usize> {
        (at..self.steps.len()).chain(0..at.min(self.steps.len())).find(|at| self.is_open(*at))
    }

    /// The hunk, and the following open ones of its file.
    pub(super) fn open_in_file(&self, at: usize) -> Vec<usize> {
        let Some(here) = self.steps.get(at) else { return Vec::new() };
        let same = |index: &usize| self.steps[*index].is_same_file(here) && self.is_open(*index);
        (at..self.steps.len()).filter(same).collect()
    }

    /// Holds a decision on hunks back, and sends the previous one.
    ///
    /// # Errors
    /// The reason why the previous one cannot be sent.
    pub(super) fn hold_decision(
        &mut self,
        hunks: &[usize],
        act: Act,
        reason: Option<&str>,
        to: &mut dyn DecisionTarget,
    ) -> Result<(), Fault> {
        let Some(at) = hunks.first().copied() else { return Ok(()) };
        let decision =
            |index: &usize| (*index, self.steps[*index].decision_params(act, reason.map(str::to_owned)));
        let decisions = hunks.iter().map(decision).collect();
        self.replace_held(HeldDecision { at, decisions }, to)
    }

    /// Holds the acceptance of a hunk as the person edited it.
    ///
    /// # Errors
    /// As [`Self::hold_decision`].
    pub(super) fn accept_as(
        &mut self,
        at: usize,
        text: String,
        to: &mut dyn DecisionTarget,
    ) -> Result<(), Fault> {
        let texts = BTreeMap::from([(self.steps[at].hunk.id.clone(), text)]);
        let decision = DecideParams { texts, ..self.steps[at].decision_params(Act::Accept, None) };
        self.replace_held(HeldDecision { at, decisions: vec![(at, decision)] }, to)
    }

    fn replace_held(&mut self, held: HeldDecision, to: &mut dyn DecisionTarget) -> Result<(), Fault> {
        self.send_held(to)?;
        held.decisions.iter().for_each(|(index, decision)| self.steps[*index].decided = Some(decision.act));
        self.held = Some(held);
        Ok(())
    }

    /// Drops the decision that is held back. Returns the hunk at which it was made.
    pub(super) fn undo_held(&mut self) -> Option<usize> {
        let held = self.held.take()?;
        held.decisions.iter().for_each(|(index, _)| self.steps[*index].decided = None);
        Some(held.at)
    }

    /// Sends the decision that is held back.
    ///
    /// # Errors
    /// The reason why it cannot be sent; the hunk is then undecided.
    pub(super) fn send_held(&mut self, to: &mut dyn DecisionTarget) -> Result<(), Fault> {
        let mut decisions = self.held.take().into_iter().flat_map(|held| held.decisions);
        while let Some((index, decision)) = decisions.next() {
            let DecideAnswer { proposals, problems } = match to.send_decision(decision) {
                Ok(answer) => answer,
                Err(fault) => {
                    let unsent = decisions.map(|(index, _)| index).chain([index]);
                    unsent.for_each(|index| self.steps[index].decided = None);
                    return Err(fault);
                }
            };
            self.update_hunks(&proposals);
            if !problems.is_empty() {
                self.steps[index].decided = None;
                self.went_wrong = true;
            }
            self.said.extend(problems);
        }
        Ok(())
    }

    /// Sends the decision that is held back if nothing of its change is open any more: its agent then does not wait for
    /// another key.
    ///
    /// # Errors
    /// As [`Self::send_held`].
    pub(super) fn send_if_complete(&mut self, to: &mut dyn DecisionTarget) -> Result<(), Fault> {
        let Some(at) = self.held.as_ref().map(|held| held.at) else { return Ok(()) };
        let id = self.steps[at].proposal.id.clone();
        let waits = (0..self.steps.len()).any(|at| self.steps[at].proposal.id == id && self.is_open(at));
        if waits { Ok(()) } else { self.send_held(to) }
    }

    /// The messages of the server since the last call.
    pub(super) fn take_messages(&mut self) -> Vec<String> {
        std::mem::take(&mut self.said)
    }

    /// Updates the hunks to their current state.
    fn update_hunks(&mut self, proposals: &[Proposal]) {
        for ReviewStep { proposal, hunk, .. } in &mut self.steps {
            let now = proposals.iter().filter(|each| each.id == proposal.id).flat_map(Proposal::hunks);
            if let Some(now) = now.into_iter().find(|each| each.id == hunk.id) {
                *hunk = now.clone();
            }
        }
    }

    /// Takes the pending proposals: new ones are added at the end, and hunks that were decided elsewhere are not open
    /// any more. Returns the number of new hunks.
    pub(super) fn take_proposals(&mut self, proposals: &[Proposal]) -> usize {
        self.update_hunks(proposals);
        for step in self.steps.iter_mut().filter(|step| step.decided.is_none()) {
            if !proposals.iter().any(|each| each.id == step.proposal.id) && is_open(&step.hunk, self.applied)
            {
                // The change is over: somebody else decided, or its text changed.
                step.hunk.state = HunkState::Stale;
            }
        }
        let known = |proposal: &Proposal| self.steps.iter().any(|step| step.proposal.id == proposal.id);
        let new: Vec<ReviewStep> = proposals
            .iter()
            .filter(|proposal| !known(proposal))
            .flat_map(|proposal| ReviewStep::steps_of_proposal(proposal, self.applied))
            .collect();
        let count = new.len();
        self.steps.extend(new);
        count
    }

    /// Removes all changes if no hunk is open and no decision is held back.
    pub(super) fn forget_if_over(&mut self) {
        if self.held.is_none() && self.next_open(0).is_none() {
            self.steps.clear();
        }
    }

    /// The counts of the decisions.
    pub(in crate::cli) fn decision_sum(&self) -> DecisionSum {
        let of = |act| self.steps.iter().filter(|step| step.decided == act).count();
        let left = (0..self.steps.len()).filter(|at| self.is_open(*at)).count();
        DecisionSum { accepted: of(Some(Act::Accept)), rejected: of(Some(Act::Reject)), left }
    }

    /// The open hunks.
    pub(in crate::cli) fn open_steps(&self) -> Vec<usize> {
        (0..self.steps.len()).filter(|at| self.is_open(*at)).collect()
    }

    /// Rejects all open hunks.
    ///
    /// # Errors
    /// As [`Self::hold_decision`].
    pub(in crate::cli) fn reject_open(
        &mut self,
        why: &str,
        to: &mut dyn DecisionTarget,
    ) -> Result<(), Fault> {
        self.hold_decision(&self.open_steps(), Act::Reject, Some(why), to)?;
        self.send_held(to)
    }
}

/// The numbers of accepted, rejected and open hunks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::cli) struct DecisionSum {
    pub(super) accepted: usize,
    pub(super) rejected: usize,
    pub(super) left: usize,
}

impl std::ops::AddAssign for DecisionSum {
    fn add_assign(&mut self, other: Self) {
        self.accepted += other.accepted;
        self.rejected += other.rejected;
        self.left = other.left;
    }
}

impl std::fmt::Display for DecisionSum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} accepted, {} rejected", self.accepted, self.rejected)?;
        if self.left > 0 { write!(f, ", {} left waiting.", self.left) } else { write!(f, ".") }
    }
}
