//! The agent that waits for a call: it gets the call's progress, and the questions of a tool.

use parking_lot::Mutex;

use futures::future::BoxFuture;
use rmcp::model::{
    ClientCapabilities, CreateMessageRequest, ElicitRequest, ElicitRequestParams, InputRequest,
    InputRequests, ListRootsRequest, LoggingLevel, LoggingMessageNotification,
    LoggingMessageNotificationParam, ProgressNotification, ProgressNotificationParam, ProgressToken,
    ServerNotification, ServerRequest,
};
use rmcp::service::{Peer, RequestContext, RoleServer};
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;

use super::era::is_modern;
use crate::base::hidden::{escape_hidden, escape_value};
use crate::catalogue::show_schema;
use crate::ports::{Ask, Caller};
use crate::protocol::{Code, Fault};

/// The increase of a progress notification without news, in percent: the protocol requires each value to be greater.
const A_LITTLE: f64 = 0.001;

/// The agent at the other end of one call.
#[derive(Debug)]
pub(super) struct McpCaller {
    peer: Peer<RoleServer>,
    modern: bool,
    capabilities: ClientCapabilities,
    token: Option<ProgressToken>,
    /// The least severe level that it wants to receive; none if it wants none.
    level: Option<LoggingLevel>,
    notifications: mpsc::UnboundedSender<ServerNotification>,
    progress: Mutex<ReportedProgress>,
    /// The event that the call waits for.
    waits_for: Mutex<Option<String>>,
    /// Seconds that the client waits for a call.
    patience_s: Option<u64>,
    answers: Map<String, Value>,
    open: Mutex<Vec<(String, Ask)>>,
    /// The capability that the agent lacks for a question.
    lacking: Mutex<Option<ClientCapabilities>>,
}

/// The progress as it was reported to the agent.
#[derive(Debug, Default)]
struct ReportedProgress {
    value: f64,
    percent: bool,
}

impl McpCaller {
    /// The agent that made the request in `context`, and the notifications to be sent before its answer. `answers` are
    /// those to earlier questions, `level` is the log level of the session.
    pub(super) fn new(
        context: &RequestContext<RoleServer>,
        answers: Map<String, Value>,
        level: Option<LoggingLevel>,
    ) -> (Self, mpsc::UnboundedReceiver<ServerNotification>) {
        let (out, sent) = mpsc::unbounded_channel();
        let modern = is_modern(context);
        let attendant = Self {
            peer: context.peer.clone(),
            modern,
            capabilities: context.client_capabilities().unwrap_or_default(),
            token: context.meta.get_progress_token(),
            level: if modern { context.meta.log_level() } else { level },
            notifications: out,
            progress: Mutex::default(),
            waits_for: Mutex::default(),
            patience_s: None,
            answers,
            open: Mutex::default(),
            lacking: Mutex::default(),
        };
        (attendant, sent)
    }

    /// Sets the seconds that the client waits for a call.
    pub(super) fn with_patience(self, patience_s: Option<u64>) -> Self {
        Self { patience_s, ..self }
    }

    /// Reports to the agent that its call goes on, and the event that it waits for.
    pub(super) fn report_alive(&self) {
        let waits_for = self.waits_for.lock().clone();
        self.progress(waits_for.as_deref().unwrap_or("at work"), None);
    }

    /// The questions without an answer, in the form of the later era, with the answers so far.
    pub(super) fn open_questions(&self) -> Option<(InputRequests, &Map<String, Value>)> {
        let open = std::mem::take(&mut *self.open.lock());
        let requests: InputRequests =
            open.into_iter().filter_map(|(key, ask)| Some((key, input_request(ask).ok()?))).collect();
        (!requests.is_empty()).then_some((requests, &self.answers))
    }

    /// The capability that the agent lacks, if a question could not be asked without it.
    pub(super) fn lacking_capability(&self) -> Option<ClientCapabilities> {
        self.lacking.lock().clone()
    }

    fn missing_capability(&self, ask: &Ask) -> Option<ClientCapabilities> {
        let has = &self.capabilities;
        let mut needed = ClientCapabilities::default();
        let has = match ask {
            Ask::Form { .. } => {
                needed.elicitation = Some(Default::default());
                has.elicitation.is_some()
            }
            Ask::Sample(_) => {
                needed.sampling = Some(Default::default());
                has.sampling.is_some()
            }
            Ask::Roots => {
                needed.roots = Some(Default::default());
                has.roots.is_some()
            }
        };
        (!has).then_some(needed)
    }

    async fn send_question(&self, ask: Ask) -> Result<Value, Fault> {
        let request = match input_request(ask)? {
            InputRequest::CreateMessage(request) => ServerRequest::CreateMessageRequest(request),
            InputRequest::Elicitation(request) => ServerRequest::ElicitRequest(request),
            InputRequest::ListRoots(request) => ServerRequest::ListRootsRequest(request),
            _ => return Err(Fault::internal("the protocol has no such question")),
        };
        let answer = self.peer.send_request(request).await.map_err(|error| {
            Fault::new(
                Code::Unsupported,
                format!("the agent's client did not answer the tool's question: {error}"),
            )
        })?;
        serde_json::to_value(answer).map_err(|error| Fault::internal(error.to_string()))
    }
}

