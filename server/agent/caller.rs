//! The caller of a run's calls: its person, if the run's client lets them answer.

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;

use crate::base::{CallId, ProposalId};
use crate::hub::AgentRun;
use crate::ports::Caller;
use crate::protocol::{AgentHappening, AskParams, Unanswered};

/// The longest time that a call of the agent waits for the person's decision; cancelling the turn ends the wait.
const PATIENCE: Duration = Duration::from_secs(7 * 24 * 3600);

/// The person behind a run.
#[derive(Debug)]
pub(super) struct RunCaller(pub(super) Arc<AgentRun>);

impl Caller for RunCaller {
    fn progress(&self, _: &str, _: Option<u32>) {}

    fn decides(&self) -> bool {
        self.0.run_info().attended
    }

    fn patience(&self) -> Option<Duration> {
        Some(PATIENCE)
    }

    fn question(&self, question: AskParams) -> BoxFuture<'_, Result<String, Unanswered>> {
        Box::pin(async move {
            let answer = self.0.ask_person(question.text, question.answers.clone()).await;
            let answer = answer.ok_or(Unanswered::Lost)?;
            question.answers.contains(&answer).then_some(answer).ok_or(Unanswered::Closed)
        })
    }

    fn left<'a>(&'a self, proposal: &'a ProposalId) -> BoxFuture<'a, ()> {
        Box::pin(self.0.wait_until_postponed(proposal))
    }

    fn proposed(&self, proposal: &ProposalId, call: &CallId) {
        self.0.record_event(AgentHappening::Proposed { proposal: proposal.clone(), call_id: call.clone() });
    }
}
