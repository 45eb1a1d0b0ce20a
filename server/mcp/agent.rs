//! One agent's connection: what the Model Context Protocol asks of a server, carried out by the hub.

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
use super::changes::{self, Wishes};
use super::era::is_modern;
use super::refusal::no_cursor;
use super::resources;
use super::seal::Seal;
use super::surface;
use super::wait::ClientWait;
use crate::base::hidden::{in_line, shown};
use crate::base::ids;
use crate::hub::{Hub, HubChange};
use crate::protocol::{Code, Fault, Policy};
use crate::session::Connected;

/// Milliseconds that lists may be kept: a change is told before.
const LISTS_LAST: u64 = 60_000;

/// How an agent was let in: said by whoever started its connection, never by the agent.
#[derive(Clone, Debug)]
pub struct Terms {
    /// The absolute path of the folder it works in.
    pub root: String,
    /// What becomes of its changes; the settings' word where nothing is said.
    pub policy: Option<Policy>,
    /// How long its client waits for a call.
    pub wait: ClientWait,
}

/// The server at the other end of one connection. Clones serve the same one.
#[derive(Clone, Debug)]
pub struct Agent {
    pub(super) hub: Hub,
    pub(super) terms: Arc<Terms>,
    pub(super) seal: Arc<Seal>,
    pub(super) connection: Arc<SessionConnection>,
}

/// What is known of a connection in the era of sessions.
#[derive(Debug)]
pub(super) struct SessionConnection {
    /// Its name in the log; nothing where each request comes by itself.
    pub(super) name: Option<String>,
    level: Mutex<Option<LoggingLevel>>,
    subscribed: Mutex<BTreeSet<String>>,
    telling: OnceLock<AbortHandle>,
    /// Ears for those who are promised to hear of changes: opened before the promise is sent.
    ears: Mutex<Vec<Receiver<HubChange>>>,
    _connected: Option<Connected>,
}

impl Drop for SessionConnection {
    fn drop(&mut self) {
        if let Some(telling) = self.telling.get() {
            telling.abort();
        }
    }
}

impl Agent {
    /// A server for one connection. `lasting` is false where its requests come one by one and belong to no session.
    pub fn new(hub: Hub, terms: Arc<Terms>, seal: Arc<Seal>, lasting: bool) -> Self {
        let name = lasting.then(|| format!("s-{}", ids::unique()));
        let connection = SessionConnection {
            _connected: name.as_ref().and_then(|name| hub.connect(&terms.root, name)),
            name,
            level: Mutex::default(),
            subscribed: Mutex::default(),
            telling: OnceLock::new(),
            ears: Mutex::default(),
        };
        Self { hub, terms, seal, connection: Arc::new(connection) }
    }

    pub(super) fn level(&self) -> Option<LoggingLevel> {
        *self.connection.level.lock()
    }

    fn open_ear(&self) {
        let ear = self.hub.listen();
        self.connection.ears.lock().push(ear);
    }

    fn ear(&self) -> Receiver<HubChange> {
        let open = self.connection.ears.lock().pop();
        open.unwrap_or_else(|| self.hub.listen())
    }

    fn subscribed(&self) -> parking_lot::MutexGuard<'_, BTreeSet<String>> {
        self.connection.subscribed.lock()
    }

    fn instructions(&self) -> String {
        let mut text = format!(
            "Use these tools instead of your own edit tools, shell and file reads: the person reviews each change hunk by \
             hunk, with your reason for it, before it is written. Every call needs `why`: one sentence \
             saying what it is for. Paths are relative to {}. A write's result tells what was accepted and the \
             reasons; `pending` that nothing was decided yet: then go on, or ask again with review_wait; later decisions \
             come with a later result, under `decisions`. What the person says to you beside that comes under \
             `from_the_person`. A fault says how to recover.",
            in_line(&self.terms.root)
        );
        if surface::is_discovery(&self.hub, &self.terms.root) {
            text.push_str(
                " Most tools are not listed: find them with search_tool_by_category or list, see their arguments \
                 with expand_tool, run them with call_tool.",
            );
        }
        text
    }
}

/// A fault as a protocol error, for what is no tool call.
fn refuse(fault: &Fault, data: Value) -> ErrorData {
    let code = match fault.code {
        Code::NotFound => ErrorCode::RESOURCE_NOT_FOUND,
        Code::InvalidArgs => ErrorCode::INVALID_PARAMS,
        _ => ErrorCode::INTERNAL_ERROR,
    };
    ErrorData::new(code, shown(&fault.message).into_owned(), Some(data))
}

impl ServerHandler for Agent {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_logging()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_resources_subscribe()
            .build();
        let own = Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        ServerConfig::new(capabilities).with_server_info(own).with_instructions(self.instructions())
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        self.open_ear();
        self.negotiate_initialize(&request)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        no_cursor(request.as_ref().and_then(|request| request.cursor.as_deref()))?;
        let tools = surface::tools(&self.hub, &self.terms.root);
        Ok(ListToolsResult::with_all_items(tools)
            .with_ttl_ms(LISTS_LAST)
            .with_cache_scope(CacheScope::Private))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        surface::tools(&self.hub, &self.terms.root).into_iter().find(|tool| tool.name == name)
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
        // Boxed: the crate moves what it runs several times, and a call's state is large.
        Box::pin(self.answer(call, context)).await
    }

    /// A tool call whose arguments are no object comes in as a request of no known kind: it is a call all the same.
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
                let answer = Box::pin(self.answer(call, context)).await?;
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
        no_cursor(request.as_ref().and_then(|request| request.cursor.as_deref()))?;
        Ok(ListResourcesResult::with_all_items(resources::list(&self.hub, &self.terms.root)))
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        no_cursor(request.as_ref().and_then(|request| request.cursor.as_deref()))?;
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let (hub, root, uri) = (self.hub.clone(), self.terms.root.clone(), request.uri.clone());
        // A log can be long: it is not read where requests are.
        let read = tokio::task::spawn_blocking(move || resources::read(&hub, &root, &uri)).await;
        let read = read.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        read.map(Into::into).map_err(|fault| refuse(&fault, json!({ "uri": request.uri })))
    }

    // The crate answers what is not offered here with empty lists; an agent is better told that it is not.
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
        self.open_ear();
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let accepted = context.accepted();
        let wishes = Wishes {
            tools: accepted.tools_list_changed == Some(true),
            resources: accepted.resources_list_changed == Some(true),
            uris: accepted.resource_subscriptions.iter().flatten().cloned().collect(),
        };
        let mut changed = self.ear();
        loop {
            let notifications = tokio::select! {
                () = context.cancelled() => return Ok(()),
                notifications = changes::next(&mut changed, || wishes.clone()) => notifications,
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
        let (agent, mut changed) = (Arc::downgrade(&self.connection), self.ear());
        let telling = tokio::spawn(async move {
            let wishes = || Wishes {
                tools: true,
                resources: true,
                uris: agent
                    .upgrade()
                    .map_or_else(BTreeSet::new, |connection| connection.subscribed.lock().clone()),
            };
            while let Some(notifications) = changes::next(&mut changed, wishes).await {
                for notification in notifications {
                    if context.peer.send_notification(notification).await.is_err() {
                        return;
                    }
                }
            }
        });
        let _ = self.connection.telling.set(telling.abort_handle());
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
        self.subscribed().insert(request.uri);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.subscribed().remove(&request.uri);
        Ok(())
    }
}
