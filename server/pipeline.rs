//! The way of every call: resolve, log, permit, execute, review. Every door enters here and nowhere else.

mod adopt;
mod approvals;
mod execute;
mod inject;
mod notices;
mod permit;
mod policy;
mod record;
mod run;

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
use crate::protocol::{Envelope, Fault, RawCall, Status};
use crate::registry::{Call, Draft, Refused, Registry};
use crate::review::ProposalQueue;
use crate::session::Session;
pub(crate) use adopt::is_open;
use approvals::SessionApprovals;
use record::{CallEntry, Pace};
use run::Run;

/// What the calls of one workspace go through.
pub struct Pipeline {
    session: Arc<Session>,
    registry: Arc<Registry>,
    queue: Arc<ProposalQueue>,
    /// One permit a call that runs. Waiting for a person takes none.
    slots: Semaphore,
    /// One permit a call that waits for a slot or has one.
    places: Semaphore,
    /// What the person need not be asked about again.
    approvals: Arc<SessionApprovals>,
    /// How calls that run are stopped, by id.
    running: Mutex<HashMap<CallId, CancellationToken>>,
}

/// A call that runs, among those that can be told to stop.
struct Stoppable<'a> {
    pipeline: &'a Pipeline,
    call: &'a CallId,
}

impl Drop for Stoppable<'_> {
    fn drop(&mut self) {
        self.pipeline.running.lock().remove(self.call);
    }
}

/// What is done for a call once it is in the log.
enum Work {
    /// Its activity runs.
    Run {
        /// Tells it to stop.
        cancel: CancellationToken,
        /// Who made it.
        caller: Option<Arc<dyn Caller>>,
    },
    /// What it would do stands already, and is taken in.
    Adopt(Draft),
}

/// How a call ended, before it is put into an envelope.
struct Ended {
    status: Status,
    result: Option<Arc<serde_json::Value>>,
    error: Option<Fault>,
    truncated: bool,
    rest: Option<String>,
    blocks: Vec<serde_json::Value>,
    /// What the caller has to know beside the result.
    warnings: Vec<String>,
    /// Whether no code ran: the model filled the output, or is asked to.
    is_latent: bool,
}

/// A call that came to its end, and how it stands in the log.
struct Carried {
    id: CallId,
    tool: String,
    pace: Pace,
    /// The call, in the log.
    entry: Result<CallEntry, JournalError>,
    ended: Ended,
    began: Instant,
}

