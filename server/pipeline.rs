//! The way of every call: resolve, permit, execute, log, inject. Every door enters here and nowhere else.

mod execute;
mod fallback;
mod inject;
mod notices;
mod permit;
mod policy;
mod record;

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::base::blocking;
use crate::ports::Caller;
use crate::protocol::{Code, Envelope, Fault, HunkState, Policy, ProposalState, RawCall, Status};
use crate::registry::{Call, Output, Refused, Registry};
use crate::review::{self, Desk};
use crate::session::{Scope, Session};
use record::{Entry, Pace};

/// What the calls of one workspace go through.
pub struct Pipeline {
    session: Arc<Session>,
    registry: Arc<Registry>,
    desk: Arc<Desk>,
    /// One permit a call that runs. Waiting for a person takes none.
    slots: Semaphore,
    /// One permit a call that waits for a slot or has one.
    places: Semaphore,
    /// How calls that run are stopped, by id.
    running: Mutex<HashMap<String, CancellationToken>>,
}

/// A call that runs, among those that can be told to stop.
struct Stoppable<'a> {
    pipeline: &'a Pipeline,
    call: &'a str,
}

impl Drop for Stoppable<'_> {
    fn drop(&mut self) {
        self.pipeline.running.lock().remove(self.call);
    }
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
}

