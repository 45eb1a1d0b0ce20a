//! A proposal, and the state that the queue keeps of it. Only [`apply_event()`] changes one.

mod apply_event;
mod decisions;
mod lost_hunks;
mod placed_hunks;
#[cfg(test)]
mod tests;
mod text_moves;
mod typed_hunks;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::base::WorkspacePath;
use crate::lifecycle::{CallLifecycle, CallStage, OutcomeDelivery, ProposalStorage};
use crate::protocol::{HunkState, Policy, Proposal, ProposalState, ProposedFile};
pub use apply_event::{ReviewDecision, ReviewEffect, ReviewEvent, TextMove, apply_event};
use decisions::OngoingDecision;
pub use placed_hunks::HunkBase;
use placed_hunks::PlacedHunks;

/// A proposal with what the queue knows of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct QueuedProposal {
    #[serde(flatten)]
    placed: PlacedHunks,
    policy: Policy,
    notes: Map<String, Value>,
    #[serde(flatten)]
    life: CallLifecycle,
    #[serde(skip)]
    under_way: Option<OngoingDecision>,
    #[serde(skip)]
    version: u64,
}

/// The step by which the state folder comes to hold a proposal as it is now, or no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageStep {
    /// The folder is left as it is.
    Leave,
    /// The proposal is removed.
    Remove,
    /// It is written, and on the disk before anything else is done.
    Write,
    /// It is written, and may be lost in a power cut.
    WriteSoon,
}

impl QueuedProposal {
    /// A proposal that was made just now, with the text of each of its files.
    pub fn new(proposal: Proposal, policy: Policy, views: Vec<HunkBase>, notes: Map<String, Value>) -> Self {
        let placed = PlacedHunks::new(proposal, views);
        Self { placed, policy, notes, life: CallLifecycle::at_start(), under_way: None, version: 0 }
    }

    /// Computes again what follows from the paths of its files, for a loaded proposal: their URIs, and the description
    /// of each change.
    pub fn refresh_locations(&mut self, uri: impl Fn(&WorkspacePath) -> String) {
        self.placed.refresh_locations(uri);
    }

    /// The proposal as everyone sees it.
    pub fn proposal(&self) -> &Proposal {
        self.placed.proposal()
    }

    /// The policy that it fell under.
    pub fn policy(&self) -> Policy {
        self.policy
    }

    /// The files whose hunks follow their texts: those with hunks that wait, that nobody has looked at, or that come back
    /// with their text.
    pub fn followed_files(&self) -> impl Iterator<Item = &ProposedFile> {
        let is_followed = |file: &&ProposedFile| {
            file.kind.has_text() && file.hunks.iter().any(|hunk| self.placed.is_followed(hunk))
        };
        self.proposal().files.iter().filter(is_followed)
    }

    /// The text of each file, in the proposal's order.
    pub fn views(&self) -> &[HunkBase] {
        self.placed.views()
    }

    /// The further members of its answer, in addition to the states of the hunks.
    pub fn notes(&self) -> &Map<String, Value> {
        &self.notes
    }

    /// The stage of its call, the delivery of its outcome, and where it is stored.
    pub fn life(&self) -> CallLifecycle {
        self.life
    }

    /// The number of events that it has been through in this process: while it is the same, so is the proposal.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Returns whether it is up for review: it is in the log, and its policy has decided or leaves that to others.
    pub fn is_up(&self) -> bool {
        self.life.is_up()
    }

    /// Returns whether a hunk of it waits for somebody to decide.
    pub fn is_waiting(&self) -> bool {
        self.is_up() && !self.is_decided()
    }

    /// Returns whether no hunk of it waits.
    pub fn is_decided(&self) -> bool {
        self.proposal().state() != ProposalState::Pending
    }

    /// Returns whether some of its hunks are in place in the workspace.
    pub fn has_applied_hunks(&self) -> bool {
        self.proposal().hunks().any(|hunk| hunk.state == HunkState::Accepted)
    }

    /// Returns whether its outcome is known and its agent has to hear of it with a later result.
    pub fn is_due(&self) -> bool {
        self.life.is_due(self.is_decided())
    }

    /// Returns whether it waits for nothing but a person who looks at it afterwards.
    pub fn is_settled(&self) -> bool {
        self.life.is_over(self.is_decided())
    }

    /// Returns whether everyone knows its outcome and a person has looked at it, so that our folder need not keep it.
    pub fn is_over(&self) -> bool {
        self.is_settled() && !self.placed.is_unreviewed()
    }

    /// Returns whether memory, and our folder, may forget it. The latest proposals that no one has reviewed are kept.
    pub fn is_past(&self) -> bool {
        let is_kept_for_review = self.placed.is_unreviewed() && self.life.keeping == ProposalStorage::Folder;
        self.life.is_past(self.is_decided())
            || (is_kept_for_review && self.is_settled() && self.life.stage == CallStage::Answered)
    }

    /// Returns the step by which the state folder comes to hold it as it is now, or no more.
    pub fn storage_step(&self) -> StorageStep {
        let is_applying = self.life.stage == CallStage::Deciding && self.policy == Policy::Auto;
        match (self.is_over(), self.life.keeping) {
            // A change that a policy applies at once is never stored as waiting.
            _ if is_applying => StorageStep::Leave,
            // Its answer still has to deliver the outcome; a later reviewer finds it once it did.
            (false, ProposalStorage::Memory)
                if self.life.hearing == OutcomeDelivery::ByAnswer && self.is_settled() =>
            {
                StorageStep::Leave
            }
            (true, ProposalStorage::Memory) => StorageStep::Leave,
            (true, ProposalStorage::Folder) => StorageStep::Remove,
            (false, _) if self.is_settled() => StorageStep::WriteSoon,
            (false, _) => StorageStep::Write,
        }
    }

    /// Returns the time when it was made, and its id: the order in which proposals are decided.
    pub fn creation_order(&self) -> (&str, &str) {
        (&self.proposal().created, &self.proposal().id)
    }

    /// The key of its call, which is unique among all sessions.
    pub fn call_key(&self) -> String {
        format!("{}/{}", self.proposal().session, self.proposal().call_id)
    }
}
