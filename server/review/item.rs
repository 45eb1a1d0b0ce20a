//! A proposal with what the queue knows of it.

use std::sync::Arc;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::apply::Behalf;
use super::lifecycle::{Lifecycle, LifecycleEffect, LifecycleEvent, transition};
use crate::base::text::Encoding;
use crate::protocol::{HunkState, Policy, Proposal, ProposalState};

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
    /// The proposal as everyone sees it.
    pub proposal: Proposal,
    /// The policy it fell under.
    pub policy: Policy,
    /// The text of each file, in the proposal's order.
    pub views: Vec<View>,
    /// What its answer says beside the hunks' fate.
    pub notes: Map<String, Value>,
    /// How far it is on its way.
    #[serde(flatten)]
    pub life: Lifecycle,
    /// Held while it is written to our folder or removed there.
    #[serde(skip)]
    pub(super) storing: Arc<Mutex<()>>,
}

impl Item {
    /// Moves it on its way; what that asks for is for the caller to carry out.
    pub(super) fn advance(&mut self, event: LifecycleEvent) -> Option<LifecycleEffect> {
        let (life, effect) = transition(self.life, event);
        self.life = life;
        effect
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
