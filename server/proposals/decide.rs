//! Carries out decisions: selects their hunks, decides on each, and reports the outcome.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::decision_turns::{DecisionTurn, DecisionTurns};
use super::follow_texts::{FileLook, TextFollower};
use super::place_hunks::HunkPlacer;
use super::store::ProposalStore;
use crate::base::{HunkId, run_blocking};
use crate::journal::Journal;
use crate::protocol::{Act, Code, DecideParams, DecidedBy, Fault, Hunk, HunkState, Proposal};
use crate::provenance::{EditedRecord, LineRecord, edited_lines};
use crate::review::{
    HunkPlacement, QueuedProposal, ReviewDecision, ReviewEffect, ReviewEvent, Selection, check_named_hunks,
    person_lines,
};
use crate::session::WorkspaceSession;

/// The outcome of a decision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DecisionResult {
    /// The proposals touched, as they stood after it.
    pub proposals: Vec<Proposal>,
    /// The errors of the parts that were not carried out.
    pub faults: Vec<Fault>,
}

/// Decisions as they are carried out: on the hunks of one call at a time, one file at a time.
#[derive(Debug)]
pub struct DecisionRunner {
    session: Arc<WorkspaceSession>,
    store: Arc<ProposalStore>,
    texts: Arc<TextFollower>,
    turns: Arc<DecisionTurns>,
    placer: HunkPlacer,
}

impl DecisionRunner {
    /// Carries out decisions on the proposals of a store.
    pub(super) fn new(
        session: Arc<WorkspaceSession>,
        store: Arc<ProposalStore>,
        texts: Arc<TextFollower>,
        turns: Arc<DecisionTurns>,
        placer: HunkPlacer,
    ) -> Self {
        Self { session, store, texts, turns, placer }
    }

    /// Carries out a person's decision and returns the proposals afterwards. A hunk that was accepted before and is now
    /// rejected by name is taken back. Other decisions take their turns between two proposals.
    ///
    /// # Errors
    /// NOT_FOUND where the decision selects no hunk.
    pub async fn decide_hunks(&self, params: &DecideParams, by: DecidedBy) -> Result<DecisionResult, Fault> {
        // It writes and waits for the disk: not where requests are read.
        tokio::task::yield_now().await;
        let selections = self.select_hunks(params)?;
        let mut decided = DecisionResult::default();
        for selection in selections {
            self.decide_one(selection, params, by, &mut decided).await?;
            tokio::task::yield_now().await;
        }
        match decided.proposals.is_empty() {
            true => Err(no_hunk_selected()),
            false => Ok(decided),
        }
    }

    /// Resolves a decision: the selected hunks of each proposal that has some, oldest proposal first.
    fn select_hunks(&self, params: &DecideParams) -> Result<Vec<Selection>, Fault> {
        let open = self.session.log().journal_if_open().map_or("", Journal::session);
        let items = self.store.items();
        let resolve = |item: &Arc<QueuedProposal>| {
            let is_after = params.since.as_ref().is_none_or(|since| since.is_before(item.proposal(), open));
            let selection = (item.is_up() && is_after).then(|| Selection::resolve(item, params))?;
            (!selection.is_empty()).then(|| (item.clone(), selection))
        };
        let mut found: Vec<(Arc<QueuedProposal>, Selection)> = match &params.proposal {
            Some(id) => {
                let item = items.get(id).filter(|item| item.is_up()).ok_or_else(|| {
                    Fault::new(Code::NotFound, format!("no proposal {id:?} waits here"))
                        .with_suggestion("`wherefore review --list` shows those that wait")
                })?;
                check_named_hunks(item.proposal(), &params.hunks)?;
                resolve(&item).into_iter().collect()
            }
            None if params.hunks.is_empty() && !params.applied => {
                items.waiting_items().filter_map(resolve).collect()
            }
            None => items.all().filter_map(resolve).collect(),
        };
        drop(items);
        if found.is_empty() {
            return Err(no_hunk_selected());
        }
        found.sort_by(|(a, _), (b, _)| a.creation_order().cmp(&b.creation_order()));
        Ok(found.into_iter().map(|(_, selection)| selection).collect())
    }

