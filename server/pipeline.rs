//! The way of every call: resolve, log, permit, execute, review. Every door enters here and nowhere else.

mod adopt_change;
mod approvals;
mod call_log;
mod call_policy;
mod client_question;
mod execute;
mod fault_recovery;
mod lasting_permission;
mod notices;
mod permit;
mod repository;
mod run_call;
mod touch_memory;

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use futures::FutureExt;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::base::CallId;
use crate::journal::JournalError;
use crate::ports::Caller;
use crate::proposals::ProposalQueue;
use crate::protocol::{ChangeAnswer, Envelope, Fault, RawCall, RunEnding, Status};
use crate::registry::{CallDraft, CheckedCall, RefusedCall, ToolRegistry};
use crate::session::WorkspaceSession;
pub(crate) use adopt_change::is_open;
use approvals::SessionApprovals;
use call_log::{CallEntry, LogDurability};
use fault_recovery::FaultSubject;
use run_call::CallRun;

/// The pipeline of the calls of one workspace.
pub struct CallPipeline {
    session: Arc<WorkspaceSession>,
    registry: Arc<ToolRegistry>,
    queue: Arc<ProposalQueue>,
    /// A permit for each call that runs. Waiting for a person takes none.
    slots: Semaphore,
    /// A permit for each call that waits for a slot or has one.
    places: Semaphore,
    /// The approvals that the person need not be asked for again.
    approvals: Arc<SessionApprovals>,
    /// The cancellation tokens of calls that run, by id.
    running: Mutex<HashMap<CallId, CancellationToken>>,
}

/// The registration of a call that runs, by which it can be cancelled.
struct StoppableCall<'a> {
    pipeline: &'a CallPipeline,
    call: &'a CallId,
}

impl Drop for StoppableCall<'_> {
    fn drop(&mut self) {
        self.pipeline.running.lock().remove(self.call);
    }
}

/// The work of a call once it is in the log.
enum CallWork {
    /// Its activity runs.
    Run {
        /// The token that cancels it.
        cancel: CancellationToken,
        /// The caller.
        caller: Option<Arc<dyn Caller>>,
    },
    /// The change exists already, and is taken in.
    Adopt(CallDraft),
}

/// The outcome of a call, before it is put into an envelope.
struct CallOutcome {
    status: Status,
    result: Option<Arc<serde_json::Value>>,
    error: Option<Fault>,
    truncated: bool,
    rest: Option<String>,
    blocks: Vec<serde_json::Value>,
    /// The warnings for the caller, in addition to the result.
    warnings: Vec<String>,
    /// True where no code ran: the model filled the output, or is asked to.
    is_latent: bool,
}

impl CallOutcome {
    /// Describes the failure of the command that the call ran.
    fn run_failure(&self) -> Option<String> {
        // A result that a caller filled in reports no real command.
        let did_run = self.error.is_none() && !self.is_latent;
        self.result.as_deref().filter(|_| did_run).and_then(RunEnding::failure_words)
    }
}

/// A finished call, with its entry in the log.
struct LoggedCall {
    id: CallId,
    tool: String,
    durability: LogDurability,
    /// The call, in the log.
    entry: Result<CallEntry, JournalError>,
    outcome: CallOutcome,
    began: Instant,
}

impl CallPipeline {
    /// The pipeline of a workspace.
    pub fn new(
        session: Arc<WorkspaceSession>,
        registry: Arc<ToolRegistry>,
        queue: Arc<ProposalQueue>,
    ) -> Self {
        let limits = session.workspace().settings().limits.clone();
        let places = limits.waiting.saturating_add(limits.running);
        Self {
            session,
            registry,
            queue,
            slots: Semaphore::new(limits.running),
            places: Semaphore::new(places.min(Semaphore::MAX_PERMITS)),
            approvals: Arc::default(),
            running: Mutex::default(),
        }
    }

    /// Cancels a call for the person; returns whether one of that id ran.
    pub fn cancel_call(&self, call: &str) -> bool {
        let cancel = self.running.lock().get(call).cloned();
        if let Some(cancel) = &cancel {
            cancel.cancel();
        }
        cancel.is_some()
    }

    /// Registers a call for cancelling, until the returned guard is dropped.
    fn mark_stoppable<'a>(&'a self, call: &'a CallId, cancel: &CancellationToken) -> StoppableCall<'a> {
        self.running.lock().insert(call.clone(), cancel.clone());
        StoppableCall { pipeline: self, call }
    }

