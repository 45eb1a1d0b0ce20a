//! The effect of an event on a proposal, as a pure function that also returns the actions for the caller to
//! carry out.
//!
//! # Invariants
//!
//! - No hunk is put in place that no person or policy accepted, none that is decided waits again, and no decision is reported or
//!   logged twice or not at all.
//!   Test: `each_decision_is_told_once_and_nothing_is_applied_that_was_not_accepted`,
//!   `an_outcome_is_told_once_and_what_is_over_is_let_go`, `a_decision_that_is_broken_off_is_told_as_far_as_it_came`

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::QueuedProposal;
use super::decisions::log_effects;
use crate::base::text::TextEncoding;
use crate::base::{HunkId, WorkspacePath};
use crate::lifecycle::{LifecycleEffect, LifecycleEvent, apply_call_event as live};
use crate::patch::LineMoves;
use crate::protocol::{Act, DecidedBy, HunkState};

/// A decision on hunks of one proposal.
#[derive(Clone, Debug)]
pub struct ReviewDecision {
    /// The party that decided.
    pub by: DecidedBy,
    /// The act on the hunks.
    pub act: Act,
    /// The message for the agent.
    pub reason: Option<String>,
    /// The hunks, by id.
    pub hunks: BTreeSet<HunkId>,
}

/// A new text at a path.
pub struct TextMove<'e> {
    /// The path.
    pub path: &'e WorkspacePath,
    /// The version of the document that shows it; none where no editor does.
    pub version: Option<i32>,
    /// The text; none where there is no file.
    pub now: Option<&'e Arc<str>>,
    /// The lines of an earlier text, as they moved in it.
    pub moves: &'e dyn Fn(&Arc<str>) -> Option<&'e LineMoves<'e>>,
    /// True where somebody changed it in an editor, and no decision or undo did.
    pub typed: bool,
}

/// An event of a proposal.
pub enum ReviewEvent<'e> {
    /// Its call goes on, or it is kept elsewhere.
    Call(LifecycleEvent),
    /// A person puts lines of their own in the place of those that hunks would add.
    Edited(BTreeMap<HunkId, Vec<String>>),
    /// A decision on hunks.
    Decided(ReviewDecision),
    /// Hunks of a file that somebody decided on were put in place, or taken out of it (`back`), and read back.
    Placed {
        /// The file, by its place in the proposal.
        file: usize,
        /// The hunks.
        hunks: &'e [HunkId],
        /// True where they were taken out.
        back: bool,
        /// The text that they stand in; none where the file has none, or where it is as it was.
        text: Option<Option<Arc<str>>>,
    },
    /// The state on the disk that the one hunk of a file without lines changes is not the expected one.
    Unfit(usize),
    /// A policy cannot carry out the rest of its decision. Whether that is because a text changed.
    GivenUp(bool),
    /// The decision is carried out, to the extent possible.
    Concluded,
    /// Its call was taken back, by whom: nothing more of it is to be decided.
    Withdrawn(DecidedBy),
    /// A person had what its call changed taken back, whole.
    Undone,
    /// Its agent proposes another change to a file: what is stale there does not come back.
    Superseded(&'e WorkspacePath),
    /// A file has a new text.
    TextMoved(&'e TextMove<'e>),
    /// A file has another path, with that URI.
    Renamed(&'e WorkspacePath, &'e WorkspacePath, &'e str),
    /// An earlier process put hunks of a file in place, or was about to: the text that stood there then.
    Recalled(usize, Option<Arc<str>>),
    /// The disk shows that an earlier process put hunks of a file in place, or took them out (`back`).
    Recovered {
        /// The file, by its place in the proposal.
        file: usize,
        /// The hunks.
        hunks: &'e [HunkId],
        /// True where they were taken out.
        back: bool,
        /// The text that they stand in; none where the file has none.
        text: Option<Option<Arc<str>>>,
    },
}

/// An effect that a transition asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum ReviewEffect {
    /// Hunks of a file are to be put in place, or taken out (`back`).
    Place {
        /// The file, by its place in the proposal.
        file: usize,
        /// The hunks.
        hunks: Vec<HunkId>,
        /// True where they are taken out.
        back: bool,
    },
    /// The log is to record the outcomes of hunks.
    Log(DecidedBy, Vec<HunkId>),
    /// The content that someone else replaced is to be kept, so that it can be undone.
    Checkpoint(Arc<str>, TextEncoding),
    /// The editor is to hear where the hunks stand.
    TellPlaces,
    /// An effect on the call's lifecycle.
    Call(LifecycleEffect),
}

/// A step of one hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HunkStep {
    /// It was put in place.
    PutInPlace,
    /// It was taken out again.
    TakenOut,
    /// It was refused.
    Refused,
    /// It does not fit any more.
    Unfit,
    /// It fits again: its text is back.
    FitsAgain,
}

/// The state of a hunk after a step: none that was decided becomes pending again, and a step that does not fit changes
/// nothing.
pub(super) fn state_after(state: HunkState, step: HunkStep) -> HunkState {
    match (state, step) {
        (HunkState::Pending, HunkStep::PutInPlace) => HunkState::Accepted,
        (HunkState::Pending, HunkStep::Refused) => HunkState::Rejected,
        (HunkState::Pending, HunkStep::Unfit) => HunkState::Stale,
        (HunkState::Accepted, HunkStep::TakenOut) => HunkState::Rejected,
        (HunkState::Stale, HunkStep::FitsAgain) => HunkState::Pending,
        (state, _) => state,
    }
}

/// A proposal after an event, and what that asks for.
pub fn apply_event(mut item: QueuedProposal, event: ReviewEvent<'_>) -> (QueuedProposal, Vec<ReviewEffect>) {
    item.version += 1;
    let effects = match event {
        ReviewEvent::Call(event) => {
            let (life, effect) = live(item.life, event, item.is_decided());
            item.life = life;
            effect.into_iter().map(ReviewEffect::Call).collect()
        }
        ReviewEvent::Edited(lines) => {
            item.placed.replace_lines(lines);
            Vec::new()
        }
        ReviewEvent::Decided(decision) => item.apply_decision(decision),
        ReviewEvent::Placed { file, hunks, back, text } => item.apply_placement(file, hunks, back, text),
        ReviewEvent::Unfit(file) => item.mark_unfit(file),
        ReviewEvent::GivenUp(stale) => item.give_up(stale),
        ReviewEvent::Concluded => item.conclude_decision(),
        ReviewEvent::Withdrawn(by) => item.withdraw_hunks(by),
        ReviewEvent::Undone => {
            item.placed.mark_reviewed();
            item.placed.forget_lost();
            vec![update_effect()]
        }
        ReviewEvent::Superseded(path) => {
            item.placed.forget_lost_in(path);
            Vec::new()
        }
        ReviewEvent::TextMoved(moved) => item.move_text(moved),
        ReviewEvent::Renamed(from, to, uri) => {
            let is_any = item.placed.rename_files(from, to, uri);
            is_any.then(update_effect).into_iter().collect()
        }
        ReviewEvent::Recalled(file, text) => item.recall_text(file, text),
        // The disk shows these states, whatever was asked for.
        ReviewEvent::Recovered { file, hunks, back, text } => {
            log_effects(DecidedBy::Recovery, item.placed.settle_hunks(file, hunks, back, text))
        }
    };
    (item, effects)
}

/// The effect that updates every receiver after a change.
pub(super) fn update_effect() -> ReviewEffect {
    ReviewEffect::Call(LifecycleEffect::Update)
}
