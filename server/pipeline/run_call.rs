//! A logged call on its way to its end: one method a step, in the order in which they are taken.

use std::sync::Arc;

use serde_json::Value;
use tokio::sync::SemaphorePermit;
use tokio_util::sync::CancellationToken;

use super::call_log::{CallEntry, LogDurability};
use super::{CallOutcome, CallPipeline, call_policy, execute, notices, permit, repository, touch_memory};
use crate::base::run_blocking;
use crate::ports::Caller;
use crate::proposals;
use crate::protocol::{ChangeAnswer, Code, Fault, ProposalState, Status};
use crate::registry::{ActivityOutput, CallDraft, CheckedCall, PermittedCall};
use crate::session::CallScope;

/// The context that one call runs with.
pub(super) struct CallRun<'a> {
    pub(super) pipeline: &'a CallPipeline,
    /// The time at which its events are written.
    pub(super) durability: LogDurability,
    /// The call in the log.
    pub(super) entry: &'a CallEntry,
    /// The token that cancels it.
    pub(super) cancel: CancellationToken,
    /// The caller.
    pub(super) caller: Option<Arc<dyn Caller>>,
}

/// A call that holds a slot: the scope that it works in, and what the rules allow it.
struct AdmittedCall<'a> {
    scope: CallScope,
    permitted: PermittedCall,
    slot: SemaphorePermit<'a>,
}

impl<'a> CallRun<'a> {
    /// Takes the call all the way.
    pub(super) async fn run_to_completion(&self, call: CheckedCall) -> CallOutcome {
        let session = &self.pipeline.session;
        let writes = super::changes_something(&call);
        session.editor().tell_call(writes, &|| notices::call_notice(session, &call));
        let Ok(_place) = self.pipeline.places.try_acquire() else {
            return CallOutcome::from_fault(self.too_many());
        };
        let _running = session.presence().begin_running();
        self.take_steps(call).await.unwrap_or_else(CallOutcome::from_fault)
    }

    fn too_many(&self) -> Fault {
        let waiting = self.pipeline.session.workspace().settings().limits.waiting;
        let message = format!("{waiting} calls wait already; that is the limit (limits.waiting)");
        Fault::new(Code::QuotaExceeded, message)
            .with_suggestion("wait for answers before sending further calls")
    }

    async fn take_steps(&self, call: CheckedCall) -> Result<CallOutcome, Fault> {
        let (cancel, caller) = (self.cancel.clone(), self.caller.clone());
        let scope = CallScope::new(self.pipeline.session.clone(), call.origin(), cancel, caller);
        scope.check_cancelled()?;
        if call.activity().is_none() {
            return Ok(latent_outcome(&call));
        }
        let admitted = self.admit_call(scope, call).await?;
        let (call, scope) = (admitted.permitted.call().clone(), admitted.scope.clone());
        let ActivityOutput { value, change, truncated, rest, blocks, warnings } =
            self.execute_call(&admitted).await?;
        let outcome = match change {
            None => CallOutcome::from_result(value),
            Some(draft) => {
                let (status, mut answer, is_accepted) = self.answer_change(admitted, draft, value).await?;
                let sentences = repository::decide(self.pipeline, &scope, &call, is_accepted).await;
                repository::add_sentences(&mut answer, sentences);
                CallOutcome { status, ..CallOutcome::from_change(answer) }
            }
        };
        Ok(CallOutcome { truncated, rest, blocks, warnings, ..outcome })
    }

    /// Returns the answer to a call that changes something: its value, and the state of the change. Both are kept with
    /// the proposal, so that a later answer about it is the same. The last part is true if all of
    /// the change is accepted.
    async fn answer_change(
        &self,
        admitted: AdmittedCall<'_>,
        mut draft: CallDraft,
        value: Value,
    ) -> Result<(Status, ChangeAnswer, bool), Fault> {
        draft.notes.extend(ActivityOutput::value_members(value));
        if draft.changes.is_empty() {
            let (session, files) = (&self.pipeline.session, admitted.scope.files());
            let unchanged = proposals::unchanged_answer(session, files, admitted.permitted.call(), draft);
            return Ok((Status::Ok, unchanged, true));
        }
        if draft.stands {
            return self.adopt_standing(admitted, draft);
        }
        self.review_draft(admitted, draft).await
    }

