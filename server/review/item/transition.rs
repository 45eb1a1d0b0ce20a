//! What becomes of a proposal when something happens: a pure function. Whoever makes something happen carries out what
//! that asks for.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::Item;
use crate::base::text::Encoding;
use crate::base::{HunkId, WorkspacePath};
use crate::patch::Moves;
use crate::protocol::{Act, DecidedBy, HunkState};
use crate::review::lifecycle::{LifecycleEffect, LifecycleEvent, transition as live};

/// What somebody said of hunks of one proposal.
#[derive(Clone, Debug)]
pub(in crate::review) struct ReviewDecision {
    /// Who decided.
    pub by: DecidedBy,
    /// What becomes of the hunks.
    pub act: Act,
    /// A word for the agent.
    pub reason: Option<String>,
    /// The hunks, by id.
    pub hunks: BTreeSet<HunkId>,
}

/// Another text stands at a path.
pub(in crate::review) struct TextMove<'e> {
    /// The path.
    pub path: &'e WorkspacePath,
    /// The version of the document that shows it; none where no editor does.
    pub version: Option<i32>,
    /// The text; none where there is no file.
    pub now: Option<&'e Arc<str>>,
    /// How the lines of an earlier text moved in it.
    pub moves: &'e dyn Fn(&Arc<str>) -> Option<&'e Moves<'e>>,
    /// Whether somebody changed it in an editor, and no decision or undo did.
    pub typed: bool,
}

/// What happens to a proposal.
pub(in crate::review) enum ReviewEvent<'e> {
    /// Its call goes on, or it is kept elsewhere.
    Call(LifecycleEvent),
    /// A person puts lines of their own in the place of those that hunks would add.
    Edited(BTreeMap<HunkId, Vec<String>>),
    /// Somebody decided on hunks.
    Decided(ReviewDecision),
    /// Hunks of a file that somebody decided on were put in place, or taken out of it (`back`), and read back.
    Placed {
        /// The file, by its place in the proposal.
        file: usize,
        /// The hunks.
        hunks: &'e [HunkId],
        /// Whether they were taken out.
        back: bool,
        /// The text that they stand in; none where the file has none, or where it is as it was.
        text: Option<Option<Arc<str>>>,
    },
    /// What the one hunk of a file without lines changes is not as it has to be.
    Unfit(usize),
    /// A policy cannot carry out the rest of its decision. Whether that is because a text changed.
    GivenUp(bool),
    /// The decision is carried out, as far as it can be.
    Concluded,
    /// Its call was taken back: nothing more of it is to be decided.
    Withdrawn,
    /// Another text stands in a file.
    TextMoved(&'e TextMove<'e>),
    /// A file has another path, with that URI.
    Renamed(&'e WorkspacePath, &'e WorkspacePath, &'e str),
    /// An earlier process put hunks of a file in place, or was about to: the text that stood there then.
    Recalled(usize, Option<Arc<str>>),
    /// The disk says that an earlier process put hunks of a file in place, or took them out (`back`).
    Recovered {
        /// The file, by its place in the proposal.
        file: usize,
        /// The hunks.
        hunks: &'e [HunkId],
        /// Whether they were taken out.
        back: bool,
        /// The text that they stand in; none where the file has none.
        text: Option<Option<Arc<str>>>,
    },
}

/// What a transition asks for.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::review) enum ReviewEffect {
    /// Hunks of a file are to be put in place, or taken out (`back`).
    Place {
        /// The file, by its place in the proposal.
        file: usize,
        /// The hunks.
        hunks: Vec<HunkId>,
        /// Whether they are taken out.
        back: bool,
    },
    /// The log is to tell what became of hunks.
    Log(DecidedBy, Vec<HunkId>),
    /// What somebody else replaced is to be kept, so that it can be undone.
    Checkpoint(Arc<str>, Encoding),
    /// The editor is to hear where the hunks stand.
    TellPlaces,
    /// What the way of the call asks for.
    Call(LifecycleEffect),
}

/// What happens to one hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HunkStep {
    /// It was put in place.
    PutInPlace,
    /// It was taken out again.
    TakenOut,
    /// Somebody said no.
    Refused,
    /// It does not fit any more.
    Unfit,
}

/// The state of a hunk after a step: no state becomes pending again, and a step that does not fit changes nothing.
pub(super) fn after(state: HunkState, step: HunkStep) -> HunkState {
    match (state, step) {
        (HunkState::Pending, HunkStep::PutInPlace) => HunkState::Accepted,
        (HunkState::Pending, HunkStep::Refused) => HunkState::Rejected,
        (HunkState::Pending, HunkStep::Unfit) => HunkState::Stale,
        (HunkState::Accepted, HunkStep::TakenOut) => HunkState::Rejected,
        (state, _) => state,
    }
}

/// A proposal after an event, and what that asks for.
pub(in crate::review) fn transition(mut item: Item, event: ReviewEvent<'_>) -> (Item, Vec<ReviewEffect>) {
    let effects = match event {
        ReviewEvent::Call(event) => {
            let (life, effect) = live(item.life, event, item.is_decided());
            item.life = life;
            effect.into_iter().map(ReviewEffect::Call).collect()
        }
        ReviewEvent::Edited(lines) => item.edited(lines),
        ReviewEvent::Decided(decision) => item.decided(decision),
        ReviewEvent::Placed { file, hunks, back, text } => item.placed(file, hunks, back, text),
        ReviewEvent::Unfit(file) => item.unfit(file),
        ReviewEvent::GivenUp(stale) => item.given_up(stale),
        ReviewEvent::Concluded => item.concluded(),
        ReviewEvent::Withdrawn => item.withdrawn(),
        ReviewEvent::TextMoved(moved) => item.text_moved(moved),
        ReviewEvent::Renamed(from, to, uri) => item.renamed(from, to, uri),
        ReviewEvent::Recalled(file, text) => item.recalled(file, text),
        ReviewEvent::Recovered { file, hunks, back, text } => item.recovered(file, hunks, back, text),
    };
    (item, effects)
}

/// What everybody is told after a change.
pub(super) fn update() -> ReviewEffect {
    ReviewEffect::Call(LifecycleEffect::Update)
}
