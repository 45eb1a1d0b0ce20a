//! A decision: which hunks are meant by it, what becomes of each, and what is told of it.

use std::sync::Arc;

use super::item::{Item, ReviewDecision, ReviewEffect, ReviewEvent};
use super::put::Errand;
use super::queue::ProposalQueue;
use crate::base::{HunkId, ProposalId, blocking};
use crate::journal::Journal;
use crate::protocol::{Act, Code, DecideParams, DecidedBy, Fault, Hunk, HunkState, Proposal};

/// The hunks that are meant in the files of one proposal: the files by their place in it.
pub(super) type Meant = Vec<(usize, Vec<HunkId>)>;

/// What became of a decision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decided {
    /// The proposals touched, as they stood after it.
    pub proposals: Vec<Proposal>,
    /// What could not be done.
    pub faults: Vec<Fault>,
}

impl ProposalQueue {
    /// Carries out a person's decision and says how the proposals stand afterwards. A hunk that was accepted
    /// before and is now rejected by name is taken back. Other decisions take their turns between two proposals.
    ///
    /// # Errors
    /// NOT_FOUND where no hunk is meant by it.
    pub async fn decide(&self, params: &DecideParams, by: DecidedBy) -> Result<Decided, Fault> {
        // It writes and waits for the disk: not where requests are read.
        tokio::task::yield_now().await;
        let ids = self.meant(params)?;
        let mut decided = Decided::default();
        for id in &ids {
            self.decide_one(id, params, by, &mut decided).await?;
            tokio::task::yield_now().await;
        }
        match decided.proposals.is_empty() {
            true => Err(none_meant()),
            false => Ok(decided),
        }
    }

    /// The proposals with hunks that are meant, oldest first.
    fn meant(&self, params: &DecideParams) -> Result<Vec<ProposalId>, Fault> {
        let open = self.session.log().opened().map_or("", Journal::session);
        let items = self.items();
        let wanted = |item: &&Arc<Item>| {
            item.is_up()
                && params.since.as_ref().is_none_or(|since| since.is_before(item.proposal(), open))
                && !meant_in(item, params).is_empty()
        };
        let mut found: Vec<Arc<Item>> = match &params.proposal {
            Some(id) => {
                let item = items.get(id).filter(|item| item.is_up()).ok_or_else(|| {
                    Fault::new(Code::NotFound, format!("no proposal {id:?} waits here"))
                        .suggest("`wherefore review --list` shows those that wait")
                })?;
                [item].into_iter().filter(|item| wanted(&item)).collect()
            }
            None if params.hunks.is_empty() && !params.applied => {
                items.waiting().filter(wanted).cloned().collect()
            }
            None => items.all().filter(wanted).cloned().collect(),
        };
        drop(items);
        if found.is_empty() {
            return Err(none_meant());
        }
        found.sort_by(|a, b| a.age().cmp(&b.age()));
        Ok(found.into_iter().map(|item| item.proposal().id.clone()).collect())
    }

    /// Decides on what is meant of one proposal, as it stands when its turn comes.
    async fn decide_one(
        &self,
        id: &str,
        params: &DecideParams,
        by: DecidedBy,
        decided: &mut Decided,
    ) -> Result<(), Fault> {
        let Some(item) = self.get(id) else { return Ok(()) };
        let _turn = self.turns.call(&item.call()).await;
        let touched = meant_in(&item, params);
        for file in touched.iter().filter_map(|(at, _)| item.proposal().files.get(*at)) {
            self.look_again(&file.path);
        }
        drop(item);
        let Some(files) = self.get(id).map(|item| meant_in(&item, params)) else { return Ok(()) };
        if files.is_empty() {
            return Ok(());
        }
        self.edit(params, id, &files)?;
        let hunks = files.into_iter().flat_map(|(_, hunks)| hunks).collect();
        let decision = ReviewDecision { by, act: params.act, reason: params.reason.clone(), hunks };
        let mut end = DecisionEnd { queue: self, id: Some(id) };
        for errand in self.begin(id, decision) {
            decided.faults.extend(self.run(id, errand).await.err());
        }
        end.id = None;
        let concluded = self.items().happen(id, ReviewEvent::Concluded);
        if let Some((item, effects)) = concluded {
            decided.proposals.push(item.proposal().clone());
            decided.faults.extend(blocking(|| self.publish(item, effects)));
        }
        Ok(())
    }

