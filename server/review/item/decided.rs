//! Decisions: from the word to the hunks in their places, and to the log.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::transition::{HunkStep, ReviewDecision, ReviewEffect, after, update};
use super::{Item, View};
use crate::base::HunkId;
use crate::protocol::{Act, DecidedBy, Hunk, HunkState, ProposedFile};
use crate::review::lifecycle::{LifecycleEvent, transition as live};
use crate::review::place;

/// A decision that is being carried out.
#[derive(Clone, Debug)]
pub(super) struct UnderWay {
    decision: ReviewDecision,
    /// Its hunks of which the log tells already: their text changed meanwhile.
    told: BTreeSet<HunkId>,
}

impl UnderWay {
    /// Notes hunks of which the log tells.
    pub(super) fn tell(&mut self, hunks: &[HunkId]) {
        self.told.extend(hunks.iter().cloned());
    }

    fn names(&self, hunk: &HunkId) -> bool {
        self.decision.hunks.contains(hunk)
    }
}

impl Item {
    fn hunks_mut(&mut self) -> impl Iterator<Item = &mut Hunk> {
        self.proposal.files.iter_mut().flat_map(|file| &mut file.hunks)
    }

    /// Has a step happen to those hunks that `wanted` says; gives those that it changed.
    fn step(&mut self, step: HunkStep, wanted: impl Fn(&Hunk) -> bool) -> Vec<HunkId> {
        let mut changed = Vec::new();
        for hunk in self.hunks_mut().filter(|hunk| wanted(hunk)) {
            let now = after(hunk.state, step);
            if now != hunk.state {
                hunk.state = now;
                changed.push(hunk.id.clone());
            }
        }
        changed
    }

    /// Only hunks that wait take other lines.
    pub(super) fn edited(&mut self, mut lines: BTreeMap<HunkId, Vec<String>>) -> Vec<ReviewEffect> {
        for hunk in self.hunks_mut().filter(|hunk| hunk.state == HunkState::Pending) {
            if let Some(new) = lines.remove(&hunk.id).filter(|new| *new != hunk.new) {
                (hunk.new, hunk.edited) = (new, true);
            }
        }
        Vec::new()
    }

    /// What is refused is so at once; what is to be put in place or taken out is asked for.
    pub(super) fn decided(&mut self, decision: ReviewDecision) -> Vec<ReviewEffect> {
        // Whoever carried out the one before was stopped.
        let mut effects = self.broken_off();
        let is_looked_at = decision.by == DecidedBy::Person;
        let (state, back) = match decision.act {
            Act::Accept => (HunkState::Pending, false),
            Act::Reject => (HunkState::Accepted, true),
        };
        let mut errands = Vec::new();
        for (at, file) in self.proposal.files.iter().enumerate() {
            let wanted = |hunk: &&Hunk| hunk.state == state && decision.hunks.contains(&hunk.id);
            let hunks: Vec<HunkId> = file.hunks.iter().filter(wanted).map(|hunk| hunk.id.clone()).collect();
            if !hunks.is_empty() {
                errands.push(ReviewEffect::Place { file: at, hunks, back });
            }
        }
        if back {
            // What was made in the place of a file goes before the file comes back.
            errands.reverse();
        }
        effects.extend(errands);
        if decision.act == Act::Reject {
            self.step(HunkStep::Refused, |hunk| decision.hunks.contains(&hunk.id));
        }
        for hunk in self.hunks_mut().filter(|hunk| decision.hunks.contains(&hunk.id)) {
            let stays = hunk.state == HunkState::Rejected || (hunk.state == HunkState::Accepted && !back);
            hunk.reviewed |= is_looked_at && stays;
        }
        self.under_way = Some(UnderWay { decision, told: BTreeSet::new() });
        effects
    }

    /// Only what somebody decided on was put in place, or taken out, on purpose.
    pub(super) fn placed(
        &mut self,
        file: usize,
        hunks: &[HunkId],
        back: bool,
        text: Option<Option<Arc<str>>>,
    ) -> Vec<ReviewEffect> {
        let Some(under_way) = &self.under_way else { return Vec::new() };
        let is_asked = (under_way.decision.act == Act::Reject) == back;
        let hunks: Vec<HunkId> =
            hunks.iter().filter(|hunk| is_asked && under_way.names(hunk)).cloned().collect();
        let is_looked_at = under_way.decision.by == DecidedBy::Person;
        let changed = self.settled(file, &hunks, back, text);
        self.hunks_mut()
            .filter(|hunk| changed.contains(&hunk.id))
            .for_each(|hunk| hunk.reviewed |= is_looked_at);
        if back && !changed.is_empty() {
            // The agent was told another outcome than there is now.
            self.life = live(self.life, LifecycleEvent::TakenBack(self.policy), self.is_decided()).0;
        }
        Vec::new()
    }

