//! Decides on the changes of a replay: by the person's earlier decisions. The questions of rules stay without an
//! answer.

use std::time::Duration;

use futures::future::BoxFuture;
use parking_lot::Mutex;

use super::recording::{RecordedDecision, SessionCall};
use crate::base::{CallId, HunkId, ProposalId};
use crate::hub::Hub;
use crate::ports::Caller;
use crate::protocol::{Act, AskParams, DecideParams, Door, Unanswered};
use crate::requests::{Asker, Decide, Request};

/// The time that a change waits for the decisions of then, which are here at once.
const PATIENCE: Duration = Duration::from_secs(10);

/// The decisions on one call's change.
#[derive(Debug)]
pub(super) struct ReplayCaller {
    hub: Hub,
    decided: Vec<RecordedDecision>,
    problems: Mutex<Vec<String>>,
}

impl ReplayCaller {
    /// The decisions on a call before it was answered.
    pub(super) fn new(hub: &Hub, call: &SessionCall) -> Self {
        Self { hub: hub.clone(), decided: call.decisions.clone(), problems: Mutex::default() }
    }

    /// Returns the decisions that could not be repeated.
    pub(super) fn problems(&self) -> Vec<String> {
        self.problems.lock().clone()
    }
}

impl Caller for ReplayCaller {
    fn progress(&self, _: &str, _: Option<u32>) {}

    fn decides(&self) -> bool {
        true
    }

    fn patience(&self) -> Option<Duration> {
        Some(PATIENCE)
    }

    fn question(&self, _: AskParams) -> BoxFuture<'_, Result<String, Unanswered>> {
        Box::pin(async { Err(Unanswered::Nobody) })
    }

    fn left<'a>(&'a self, proposal: &'a ProposalId) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let problems = decide_as_then(&self.hub, proposal, &self.decided).await;
            self.problems.lock().extend(problems);
        })
    }

    fn proposed(&self, _: &ProposalId, _: &CallId) {}
}

/// Decides on a proposal's hunks as it was done then; what could not be.
pub(super) async fn decide_as_then(
    hub: &Hub,
    proposal: &ProposalId,
    decided: &[RecordedDecision],
) -> Vec<String> {
    let mut problems = Vec::new();
    for hunk in decided {
        let id = HunkId::from(hunk.hunk.as_str());
        let act = if hunk.accepted { Act::Accept } else { Act::Reject };
        let params = DecideParams {
            proposal: Some(proposal.clone()),
            hunks: vec![id.clone()],
            reason: hunk.reason.clone(),
            texts: hunk.text.iter().map(|text| (id.clone(), text.clone())).collect(),
            ..DecideParams::all(act)
        };
        match Decide::answer_request(hub, params, Asker::from_door(Door::Cli)).await {
            Ok(answer) => problems.extend(answer.problems),
            Err(fault) => problems.push(fault.message),
        }
    }
    problems
}
