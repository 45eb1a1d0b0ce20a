//! What is to be decided in one review, and what was: the same for every screen.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::cli::backend::RequestTarget;
use crate::protocol::{Act, DecideParams, Fault, Hunk, HunkState, Proposal, ProposedFile};
use crate::requests::Decide;
use crate::requests::decide::DecideAnswer;

/// Who carries decisions out.
pub(in crate::cli) trait Decides {
    /// Carries one out.
    ///
    /// # Errors
    /// What keeps it from being carried out.
    fn decide(&mut self, decision: DecideParams) -> Result<DecideAnswer, Fault>;
}

impl Decides for RequestTarget {
    fn decide(&mut self, decision: DecideParams) -> Result<DecideAnswer, Fault> {
        self.ask::<Decide>(decision)
    }
}

/// A hunk on the way.
#[derive(Clone, Debug)]
pub(in crate::cli) struct Step {
    pub(super) proposal: Rc<Proposal>,
    /// Which of the proposal's files it is in.
    pub(super) file: usize,
    /// As it was listed, and then as each decision on its proposal leaves it: its lines move.
    pub(super) hunk: Hunk,
    /// What was decided here.
    pub(super) decided: Option<Act>,
}

impl Step {
    /// Those of a proposal's hunks that are to be decided on.
    pub(in crate::cli) fn of(proposal: &Proposal, applied: bool) -> Vec<Self> {
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

    fn decision(&self, act: Act, reason: Option<String>) -> DecideParams {
        let (proposal, hunks) = (Some(self.proposal.id.clone()), vec![self.hunk.id.clone()]);
        DecideParams { proposal, hunks, reason, ..DecideParams::all(act) }
    }

    fn is_same_file(&self, other: &Self) -> bool {
        self.proposal.id == other.proposal.id && self.file == other.file
    }
}

/// Whether a person is to decide on a hunk; `applied` says that they look at what a policy applied, too.
pub(super) fn is_open(hunk: &Hunk, applied: bool) -> bool {
    hunk.state == HunkState::Pending || (applied && hunk.is_unreviewed())
}

/// What the last key decided. It is sent with the next one, so that it can be taken back.
#[derive(Debug)]
struct Held {
    /// The hunk that the key was pressed at.
    at: usize,
    decisions: Vec<(usize, DecideParams)>,
}

/// The hunks of one review, in order.
#[derive(Debug)]
pub(in crate::cli) struct Desk {
    pub(super) steps: Vec<Step>,
    /// Whether what a policy applied is looked at, too.
    applied: bool,
    held: Option<Held>,
    /// What the server said to decisions and nobody was told yet.
    said: Vec<String>,
    went_wrong: bool,
}

impl Desk {
    pub(in crate::cli) fn new(proposals: &[Proposal], applied: bool) -> Self {
        let steps = proposals.iter().flat_map(|proposal| Step::of(proposal, applied)).collect();
        Self { steps, applied, held: None, said: Vec::new(), went_wrong: false }
    }

    /// Whether all that was sent was carried out.
    pub(in crate::cli) fn went_well(&self) -> bool {
        !self.went_wrong
    }

    /// Whether a hunk waits for a decision.
    pub(super) fn is_open(&self, at: usize) -> bool {
        self.steps.get(at).is_some_and(|step| step.decided.is_none() && is_open(&step.hunk, self.applied))
    }

    /// The next hunk from `at` on that waits, else the first one that does.
    pub(super) fn next_open(&self, at: usize) -> Option<usize> {
        (at..self.steps.len()).chain(0..at.min(self.steps.len())).find(|at| self.is_open(*at))
    }

    /// The hunk, and those that follow it in its file and wait.
    pub(super) fn rest_of_file(&self, at: usize) -> Vec<usize> {
        let Some(here) = self.steps.get(at) else { return Vec::new() };
        let same = |index: &usize| self.steps[*index].is_same_file(here) && self.is_open(*index);
        (at..self.steps.len()).filter(same).collect()
    }

    /// Holds a decision on hunks, and sends the one that was held before.
    ///
    /// # Errors
    /// What keeps that one from being sent.
    pub(super) fn decide(
        &mut self,
        hunks: &[usize],
        act: Act,
        reason: Option<&str>,
        to: &mut dyn Decides,
    ) -> Result<(), Fault> {
        let Some(at) = hunks.first().copied() else { return Ok(()) };
        let decision = |index: &usize| (*index, self.steps[*index].decision(act, reason.map(str::to_owned)));
        let decisions = hunks.iter().map(decision).collect();
        self.hold(Held { at, decisions }, to)
    }

    /// The same, of a hunk that is accepted as a person edited it.
    ///
    /// # Errors
    /// As [`Desk::decide`].
    pub(super) fn accept_as(&mut self, at: usize, text: String, to: &mut dyn Decides) -> Result<(), Fault> {
        let texts = BTreeMap::from([(self.steps[at].hunk.id.clone(), text)]);
        let decision = DecideParams { texts, ..self.steps[at].decision(Act::Accept, None) };
        self.hold(Held { at, decisions: vec![(at, decision)] }, to)
    }

