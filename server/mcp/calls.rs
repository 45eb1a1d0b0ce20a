//! `tools/call`: a tool, or one of the operations that find tools.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{CallToolResponse, InputRequiredResult, InputResponses, ServerNotification};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Map, Value};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{MissedTickBehavior, interval};

use super::agent::McpConnection;
use super::caller::McpCaller;
use super::refusal::unknown_tool;
use super::surface::is_always_listed;
use super::{answer, era, origin};
use crate::base::CallId;
use crate::hub::{CALL, CALL_ALL, CallBatch, CallToolParams, FindOperation, call_schema, read_operation};
use crate::model::arguments::fit_arguments;
use crate::pipeline::fault_envelope;
use crate::ports::Caller;
use crate::protocol::{Code, Envelope, Fault, Origin, RawCall};
use crate::requests::call_all::CallAllParams;

/// The interval of progress notifications to a waiting agent: well below the time limits of agents.
const ALIVE: Duration = Duration::from_secs(5);

/// A `tools/call` as an agent sent it.
#[derive(Debug)]
pub(super) struct ToolCall {
    /// The name of a tool, or of an operation that finds tools.
    pub(super) name: String,
    pub(super) arguments: Value,
    /// The person's answers to the questions of the last round.
    pub(super) given: InputResponses,
    /// The sealed answers of earlier rounds.
    pub(super) state: Option<String>,
}

impl McpConnection {
    /// Answers a call of a tool, or of an operation that finds tools.
    pub(super) async fn answer_call(
        &self,
        call: ToolCall,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let ToolCall { name, arguments, given, state } = call;
        let origin = origin::call_origin(&context, self.connection.name.as_deref());
        if let Some(operation) = FindOperation::from_name(&name) {
            let answer = match self.hub.folder_at(Some(&self.options.root)) {
                Ok(folder) => operation.answer_operation(&folder, arguments, origin).await,
                Err(error) => Err(error.into()),
            };
            return Ok(answer::operation_result(answer).into());
        }
        if name == CALL_ALL {
            return self.call_all(arguments, origin, &context).await;
        }
        let is_found = name == CALL;
        let raw = match is_found {
            true => match read_operation::<CallToolParams>(
                CALL,
                fit_operation_arguments(arguments.clone(), &call_schema()),
            ) {
                Ok(params) => {
                    let (tool_id, arguments) = params.into_call();
                    self.raw_call(tool_id, arguments, origin)
                }
                Err(fault) => {
                    let refused = self.refused(CALL, &arguments, fault, &origin);
                    return Ok(answer::operation_result(Err::<(), _>(refused)).into());
                }
            },
            false => self.raw_call(name, arguments, origin),
        };
        let mut answers = match &state {
            Some(state) => self.seal.open_answers(&raw.tool, &raw.arguments, state)?,
            None => Map::new(),
        };
        answers.extend(given);
        let (attendant, sent) = McpCaller::new(&context, answers, self.log_level());
        let client = context.client_info().map(|client| client.name.clone());
        let attendant = Arc::new(attendant.with_patience(self.options.wait.seconds_for(client.as_deref())));
        // Only in the later era a call may be repeated, and is identified by its contents.
        let again = era::is_modern(&context).then(|| (raw.tool.clone(), raw.arguments.clone()));
        let call = self.run_call(raw, is_found, attendant.clone());
        let envelope = await_call(call, &attendant, sent, &context).await?;
        let Some((tool, arguments)) = again else { return self.call_response(&envelope, is_found) };
        if let Some((requests, answers)) = attendant.open_questions() {
            let state = self.seal.seal_answers(&tool, &arguments, answers);
            return Ok(InputRequiredResult::new(Some(requests), state).into());
        }
        let is_unsupported = envelope.error.as_ref().is_some_and(|fault| fault.code == Code::Unsupported);
        match attendant.lacking_capability().filter(|_| is_unsupported) {
            Some(lacking) => Err(ErrorData::missing_required_client_capability(lacking)),
            None => self.call_response(&envelope, is_found),
        }
    }