    /// Takes a call all the way. Dropping the future cancels it: running work is cancelled, and the outcome is still
    /// logged.
    pub async fn call_tool(self: &Arc<Self>, raw: RawCall, caller: Option<Arc<dyn Caller>>) -> Envelope {
        let cancel = CancellationToken::default();
        self.run_detached(raw, CallWork::Run { cancel: cancel.clone(), caller }, cancel).await
    }

    /// Takes in a change that another program already made: `raw` states as a call the change in `draft`, and nothing
    /// is run or written. The change is in the log, reviewed and undone like one that a policy applied.
    pub async fn adopt_draft(self: &Arc<Self>, raw: RawCall, draft: CallDraft) -> Envelope {
        self.run_detached(raw, CallWork::Adopt(draft), CancellationToken::default()).await
    }

    async fn run_detached(
        self: &Arc<Self>,
        raw: RawCall,
        work: CallWork,
        cancel: CancellationToken,
    ) -> Envelope {
        let work = AssertUnwindSafe(self.clone().run_call(raw, work, cancel.clone())).catch_unwind();
        let failed =
            |_| fault_envelope(CallId::default(), Fault::internal("the call failed by an error of ours"));
        DetachOnDrop { work: Some(Box::pin(work)), cancel }.await.unwrap_or_else(failed)
    }

    async fn run_call(self: Arc<Self>, raw: RawCall, work: CallWork, heard: CancellationToken) -> Envelope {
        let began = Instant::now();
        let origin = raw.origin.clone();
        let heard_settings = self.session.reload_settings().await;
        self.registry.changes().settled().await;
        if let CallWork::Adopt(draft) = &work
            && let Err(fault) =
                draft.changes.iter().try_for_each(|change| adopt_change::is_open(&self.session, change))
        {
            return fault_envelope(CallId::default(), fault);
        }
        let id = match self.session.begin_call(&raw.origin) {
            Ok(id) => id,
            Err(error) => return fault_envelope(CallId::default(), error.into()),
        };
        if let Err(error) = heard_settings {
            return fault_envelope(id, error.into());
        }
        let governance = self.session.workspace().governance();
        let settings = governance.settings();
        let mut warnings = governance.warnings().to_vec();
        let carried = match self.registry.resolve_call(raw, || id.clone(), &settings.why) {
            Err(refused) => self.log_refused(*refused, began),
            Ok(call) => {
                warnings.extend(call.warnings().iter().cloned());
                self.carry_out(call, work, began).await
            }
        };
        let ended = match self.finish_call(carried).await {
            Ok(ended) => ended,
            Err(fault) => return fault_envelope(id, fault),
        };
        warnings.extend(self.session.take_unreported_troubles());
        // The caller does not read the answer to a cancelled call: notes for the agent wait for the next result.
        let is_heard = origin.door.reads_envelopes() && !heard.is_cancelled();
        Envelope {
            call_id: id,
            status: ended.status,
            result: ended.result,
            latent: ended.is_latent,
            error: ended.error,
            truncated: ended.truncated,
            rest: ended.rest,
            blocks: ended.blocks,
            warnings: warnings.into_iter().chain(ended.warnings).collect(),
            decisions: if is_heard { self.queue.deliveries().take_deliveries(&origin) } else { Vec::new() },
            messages: if is_heard { self.session.messages().take_messages(&origin) } else { Vec::new() },
        }
    }

    /// Logs a call that did not resolve, and notifies the editor.
    fn log_refused(&self, refused: RefusedCall, began: Instant) -> LoggedCall {
        let entry = call_log::log_refusal(&self.session, &refused);
        self.session.editor().tell_call(false, &|| notices::refusal_notice(&self.session, &refused));
        let RefusedCall { call_id, tool, fault, args, .. } = refused;
        let fault = FaultSubject::of_call(&tool, &args).complete_fault(fault);
        LoggedCall {
            id: call_id,
            tool,
            durability: LogDurability::for_refusal(&self.session),
            entry,
            outcome: CallOutcome::from_fault(fault),
            began,
        }
    }

