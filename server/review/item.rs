//! A proposal with what the queue knows of it. Only [`transition`] changes one.

mod decided;
mod moved;
#[cfg(test)]
mod tests;
mod transition;

use std::sync::Arc;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::apply::Behalf;
use super::lifecycle::Lifecycle;
use crate::base::WorkspacePath;
use crate::base::text::Encoding;
use crate::protocol::{HunkState, Policy, Proposal, ProposalState};
use decided::UnderWay;
pub(super) use transition::{ReviewDecision, ReviewEffect, ReviewEvent, TextMove, transition};

/// The text that a file's hunks are placed in.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct View {
    /// The text; none where there is no file, or no text to show.
    pub text: Option<Arc<str>>,
    /// How its bytes are written.
    pub encoding: Option<Encoding>,
}

/// A proposal with what the queue knows of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Item {
    proposal: Proposal,
    policy: Policy,
    views: Vec<View>,
    notes: Map<String, Value>,
    #[serde(flatten)]
    life: Lifecycle,
    #[serde(skip)]
    under_way: Option<UnderWay>,
    #[serde(skip)]
    storing: Arc<Mutex<()>>,
}

impl Item {
    /// A proposal that was made just now, with the text of each of its files.
    pub(super) fn new(
        proposal: Proposal,
        policy: Policy,
        views: Vec<View>,
        notes: Map<String, Value>,
    ) -> Self {
        let (life, storing) = (Lifecycle::begun(), Arc::default());
        Self { proposal, policy, views, notes, life, under_way: None, storing }
    }

    /// Works out anew what follows from the paths of its files, for one that was kept: where they are, and what is done to
    /// them in words.
    pub(super) fn locate(&mut self, uri: impl Fn(&WorkspacePath) -> String) {
        for file in &mut self.proposal.files {
            (file.uri, file.version) = (uri(&file.path), None);
            file.what = file.sentence();
        }
    }

    /// The proposal as everyone sees it.
    pub fn proposal(&self) -> &Proposal {
        &self.proposal
    }

    /// The policy that it fell under.
    pub fn policy(&self) -> Policy {
        self.policy
    }

    /// The text of each file, in the proposal's order.
    pub fn views(&self) -> &[View] {
        &self.views
    }

    /// What its answer says beside the hunks' fate.
    pub fn notes(&self) -> &Map<String, Value> {
        &self.notes
    }

    /// How far its call is, what its agent knows, and where it is kept.
    pub(super) fn life(&self) -> Lifecycle {
        self.life
    }

    /// Held while it is written to our folder or removed there.
    pub(super) fn storing(&self) -> Arc<Mutex<()>> {
        self.storing.clone()
    }

    /// Whether it is up for review: it is in the log, and its policy has decided or leaves that to others.
    pub fn is_up(&self) -> bool {
        self.life.is_up()
    }

    /// Whether a hunk of it waits for somebody to decide.
    pub fn is_waiting(&self) -> bool {
        self.is_up() && !self.is_decided()
    }

    /// Whether no hunk of it waits.
    pub(super) fn is_decided(&self) -> bool {
        self.proposal.state() != ProposalState::Pending
    }

    /// Whether some of it stands in the workspace.
    pub fn stands(&self) -> bool {
        self.proposal.hunks().any(|hunk| hunk.state == HunkState::Accepted)
    }

    /// Whether its outcome is known and its agent has to hear of it with a later result.
    pub(super) fn is_due(&self) -> bool {
        self.life.is_due(self.is_decided())
    }

    /// Whether everyone knows its outcome, so that our folder need not keep it.
    pub(super) fn is_over(&self) -> bool {
        self.life.is_over(self.is_decided())
    }

    /// Whether memory may forget it.
    pub(super) fn is_past(&self) -> bool {
        self.life.is_past(self.is_decided())
    }

    /// When it was made, and its id: the order in which proposals are decided.
    pub(super) fn age(&self) -> (&str, &str) {
        (&self.proposal.created, &self.proposal.id)
    }

    /// The call that its hunks are put in place for.
    pub(super) fn behalf(&self) -> Behalf<'_> {
        Behalf { call: &self.proposal.call_id, session: &self.proposal.session, undoes: None }
    }

    /// What tells its call from those of other sessions.
    pub(super) fn call(&self) -> String {
        format!("{}/{}", self.proposal.session, self.proposal.call_id)
    }
}
