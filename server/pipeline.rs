//! The way of every call: resolve, permit, execute, log, inject. Every door enters here and nowhere else.

mod execute;
mod notices;
mod permit;
mod policy;

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::Semaphore;

use crate::protocol::{Code, Durability, Envelope, Event, Fault, LogEvent, RawCall, Status};
use crate::registry::{Call, Output, Refused, Registry};
use crate::review::{self, Desk};
use crate::session::{Cancel, Progress, Scope, Session};

/// What the calls of one workspace go through.
pub struct Pipeline {
    session: Arc<Session>,
    registry: Arc<Registry>,
    desk: Arc<Desk>,
    /// One permit a call that runs. Waiting for a person takes none.
    slots: Semaphore,
    /// One permit a call that waits for a slot or has one.
    places: Semaphore,
}

/// How a call ended, before it is put into an envelope.
struct Ended {
    status: Status,
    result: Option<serde_json::Value>,
    error: Option<Fault>,
    truncated: bool,
    rest: Option<String>,
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
        }
    }

    /// Takes a call all the way. Dropping the future cancels it: what runs is told to stop, and how it ended is
    /// still logged.
    pub async fn call(self: &Arc<Self>, raw: RawCall, progress: Option<Progress>) -> Envelope {
        let cancel = CancelOnDrop(Cancel::default());
        let work = self.clone().run(raw, cancel.0.clone(), progress);
        match tokio::spawn(work).await {
            Ok(envelope) => envelope,
            Err(error) => fault_envelope(String::new(), Fault::internal(format!("the call failed: {error}"))),
        }
    }

    async fn run(self: Arc<Self>, raw: RawCall, cancel: Cancel, progress: Option<Progress>) -> Envelope {
        let began = Instant::now();
        let addressee = raw.origin.addressee();
        self.session.saw(&raw.origin);
        let id = match self.session.next_call() {
            Ok(id) => id,
            Err(fault) => return fault_envelope(String::new(), fault),
        };
        let settings = self.session.settings();
        let mut warnings = Vec::new();
        let mut writes = false;
        let heard = cancel.clone();
        let (tool, ended) = match self.registry.resolve(raw, || id.clone(), &settings.why) {
            Err(refused) => (refused.tool.clone(), self.refuse(*refused)),
            Ok(call) => {
                warnings = call.warnings().to_vec();
                writes = changes_something(&call);
                (call.tool().name().to_owned(), self.admitted(call, cancel, progress).await)
            }
        };
        let wait = writes || settings.log.durability == Durability::Always;
        let (ended, durable) = self.log_end(&id, &tool, ended, began, wait);
        self.session.editor().tell(notices::finish(&id, &tool, &ended, began));
        if let Err(fault) = durable.await {
            // It ran, but that cannot be vouched for: the answer says both.
            let applied = ended.error.is_none_or(|error| error.applied == Some(true));
            return fault_envelope(id, Fault { applied: Some(applied), ..fault });
        }
        Envelope {
            call_id: id,
            status: ended.status,
            result: ended.result,
            error: ended.error,
            truncated: ended.truncated,
            rest: ended.rest,
            warnings,
            // Nobody hears the answer to a cancelled call: decisions wait for the next one.
            decisions: if heard.is_cancelled() { Vec::new() } else { self.desk.deliveries(&addressee) },
        }
    }

    /// A call that never became one is logged as it came.
    fn refuse(&self, refused: Refused) -> Ended {
        let logged = self.session.write(LogEvent {
            event: Event::ToolCall {
                call_id: refused.call_id.clone(),
                origin: refused.origin.clone(),
                tool: refused.tool.clone(),
                args: refused.args.clone(),
                warnings: Vec::new(),
            },
            comments: refused.comments.clone(),
        });
        self.session.editor().tell(notices::refused(&self.session, &refused));
        Ended::fault(logged.err().unwrap_or(refused.fault))
    }

    /// Logs the call, waits for a slot, and takes it on.
    async fn admitted(&self, call: Call, cancel: Cancel, progress: Option<Progress>) -> Ended {
        let logged = self.session.write(LogEvent {
            event: Event::ToolCall {
                call_id: call.id().to_owned(),
                origin: call.origin().clone(),
                tool: call.tool().name().to_owned(),
                args: call.args().clone(),
                warnings: call.warnings().to_vec(),
            },
            comments: call.comments().clone(),
        });
        let mark = match logged {
            Ok(mark) => mark,
            Err(fault) => return Ended::fault(fault),
        };
        self.session.editor().tell(notices::call(&self.session, &call));
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
        match self.carry_out(call, mark, cancel, progress).await {
            Ok(ended) => ended,
            Err(fault) => Ended::fault(fault),
        }
    }

    async fn carry_out(
        &self,
        call: Call,
        mark: crate::journal::Mark,
        cancel: Cancel,
        progress: Option<Progress>,
    ) -> Result<Ended, Fault> {
        let slot = self.slots.acquire().await.map_err(|error| Fault::internal(error.to_string()))?;
        let scope = Scope::new(self.session.clone(), cancel, progress);
        scope.check()?;
        if call.activity().is_none() {
            return Ok(match call.output() {
                Some(filled) => Ended::ok(filled.clone()),
                None => Ended { status: Status::Latent, ..Ended::ok(call.latent_answer()) },
            });
        }
        let writes = changes_something(&call);
        let durable = self.session.settings().log.durability == Durability::Always;
        let policy = policy::of(&self.session, &call)?;
        let permitted = permit::permit(&self.session, call).await?;
        // The intent is on the disk before anything else is changed there.
        if writes || durable {
            self.session.journal()?.durable(mark).await?;
        }
        match execute::execute(&permitted, &scope).await? {
            Output::Value { value, truncated, rest } => {
                Ok(Ended { status: Status::Ok, result: Some(value), error: None, truncated, rest })
            }
            Output::Change(draft) if draft.changes.is_empty() => {
                Ok(Ended::ok(review::unchanged(&self.session, permitted.call(), draft)))
            }
            Output::Change(draft) => {
                let proposal = self.desk.submit(permitted.call(), draft, policy)?;
                drop(slot);
                self.decided(&proposal.id, policy, &scope).await
            }
        }
    }

    /// Lets the policy or the person decide, and says how that went.
    async fn decided(
        &self,
        id: &str,
        policy: crate::protocol::Policy,
        scope: &Scope,
    ) -> Result<Ended, Fault> {
        use crate::protocol::{Act, DecideParams, HunkState, Policy, ProposalState};
        let attached = self.session.editor().attached();
        let mut faults = Vec::new();
        if policy == Policy::Auto {
            let all = DecideParams {
                proposal: Some(id.to_owned()),
                hunks: Vec::new(),
                path: None,
                act: Act::Accept,
                reason: None,
                root: None,
            };
            faults = self.desk.decide(&all, "policy").await?.faults;
        }
        let wait_s = match (policy, attached) {
            (Policy::Ask, true) => scope.settings().review.wait_s,
            _ => 0,
        };
        let item = tokio::select! {
            item = self.desk.wait(id, std::time::Duration::from_secs(wait_s)) => item,
            () = scope.cancel().cancelled() => None,
        };
        if scope.cancel().is_cancelled() {
            // Nobody hears this answer: what is decided on it comes with the agent's next result.
            self.desk.answered_pending(id)?;
            return Err(Fault::new(
                Code::Cancelled,
                format!("the call was cancelled; its proposal {id} stays open for review"),
            ));
        }
        let item = item.ok_or_else(|| Fault::internal(format!("proposal {id} is gone")))?;
        // A policy that could not carry its decision out says why; what took effect before that stays and is said.
        if let (Policy::Auto, Some(fault)) = (policy, faults.into_iter().next())
            && (fault.applied == Some(true) || item.proposal.state() == ProposalState::Pending)
        {
            let stands = item.proposal.hunks().any(|hunk| hunk.state == HunkState::Accepted);
            // Where even that cannot be kept, the first fault says more.
            let _ = self.desk.withdraw(id);
            return Err(Fault { applied: stands.then_some(true).or(fault.applied), ..fault });
        }
        if item.proposal.state() == ProposalState::Pending {
            self.desk.answered_pending(id)?;
            return Ok(Ended { status: Status::Pending, ..Ended::ok(review::answer(&self.desk, &item)?) });
        }
        self.desk.told(id)?;
        review::answer(&self.desk, &item).map(Ended::ok)
    }

    /// Logs how a call ended. The future returned waits until that is on the disk where it has to be.
    fn log_end(
        &self,
        id: &str,
        tool: &str,
        ended: Ended,
        began: Instant,
        wait: bool,
    ) -> (Ended, impl Future<Output = Result<(), Fault>>) {
        let duration_ms = notices::milliseconds(began);
        self.session.count(match (&ended.error, ended.status) {
            (Some(_), _) => "calls_failed",
            (None, Status::Pending) => "calls_pending",
            (None, _) => "calls_ok",
        });
        let event = match &ended.error {
            Some(error) => Event::ToolError {
                call_id: id.to_owned(),
                tool: tool.to_owned(),
                error: error.clone(),
                duration_ms,
            },
            None => Event::ToolResult {
                call_id: id.to_owned(),
                tool: tool.to_owned(),
                status: ended.status,
                result: ended.result.clone().unwrap_or_default(),
                duration_ms,
            },
        };
        let logged = self.session.write(event);
        let session = self.session.clone();
        let durable = async move {
            let mark = logged?;
            if wait { session.journal()?.durable(mark).await } else { Ok(()) }
        };
        (ended, durable)
    }
}

impl Ended {
    fn ok(result: serde_json::Value) -> Self {
        Self { status: Status::Ok, result: Some(result), error: None, truncated: false, rest: None }
    }

    fn fault(fault: Fault) -> Self {
        Self { status: Status::Error, result: None, error: Some(fault), truncated: false, rest: None }
    }
}

/// Whether a call changes anything in the workspace.
fn changes_something(call: &Call) -> bool {
    !call.effects().writes.is_empty()
}

/// The answer to a call that could not be made.
pub fn fault_envelope(call_id: String, fault: Fault) -> Envelope {
    Envelope {
        call_id,
        status: Status::Error,
        result: None,
        error: Some(fault),
        truncated: false,
        rest: None,
        warnings: Vec::new(),
        decisions: Vec::new(),
    }
}

struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}
