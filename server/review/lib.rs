//! Proposed changes as data: a draft is cut into hunks, hunks are decided, placed and moved along with their texts.
//!
//! Everything here is a pure function of its arguments: no file, no clock, no session. [`cut_draft()`] makes a
//! [`QueuedProposal`] of the [`CallDraft`] of a call; [`apply_event()`] is the one way to change it, and returns the
//! [`ReviewEffect`]s that its caller carries out. [`plan_placement`] plans a text with hunks in it, and [`PlannedHunks`]
//! finds them again in the text that is there afterwards.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod change_draft;
mod check_proposal;
mod cut_draft;
mod edit_hunks;
mod hunk_moves;
mod lifecycle;
mod placement;
mod proposal_command;
mod queued_proposal;
mod selection;

use wherefore_base as base;
use wherefore_patch as patch;
use wherefore_protocol as protocol;

pub use change_draft::{CallDraft, ChangeContent, PathChange};
pub use check_proposal::check_proposal;
pub use cut_draft::{DraftPlaces, cut_draft};
pub use edit_hunks::person_lines;
pub use hunk_moves::{PlacementPlan, PlannedHunks, hunk_cut, plan_placement, text_with_hunks};
pub use lifecycle::{
    CallLifecycle, CallStage, LifecycleEffect, LifecycleEvent, OutcomeDelivery, ProposalStorage,
};
pub use placement::{HunkPlacement, SettledPlacement, UnfitHunks};
pub use proposal_command::proposal_command;
pub use queued_proposal::{
    HunkBase, QueuedProposal, ReviewDecision, ReviewEffect, ReviewEvent, StorageStep, TextMove, apply_event,
};
pub use selection::{Selection, check_named_hunks};