    /// Decides on the selected hunks of one proposal, in its state when its turn comes.
    async fn decide_one(
        &self,
        selection: Selection,
        params: &DecideParams,
        by: DecidedBy,
        decided: &mut DecisionResult,
    ) -> Result<(), Fault> {
        let _turn = self.turns.await_call(&selection.call).await;
        let Some(held) = self.hold_selection(selection, params).await else { return Ok(()) };
        let HeldSelection { selection, item, mut looks, _turns } = held;
        let id = &*selection.proposal;
        let lines = person_lines(item.proposal(), &selection, params)?;
        if !lines.is_empty() {
            self.record_edited(&item, &lines);
        }
        drop(item);
        if !lines.is_empty() {
            self.store.change_item(id, ReviewEvent::Edited(lines));
        }
        let reason = params.reason.clone();
        let decision = ReviewDecision { by, act: params.act, reason, hunks: selection.hunks };
        let mut end = DecisionEnd { store: &self.store, id: Some(id) };
        let (mut item, errands) = self.begin_decision(id, decision);
        for errand in errands {
            let item = item.take().or_else(|| self.store.get(id));
            decided.faults.extend(self.run_errand(item, errand, &mut looks).await.err());
        }
        end.id = None;
        drop(item);
        let concluded = self.store.change_item(id, ReviewEvent::Concluded);
        if let Some((item, effects)) = concluded {
            decided.proposals.push(item.proposal().clone());
            decided.faults.extend(run_blocking(|| self.store.publish_effects(item, effects)));
        }
        Ok(())
    }

    /// Waits for the turns of a selection's files, and looks at them. Hunks are selected again where that, or somebody
    /// else meanwhile, changed their proposal; nothing is returned where none is left.
    async fn hold_selection(&self, mut selection: Selection, params: &DecideParams) -> Option<HeldSelection> {
        loop {
            let held = selection.paths.clone();
            let turns = self.turns.await_files(held.iter().cloned().collect()).await;
            let looks = selection.files.iter().filter_map(|path| self.texts.look_at_file(path)).collect();
            let item = self.store.get(&selection.proposal)?;
            if item.version() != selection.version {
                selection = Selection::resolve(&item, params);
            }
            if selection.is_empty() {
                return None;
            }
            // A file may have been renamed meanwhile: then the turns of its new path are waited for.
            if selection.paths.is_subset(&held) {
                return Some(HeldSelection { selection, item, looks, _turns: turns });
            }
        }
    }

    /// Applies a proposal under the policy `auto`: every hunk is put in place. Hunks that cannot be placed are dropped,
    /// and the proposal is up for review afterwards. Returns the proposal's state, and the fault of any part that was
    /// not applied or is in doubt.
    pub async fn apply_automatically(&self, id: &str) -> (Option<Arc<QueuedProposal>>, Option<Fault>) {
        // It writes and waits for the disk: not where requests are read.
        tokio::task::yield_now().await;
        let Some(item) = self.store.get(id) else { return (None, None) };
        let mut selection = Selection::whole(&item);
        drop(item);
        let _turn = self.turns.await_call(&selection.call).await;
        let _turns = loop {
            let held = selection.paths.clone();
            let turns = self.turns.await_files(held.iter().cloned().collect()).await;
            let Some(item) = self.store.get(id) else { return (None, None) };
            selection = Selection::whole(&item);
            // A file may have been renamed meanwhile: then the turns of its new path are waited for.
            if selection.paths.is_subset(&held) {
                break turns;
            }
        };
        let mut fault: Option<Fault> = None;
        let decision =
            ReviewDecision { by: DecidedBy::Policy, act: Act::Accept, reason: None, hunks: selection.hunks };
        let (mut item, errands) = self.begin_decision(id, decision);
        for errand in errands {
            let item = item.take().or_else(|| self.store.get(id));
            if let Err(failed) = self.run_errand(item, errand, &mut Vec::new()).await {
                let doubtful = failed.applied == Some(true);
                // The first fault gives the reason; a change that took effect is always reported.
                fault = Some(fault.map_or(failed, |first| Fault {
                    applied: first.applied.or(doubtful.then_some(true)),
                    ..first
                }));
                if !doubtful {
                    break;
                }
            }
        }
        drop(item);
        // The hunk is stale because the text changed.
        let stale = fault.as_ref().is_none_or(|fault| fault.code == Code::Stale);
        self.store.change_item(id, ReviewEvent::GivenUp(stale));
        let concluded = self.store.change_item(id, ReviewEvent::Concluded);
        let Some((item, effects)) = concluded else { return (None, fault) };
        let doubtful = |fault| Fault { applied: item.has_applied_hunks().then_some(true), ..fault };
        let untold = run_blocking(|| self.store.publish_effects(item.clone(), effects)).into_iter().next();
        (Some(item.clone()), fault.or_else(|| untold.map(doubtful)))
    }