    /// Has the policy `auto` decide: every hunk is put in place. What cannot be is dropped; the proposal is up for review
    /// afterwards. Gives it as it stands, and what kept some of it from being applied or leaves that in doubt.
    pub async fn apply(&self, id: &str) -> (Option<Arc<Item>>, Option<Fault>) {
        // It writes and waits for the disk: not where requests are read.
        tokio::task::yield_now().await;
        let Some(item) = self.get(id) else { return (None, None) };
        let _turn = self.turns.call(&item.call()).await;
        let hunks = item.proposal().hunks().map(|hunk| hunk.id.clone()).collect();
        drop(item);
        let mut fault: Option<Fault> = None;
        let decision = ReviewDecision { by: DecidedBy::Policy, act: Act::Accept, reason: None, hunks };
        for errand in self.begin(id, decision) {
            if let Err(failed) = self.run(id, errand).await {
                let doubtful = failed.applied == Some(true);
                // The first says why; that something took effect is never left out.
                fault = Some(fault.map_or(failed, |first| Fault {
                    applied: first.applied.or(doubtful.then_some(true)),
                    ..first
                }));
                if !doubtful {
                    break;
                }
            }
        }
        // Where the text changed it is stale.
        let stale = fault.as_ref().is_none_or(|fault| fault.code == Code::Stale);
        self.items().happen(id, ReviewEvent::GivenUp(stale));
        let concluded = self.items().happen(id, ReviewEvent::Concluded);
        let Some((item, effects)) = concluded else { return (None, fault) };
        let doubtful = |fault| Fault { applied: item.stands().then_some(true), ..fault };
        let untold = blocking(|| self.publish(item.clone(), effects)).into_iter().next();
        (Some(item.clone()), fault.or_else(|| untold.map(doubtful)))
    }

    /// Takes a decision in; gives what it asks to be put in place or taken out, file by file.
    fn begin(&self, id: &str, decision: ReviewDecision) -> Vec<ReviewEffect> {
        let happened = self.items().happen(id, ReviewEvent::Decided(decision));
        let Some((item, effects)) = happened else { return Vec::new() };
        let (errands, told) =
            effects.into_iter().partition(|effect| matches!(effect, ReviewEffect::Place { .. }));
        // What the log does not take now it takes with the end of the decision.
        let _ = blocking(|| self.publish(item, told));
        errands
    }

    /// Puts hunks in place or takes them out, as far as that is still to be done.
    async fn run(&self, id: &str, errand: ReviewEffect) -> Result<(), Fault> {
        let ReviewEffect::Place { file, hunks, back } = errand else { return Ok(()) };
        let state = if back { HunkState::Accepted } else { HunkState::Pending };
        let hunks = self.hunks_in(id, file, &hunks, state);
        match hunks.is_empty() {
            true => Ok(()),
            false => self.place(Errand { id, file, hunks: &hunks, back }).await,
        }
    }

    fn hunks_in(&self, id: &str, file: usize, hunks: &[HunkId], state: HunkState) -> Vec<HunkId> {
        let Some(item) = self.get(id) else { return Vec::new() };
        let wanted = |hunk: &&Hunk| hunk.state == state && hunks.contains(&hunk.id);
        let hunks = item.proposal().files.get(file).into_iter().flat_map(|file| &file.hunks);
        hunks.filter(wanted).map(|hunk| hunk.id.clone()).collect()
    }
}

/// Ends a decision where whoever carries it out is stopped on the way: what was done by then is told.
struct DecisionEnd<'q> {
    queue: &'q ProposalQueue,
    /// The proposal, as long as the decision is not ended.
    id: Option<&'q str>,
}

impl Drop for DecisionEnd<'_> {
    fn drop(&mut self) {
        if let Some(id) = self.id {
            // What the log does not take now it takes with the next decision.
            let _ = self.queue.happen(id, ReviewEvent::Concluded);
        }
    }
}

fn none_meant() -> Fault {
    Fault::new(Code::NotFound, "no pending hunk is meant by that: it was decided, or its text changed")
}

/// The hunks of a proposal that are meant, by file.
fn meant_in(item: &Item, params: &DecideParams) -> Meant {
    let mut files = Vec::new();
    for (at, file) in item.proposal().files.iter().enumerate() {
        if params.path.as_ref().is_some_and(|path| path != &file.path) {
            continue;
        }
        let named = |hunk: &Hunk| params.hunks.contains(&hunk.id);
        let meant = |hunk: &&Hunk| match hunk.state {
            HunkState::Pending => params.hunks.is_empty() || named(hunk),
            HunkState::Accepted if params.hunks.is_empty() => params.applied && hunk.is_unreviewed(),
            HunkState::Accepted => named(hunk) && (params.act == Act::Reject || !hunk.reviewed),
            HunkState::Rejected | HunkState::Stale => false,
        };
        let hunks: Vec<HunkId> = file.hunks.iter().filter(meant).map(|hunk| hunk.id.clone()).collect();
        if !hunks.is_empty() {
            files.push((at, hunks));
        }
    }
    files
}

/// Whether what failed took effect all the same.
pub(super) fn took_effect<T>(done: &Result<T, Fault>) -> bool {
    matches!(done, Err(fault) if fault.applied == Some(true))
}
