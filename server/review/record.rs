//! Decisions get into the session log: one that the log does not take waits and is written before the next.

use std::collections::VecDeque;

use parking_lot::Mutex;

use super::{queue::ProposalQueue, report};
use crate::base::HunkId;
use crate::protocol::{DecidedBy, Event, Fault, Hunk, Proposal};
use crate::provenance::{DecidedHunk, DecisionRecord, LineRecord};
use crate::redact::redact;

/// Decisions that the log did not take yet, oldest first.
#[derive(Debug, Default)]
pub(super) struct Unlogged(Mutex<VecDeque<Event>>);

impl ProposalQueue {
    /// Writes what was decided to the log: of `proposal` as it stands after the decision, whatever the queue remembers.
    ///
    /// # Errors
    /// What keeps the decision from being written. It stands, and is written as soon as the log takes it.
    pub(super) fn record(&self, proposal: &Proposal, by: DecidedBy, hunks: &[HunkId]) -> Result<(), Fault> {
        if hunks.is_empty() {
            return Ok(());
        }
        for hunk in proposal.hunks().filter(|hunk| hunks.contains(&hunk.id)) {
            self.session.log().count(&format!("hunks_{}", hunk.state.word()));
        }
        self.record_later(proposal, by, hunks);
        self.write_unlogged()
    }

    /// Has a decision written with the next one.
    pub(super) fn record_later(&self, proposal: &Proposal, by: DecidedBy, hunks: &[HunkId]) {
        let event = Event::Decision {
            proposal: proposal.id.clone(),
            call_id: proposal.call_id.clone(),
            by,
            hunks: report::decisions(proposal, |hunk| hunks.contains(&hunk.id)),
            status: proposal.state(),
        };
        self.unlogged.0.lock().push_back(event);
        self.session.lines().record(&LineRecord::Decision(self.decision_record(proposal, by, hunks)));
    }

    /// A decision for whoever asks why a line is so.
    fn decision_record(&self, proposal: &Proposal, by: DecidedBy, hunks: &[HunkId]) -> DecisionRecord {
        let decided = |hunk: &Hunk| DecidedHunk {
            id: hunk.id.clone(),
            state: hunk.state.word().to_owned(),
            reason: hunk.reason.as_deref().map(|reason| redact(reason).into_owned()),
        };
        let agent = proposal.origin.agent.clone();
        DecisionRecord {
            session: proposal.session.clone(),
            call: proposal.call_id.clone(),
            tool: proposal.tool.clone(),
            agent: agent.or_else(|| Some(proposal.origin.door.word().to_owned())),
            why: redact(&proposal.why).into_owned(),
            by: by.word().to_owned(),
            time: self.session.now(),
            hunks: proposal.hunks().filter(|hunk| hunks.contains(&hunk.id)).map(decided).collect(),
        }
    }

    /// Writes the decisions that the log did not take before.
    ///
    /// # Errors
    /// What keeps them from being written.
    pub fn write_unlogged(&self) -> Result<(), Fault> {
        let mut unlogged = self.unlogged.0.lock();
        while let Some(event) = unlogged.front() {
            self.session.log().write(event.clone()).map_err(|error| {
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
