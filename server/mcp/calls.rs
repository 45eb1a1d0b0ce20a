//! `tools/call`: a tool, or one of the operations that find tools.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{
    CallToolResponse, CallToolResult, InputRequiredResult, InputResponses, ServerNotification,
};
use rmcp::service::{RequestContext, RoleServer};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{MissedTickBehavior, interval};

use super::agent::Agent;
use super::caller::Attendant;
use super::refusal::unknown_tool;
use super::{answer, era, origin};
use crate::base::CallId;
use crate::hub::{CALL, CallToolParams, Operation};
use crate::pipeline::fault_envelope;
use crate::ports::Caller;
use crate::protocol::{Code, Envelope, Fault, Origin, RawCall};
use crate::requests::{Asker, ExpandTool, ListTools, Request, SearchNodes, SearchTools};

/// How often an agent that waits hears that its call goes on: well below the limits that agents have.
const ALIVE: Duration = Duration::from_secs(5);

/// A `tools/call` as an agent sent it.
#[derive(Debug)]
pub(super) struct ToolCall {
    /// The name of a tool, or of an operation that finds tools.
    pub(super) name: String,
    pub(super) arguments: Value,
    /// What the person answered to the questions of the round before.
    pub(super) given: InputResponses,
    /// The sealed answers of earlier rounds.
    pub(super) state: Option<String>,
}

impl Agent {
    /// Answers a call of a tool, or of an operation that finds tools.
    pub(super) async fn answer(
        &self,
        call: ToolCall,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let ToolCall { name, arguments, given, state } = call;
        let origin = origin::of(&context, self.connection.name.as_deref());
        if let Some(operation) = Operation::named(&name) {
            return Ok(self.find(operation, arguments, origin).await.into());
        }
        let is_found = name == CALL;
        let raw = match is_found {
            true => match read::<CallToolParams>(arguments) {
                Ok(CallToolParams { tool_id, arguments }) => self.raw(tool_id, arguments.into(), origin),
                Err(fault) => return Ok(answer::of_operation(Err::<(), _>(fault)).into()),
            },
            false => self.raw(name, arguments, origin),
        };
        let mut answers = match &state {
            Some(state) => self.seal.open(&raw.tool, &raw.arguments, state)?,
            None => Map::new(),
        };
        answers.extend(given);
        let (attendant, sent) = Attendant::new(&context, answers, self.level());
        let client = context.client_info().map(|client| client.name.clone());
        let attendant = Arc::new(attendant.patient(self.terms.wait.seconds(client.as_deref())));
        // Only in the later era a call may come again, and is known by what it was.
        let again = era::is_modern(&context).then(|| (raw.tool.clone(), raw.arguments.clone()));
        let call = self.run(raw, is_found, attendant.clone());
        let envelope = attended(call, &attendant, sent, &context).await?;
        let Some((tool, arguments)) = again else { return self.answered(&envelope, is_found) };
        if let Some((requests, answers)) = attendant.open_questions() {
            let state = self.seal.close(&tool, &arguments, answers);
            return Ok(InputRequiredResult::new(Some(requests), state).into());
        }
        let is_unsupported = envelope.error.as_ref().is_some_and(|fault| fault.code == Code::Unsupported);
        match attendant.lacking().filter(|_| is_unsupported) {
            Some(lacking) => Err(ErrorData::missing_required_client_capability(lacking)),
            None => self.answered(&envelope, is_found),
        }
    }

    /// Runs a call in the agent's folder. `is_found` says that the agent found the tool by an operation.
    async fn run(&self, raw: RawCall, is_found: bool, attendant: Arc<Attendant>) -> Envelope {
        let caller: Option<Arc<dyn Caller>> = Some(attendant);
        match (self.hub.folder(Some(&self.terms.root)), is_found) {
            (Ok(folder), true) => folder.call_found(raw, caller).await,
            (Ok(folder), false) => folder.pipeline().call(raw, caller).await,
            (Err(error), _) => fault_envelope(CallId::default(), error.into()),
        }
    }

    /// The answer to a call that ended. A listed tool that does not exist is an error of the protocol.
    fn answered(&self, envelope: &Envelope, is_found: bool) -> Result<CallToolResponse, ErrorData> {
        let names = || -> Vec<String> {
            let folder = self.hub.folder(Some(&self.terms.root));
            let tools = folder.map(|folder| folder.tools()).unwrap_or_default();
            tools.into_iter().map(|tool| tool.name).collect()
        };
        let unknown = envelope.error.as_ref().filter(|_| !is_found);
        match unknown.and_then(|fault| unknown_tool(fault, answer::fault(fault, &names()))) {
            Some(error) => Err(error),
            None => Ok(answer::of(envelope, names).into()),
        }
    }

    fn raw(&self, tool: String, arguments: Value, origin: Origin) -> RawCall {
        let root = Some(self.terms.root.clone());
        RawCall { tool, arguments, origin, policy: self.terms.policy, root, ..RawCall::default() }
    }

    async fn find(&self, operation: Operation, arguments: Value, origin: Origin) -> CallToolResult {
        match operation {
            Operation::List => self.ask::<ListTools>(arguments, origin).await,
            Operation::SearchNodes => self.ask::<SearchNodes>(arguments, origin).await,
            Operation::SearchTools => self.ask::<SearchTools>(arguments, origin).await,
            Operation::Expand => self.ask::<ExpandTool>(arguments, origin).await,
        }
    }

    /// Answers a request of ours about the agent's folder.
    async fn ask<R: Request>(&self, mut arguments: Value, origin: Origin) -> CallToolResult {
        if let Value::Object(members) = &mut arguments {
            members.insert("root".to_owned(), json!(self.terms.root));
        }
        answer::of_operation(match read(arguments) {
            Ok(params) => R::answer(&self.hub, params, Asker::from(origin)).await,
            Err(fault) => Err(fault),
        })
    }
}

fn read<T: DeserializeOwned>(arguments: Value) -> Result<T, Fault> {
    serde_json::from_value(arguments).map_err(|error| {
        Fault::new(Code::InvalidArgs, format!("the arguments do not fit the input schema: {error}"))
            .suggest("send arguments that fit the input schema of the operation")
    })
}

/// Waits for a call to end. Meanwhile the agent gets what the call tells it, and hears that the call goes on.
async fn attended(
    call: impl Future<Output = Envelope>,
    attendant: &Attendant,
    mut sent: UnboundedReceiver<ServerNotification>,
    context: &RequestContext<RoleServer>,
) -> Result<Envelope, ErrorData> {
    let mut call = pin!(call);
    let mut alive = interval(ALIVE);
    alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
    alive.reset();
    let envelope = loop {
        tokio::select! {
            biased;
            envelope = &mut call => break envelope,
            Some(notification) = sent.recv() => {
                // An agent that a notification does not reach does not wait for the answer either.
                let _ = context.peer.send_notification(notification).await;
            }
            _ = alive.tick() => attendant.alive(),
            () = context.ct.cancelled() => {
                return Err(ErrorData::internal_error("the call was cancelled", None));
            }
        }
    };
    while let Ok(notification) = sent.try_recv() {
        let _ = context.peer.send_notification(notification).await;
    }
    Ok(envelope)
}