    /// Hunks of a file were put in place, or taken out: those that this changes.
    fn settled(
        &mut self,
        file: usize,
        hunks: &[HunkId],
        back: bool,
        text: Option<Option<Arc<str>>>,
    ) -> Vec<HunkId> {
        let Some((proposed, view)) = self.file_mut(file) else { return Vec::new() };
        if let Some(text) = text {
            place::shift_all(proposed, hunks, back);
            view.text = text;
        }
        let step = if back { HunkStep::TakenOut } else { HunkStep::PutInPlace };
        self.step(step, |hunk| hunks.contains(&hunk.id))
    }

    fn file_mut(&mut self, file: usize) -> Option<(&mut ProposedFile, &mut View)> {
        self.proposal.files.get_mut(file).zip(self.views.get_mut(file))
    }

    /// The disk says so, whatever was asked for.
    pub(super) fn recovered(
        &mut self,
        file: usize,
        hunks: &[HunkId],
        back: bool,
        text: Option<Option<Arc<str>>>,
    ) -> Vec<ReviewEffect> {
        let changed = self.settled(file, hunks, back, text);
        logged(DecidedBy::Recovery, changed)
    }

    /// A hunk without lines is stale where it waits; one that is to be taken out stays as it is.
    pub(super) fn unfit(&mut self, file: usize) -> Vec<ReviewEffect> {
        let Some(file) = self.proposal.files.get(file) else { return Vec::new() };
        let hunks: Vec<HunkId> = file.hunks.iter().map(|hunk| hunk.id.clone()).collect();
        let changed = self.step(HunkStep::Unfit, |hunk| hunks.contains(&hunk.id));
        // The decision that found it so tells of it.
        match self
            .under_way
            .as_ref()
            .is_some_and(|under_way| changed.iter().all(|hunk| under_way.names(hunk)))
        {
            true => Vec::new(),
            false => logged(DecidedBy::Text, changed),
        }
    }

    /// What waits is dropped.
    pub(super) fn given_up(&mut self, stale: bool) -> Vec<ReviewEffect> {
        let Some(under_way) = self.under_way.clone() else { return Vec::new() };
        let step = if stale { HunkStep::Unfit } else { HunkStep::Refused };
        self.step(step, |hunk| under_way.names(&hunk.id));
        Vec::new()
    }

    /// The log tells of each hunk that is meant, once: also of one that waits still, since it could not be put in place.
    pub(super) fn concluded(&mut self) -> Vec<ReviewEffect> {
        let Some(UnderWay { decision, told }) = self.under_way.take() else { return Vec::new() };
        for hunk in self.hunks_mut().filter(|hunk| decision.hunks.contains(&hunk.id)) {
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
        log.into_iter().chain([update()]).collect()
    }

    /// What a decision changed of which nothing was told, because whoever carried it out was stopped.
    fn broken_off(&mut self) -> Vec<ReviewEffect> {
        let Some(UnderWay { decision, told }) = self.under_way.take() else { return Vec::new() };
        let is_untold = |hunk: &&Hunk| {
            hunk.state != HunkState::Pending && decision.hunks.contains(&hunk.id) && !told.contains(&hunk.id)
        };
        let untold: Vec<HunkId> =
            self.proposal.hunks().filter(is_untold).map(|hunk| hunk.id.clone()).collect();
        logged(decision.by, untold)
    }

    pub(super) fn withdrawn(&mut self) -> Vec<ReviewEffect> {
        let mut effects = self.broken_off();
        let dropped = self.step(HunkStep::Refused, |_| true);
        for hunk in self.hunks_mut().filter(|hunk| dropped.contains(&hunk.id)) {
            hunk.reviewed = true;
            hunk.reason = Some("the call was taken back".to_owned());
        }
        effects.extend(logged(DecidedBy::Person, dropped));
        effects
    }
}

/// The log and everybody else are to be told of hunks.
pub(super) fn logged(by: DecidedBy, hunks: Vec<HunkId>) -> Vec<ReviewEffect> {
    match hunks.is_empty() {
        true => Vec::new(),
        false => vec![ReviewEffect::Log(by, hunks), update()],
    }
}
