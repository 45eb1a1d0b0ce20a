//! The connection of one agent: the requests of the Model Context Protocol, carried out by the hub.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use rmcp::model::*;
use rmcp::service::{NotificationContext, RequestContext, RoleServer, SubscriptionContext};
use rmcp::{ErrorData, ServerHandler};
use serde_json::{Value, json};
use tokio::sync::broadcast::Receiver;
use tokio::task::AbortHandle;

use super::calls::ToolCall;
use super::changes::{self, ChangeSubscriptions};
use super::era::is_modern;
use super::refusal::refuse_cursor;
use super::resources;
use super::seal::StateSeal;
use super::surface;
use super::wait::ClientWait;
use crate::base::hidden::{escape_hidden, escape_to_line};
use crate::base::ids;
use crate::hub::{Hub, HubChange};
use crate::protocol::{Code, Fault, Policy};
use crate::session::PresenceGuard;

/// Milliseconds for which lists may be cached: changes are notified before.
const LISTS_LAST: u64 = 60_000;

/// The options of an agent's connection: set by the process that started it, never by the agent.
#[derive(Clone, Debug)]
pub struct ConnectionOptions {
    /// The absolute path of the folder it works in.
    pub root: String,
    /// The policy for its changes; none for that of the settings.
    pub policy: Option<Policy>,
    /// The environment that its calls run in; the folder's where none is named.
    pub environment: Option<String>,
    /// The time for which its client waits for a call.
    pub wait: ClientWait,
}

/// The server at the other end of one connection. Clones serve the same one.
#[derive(Clone, Debug)]
pub struct McpConnection {
    pub(super) hub: Hub,
    pub(super) options: Arc<ConnectionOptions>,
    pub(super) seal: Arc<StateSeal>,
    pub(super) connection: Arc<SessionConnection>,
}

/// The state of a connection in the era of sessions.
#[derive(Debug)]
pub(super) struct SessionConnection {
    /// Its name in the log; none if each request is independent.
    pub(super) name: Option<String>,
    level: Mutex<Option<LoggingLevel>>,
    subscribed_uris: Mutex<BTreeSet<String>>,
    notifier: OnceLock<AbortHandle>,
    /// Receivers created before the client gets the promise of notifications, so that no change is missed.
    receivers: Mutex<Vec<Receiver<HubChange>>>,
    _connected: Option<PresenceGuard>,
}

impl Drop for SessionConnection {
    fn drop(&mut self) {
        if let Some(telling) = self.notifier.get() {
            telling.abort();
        }
    }
}

impl McpConnection {
    /// A server for one connection. `lasting` is false if its requests come one by one and belong to no session.
    pub fn new(hub: Hub, terms: Arc<ConnectionOptions>, seal: Arc<StateSeal>, lasting: bool) -> Self {
        let name = lasting.then(|| format!("s-{}", ids::unique_word()));
        let environment = terms.environment.as_deref();
        let connection = SessionConnection {
            _connected: name.as_ref().and_then(|name| hub.connect_agent(&terms.root, name, environment)),
            name,
            level: Mutex::default(),
            subscribed_uris: Mutex::default(),
            notifier: OnceLock::new(),
            receivers: Mutex::default(),
        };
        Self { hub, options: terms, seal, connection: Arc::new(connection) }
    }

    pub(super) fn log_level(&self) -> Option<LoggingLevel> {
        *self.connection.level.lock()
    }

    fn open_receiver(&self) {
        let ear = self.hub.subscribe_changes();
        self.connection.receivers.lock().push(ear);
    }

    fn take_receiver(&self) -> Receiver<HubChange> {
        let open = self.connection.receivers.lock().pop();
        open.unwrap_or_else(|| self.hub.subscribe_changes())
    }

    fn lock_subscriptions(&self) -> parking_lot::MutexGuard<'_, BTreeSet<String>> {
        self.connection.subscribed_uris.lock()
    }

    fn folder_instructions(&self) -> String {
        let mut text = instructions_for(&escape_to_line(&self.options.root));
        if surface::is_discovery(&self.hub, &self.options.root) {
            text.push_str(
                " Most tools are not listed. Do not assume that a tool exists: find it. Look through the nodes with list, \
                 before you search; where no node seems to fit, use search_nodes or search_tool_by_category. Never call \
                 a tool that you have not expanded: expand_tool shows its arguments, call_tool runs it. On a fault, \
                 follow its hints and its next_action.",
            );
        }
        text
    }
}

/// The instructions for a model about the tools of a folder.
fn instructions_for(folder: &str) -> String {
    format!(
        "Use these tools instead of your own edit tools, shell and file reads: the person reviews each change hunk by \
         hunk, with your reason for it, before it is written. Every call needs `why`: one sentence \
         saying what it is for. Paths are relative to {folder}. A write's result tells what was accepted and the \
         reasons; `pending` that nothing was decided yet: then go on, or ask again with review_wait; later decisions \
         come with a later result, under `decisions`. What the person says to you beside that comes under \
         `from_the_person`. A fault says how to recover. \
         Notes on arguments may stand in `_comments`, as {{\"path\": \"…\"}}: the log keeps them."
    )
}

/// The server's description of itself.
fn server_config(instructions: String) -> ServerConfig {
    let capabilities = ServerCapabilities::builder()
        .enable_logging()
        .enable_tools()
        .enable_tool_list_changed()
        .enable_resources()
        .enable_resources_list_changed()
        .enable_resources_subscribe()
        .build();
    let own = Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
    ServerConfig::new(capabilities).with_server_info(own).with_instructions(instructions)
}

/// A server whose folder is not known until the client's roots are.
struct BeforeRoots;