impl Pipeline {
    /// The pipeline of a workspace.
    pub fn new(session: Arc<Session>, registry: Arc<Registry>, queue: Arc<ProposalQueue>) -> Self {
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

    /// Tells a call to stop, at the person's word; whether one of that id runs.
    pub fn cancel(&self, call: &str) -> bool {
        let cancel = self.running.lock().get(call).cloned();
        if let Some(cancel) = &cancel {
            cancel.cancel();
        }
        cancel.is_some()
    }

    /// A call can be told to stop, until what this returns is dropped.
    fn stoppable<'a>(&'a self, call: &'a CallId, cancel: &CancellationToken) -> Stoppable<'a> {
        self.running.lock().insert(call.clone(), cancel.clone());
        Stoppable { pipeline: self, call }
    }

    /// Takes a call all the way. Dropping the future cancels it: what runs is told to stop, and how it ended is
    /// still logged.
    pub async fn call(self: &Arc<Self>, raw: RawCall, caller: Option<Arc<dyn Caller>>) -> Envelope {
        let cancel = CancellationToken::default();
        self.outliving(raw, Work::Run { cancel: cancel.clone(), caller }, cancel).await
    }

    /// Takes in what somebody else's tool did already: `raw` says as a call what `draft` does, and nothing is run or
    /// written. The change is in the log, reviewed and undone like one that a policy applied.
    pub async fn adopt(self: &Arc<Self>, raw: RawCall, draft: Draft) -> Envelope {
        self.outliving(raw, Work::Adopt(draft), CancellationToken::default()).await
    }

    async fn outliving(self: &Arc<Self>, raw: RawCall, work: Work, cancel: CancellationToken) -> Envelope {
        let work = AssertUnwindSafe(self.clone().run(raw, work, cancel.clone())).catch_unwind();
        let failed =
            |_| fault_envelope(CallId::default(), Fault::internal("the call failed by an error of ours"));
        Outliving { work: Some(Box::pin(work)), cancel }.await.unwrap_or_else(failed)
    }

    async fn run(self: Arc<Self>, raw: RawCall, work: Work, heard: CancellationToken) -> Envelope {
        let began = Instant::now();
        let origin = raw.origin.clone();
        let heard_settings = self.session.hear().await;
        if let Work::Adopt(draft) = &work
            && let Err(fault) =
                draft.changes.iter().try_for_each(|change| adopt::is_open(&self.session, change))
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
        let carried = match self.registry.resolve(raw, || id.clone(), &settings.why) {
            Err(refused) => self.refused(*refused, began),
            Ok(call) => {
                warnings.extend(call.warnings().iter().cloned());
                self.carry_out(call, work, began).await
            }
        };
        let ended = match self.finish(carried).await {
            Ok(ended) => ended,
            Err(fault) => return fault_envelope(id, fault),
        };
        warnings.extend(self.session.take_untold_troubles());
        // Nobody hears the answer to a cancelled call: what is told beside a result waits for the next one.
        let is_heard = origin.door.reads_envelopes() && !heard.is_cancelled();
        Envelope {
            call_id: id,
            status: ended.status,
            result: ended.result,
            error: ended.error,
            truncated: ended.truncated,
            rest: ended.rest,
            blocks: ended.blocks,
            warnings: warnings.into_iter().chain(ended.warnings).collect(),
            decisions: if is_heard { self.queue.deliveries(&origin) } else { Vec::new() },
            messages: if is_heard { self.session.messages().take(&origin) } else { Vec::new() },
        }
    }

    /// Logs a call that did not resolve, and tells the editor.
    fn refused(&self, refused: Refused, began: Instant) -> Carried {
        let entry = record::refused(&self.session, &refused);
        self.session.editor().tell_call(&|| notices::refused(&self.session, &refused));
        let Refused { call_id, tool, fault, .. } = refused;
        Carried {
            id: call_id,
            tool,
            pace: Pace::refused(&self.session),
            entry,
            ended: Ended::fault(fault),
            began,
        }
    }

    /// Logs a call, and runs it.
    async fn carry_out(&self, call: Call, work: Work, began: Instant) -> Carried {
        let (id, tool) = (call.id().clone(), call.tool().name().to_owned());
        let pace = Pace::of(&self.session, &call);
        let entry = record::call(&self.session, &call, pace);
        let ended = match (&entry, work) {
            (Ok(entry), Work::Run { cancel, caller }) => {
                let _stoppable = self.stoppable(&id, &cancel);
                Run { pipeline: self, pace, entry, cancel, caller }.to_its_end(call).await
            }
            (Ok(_), Work::Adopt(draft)) => self.take_in(&call, draft).unwrap_or_else(Ended::fault),
            (Err(error), _) => Ended::fault(error.clone().into()),
        };
        Carried { id, tool, pace, entry, ended, began }
    }

    /// Logs how a call ended and tells the editor; then its answer may leave.
    ///
    /// # Errors
    /// What keeps the log from being written. The call may have run, but that cannot be vouched for: the fault says both.
    async fn finish(&self, carried: Carried) -> Result<Ended, Fault> {
        let end = record::end(&self.session, &carried);
        self.session.editor().tell(notices::finish(&self.session, &carried));
        let Carried { pace, entry, ended, .. } = carried;
        let Err(error) = self.vouch(entry, end, pace).await else { return Ok(ended) };
        let ran = ended.error.is_none_or(|error| error.applied == Some(true));
        Err(Fault { applied: Some(ran && pace != Pace::Beside), ..error.into() })
    }

    /// Makes sure that a call is in the log, and its end too, or on its way there where that will do.
    async fn vouch(
        &self,
        call: Result<CallEntry, JournalError>,
        end: Result<CallEntry, JournalError>,
        pace: Pace,
    ) -> Result<(), JournalError> {
        call?.mark(&self.session)?;
        let end = end?;
        if pace == Pace::Durable {
            self.session.log().journal()?.durable(end.mark(&self.session)?).await?;
        }
        Ok(())
    }
}

impl Ended {
    fn ok(result: serde_json::Value) -> Self {
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

    fn fault(fault: Fault) -> Self {
        Self { status: Status::Error, result: None, error: Some(fault), ..Self::ok(serde_json::Value::Null) }
    }
}

/// Whether a call changes anything in the workspace.
fn changes_something(call: &Call) -> bool {
    !call.effects().writes.is_empty()
}

/// The answer to a call that could not be made.
pub(crate) fn fault_envelope(call_id: CallId, fault: Fault) -> Envelope {
    Envelope {
        call_id,
        status: Status::Error,
        result: None,
        error: Some(fault),
        truncated: false,
        rest: None,
        blocks: Vec::new(),
        warnings: Vec::new(),
        decisions: Vec::new(),
        messages: Vec::new(),
    }
}

/// Work that is told to stop when nobody waits for it any more, and then goes on to its end by itself. It runs
/// where it is waited for: a task of its own would cost a small call more than the call.
struct Outliving<T: Send + 'static> {
    work: Option<BoxFuture<'static, T>>,
    cancel: CancellationToken,
}

impl<T: Send + 'static> Future for Outliving<T> {
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

impl<T: Send + 'static> Drop for Outliving<T> {
    fn drop(&mut self) {
        let Some(work) = self.work.take() else { return };
        self.cancel.cancel();
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(work);
        }
    }
}
