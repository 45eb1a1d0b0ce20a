//! A logged call on its way to its end: one method a step, in the order in which they are taken.

use std::sync::Arc;

use serde_json::Value;
use tokio::sync::SemaphorePermit;
use tokio_util::sync::CancellationToken;

use super::record::{CallEntry, Pace};
use super::{Ended, Pipeline, execute, inject, notices, permit, policy};
use crate::base::blocking;
use crate::ports::Caller;
use crate::protocol::{Code, Fault, Status};
use crate::registry::{Call, Draft, Output, Permitted};
use crate::review;
use crate::session::Scope;

/// What one call runs with.
pub(super) struct Run<'a> {
    pub(super) pipeline: &'a Pipeline,
    /// When its events are written.
    pub(super) pace: Pace,
    /// The call in the log.
    pub(super) entry: &'a CallEntry,
    /// Tells it to stop.
    pub(super) cancel: CancellationToken,
    /// Who made it.
    pub(super) caller: Option<Arc<dyn Caller>>,
}

/// A call that holds a slot: the scope that it works in, and what the rules allow it.
struct Admitted<'a> {
    scope: Scope,
    permitted: Permitted,
    slot: SemaphorePermit<'a>,
}

impl<'a> Run<'a> {
    /// Takes the call all the way.
    pub(super) async fn to_its_end(&self, call: Call) -> Ended {
        let session = &self.pipeline.session;
        session.editor().tell_call(&|| notices::call(session, &call));
        let Ok(_place) = self.pipeline.places.try_acquire() else {
            return Ended::fault(self.too_many());
        };
        let _running = session.presence().running();
        self.steps(call).await.unwrap_or_else(Ended::fault)
    }

    fn too_many(&self) -> Fault {
        let waiting = self.pipeline.session.workspace().settings().limits.waiting;
        let message = format!("{waiting} calls wait already; that is the limit (limits.waiting)");
        Fault::new(Code::QuotaExceeded, message).suggest("wait for answers before sending further calls")
    }

    async fn steps(&self, call: Call) -> Result<Ended, Fault> {
        let (cancel, caller) = (self.cancel.clone(), self.caller.clone());
        let scope = Scope::new(self.pipeline.session.clone(), call.origin(), cancel, caller);
        scope.check()?;
        if call.activity().is_none() {
            return Ok(latent(&call));
        }
        let admitted = self.permit(scope, call).await?;
        let Output { value, change, truncated, rest, blocks, warnings } = self.execute(&admitted).await?;
        let (status, value) = match change {
            None => (Status::Ok, value),
            Some(draft) => self.change(admitted, draft, value).await?,
        };
        Ok(Ended { status, truncated, rest, blocks, warnings, ..Ended::ok(value) })
    }

    /// The answer to a call that changes something: what its value holds, and how the change stands. Both are kept with the
    /// proposal, so that a later look at it says the same.
    async fn change(
        &self,
        admitted: Admitted<'_>,
        mut draft: Draft,
        value: Value,
    ) -> Result<(Status, Value), Fault> {
        draft.notes.extend(Output::members(value));
        if draft.changes.is_empty() {
            let (session, files) = (&self.pipeline.session, admitted.scope.files());
            let unchanged = review::unchanged(session, files, admitted.permitted.call(), draft);
            return Ok((Status::Ok, unchanged));
        }
        self.review(admitted, draft).await
    }

    /// The rules judge what the call declares, and it waits for a slot. Where they changed meanwhile, they judge again.
    async fn permit(&self, scope: Scope, call: Call) -> Result<Admitted<'a>, Fault> {
        let session = &self.pipeline.session;
        policy::refuse_declared(&scope, &call)?;
        let permitted = permit::permit(session, &scope, call, &self.pipeline.approvals).await?;
        let slot = self.pipeline.slots.acquire().await.map_err(|error| Fault::internal(error.to_string()))?;
        scope.check()?;
        let (scope, permitted) = permit::renewed(session, scope, permitted, &self.pipeline.approvals).await?;
        let scope = permit::reaching(session, scope, &permitted, &self.pipeline.approvals);
        Ok(Admitted { scope, permitted, slot })
    }

    /// The activity runs. The intent of one that writes is on the disk before anything else is changed there.
    async fn execute(&self, admitted: &Admitted<'_>) -> Result<Output, Fault> {
        let session = &self.pipeline.session;
        if self.pace == Pace::Durable {
            session.log().journal()?.durable(self.entry.mark(session)?).await?;
        }
        let output = execute::execute(&admitted.permitted, &admitted.scope).await?;
        inject::touched(session, &admitted.permitted, &output);
        Ok(output)
    }

    /// The draft becomes a proposal, and a policy or a person decides: the policy of what the draft changes, whatever else
    /// its call declared. Waiting for them holds no slot.
    async fn review(&self, admitted: Admitted<'_>, draft: Draft) -> Result<(Status, Value), Fault> {
        let Admitted { scope, permitted, slot } = admitted;
        let (permitted, writes) =
            permit::draft(&self.pipeline.session, &scope, permitted, &draft, &self.pipeline.approvals)
                .await?;
        let policy = policy::of(&scope, permitted.call(), &writes, draft.applies)?;
        let scope = scope.granted(permitted.grant());
        let queue = &self.pipeline.queue;
        let open = blocking(|| queue.submit(permitted.call(), draft, policy))?;
        drop(slot);
        let decided = queue.outcome(open.id(), policy, &scope).await;
        // What stands in the workspace is never answered by a fault that does not say so.
        decided.map_err(|fault| match queue.get(open.id()).is_some_and(|item| item.stands()) {
            true => Fault { applied: Some(true), ..fault },
            false => fault,
        })
    }
}

/// The answer to a call with no code behind it: the model fills the output, or has done so.
fn latent(call: &Call) -> Ended {
    match call.output() {
        Some(filled) => Ended { is_latent: true, ..Ended::ok(filled.clone()) },
        None => Ended { status: Status::Latent, is_latent: true, ..Ended::ok(call.latent_answer()) },
    }
}