    /// Takes a decision in. Returns the proposal after that, and what is to be put in place or taken out, file by file.
    fn begin_decision(
        &self,
        id: &str,
        decision: ReviewDecision,
    ) -> (Option<Arc<QueuedProposal>>, Vec<ReviewEffect>) {
        let happened = self.store.change_item(id, ReviewEvent::Decided(decision));
        let Some((item, effects)) = happened else { return (None, Vec::new()) };
        let (errands, told): (Vec<_>, Vec<_>) =
            effects.into_iter().partition(|effect| matches!(effect, ReviewEffect::Place { .. }));
        // An effect that the log refuses now is written at the end of the decision.
        let _ = run_blocking(|| self.store.publish_effects(item.clone(), told));
        (Some(item), errands)
    }

    /// Puts the remaining hunks of an effect in place, or takes them out; `item` is their proposal as it is now.
    async fn run_errand(
        &self,
        item: Option<Arc<QueuedProposal>>,
        errand: ReviewEffect,
        looks: &mut Vec<FileLook>,
    ) -> Result<(), Fault> {
        let (Some(item), ReviewEffect::Place { file, hunks, back }) = (item, errand) else {
            return Ok(());
        };
        let state = if back { HunkState::Accepted } else { HunkState::Pending };
        let wanted = |hunk: &&Hunk| hunk.state == state && hunks.contains(&hunk.id);
        let remaining = item.proposal().files.get(file).into_iter().flat_map(|file| &file.hunks);
        let hunks: Vec<HunkId> = remaining.filter(wanted).map(|hunk| hunk.id.clone()).collect();
        if hunks.is_empty() {
            return Ok(());
        }
        let id = item.proposal().id.clone();
        self.placer.place_hunks(HunkPlacement { id: &id, file, hunks: &hunks, back }, item, looks).await
    }

    /// Keeps which lines of hunks are the person's.
    fn record_edited(&self, item: &QueuedProposal, lines: &BTreeMap<HunkId, Vec<String>>) {
        for hunk in item.proposal().hunks() {
            let Some(accepted) = lines.get(&hunk.id) else { continue };
            self.session.line_history().add_record(&LineRecord::Edited(EditedRecord {
                session: item.proposal().session.clone(),
                call: item.proposal().call_id.clone(),
                hunk: hunk.id.clone(),
                lines: edited_lines(&hunk.new.concat(), &accepted.concat()),
            }));
        }
    }
}

/// A selection whose files are the decision's alone, in the state that its proposal has then.
struct HeldSelection {
    selection: Selection,
    /// The proposal.
    item: Arc<QueuedProposal>,
    /// Its files, as they were looked at.
    looks: Vec<FileLook>,
    _turns: Vec<DecisionTurn>,
}

/// Ends a decision whose task is cancelled on the way: the part that was carried out is reported.
struct DecisionEnd<'q> {
    store: &'q ProposalStore,
    /// The proposal, as long as the decision is not ended.
    id: Option<&'q str>,
}

impl Drop for DecisionEnd<'_> {
    fn drop(&mut self) {
        if let Some(id) = self.id {
            // An effect that the log refuses now is written with the next decision.
            let _ = self.store.apply_event(id, ReviewEvent::Concluded);
        }
    }
}

fn no_hunk_selected() -> Fault {
    Fault::new(Code::NotFound, "no pending hunk is meant by that: it was decided, or its text changed")
}

/// Returns whether what failed took effect all the same.
pub(super) fn took_effect<T>(done: &Result<T, Fault>) -> bool {
    matches!(done, Err(fault) if fault.applied == Some(true))
}