impl ServerHandler for BeforeRoots {
    fn get_info(&self) -> ServerConfig {
        server_config(instructions_for("the first root of your client's that holds a project"))
    }
}

/// Answers `initialize` for a client whose roots are asked for next, as the folder's server would.
///
/// # Errors
/// The error of the protocol, as an answer has it.
pub fn greet_before_roots(params: Value) -> Result<Value, Value> {
    let answer = serde_json::from_value(params)
        .map_err(|error| ErrorData::invalid_params(error.to_string(), None))
        .and_then(|params| BeforeRoots.negotiate_initialize(&params));
    answer.map(|answer| json!(answer)).map_err(|error| json!(error))
}

/// A fault as a protocol error, for requests other than tool calls.
fn to_protocol_error(fault: &Fault, data: Value) -> ErrorData {
    let code = match fault.code {
        Code::NotFound => ErrorCode::RESOURCE_NOT_FOUND,
        Code::InvalidArgs => ErrorCode::INVALID_PARAMS,
        _ => ErrorCode::INTERNAL_ERROR,
    };
    ErrorData::new(code, escape_hidden(&fault.message).into_owned(), Some(data))
}

impl ServerHandler for McpConnection {
    fn get_info(&self) -> ServerConfig {
        server_config(self.folder_instructions())
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        self.open_receiver();
        self.negotiate_initialize(&request)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        refuse_cursor(request.as_ref().and_then(|request| request.cursor.as_deref()))?;
        let tools = surface::offered_tools(&self.hub, &self.options);
        Ok(ListToolsResult::with_all_items(tools)
            .with_ttl_ms(LISTS_LAST)
            .with_cache_scope(CacheScope::Private))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        surface::offered_tools(&self.hub, &self.options).into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let call = ToolCall {
            name: request.name.into_owned(),
            arguments: Value::Object(request.arguments.unwrap_or_default()),
            given: request.input_responses.unwrap_or_default(),
            state: request.request_state,
        };
        // Boxed: the crate moves its futures several times, and a call's state is large.
        Box::pin(self.answer_call(call, context)).await
    }

    /// A tool call whose arguments are no object arrives as a custom request: it is answered as a call, too.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let CustomRequest { method, params, .. } = request;
        let modern = is_modern(&context);
        let params = params.unwrap_or_default();
        let name = params.get("name").and_then(Value::as_str);
        match (method.as_str(), name) {
            ("tools/call", Some(name)) => {
                let name = name.to_owned();
                let arguments = params.get("arguments").cloned().unwrap_or_default();
                let call = ToolCall { name, arguments, given: InputResponses::new(), state: None };
                let answer = Box::pin(self.answer_call(call, context)).await?;
                let mut answer = ServerResult::from(answer);
                if !modern {
                    answer.strip_result_type_for_legacy_peer();
                }
                let answer = serde_json::to_value(answer);
                answer
                    .map(CustomResult::new)
                    .map_err(|error| ErrorData::internal_error(error.to_string(), None))
            }
            ("tools/call", None) => {
                Err(ErrorData::invalid_params("`name` is missing: it says which tool is called", None))
            }
            _ => Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None)),
        }
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        refuse_cursor(request.as_ref().and_then(|request| request.cursor.as_deref()))?;
        Ok(ListResourcesResult::with_all_items(resources::list_resources(&self.hub, &self.options.root)))
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        refuse_cursor(request.as_ref().and_then(|request| request.cursor.as_deref()))?;
        Ok(ListResourceTemplatesResult::with_all_items(resources::resource_templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let (hub, root, uri) = (self.hub.clone(), self.options.root.clone(), request.uri.clone());
        // Reading a long log would block the other requests.
        let read = tokio::task::spawn_blocking(move || resources::read_resource(&hub, &root, &uri)).await;
        let read = read.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        read.map(Into::into).map_err(|fault| to_protocol_error(&fault, json!({ "uri": request.uri })))
    }

    // The crate would answer requests for missing features with empty lists; an error is clearer for an agent.
    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListPromptsRequestMethod>())
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(ErrorData::method_not_found::<CompleteRequestMethod>())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        self.open_receiver();
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let accepted = context.accepted();
        let wishes = ChangeSubscriptions {
            tools: accepted.tools_list_changed == Some(true),
            resources: accepted.resources_list_changed == Some(true),
            uris: accepted.resource_subscriptions.iter().flatten().cloned().collect(),
        };
        let mut changed = self.take_receiver();
        loop {
            let notifications = tokio::select! {
                () = context.cancelled() => return Ok(()),
                notifications = changes::next_notifications(&mut changed, || wishes.clone()) => notifications,
            };
            let Some(notifications) = notifications else { return Ok(()) };
            for notification in notifications {
                if context.sink().send(notification).await.is_err() {
                    return Ok(());
                }
            }
        }
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let (agent, mut changed) = (Arc::downgrade(&self.connection), self.take_receiver());
        let telling = tokio::spawn(async move {
            let wishes = || ChangeSubscriptions {
                tools: true,
                resources: true,
                uris: agent
                    .upgrade()
                    .map_or_else(BTreeSet::new, |connection| connection.subscribed_uris.lock().clone()),
            };
            while let Some(notifications) = changes::next_notifications(&mut changed, wishes).await {
                for notification in notifications {
                    if context.peer.send_notification(notification).await.is_err() {
                        return;
                    }
                }
            }
        });
        let _ = self.connection.notifier.set(telling.abort_handle());
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if is_modern(&context) {
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "logging/setLevel", None));
        }
        *self.connection.level.lock() = Some(request.level);
        Ok(())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.lock_subscriptions().insert(request.uri);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.lock_subscriptions().remove(&request.uri);
        Ok(())
    }
}