    /// Makes the calls of one message. A call among several cannot ask a question: a call that needs the client's answer is made
    /// by itself.
    async fn call_all(
        &self,
        message: Value,
        origin: Origin,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let params = CallAllParams {
            message,
            origin,
            environment: self.options.environment.clone(),
            policy: self.options.policy,
            root: Some(self.options.root.clone()),
        };
        let found =
            params.calls().and_then(|calls| Ok((calls, self.hub.folder_at(Some(&self.options.root))?)));
        let (calls, folder) = match found {
            Ok(found) => found,
            Err(fault) => return Ok(answer::operation_result(Err::<(), _>(fault)).into()),
        };
        let is_found = folder.toolbox().is_discovery();
        let (labels, calls): (Vec<_>, Vec<_>) = calls.into_iter().map(|one| (one.label, one.call)).unzip();
        let (attendant, sent) = McpCaller::new(context, Map::new(), self.log_level());
        let batch = CallBatch::new(&folder, None, is_found);
        let made = batch.run_calls(calls);
        let envelopes = await_call(made, &attendant, sent, context).await?;
        let names = || -> Vec<String> {
            folder.toolbox().registry().tool_summaries().into_iter().map(|tool| tool.name).collect()
        };
        Ok(answer::of_several(&envelopes, &labels, names).into())
    }

    /// Runs a call in the agent's folder. `is_found` is true if the agent names the tool as an operation gave it. Where tools
    /// are found, a call by a tool's own name is held to its expansion as well, but of a tool that is listed all the same.
    async fn run_call(&self, raw: RawCall, is_found: bool, attendant: Arc<McpCaller>) -> Envelope {
        let caller: Option<Arc<dyn Caller>> = Some(attendant);
        let folder = match self.hub.folder_at(Some(&self.options.root)) {
            Ok(folder) => folder,
            Err(error) => return fault_envelope(CallId::default(), error.into()),
        };
        let toolbox = folder.toolbox();
        let is_listed = || {
            let find_tool = || toolbox.registry().find_tool(&raw.tool);
            !toolbox.is_discovery() || find_tool().is_some_and(|tool| is_always_listed(tool.def()))
        };
        match is_found || !is_listed() {
            true => folder.call_found(raw, caller).await,
            false => folder.pipeline().call_tool(raw, caller).await,
        }
    }

    /// The answer to a call that ended. A listed tool that does not exist is an error of the protocol.
    fn call_response(&self, envelope: &Envelope, is_found: bool) -> Result<CallToolResponse, ErrorData> {
        // Where tools are found, they go by their own names.
        let names = || -> Vec<String> {
            let folder = self.hub.folder_at(Some(&self.options.root)).ok().filter(|_| !is_found);
            let tools = folder.map(|folder| folder.toolbox().registry().tool_summaries()).unwrap_or_default();
            tools.into_iter().map(|tool| tool.name).collect()
        };
        let unknown = envelope.error.as_ref().filter(|_| !is_found);
        match unknown.and_then(|fault| unknown_tool(fault, answer::fault_value(fault, &names()))) {
            Some(error) => Err(error),
            None => Ok(answer::call_result(envelope, names).into()),
        }
    }

    fn raw_call(&self, tool: String, arguments: Value, origin: Origin) -> RawCall {
        let root = Some(self.options.root.clone());
        let environment = self.options.environment.clone();
        let policy = self.options.policy;
        RawCall { tool, arguments, origin, environment, policy, root, ..RawCall::default() }
    }

    /// Notes that an operation's arguments were refused; gives the fault back.
    fn refused(&self, name: &str, asked: &Value, fault: Fault, origin: &Origin) -> Fault {
        if let Ok(folder) = self.hub.folder_at(Some(&self.options.root)) {
            folder.note_refused(name, asked, &fault, origin);
        }
        fault
    }
}

/// The arguments of an operation as its schema has them. Those of a tool are fitted where the tool is found.
fn fit_operation_arguments(arguments: Value, schema: &Value) -> Value {
    match arguments {
        Value::Object(members) => Value::Object(fit_arguments(members, schema).value),
        other => other,
    }
}

/// Waits for a call to end. Meanwhile the agent gets the call's messages, and a sign that the call goes on.
async fn await_call<T>(
    call: impl Future<Output = T>,
    attendant: &McpCaller,
    mut sent: UnboundedReceiver<ServerNotification>,
    context: &RequestContext<RoleServer>,
) -> Result<T, ErrorData> {
    let mut call = pin!(call);
    let mut alive = interval(ALIVE);
    alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
    alive.reset();
    let envelope = loop {
        tokio::select! {
            biased;
            envelope = &mut call => break envelope,
            Some(notification) = sent.recv() => {
                // An agent that a notification does not reach cannot get the answer either.
                let _ = context.peer.send_notification(notification).await;
            }
            _ = alive.tick() => attendant.report_alive(),
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
