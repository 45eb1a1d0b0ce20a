//! review.wait: returns the state of a proposal, after waiting for the person a while longer.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::count::Count;
use crate::proposals::ProposalQueue;
use crate::protocol::{CallEffects, ChangeAnswer, Code, Fault, ProposalState};
use crate::registry::{Activity, ActivityOutput, PermittedCall};
use crate::session::CallScope;

/// Seconds waited at most, whatever is asked for: below the time limits of agents.
const MOST_SECONDS: u64 = 300;

/// Waits for decisions.
pub(super) struct WaitForReview(pub Arc<ProposalQueue>);

/// The arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct WaitInput {
    proposal: String,
    timeout_s: Option<Count>,
}

impl Activity for WaitForReview {
    type Input = WaitInput;
    type Output = ChangeAnswer;

    fn call_effects(&self, _: &WaitInput) -> CallEffects {
        CallEffects::default()
    }

    async fn run_call(
        &self,
        input: Arc<WaitInput>,
        _: &PermittedCall,
        scope: &CallScope,
    ) -> Result<ActivityOutput<ChangeAnswer>, Fault> {
        let id = input.proposal.as_str();
        let asked = input.timeout_s.map_or(scope.wait_limit(), |asked| Duration::from_secs(asked.0));
        let limit = asked.min(Duration::from_secs(MOST_SECONDS));
        let item = tokio::select! {
            item = self.0.calls().wait_for_person(id, limit, scope) => item,
            () = scope.cancel_token().cancelled() => {
                self.0.interrupted().note_interruption(id);
                return Err(Fault::new(Code::Cancelled, format!("the waiting was cancelled; {id} stays open for review")));
            }
        };
        let item = item.ok_or_else(|| {
            Fault::new(Code::NotFound, format!("no proposal {id:?} is kept here"))
                .with_suggestion("its outcome came with an earlier result, under `decisions`; read the file to see how it stands")
        })?;
        if item.proposal().state() != ProposalState::Pending {
            self.0.deliveries().mark_delivered(id)?;
        }
        self.0.answer_call(scope.files(), &item).map(ActivityOutput::from_value)
    }
}