    /// Logs a call, and runs it.
    async fn carry_out(&self, call: CheckedCall, work: CallWork, began: Instant) -> LoggedCall {
        let (id, tool) = (call.id().clone(), call.tool().name().to_owned());
        let subject = FaultSubject::of_call(&tool, call.args());
        let pace = LogDurability::for_call(&self.session, &call);
        let entry = call_log::log_call(&self.session, &call, pace);
        let ended = match (&entry, work) {
            (Ok(entry), CallWork::Run { cancel, caller }) => {
                let _stoppable = self.mark_stoppable(&id, &cancel);
                CallRun { pipeline: self, durability: pace, entry, cancel, caller }
                    .run_to_completion(call)
                    .await
            }
            (Ok(_), CallWork::Adopt(draft)) => {
                self.take_in(&call, draft).unwrap_or_else(CallOutcome::from_fault)
            }
            (Err(error), _) => CallOutcome::from_fault(error.clone().into()),
        };
        let error = ended.error.map(|fault| subject.complete_fault(fault));
        let ended = CallOutcome { error, ..ended };
        LoggedCall { id, tool, durability: pace, entry, outcome: ended, began }
    }

    /// Logs the outcome of a call and notifies the editor; then its answer may leave.
    ///
    /// # Errors
    /// The error that keeps the log from being written. The call may have run, but that cannot be vouched for: the
    /// fault states both.
    async fn finish_call(&self, carried: LoggedCall) -> Result<CallOutcome, Fault> {
        let end = call_log::log_end(&self.session, &carried);
        self.session.editor().tell(notices::finish_notice(&self.session, &carried));
        let LoggedCall { durability: pace, entry, outcome: ended, .. } = carried;
        let Err(error) = self.ensure_logged(entry, end, pace).await else { return Ok(ended) };
        let ran = ended.error.is_none_or(|error| error.applied == Some(true));
        Err(Fault { applied: Some(ran && pace != LogDurability::Async), ..error.into() })
    }

    /// Makes sure that a call is in the log, and its end too, or on its way there where that will do.
    async fn ensure_logged(
        &self,
        call: Result<CallEntry, JournalError>,
        end: Result<CallEntry, JournalError>,
        pace: LogDurability,
    ) -> Result<(), JournalError> {
        call?.ensure_written(&self.session)?;
        let end = end?;
        if pace == LogDurability::Durable {
            self.session.log().journal()?.wait_durable(end.ensure_written(&self.session)?).await?;
        }
        Ok(())
    }
}

impl CallOutcome {
    fn from_result(result: serde_json::Value) -> Self {
        let result = Some(Arc::new(result));
        Self {
            status: Status::Ok,
            result,
            error: None,
            truncated: false,
            rest: None,
            blocks: Vec::new(),
            warnings: Vec::new(),
            is_latent: false,
        }
    }

    fn from_change(answer: ChangeAnswer) -> Self {
        Self::from_result(answer.into_value())
    }

    fn from_fault(fault: Fault) -> Self {
        Self {
            status: Status::Error,
            result: None,
            error: Some(fault),
            ..Self::from_result(serde_json::Value::Null)
        }
    }
}

/// Returns whether a call changes anything in the workspace.
fn changes_something(call: &CheckedCall) -> bool {
    !call.effects().writes.is_empty()
}

/// The answer to a call that could not be made.
pub(crate) fn fault_envelope(call_id: CallId, fault: Fault) -> Envelope {
    Envelope {
        call_id,
        status: Status::Error,
        result: None,
        latent: false,
        error: Some(fault),
        truncated: false,
        rest: None,
        blocks: Vec::new(),
        warnings: Vec::new(),
        decisions: Vec::new(),
        messages: Vec::new(),
    }
}

/// Work that is cancelled when its caller stops waiting, and then goes on to its end by itself. It runs in the caller's
/// task: a task of its own would cost a small call more than the call.
struct DetachOnDrop<T: Send + 'static> {
    work: Option<BoxFuture<'static, T>>,
    cancel: CancellationToken,
}

impl<T: Send + 'static> Future for DetachOnDrop<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        let Some(work) = &mut self.work else { return Poll::Pending };
        let done = work.poll_unpin(cx);
        if done.is_ready() {
            self.work = None;
        }
        done
    }
}

impl<T: Send + 'static> Drop for DetachOnDrop<T> {
    fn drop(&mut self) {
        let Some(work) = self.work.take() else { return };
        self.cancel.cancel();
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(work);
        }
    }
}
