//! A decision: which hunks are meant by it, what becomes of each, and what is told of it.

use std::sync::Arc;

use super::item::Item;
use super::lifecycle::LifecycleEvent;
use super::put::Errand;
use super::queue::ProposalQueue;
use crate::base::{HunkId, ProposalId, blocking};
use crate::journal::Journal;
use crate::protocol::{Act, Code, DecideParams, DecidedBy, Fault, Hunk, HunkState, Proposal, ProposedFile};

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
                && params.since.as_ref().is_none_or(|since| since.is_before(&item.proposal, open))
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
        Ok(found.into_iter().map(|item| item.proposal.id.clone()).collect())
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
        for file in touched.iter().filter_map(|(at, _)| item.proposal.files.get(*at)) {
            self.look_again(&file.path);
        }
        drop(item);
        let Some(files) = self.get(id).map(|item| meant_in(&item, params)) else { return Ok(()) };
        if files.is_empty() {
            return Ok(());
        }
        self.edit(params, id, &files)?;
        let mut in_turn: Vec<&(usize, Vec<HunkId>)> = files.iter().collect();
        if params.act == Act::Reject {
            // What was made in the place of a file goes before the file comes back.
            in_turn.reverse();
        }
        for (file, hunks) in in_turn {
            let outcome = match params.act {
                Act::Accept => self.accept(id, *file, hunks).await,
                Act::Reject => self.reject(id, *file, hunks, params.reason.as_deref()).await,
            };
            decided.faults.extend(outcome.err());
            if by == DecidedBy::Person {
                self.looked_at(id, *file, hunks);
            }
        }
        if params.act == Act::Accept {
            self.give_reason(id, &files, params.reason.as_deref());
        }
        let hunks: Vec<HunkId> = files.into_iter().flat_map(|(_, hunks)| hunks).collect();
        let Some(item) = self.get(id) else { return Ok(()) };
        decided.faults.extend(self.record(&item.proposal, by, &hunks).err());
        decided.proposals.push(item.proposal.clone());
        drop(item);
        decided.faults.extend(blocking(|| self.update(id)).err());
        Ok(())
    }

    /// Has the policy `auto` decide: every hunk is put in place. What cannot be is dropped; the proposal is up for review
    /// afterwards. Gives it as it stands, and what kept some of it from being applied or leaves that in doubt.
    pub async fn apply(&self, id: &str) -> (Option<Arc<Item>>, Option<Fault>) {
        // It writes and waits for the disk: not where requests are read.
        tokio::task::yield_now().await;
        let Some(item) = self.get(id) else { return (None, None) };
        let _turn = self.turns.call(&item.call()).await;
        let hunks: Vec<HunkId> = item.proposal.hunks().map(|hunk| hunk.id.clone()).collect();
        let files = item.proposal.files.len();
        drop(item);
        let mut fault: Option<Fault> = None;
        for file in 0..files {
            let pending = self.hunks_in(id, file, &hunks, HunkState::Pending);
            if pending.is_empty() {
                continue;
            }
            if let Err(failed) = self.place(Errand { id, file, hunks: &pending, back: false }).await {
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
        let mut decided: Vec<HunkId> =
            (0..files).flat_map(|file| self.hunks_in(id, file, &hunks, HunkState::Accepted)).collect();
        decided.extend(self.drop_pending(id, fault.as_ref()));
        self.advance(id, LifecycleEvent::PolicyDecided);
        let item = self.get(id);
        let recorded =
            item.as_ref().map_or(Ok(()), |item| self.record(&item.proposal, DecidedBy::Policy, &decided));
        let kept = blocking(|| self.update(id));
        let stands = item.as_ref().is_some_and(|item| item.stands());
        let doubtful = |fault| Fault { applied: stands.then_some(true), ..fault };
        let fault = fault.or_else(|| recorded.and(kept).err().map(doubtful));
        (item, fault)
    }

    /// Drops what still waits of a proposal: a policy could not carry out its decision. Where the text changed it is stale.
    fn drop_pending(&self, id: &str, why: Option<&Fault>) -> Vec<HunkId> {
        let stale = why.is_none_or(|why| why.code == Code::Stale);
        let drop = |item: &mut Item| {
            let mut dropped = Vec::new();
            let hunks = item.proposal.files.iter_mut().flat_map(|file| &mut file.hunks);
            for hunk in hunks.filter(|hunk| hunk.state == HunkState::Pending) {
                hunk.state = if stale { HunkState::Stale } else { HunkState::Rejected };
                dropped.push(hunk.id.clone());
            }
            dropped
        };
        self.items().change(id, drop).unwrap_or_default()
    }

    /// Puts pending hunks in place; those that are already stay.
    async fn accept(&self, id: &str, file: usize, hunks: &[HunkId]) -> Result<(), Fault> {
        let pending = self.hunks_in(id, file, hunks, HunkState::Pending);
        match pending.is_empty() {
            true => Ok(()),
            false => self.place(Errand { id, file, hunks: &pending, back: false }).await,
        }
    }

    /// Notes that a person decided on hunks.
    fn looked_at(&self, id: &str, file: usize, hunks: &[HunkId]) {
        self.change(id, file, |proposed| {
            let decided = |hunk: &&mut Hunk| hunks.contains(&hunk.id) && hunk.state != HunkState::Pending;
            proposed.hunks.iter_mut().filter(decided).for_each(|hunk| hunk.reviewed = true);
        });
    }

    /// Drops pending hunks; takes back accepted ones.
    async fn reject(
        &self,
        id: &str,
        file: usize,
        hunks: &[HunkId],
        reason: Option<&str>,
    ) -> Result<(), Fault> {
        let accepted: Vec<HunkId> = self.hunks_in(id, file, hunks, HunkState::Accepted);
        let taken_back = match accepted.is_empty() {
            true => Ok(()),
            false => self.place(Errand { id, file, hunks: &accepted, back: true }).await,
        };
        if !accepted.is_empty() && (taken_back.is_ok() || took_effect(&taken_back)) {
            self.tell_again(id);
        }
        self.change(id, file, |proposed| {
            for hunk in proposed.hunks.iter_mut().filter(|hunk| hunks.contains(&hunk.id)) {
                if hunk.state == HunkState::Pending {
                    hunk.state = HunkState::Rejected;
                }
                if hunk.state == HunkState::Rejected {
                    hunk.reason = reason.map(str::to_owned);
                }
            }
        });
        taken_back
    }

    fn give_reason(&self, id: &str, files: &Meant, reason: Option<&str>) {
        for (file, hunks) in files {
            self.change(id, *file, |proposed| {
                for hunk in proposed.hunks.iter_mut().filter(|hunk| hunks.contains(&hunk.id)) {
                    hunk.reason = reason.map(str::to_owned);
                }
            });
        }
    }

    /// The agent of a proposal was told another outcome than it has now.
    fn tell_again(&self, id: &str) {
        self.items().change(id, |item| item.advance(LifecycleEvent::TakenBack(item.policy)));
    }

    pub(super) fn hunks_in(&self, id: &str, file: usize, hunks: &[HunkId], state: HunkState) -> Vec<HunkId> {
        let Some(item) = self.get(id) else { return Vec::new() };
        let wanted = |hunk: &&Hunk| hunk.state == state && hunks.contains(&hunk.id);
        let hunks = item.proposal.files.get(file).into_iter().flat_map(|file| &file.hunks);
        hunks.filter(wanted).map(|hunk| hunk.id.clone()).collect()
    }

    pub(super) fn change(&self, id: &str, file: usize, change: impl FnOnce(&mut ProposedFile)) {
        self.items().change(id, |item| item.proposal.files.get_mut(file).map(change));
    }
}

fn none_meant() -> Fault {
    Fault::new(Code::NotFound, "no pending hunk is meant by that: it was decided, or its text changed")
}

/// The hunks of a proposal that are meant, by file.
fn meant_in(item: &Item, params: &DecideParams) -> Meant {
    let mut files = Vec::new();
    for (at, file) in item.proposal.files.iter().enumerate() {
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
