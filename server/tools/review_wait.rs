//! review.wait: how a proposal stands, after waiting for the person a while longer.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::count::Count;
use crate::protocol::{Code, Effects, Fault, ProposalState};
use crate::registry::{Activity, Output, Permitted};
use crate::review::{self, Answer, ProposalQueue};
use crate::session::Scope;

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
    type Output = Answer;

    fn effects(&self, _: &WaitInput) -> Effects {
        Effects::default()
    }

    async fn run(
        &self,
        input: Arc<WaitInput>,
        _: &Permitted,
        scope: &Scope,
    ) -> Result<Output<Answer>, Fault> {
        let id = input.proposal.as_str();
        let asked = input.timeout_s.map_or(scope.patience(), |asked| Duration::from_secs(asked.0));
        let limit = asked.min(Duration::from_secs(MOST_SECONDS));
        let item = tokio::select! {
            item = self.0.wait_for_person(id, limit, scope) => item,
            () = scope.cancel().cancelled() => {
                self.0.interrupted(id);
                return Err(Fault::new(Code::Cancelled, format!("the waiting was cancelled; {id} stays open for review")));
            }
        };
        let item = item.ok_or_else(|| {
            Fault::new(Code::NotFound, format!("no proposal {id:?} is kept here"))
                .suggest("its outcome came with an earlier result, under `decisions`; read the file to see how it stands")
        })?;
        if item.proposal().state() != ProposalState::Pending {
            self.0.told(id)?;
        }
        review::answer(&self.0, scope.files(), &item).map(Output::value)
    }
}