    fn hold(&mut self, held: Held, to: &mut dyn Decides) -> Result<(), Fault> {
        self.send(to)?;
        held.decisions.iter().for_each(|(index, decision)| self.steps[*index].decided = Some(decision.act));
        self.held = Some(held);
        Ok(())
    }

    /// Takes back what is held. Gives the hunk that it was decided at.
    pub(super) fn undo(&mut self) -> Option<usize> {
        let held = self.held.take()?;
        held.decisions.iter().for_each(|(index, _)| self.steps[*index].decided = None);
        Some(held.at)
    }

    /// Sends what is held.
    ///
    /// # Errors
    /// What keeps it from being sent; then it is not decided.
    pub(super) fn send(&mut self, to: &mut dyn Decides) -> Result<(), Fault> {
        let mut decisions = self.held.take().into_iter().flat_map(|held| held.decisions);
        while let Some((index, decision)) = decisions.next() {
            let DecideAnswer { proposals, problems } = match to.decide(decision) {
                Ok(answer) => answer,
                Err(fault) => {
                    let unsent = decisions.map(|(index, _)| index).chain([index]);
                    unsent.for_each(|index| self.steps[index].decided = None);
                    return Err(fault);
                }
            };
            self.follow(&proposals);
            if !problems.is_empty() {
                self.steps[index].decided = None;
                self.went_wrong = true;
            }
            self.said.extend(problems);
        }
        Ok(())
    }

    /// Sends what is held where nothing of its change waits any more: its agent is told, and does not wait for a next key.
    ///
    /// # Errors
    /// As [`Desk::send`].
    pub(super) fn send_what_is_done(&mut self, to: &mut dyn Decides) -> Result<(), Fault> {
        let Some(at) = self.held.as_ref().map(|held| held.at) else { return Ok(()) };
        let id = self.steps[at].proposal.id.clone();
        let waits = (0..self.steps.len()).any(|at| self.steps[at].proposal.id == id && self.is_open(at));
        if waits { Ok(()) } else { self.send(to) }
    }

    /// What the server said to decisions since this was asked last.
    pub(super) fn said(&mut self) -> Vec<String> {
        std::mem::take(&mut self.said)
    }

    /// Takes hunks as they stand now.
    fn follow(&mut self, proposals: &[Proposal]) {
        for Step { proposal, hunk, .. } in &mut self.steps {
            let now = proposals.iter().filter(|each| each.id == proposal.id).flat_map(Proposal::hunks);
            if let Some(now) = now.into_iter().find(|each| each.id == hunk.id) {
                *hunk = now.clone();
            }
        }
    }

    /// Takes the proposals that wait now: new ones come last, and what was decided elsewhere waits here no more. Gives how many
    /// hunks came.
    pub(super) fn take(&mut self, proposals: &[Proposal]) -> usize {
        self.follow(proposals);
        for step in self.steps.iter_mut().filter(|step| step.decided.is_none()) {
            if !proposals.iter().any(|each| each.id == step.proposal.id) && is_open(&step.hunk, self.applied)
            {
                // Its change is over: somebody else decided, or its text changed.
                step.hunk.state = HunkState::Stale;
            }
        }
        let known = |proposal: &Proposal| self.steps.iter().any(|step| step.proposal.id == proposal.id);
        let new: Vec<Step> = proposals
            .iter()
            .filter(|proposal| !known(proposal))
            .flat_map(|proposal| Step::of(proposal, self.applied))
            .collect();
        let count = new.len();
        self.steps.extend(new);
        count
    }

    /// Forgets the changes of which nothing waits, and nothing is held.
    pub(super) fn forget_what_is_over(&mut self) {
        if self.held.is_none() && self.next_open(0).is_none() {
            self.steps.clear();
        }
    }

    /// Who is to be told how it went.
    pub(in crate::cli) fn sum(&self) -> DecisionSum {
        let of = |act| self.steps.iter().filter(|step| step.decided == act).count();
        let left = (0..self.steps.len()).filter(|at| self.is_open(*at)).count();
        DecisionSum { accepted: of(Some(Act::Accept)), rejected: of(Some(Act::Reject)), left }
    }

    /// The hunks that wait.
    pub(in crate::cli) fn left(&self) -> Vec<usize> {
        (0..self.steps.len()).filter(|at| self.is_open(*at)).collect()
    }

    /// Rejects those that wait.
    ///
    /// # Errors
    /// As [`Desk::decide`].
    pub(in crate::cli) fn reject_what_is_left(
        &mut self,
        why: &str,
        to: &mut dyn Decides,
    ) -> Result<(), Fault> {
        self.decide(&self.left(), Act::Reject, Some(why), to)?;
        self.send(to)
    }
}

/// How many hunks were decided how.
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
