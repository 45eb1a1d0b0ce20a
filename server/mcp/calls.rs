//! `tools/call`: a tool, or one of the operations that find tools.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{CallToolResponse, CallToolResult, InputRequiredResult, InputResponses};
use rmcp::service::{RequestContext, RoleServer};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use tokio::time::{MissedTickBehavior, interval};

use super::agent::Agent;
use super::caller::Attendant;
use super::refusal::unknown_tool;
use super::surface::{CALL, CallToolParams, Operation};
use super::{answer, era, origin};
use crate::base::CallId;
use crate::pipeline::fault_envelope;
use crate::ports::Caller;
use crate::protocol::{Code, Envelope, Fault, Origin, RawCall};
use crate::requests::{Asker, ExpandTool, ListTools, Request, SearchNodes, SearchTools};

/// How often an agent that waits hears that its call goes on: well below the limits that agents have.
const ALIVE: Duration = Duration::from_secs(5);

impl Agent {
    /// Answers a call of what has that name.
    pub(super) async fn answer(
        &self,
        name: &str,
        arguments: Value,
        given: InputResponses,
        state: Option<String>,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let origin = origin::of(&context, self.connection.name.as_deref());
        if let Some(operation) = Operation::named(name) {
            return Ok(self.find(operation, arguments, origin).await.into());
        }
        let found = name == CALL;
        let raw = match found {
            true => match read::<CallToolParams>(arguments) {
                Ok(CallToolParams { tool_id, arguments }) => self.raw(tool_id, arguments.into(), origin),
                Err(fault) => return Ok(answer::of_operation(Err::<(), _>(fault)).into()),
            },
            false => self.raw(name.to_owned(), arguments, origin),
        };
        let mut answers = match &state {
            Some(state) => self.seal.open(&raw.tool, &raw.arguments, state)?,
            None => Map::new(),
        };
        answers.extend(given);
        let (attendant, mut sent) = Attendant::new(&context, answers, self.level());
        let attendant = Arc::new(attendant);
        // Only in the later era a call may come again, and is known by what it was.
        let asked = era::is_modern(&context).then(|| (raw.tool.clone(), raw.arguments.clone()));
        let caller: Option<Arc<dyn Caller>> = Some(attendant.clone());
        let call = async {
            match (self.hub.folder(Some(&self.terms.root)), found) {
                (Ok(folder), true) => folder.call_found(raw, caller).await,
                (Ok(folder), false) => folder.pipeline().call(raw, caller).await,
                (Err(fault), _) => fault_envelope(CallId::default(), fault),
            }
        };
        let mut call = pin!(call);
        let mut alive = interval(ALIVE);
        alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
        alive.reset();
        let envelope = loop {
            tokio::select! {
                biased;
                envelope = &mut call => break envelope,
                Some(notification) = sent.recv() => {
                    // Whom it does not reach does not wait for the answer either.
                    let _ = context.peer.send_notification(notification).await;
                }
                _ = alive.tick() => attendant.progress("at work, or waiting for the person's decision", None),
                () = context.ct.cancelled() => {
                    return Err(ErrorData::internal_error("the call was cancelled", None));
                }
            }
        };
        while let Ok(notification) = sent.try_recv() {
            let _ = context.peer.send_notification(notification).await;
        }
        if let (Some((requests, answers)), Some((tool, arguments))) = (attendant.open_questions(), &asked) {
            let state = self.seal.close(tool, arguments, answers);
            return Ok(InputRequiredResult::new(Some(requests), state).into());
        }
        if let Some(lack) = lacking(&envelope).filter(|_| era::is_modern(&context)) {
            return Err(lack);
        }
        let names = || -> Vec<String> {
            let folder = self.hub.folder(Some(&self.terms.root));
            let tools = folder.map(|folder| folder.tools()).unwrap_or_default();
            tools.into_iter().map(|tool| tool.name).collect()
        };
        let unknown = envelope.error.as_ref().filter(|_| !found);
        let refused = |fault: &Fault| unknown_tool(fault, answer::fault(fault, &names()));
        match unknown.and_then(refused) {
            Some(error) => Err(error),
            None => Ok(answer::of(&envelope, names).into()),
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
        Fault::new(Code::InvalidArgs, format!("the arguments are wrong: {error}"))
            .suggest("send them by the operation's input schema")
    })
}

/// The protocol's own error for a call that failed since the agent lacks a capability.
fn lacking(envelope: &Envelope) -> Option<ErrorData> {
    let details = envelope.error.as_ref()?.details.as_ref()?;
    let required = serde_json::from_value(details.get("required_capabilities")?.clone()).ok()?;
    Some(ErrorData::missing_required_client_capability(required))
}
