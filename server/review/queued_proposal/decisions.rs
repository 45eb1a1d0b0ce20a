//! Decisions: from the word to the hunks in their places, and to the log.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::QueuedProposal;
use super::apply_event::{HunkStep, ReviewDecision, ReviewEffect, update_effect};
use crate::base::HunkId;
use crate::lifecycle::{LifecycleEvent, apply_call_event as live};
use crate::protocol::{Act, DecidedBy, Hunk, HunkState};

/// A decision that is being carried out.
#[derive(Clone, Debug)]
pub(super) struct OngoingDecision {
    decision: ReviewDecision,
    /// Its hunks that are already logged: their text changed in the meantime.
    logged_hunks: BTreeSet<HunkId>,
}

impl OngoingDecision {
    /// Notes logged hunks.
    pub(super) fn mark_logged(&mut self, hunks: &[HunkId]) {
        self.logged_hunks.extend(hunks.iter().cloned());
    }

    /// Notes that hunks wait again: what becomes of them is to be logged.
    pub(super) fn mark_waiting(&mut self, hunks: &[HunkId]) {
        self.logged_hunks.retain(|hunk| !hunks.contains(hunk));
    }

    fn has_hunk(&self, hunk: &HunkId) -> bool {
        self.decision.hunks.contains(hunk)
    }
}

impl QueuedProposal {
    /// Refused hunks are rejected at once; the effects ask for the others to be put in place or taken out.
    pub(super) fn apply_decision(&mut self, decision: ReviewDecision) -> Vec<ReviewEffect> {
        // The task of the decision before was cancelled.
        let mut effects = self.end_interrupted();
        let is_looked_at = decision.by == DecidedBy::Person;
        let (state, back) = match decision.act {
            Act::Accept => (HunkState::Pending, false),
            Act::Reject => (HunkState::Accepted, true),
        };
        let mut errands = Vec::new();
        for (at, file) in self.proposal().files.iter().enumerate() {
            let wanted = |hunk: &&Hunk| hunk.state == state && decision.hunks.contains(&hunk.id);
            let hunks: Vec<HunkId> = file.hunks.iter().filter(wanted).map(|hunk| hunk.id.clone()).collect();
            if !hunks.is_empty() {
                errands.push(ReviewEffect::Place { file: at, hunks, back });
            }
        }
        if back {
            // An entry made in the place of a file is removed before the file comes back.
            errands.reverse();
        }
        effects.extend(errands);
        if decision.act == Act::Reject {
            self.placed.step_hunks(HunkStep::Refused, |hunk| decision.hunks.contains(&hunk.id));
            self.placed.forget_rejected(&decision.hunks);
        }
        for hunk in self.placed.hunks_mut().filter(|hunk| decision.hunks.contains(&hunk.id)) {
            let stays = hunk.state == HunkState::Rejected || (hunk.state == HunkState::Accepted && !back);
            hunk.reviewed |= is_looked_at && stays;
            // A caller that waits may look as soon as the state is another: the reason comes with it.
            if decision.by != DecidedBy::Policy && hunk.state == HunkState::Rejected {
                hunk.reason.clone_from(&decision.reason);
            }
        }
        self.under_way = Some(OngoingDecision { decision, logged_hunks: BTreeSet::new() });
        effects
    }

    /// Only what somebody decided on was put in place, or taken out, on purpose.
    pub(super) fn apply_placement(
        &mut self,
        file: usize,
        hunks: &[HunkId],
        back: bool,
        text: Option<Option<Arc<str>>>,
    ) -> Vec<ReviewEffect> {
        let Some(under_way) = &self.under_way else { return Vec::new() };
        let is_asked = (under_way.decision.act == Act::Reject) == back;
        let hunks: Vec<HunkId> =
            hunks.iter().filter(|hunk| is_asked && under_way.has_hunk(hunk)).cloned().collect();
        let (by, reason) = (under_way.decision.by, under_way.decision.reason.clone());
        let changed = self.placed.settle_hunks(file, &hunks, back, text);
        for hunk in self.placed.hunks_mut().filter(|hunk| changed.contains(&hunk.id)) {
            hunk.reviewed |= by == DecidedBy::Person;
            if by != DecidedBy::Policy {
                hunk.reason.clone_from(&reason);
            }
        }
        if back && !changed.is_empty() {
            // The agent got another outcome than there is now.
            self.life = live(self.life, LifecycleEvent::TakenBack(self.policy), self.is_decided()).0;
        }
        Vec::new()
    }