impl Pipeline {
    /// The pipeline of a workspace.
    pub fn new(session: Arc<Session>, registry: Arc<Registry>, desk: Arc<Desk>) -> Self {
        let limits = session.settings().limits.clone();
        let places = limits.waiting.saturating_add(limits.running);
        Self {
            session,
            registry,
            desk,
            slots: Semaphore::new(limits.running),
            places: Semaphore::new(places.min(Semaphore::MAX_PERMITS)),
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
    fn stoppable<'a>(&'a self, call: &'a str, cancel: &CancellationToken) -> Stoppable<'a> {
        self.running.lock().insert(call.to_owned(), cancel.clone());
        Stoppable { pipeline: self, call }
    }

    /// Takes a call all the way. Dropping the future cancels it: what runs is told to stop, and how it ended is
    /// still logged.
    pub async fn call(self: &Arc<Self>, raw: RawCall, caller: Option<Arc<dyn Caller>>) -> Envelope {
        let cancel = CancellationToken::default();
        let work = AssertUnwindSafe(self.clone().run(raw, cancel.clone(), caller)).catch_unwind();
        let failed =
            |_| fault_envelope(String::new(), Fault::internal("the call failed by an error of ours"));
        Outliving { work: Some(Box::pin(work)), cancel }.await.unwrap_or_else(failed)
    }

    async fn run(
        self: Arc<Self>,
        raw: RawCall,
        cancel: CancellationToken,
        caller: Option<Arc<dyn Caller>>,
    ) -> Envelope {
        let began = Instant::now();
        let origin = raw.origin.clone();
        self.session.saw(&raw.origin);
        let heard_settings = self.session.hear().await;
        let id = match self.session.next_call() {
            Ok(id) => id,
            Err(fault) => return fault_envelope(String::new(), fault),
        };
        if let Err(fault) = heard_settings {
            return fault_envelope(id, fault);
        }
        let governance = self.session.governance();
        let settings = governance.settings();
        let mut warnings = governance.warnings().to_vec();
        let heard = cancel.clone();
        let (tool, pace, entry, ended) = match self.registry.resolve(raw, || id.clone(), &settings.why) {
            Err(refused) => {
                let entry = record::refused(&self.session, &refused);
                self.session.editor().tell_call(&|| notices::refused(&self.session, &refused));
                let Refused { tool, fault, .. } = *refused;
                (tool, Pace::refused(&self.session), entry, Ended::fault(fault))
            }
            Ok(call) => {
                warnings.extend(call.warnings().iter().cloned());
                let (tool, pace) = (call.tool().name().to_owned(), Pace::of(&self.session, &call));
                let entry = record::call(&self.session, &call, pace);
                let _stoppable = self.stoppable(&id, &cancel);
                let ended = match &entry {
                    Ok(entry) => self.admitted(call, pace, entry, cancel, caller).await,
                    Err(fault) => Ended::fault(fault.clone()),
                };
                (tool, pace, entry, ended)
            }
        };
        let end = record::end(&self.session, &id, &tool, &ended, began, pace);
        self.session.editor().tell(notices::finish(&self.session, &id, &tool, &ended, began));
        if let Err(fault) = self.vouch(entry, end, pace).await {
            // It may have run, but that cannot be vouched for: the answer says both.
            let ran = ended.error.is_none_or(|error| error.applied == Some(true));
            let applied = ran && pace != Pace::Beside;
            return fault_envelope(id, Fault { applied: Some(applied), ..fault });
        }
        warnings.extend(self.session.take_untold_troubles());
        Envelope {
            call_id: id,
            status: ended.status,
            result: ended.result,
            error: ended.error,
            truncated: ended.truncated,
            rest: ended.rest,
            blocks: ended.blocks,
            warnings: warnings.into_iter().chain(ended.warnings).collect(),
            // Nobody hears the answer to a cancelled call: decisions wait for the next one.
            decisions: if heard.is_cancelled() { Vec::new() } else { self.desk.deliveries(&origin) },
        }
    }

    /// Makes sure that a call is in the log, and its end too, or on its way there where that will do.
    async fn vouch(
        &self,
        call: Result<Entry, Fault>,
        end: Result<Entry, Fault>,
        pace: Pace,
    ) -> Result<(), Fault> {
        call?.mark(&self.session)?;
        let end = end?;
        if pace == Pace::Durable {
            self.session.journal()?.durable(end.mark(&self.session)?).await?;
        }
        Ok(())
    }

    /// Waits for a slot, and takes a logged call on.
    async fn admitted(
        &self,
        call: Call,
        pace: Pace,
        entry: &Entry,
        cancel: CancellationToken,
        caller: Option<Arc<dyn Caller>>,
    ) -> Ended {
        self.session.editor().tell_call(&|| notices::call(&self.session, &call));
        let Ok(_place) = self.places.try_acquire() else {
            let limits = &self.session.settings().limits;
            let waiting = limits.waiting;
            return Ended::fault(
                Fault::new(
                    Code::QuotaExceeded,
                    format!("{waiting} calls wait already; that is the limit (limits.waiting)"),
                )
                .suggest("wait for answers before sending further calls"),
            );
        };
        let _running = self.session.running();
        match self.carry_out(call, pace, entry, cancel, caller).await {
            Ok(ended) => ended,
            Err(fault) => Ended::fault(fault),
        }
    }

    async fn carry_out(
        &self,
        call: Call,
        pace: Pace,
        entry: &Entry,
        cancel: CancellationToken,
        caller: Option<Arc<dyn Caller>>,
    ) -> Result<Ended, Fault> {
        let scope = Scope::new(self.session.clone(), call.origin(), cancel, caller);
        scope.check()?;
        if call.activity().is_none() {
            return Ok(match call.output() {
                Some(filled) => Ended::ok(filled.clone()),
                None => Ended { status: Status::Latent, ..Ended::ok(call.latent_answer()) },
            });
        }
        let declared = policy::of(&scope, &call, &policy::declared(&scope, &call)?)?;
        let permitted = permit::permit(&scope, call).await?;
        let slot = self.slots.acquire().await.map_err(|error| Fault::internal(error.to_string()))?;
        scope.check()?;
        let (scope, permitted) = permit::renewed(scope, permitted).await?;
        // The intent is on the disk before anything else is changed there.
        if pace == Pace::Durable {
            self.session.journal()?.durable(entry.mark(&self.session)?).await?;
        }
        let output = execute::execute(&permitted, &scope).await?;
        inject::touched(&self.session, &permitted, &output);
        match output {
            Output::Value { value, truncated, rest, blocks, warnings } => {
                Ok(Ended { truncated, rest, blocks, warnings, ..Ended::ok(value) })
            }
            Output::Change(draft) if draft.changes.is_empty() => {
                Ok(Ended::ok(review::unchanged(&self.session, scope.files(), permitted.call(), draft)))
            }
            Output::Change(draft) => {
                let (permitted, writes) = permit::draft(&scope, permitted, &draft).await?;
                let policy = declared.max(policy::of(&scope, permitted.call(), &writes)?);
                let scope = scope.granted(permitted.grant());
                let open = blocking(|| self.desk.submit(permitted.call(), draft, policy))?;
                drop(slot);
                let decided = self.decided(open.id(), policy, &scope).await;
                // What stands in the workspace is never answered by a fault that does not say so.
                decided.map_err(|fault| match self.desk.get(open.id()).is_some_and(|item| item.stands()) {
                    true => Fault { applied: Some(true), ..fault },
                    false => fault,
                })
            }
        }
    }

    /// Lets the policy or the person decide, and says how the proposal stands then.
    async fn decided(&self, id: &str, policy: Policy, scope: &Scope) -> Result<Ended, Fault> {
        if policy == Policy::Auto {
            return self.applied(id, scope).await;
        }
        let attached = self.session.editor().attached();
        if let (Policy::Ask, false, Some(caller)) = (policy, attached, scope.caller())
            && caller.waits()
            && let Some(item) = self.desk.get(id)
        {
            let limit = Duration::from_secs(scope.settings().review.wait_s);
            tokio::select! {
                () = fallback::ask(&self.desk, &**caller, &item.proposal, limit) => {}
                () = scope.cancel().cancelled() => {}
            }
        }
        let wait_s = match (policy, attached) {
            (Policy::Ask, true) => scope.settings().review.wait_s,
            _ => 0,
        };
        let item = tokio::select! {
            item = self.desk.wait(id, Duration::from_secs(wait_s)) => item,
            () = scope.cancel().cancelled() => None,
        };
        if scope.cancel().is_cancelled() {
            // Nobody hears this answer: what is decided on it comes with the agent's next result.
            self.desk.answered_pending(id)?;
            return Err(Fault::new(
                Code::Cancelled,
                format!(
                    "the call was cancelled; what nobody decided of its proposal {id} stays open for review"
                ),
            ));
        }
        let item = item.ok_or_else(|| Fault::internal(format!("proposal {id} is gone")))?;
        if item.proposal.state() == ProposalState::Pending {
            self.desk.answered_pending(id)?;
            return Ok(Ended {
                status: Status::Pending,
                ..Ended::ok(review::answer(&self.desk, scope.files(), &item)?)
            });
        }
        self.desk.told(id)?;
        review::answer(&self.desk, scope.files(), &item).map(Ended::ok)
    }

    /// Has the policy `auto` apply a proposal, and answers by what became of it.
    async fn applied(&self, id: &str, scope: &Scope) -> Result<Ended, Fault> {
        let (item, fault) = self.desk.apply(id).await;
        let item = item.ok_or_else(|| Fault::internal(format!("proposal {id} is gone")))?;
        if scope.cancel().is_cancelled() {
            // Nobody hears this answer: it comes with the agent's next result too.
            self.desk.answered_pending(id)?;
        }
        let dropped = item.proposal.hunks().any(|hunk| hunk.state == HunkState::Rejected);
        match fault {
            // A policy that could not carry its decision out says why; what took effect before that stays and is said.
            Some(fault) if fault.applied == Some(true) || dropped => Err(fault),
            _ => review::answer(&self.desk, scope.files(), &item).map(Ended::ok),
        }
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
pub(crate) fn fault_envelope(call_id: String, fault: Fault) -> Envelope {
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