    /// The rules judge what the call declares, and it waits for a slot. Where they changed meanwhile, they judge again.
    async fn admit_call(&self, scope: CallScope, call: CheckedCall) -> Result<AdmittedCall<'a>, Fault> {
        let session = &self.pipeline.session;
        call_policy::refuse_declared(&scope, &call)?;
        let permitted = permit::permit_call(session, &scope, call, &self.pipeline.approvals).await?;
        let slot = self.pipeline.slots.acquire().await.map_err(|error| Fault::internal(error.to_string()))?;
        scope.check_cancelled()?;
        let (scope, permitted) =
            permit::renew_permit(session, scope, permitted, &self.pipeline.approvals).await?;
        let scope = permit::with_further_hosts(session, scope, &permitted, &self.pipeline.approvals);
        Ok(AdmittedCall { scope, permitted, slot })
    }

    /// The activity runs. The intent of one that writes is on the disk before anything else is changed there.
    async fn execute_call(&self, admitted: &AdmittedCall<'_>) -> Result<ActivityOutput, Fault> {
        let session = &self.pipeline.session;
        if self.durability == LogDurability::Durable {
            session.log().journal()?.wait_durable(self.entry.ensure_written(session)?).await?;
        }
        let output = execute::execute_call(&admitted.permitted, &admitted.scope).await?;
        touch_memory::note_touched(session, &admitted.permitted, &output);
        Ok(output)
    }

    /// The changes that the call made become a proposal that is reviewed afterwards, also where it is cancelled.
    fn adopt_standing(
        &self,
        admitted: AdmittedCall<'_>,
        draft: CallDraft,
    ) -> Result<(Status, ChangeAnswer, bool), Fault> {
        let AdmittedCall { scope, permitted, slot } = admitted;
        let call = permitted.call();
        touch_memory::note_written(&self.pipeline.session, call, &draft);
        let adopted = run_blocking(|| self.pipeline.queue.adopter().adopt_change(call, draft));
        drop(slot);
        // What a fault states as applied is in the review.
        if adopted.as_ref().err().is_none_or(|fault| fault.applied == Some(true)) {
            call.activity().into_iter().for_each(|activity| activity.note_adopted(call));
        }
        let answer = adopted?;
        scope.check_cancelled().map_err(|cancelled| Fault { applied: Some(true), ..cancelled.into() })?;
        Ok((Status::Ok, answer, true))
    }

    /// The draft becomes a proposal, and a policy or a person decides: the policy of what the draft changes, whatever else
    /// its call declared. Waiting for them holds no slot.
    async fn review_draft(
        &self,
        admitted: AdmittedCall<'_>,
        draft: CallDraft,
    ) -> Result<(Status, ChangeAnswer, bool), Fault> {
        let AdmittedCall { scope, permitted, slot } = admitted;
        refuse_oversized(&scope, &draft)?;
        let (permitted, writes) =
            permit::permit_draft(&self.pipeline.session, &scope, permitted, &draft, &self.pipeline.approvals)
                .await?;
        let policy = call_policy::policy_of_call(&scope, permitted.call(), &writes, draft.applies)?;
        let scope = scope.with_grant(permitted.grant());
        let queue = &self.pipeline.queue;
        let open = run_blocking(|| queue.intake().submit_draft(permitted.call(), draft, policy))?;
        drop(slot);
        let decided = queue.calls().await_outcome(open.id(), policy, &scope).await;
        let is_accepted = queue
            .store()
            .get(open.id())
            .is_some_and(|item| item.proposal().state() == ProposalState::Applied);
        let decided = decided.map(|(status, answer)| (status, answer, is_accepted));
        // A fault reports the hunks that are applied already, so that the agent knows that the workspace changed.
        decided.map_err(|fault| {
            match queue.store().get(open.id()).is_some_and(|item| item.has_applied_hunks()) {
                true => Fault { applied: Some(true), ..fault },
                false => fault,
            }
        })
    }
}

/// Refuses a change after which a file could not be read to edit it, or to take the change back.
///
/// # Errors
/// QUOTA_EXCEEDED.
fn refuse_oversized(scope: &CallScope, draft: &CallDraft) -> Result<(), Fault> {
    let most = scope.settings().limits.edit_bytes;
    let Some((path, size)) = draft.largest_text().filter(|(_, size)| *size > most) else { return Ok(()) };
    let message = format!("{path} would hold {size} bytes, more than the {most} of limits.edit_bytes");
    Err(Fault::new(Code::QuotaExceeded, message)
        .with_suggestion("put it into several smaller files, or ask the person to raise limits.edit_bytes"))
}

/// The answer to a call with no code behind it: the model fills the output, or has done so.
fn latent_outcome(call: &CheckedCall) -> CallOutcome {
    match call.filled_output() {
        Some(filled) => CallOutcome { is_latent: true, ..CallOutcome::from_result(filled.clone()) },
        None => CallOutcome {
            status: Status::Latent,
            is_latent: true,
            ..CallOutcome::from_result(call.latent_answer())
        },
    }
}