    /// A hunk without lines is stale where it waits; one that is to be taken out stays as it is.
    pub(super) fn mark_unfit(&mut self, file: usize) -> Vec<ReviewEffect> {
        let Some(file) = self.proposal().files.get(file) else { return Vec::new() };
        let hunks: Vec<HunkId> = file.hunks.iter().map(|hunk| hunk.id.clone()).collect();
        let changed = self.placed.step_hunks(HunkStep::Unfit, |hunk| hunks.contains(&hunk.id));
        // The decision that found it stale reports it.
        match self
            .under_way
            .as_ref()
            .is_some_and(|under_way| changed.iter().all(|hunk| under_way.has_hunk(hunk)))
        {
            true => Vec::new(),
            false => log_effects(DecidedBy::Text, changed),
        }
    }

    /// The hunks that wait are dropped.
    pub(super) fn give_up(&mut self, stale: bool) -> Vec<ReviewEffect> {
        let Some(under_way) = self.under_way.clone() else { return Vec::new() };
        let step = if stale { HunkStep::Unfit } else { HunkStep::Refused };
        self.placed.step_hunks(step, |hunk| under_way.has_hunk(&hunk.id));
        Vec::new()
    }

    /// Logs each selected hunk once: also one that still waits, since it could not be put in place.
    pub(super) fn conclude_decision(&mut self) -> Vec<ReviewEffect> {
        let Some(OngoingDecision { decision, logged_hunks: told }) = self.under_way.take() else {
            return Vec::new();
        };
        for hunk in self.placed.hunks_mut().filter(|hunk| decision.hunks.contains(&hunk.id)) {
            if decision.by == DecidedBy::Person && hunk.state != HunkState::Pending {
                hunk.reviewed = true;
            }
            if decision.by != DecidedBy::Policy
                && (decision.act == Act::Accept || hunk.state == HunkState::Rejected)
            {
                hunk.reason.clone_from(&decision.reason);
            }
        }
        if decision.by == DecidedBy::Policy {
            self.life = live(self.life, LifecycleEvent::PolicyDecided, self.is_decided()).0;
        }
        let untold: Vec<HunkId> = decision.hunks.into_iter().filter(|hunk| !told.contains(hunk)).collect();
        let log = (!untold.is_empty()).then_some(ReviewEffect::Log(decision.by, untold));
        log.into_iter().chain([update_effect()]).collect()
    }

    /// Returns the effects of a decision that was stopped before anything of it was reported.
    fn end_interrupted(&mut self) -> Vec<ReviewEffect> {
        let Some(OngoingDecision { decision, logged_hunks: told }) = self.under_way.take() else {
            return Vec::new();
        };
        let is_untold = |hunk: &&Hunk| {
            hunk.state != HunkState::Pending && decision.hunks.contains(&hunk.id) && !told.contains(&hunk.id)
        };
        let untold: Vec<HunkId> =
            self.proposal().hunks().filter(is_untold).map(|hunk| hunk.id.clone()).collect();
        log_effects(decision.by, untold)
    }

    pub(super) fn withdraw_hunks(&mut self, by: DecidedBy) -> Vec<ReviewEffect> {
        let mut effects = self.end_interrupted();
        let dropped = self.placed.step_hunks(HunkStep::Refused, |_| true);
        self.placed.forget_lost();
        for hunk in self.placed.hunks_mut().filter(|hunk| dropped.contains(&hunk.id)) {
            hunk.reviewed = by == DecidedBy::Person;
            hunk.reason = Some("the call was taken back".to_owned());
        }
        effects.extend(log_effects(by, dropped));
        effects
    }
}

/// Returns the effects that log hunks and update all receivers.
pub(super) fn log_effects(by: DecidedBy, hunks: Vec<HunkId>) -> Vec<ReviewEffect> {
    match hunks.is_empty() {
        true => Vec::new(),
        false => vec![ReviewEffect::Log(by, hunks), update_effect()],
    }
}
