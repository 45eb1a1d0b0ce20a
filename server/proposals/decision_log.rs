//! Decisions get into the session log: one that the log does not take waits and is written before the next.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;

use super::proposal_report;
use crate::base::HunkId;
use crate::protocol::{DecidedBy, Event, Fault, Hunk, Proposal};
use crate::provenance::{DecidedHunk, DecisionRecord, LineRecord};
use crate::redact::redact;
use crate::session::WorkspaceSession;

/// The decisions on their way to the session log and to the history of lines.
#[derive(Debug)]
pub struct DecisionLog {
    session: Arc<WorkspaceSession>,
    /// Decisions that the log did not take yet, oldest first.
    unlogged: Mutex<VecDeque<Event>>,
}

impl DecisionLog {
    /// The decisions of a session.
    pub(super) fn new(session: Arc<WorkspaceSession>) -> Self {
        Self { session, unlogged: Mutex::default() }
    }

    /// Writes a decision to the log: with `proposal` in its state after the decision, whatever the store remembers.
    ///
    /// # Errors
    /// The error that keeps the decision from being written. It holds, and is written as soon as the log takes it.
    pub(super) fn record_decision(
        &self,
        proposal: &Proposal,
        by: DecidedBy,
        hunks: &[HunkId],
    ) -> Result<(), Fault> {
        if hunks.is_empty() {
            return Ok(());
        }
        for hunk in proposal.hunks().filter(|hunk| hunks.contains(&hunk.id)) {
            self.session.log().count_total(&format!("hunks_{}", hunk.state.as_str()));
        }
        self.record_later(proposal, by, hunks);
        self.write_unlogged()
    }

    /// Keeps a decision for the log, to be written with the next one.
    pub(super) fn record_later(&self, proposal: &Proposal, by: DecidedBy, hunks: &[HunkId]) {
        let event = Event::Decision {
            proposal: proposal.id.clone(),
            call_id: proposal.call_id.clone(),
            by,
            hunks: proposal_report::hunk_decisions(proposal, |hunk| hunks.contains(&hunk.id)),
            status: proposal.state(),
        };
        self.unlogged.lock().push_back(event);
        self.session
            .line_history()
            .add_record(&LineRecord::Decision(self.decision_record(proposal, by, hunks)));
    }

    /// Returns the record of a decision, for questions about the reasons of a line.
    fn decision_record(&self, proposal: &Proposal, by: DecidedBy, hunks: &[HunkId]) -> DecisionRecord {
        let decided = |hunk: &Hunk| DecidedHunk {
            id: hunk.id.clone(),
            state: hunk.state.as_str().to_owned(),
            reason: hunk.reason.as_deref().map(|reason| redact(reason).into_owned()),
        };
        let agent = proposal.origin.agent.clone();
        DecisionRecord {
            session: proposal.session.clone(),
            call: proposal.call_id.clone(),
            tool: proposal.tool.clone(),
            agent: agent.or_else(|| Some(proposal.origin.door.as_str().to_owned())),
            why: redact(&proposal.why).into_owned(),
            by: by.as_str().to_owned(),
            time: self.session.now(),
            hunks: proposal.hunks().filter(|hunk| hunks.contains(&hunk.id)).map(decided).collect(),
        }
    }

    /// Writes the decisions that the log refused before.
    ///
    /// # Errors
    /// The error that keeps them from being written.
    pub fn write_unlogged(&self) -> Result<(), Fault> {
        let mut unlogged = self.unlogged.lock();
        while let Some(event) = unlogged.front() {
            self.session.log().write_event(event.clone()).map_err(|error| {
                let count = unlogged.len();
                let message = format!(
                    "{count} decisions stand, but are not in the session log yet: {error}; they are written as soon as \
                     the log takes them"
                );
                Fault { message, ..error.into() }
            })?;
            unlogged.pop_front();
        }
        Ok(())
    }
}
