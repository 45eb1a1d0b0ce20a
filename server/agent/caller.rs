//! Who waits for the calls of a run: its person, where the run's client lets them answer.

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;

use crate::base::{CallId, ProposalId};
use crate::hub::AgentRun;
use crate::ports::Caller;
use crate::protocol::{AgentHappening, AskParams};

/// How long a call of the agent waits for the person's decision: a turn that is cancelled waits no longer.
const PATIENCE: Duration = Duration::from_secs(7 * 24 * 3600);

/// The person behind a run.
#[derive(Debug)]
pub(super) struct RunCaller(pub(super) Arc<AgentRun>);

impl Caller for RunCaller {
    fn progress(&self, _: &str, _: Option<u32>) {}

    fn decides(&self) -> bool {
        self.0.about().attended
    }

    fn patience(&self) -> Option<Duration> {
        Some(PATIENCE)
    }

    fn question(&self, question: AskParams) -> BoxFuture<'_, Option<String>> {
        Box::pin(self.0.ask(question.text, question.answers))
    }

    fn left<'a>(&'a self, proposal: &'a ProposalId) -> BoxFuture<'a, ()> {
        Box::pin(self.0.is_left(proposal))
    }

    fn proposed(&self, proposal: &ProposalId, call: &CallId) {
        self.0.tell(AgentHappening::Proposed { proposal: proposal.clone(), call_id: call.clone() });
    }
}
