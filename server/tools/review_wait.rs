//! review.wait: how a proposal stands, after waiting for the person a while longer.

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use serde_json::{Map, Value};

use super::text;
use crate::protocol::{Code, Effects, Fault, ProposalState};
use crate::registry::{Activity, Output, Permitted};
use crate::review::{self, Desk};
use crate::session::Scope;

/// Seconds waited at most, whatever is asked for: below the time limits of agents.
const MOST_SECONDS: u64 = 300;

/// Waits for decisions.
pub(super) struct Wait(pub Arc<Desk>);

impl Activity for Wait {
    fn effects(&self, _: &Map<String, Value>) -> Effects {
        Effects::default()
    }

    fn run<'a>(&'a self, call: &'a Permitted, scope: &'a Scope) -> BoxFuture<'a, Result<Output, Fault>> {
        let args = call.call().args();
        let id = text(args, "proposal");
        let asked = args.get("timeout_s").and_then(Value::as_u64).unwrap_or(scope.settings().review.wait_s);
        let limit = Duration::from_secs(asked.min(MOST_SECONDS));
        Box::pin(async move {
            let item = tokio::select! {
                item = self.0.wait(id, limit) => item,
                () = scope.cancel().cancelled() => {
                    return Err(Fault::new(Code::Cancelled, format!("the waiting was cancelled; {id} stays open for review")));
                }
            };
            let item = item.ok_or_else(|| {
                Fault::new(Code::NotFound, format!("no proposal {id:?} is kept here"))
                    .suggest("its outcome came with an earlier result, under `decisions`; read the file to see how it stands")
            })?;
            if item.proposal.state() != ProposalState::Pending {
                self.0.told(id)?;
            }
            review::answer(&self.0, scope.files(), &item).map(Output::value)
        })
    }
}