fn input_request(ask: Ask) -> Result<InputRequest, Fault> {
    let wrong = |error: serde_json::Error| {
        Fault::internal(format!("the tool's question does not fit the protocol: {error}"))
    };
    Ok(match ask {
        Ask::Form { message, mut schema } => {
            // Labels and descriptions are shown to the person; names and values stay the tool's.
            show_schema(&mut schema);
            let message = escape_hidden(&message).into_owned();
            let requested_schema = serde_json::from_value(schema).map_err(wrong)?;
            let params = ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema };
            InputRequest::Elicitation(ElicitRequest::new(params))
        }
        Ask::Sample(params) => InputRequest::CreateMessage(CreateMessageRequest::new(
            serde_json::from_value(params).map_err(wrong)?,
        )),
        Ask::Roots => InputRequest::ListRoots(ListRootsRequest::default()),
    })
}

impl Caller for McpCaller {
    fn progress(&self, message: &str, percentage: Option<u32>) {
        let Some(token) = self.token.clone() else { return };
        let mut reached = self.progress.lock();
        let first = reached.value == 0.0 && !reached.percent;
        reached.percent |= percentage.is_some();
        reached.value = match percentage {
            Some(percentage) if first => f64::from(percentage.min(100)),
            Some(percentage) => f64::from(percentage.min(100)).max(reached.value + A_LITTLE),
            None if reached.percent => reached.value + A_LITTLE,
            None => reached.value + 1.0,
        };
        let mut params = ProgressNotificationParam::new(token, reached.value);
        if reached.percent {
            params = params.with_total(100.0);
        }
        if !message.is_empty() {
            params = params.with_message(escape_hidden(message));
        }
        // If there is no receiver any more, the call is over.
        let _ = self
            .notifications
            .send(ServerNotification::ProgressNotification(ProgressNotification::new(params)));
    }

    fn waiting(&self, what: Option<&str>) {
        let before = std::mem::replace(&mut *self.waits_for.lock(), what.map(str::to_owned));
        if let Some(what) = what.filter(|what| before.as_deref() != Some(what)) {
            self.progress(what, None);
        }
    }

    fn patience_s(&self) -> Option<u64> {
        self.patience_s
    }

    fn log(&self, level: &str, mut data: Value) {
        let level = serde_json::from_value(json!(level)).unwrap_or(LoggingLevel::Info);
        if self.level.is_none_or(|least| level_severity(level) < level_severity(least)) {
            return;
        }
        escape_value(&mut data);
        let params = LoggingMessageNotificationParam::new(level, data).with_logger(env!("CARGO_PKG_NAME"));
        let message = LoggingMessageNotification::new(params);
        let _ = self.notifications.send(ServerNotification::LoggingMessageNotification(message));
    }

    fn waits(&self) -> bool {
        !self.modern && self.capabilities.elicitation.is_some()
    }

    fn ask(&self, asks: Vec<(String, Ask)>) -> BoxFuture<'_, Result<Map<String, Value>, Fault>> {
        Box::pin(async move {
            if let Some(lack) = asks.iter().find_map(|(_, ask)| self.missing_capability(ask)) {
                *self.lacking.lock() = Some(lack.clone());
                return Err(Fault::new(
                    Code::Unsupported,
                    "the tool asks a question, and the agent's client lacks the capability to answer it",
                )
                .with_suggestion("make the call from a client that has the capability in `details`")
                .with_details(json!({ "required_capabilities": lack })));
            }
            if !self.modern {
                let mut answers = Map::new();
                for (key, ask) in asks {
                    answers.insert(key, self.send_question(ask).await?);
                }
                return Ok(answers);
            }
            let answered = |key: &String| self.answers.get(key).is_some_and(Value::is_object);
            if asks.iter().all(|(key, _)| answered(key)) {
                return Ok(self.answers.clone());
            }
            let open = asks.into_iter().filter(|(key, _)| !answered(key));
            self.open.lock().extend(open);
            Err(Fault::new(
                Code::Cancelled,
                "the agent's client is asked for input and makes the call again with the answers",
            ))
        })
    }
}

/// The protocol's levels by their order, the least severe first.
fn level_severity(level: LoggingLevel) -> u8 {
    match level {
        LoggingLevel::Debug => 0,
        LoggingLevel::Info => 1,
        LoggingLevel::Notice => 2,
        LoggingLevel::Warning => 3,
        LoggingLevel::Error => 4,
        LoggingLevel::Critical => 5,
        LoggingLevel::Alert => 6,
        LoggingLevel::Emergency => 7,
    }
}
