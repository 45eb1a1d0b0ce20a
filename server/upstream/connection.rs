//! A connection to a server: the listing of its tools, calls, its end.

mod handshake;

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use parking_lot::Mutex;
use rmcp::RoleClient;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientRequest, ListToolsRequest, PaginatedRequestParams,
    PingRequest, ServerPeerInfo, SubscriptionFilter,
};
use rmcp::service::{Peer, PeerRequestOptions, RequestHandle, RunningServiceCancellationToken, ServiceError};
use serde_json::{Map, Value, json};
use tokio::sync::watch;

use self::handshake::HandshakeStart;
use super::error::{self, UpstreamError};
use super::flights::CallsInFlight;
use super::handler::{Relist, caller_question};
use super::health::ConnectionHealth;
use super::process::{ServerLaunch, ServerProcesses};
use super::remote::RemoteTool;
use crate::ports::Ask;
use crate::session::CallScope;

/// Tools of one server at most.
const TOOLS: usize = 2000;
/// Pages of a listing at most.
const PAGES: usize = 200;
/// Bytes of a listing at most.
const LISTING: usize = 16 << 20;
/// Times that one call is made again with answers to what the server asked.
const ROUNDS: usize = 8;
/// The problems of one listing that are reported.
const TOLD_PROBLEMS: usize = 20;
/// The time that the end of a process is waited for that cannot be written to.
const LOST_WAIT: Duration = Duration::from_secs(2);
/// The time that a server may take to say that it is there.
const PING: Duration = Duration::from_secs(5);

/// The tools that a server listed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ToolListing {
    /// Its tools, in its order.
    pub tools: Vec<RemoteTool>,
    /// The tools that could not be taken, a sentence each.
    pub problems: Vec<String>,
}

/// A connection.
pub(super) struct ServerConnection {
    server: String,
    peer: Peer<RoleClient>,
    end: Mutex<Option<RunningServiceCancellationToken>>,
    over: watch::Receiver<bool>,
    flights: Arc<CallsInFlight>,
    health: Arc<ConnectionHealth>,
    relist: Arc<OnceLock<Relist>>,
    group: Option<Arc<ServerProcesses>>,
    broken: AtomicBool,
    root: Value,
}

impl fmt::Debug for ServerConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("server", &self.server).finish_non_exhaustive()
    }
}

impl Drop for ServerConnection {
    fn drop(&mut self) {
        self.close();
    }
}

impl ServerConnection {
    /// Starts or reaches a server and shakes hands with it. Unbounded in time: the caller's limit ends it.
    ///
    /// # Errors
    /// The reason why it cannot be reached, with what it said last.
    pub(super) async fn open(
        launch: ServerLaunch<'_>,
        health: Arc<ConnectionHealth>,
    ) -> Result<Self, UpstreamError> {
        HandshakeStart { launch, health }.shake_hands().await
    }

    /// Lists all its tools.
    ///
    /// # Errors
    /// The error that keeps them from being listed.
    pub(super) async fn list_tools(&self) -> Result<ToolListing, UpstreamError> {
        let mut listing = ToolListing::default();
        let (mut cursor, mut bytes): (Option<String>, usize) = (None, 0);
        let note = |problems: &mut Vec<String>, problem: String| {
            if problems.len() < TOLD_PROBLEMS {
                problems.push(format!("{}: {problem}", self.server));
            }
        };
        for page in 0.. {
            let params = PaginatedRequestParams::default().with_cursor(cursor.take());
            let request = ClientRequest::ListToolsRequest(ListToolsRequest::with_param(params));
            let answer = self.send_request(request).await?;
            let Some(tools) = answer.get("tools").and_then(Value::as_array) else {
                let why = "it has no list of `tools`";
                return Err(UpstreamError::protocol_error(&self.server, "its listing of tools", why));
            };
            bytes += tools.iter().map(|tool| tool.to_string().len()).sum::<usize>();
            for tool in tools {
                match RemoteTool::from_listing(tool) {
                    Ok(tool) if listing.tools.iter().any(|known| known.name == tool.name) => {
                        note(
                            &mut listing.problems,
                            format!("it lists {:?} twice; the first counts", tool.name),
                        );
                    }
                    Ok(tool) if listing.tools.len() < TOOLS => listing.tools.push(tool),
                    Ok(_) => {}
                    Err(problem) => note(&mut listing.problems, problem),
                }
            }
            let next = answer.get("nextCursor").and_then(Value::as_str).filter(|next| !next.is_empty());
            let Some(next) = next else { break };
            if page + 1 >= PAGES || bytes > LISTING || listing.tools.len() >= TOOLS {
                let message = format!(
                    "it lists more than {TOOLS} tools, {PAGES} pages or {LISTING} bytes: what follows is left out"
                );
                note(&mut listing.problems, message);
                break;
            }
            cursor = Some(next.to_owned());
        }
        Ok(listing)
    }

    /// Sets `relist` to be called whenever the server announces other tools.
    pub(super) fn on_change(&self, relist: Relist) {
        let modern = |info: Arc<ServerPeerInfo>| !info.protocol_version.has_initialize();
        if self.peer.peer_info().is_some_and(modern) {
            tokio::spawn(subscribe_changes(self.peer.clone(), relist.clone()));
        }
        let _ = self.relist.set(relist);
    }

    /// Calls a tool; returns the server's result unchanged. Dropping the future cancels the call there.
    ///
    /// # Errors
    /// The error of the server, or of the connection.
    pub(super) async fn call_tool(
        &self,
        tool: &str,
        args: Map<String, Value>,
        scope: &CallScope,
    ) -> Result<Value, UpstreamError> {
        let aloft = self.flights.begin_call(scope);
        let mut params = CallToolRequestParams::new(tool.to_owned()).with_arguments(args);
        for _ in 0..ROUNDS {
            let request = ClientRequest::CallToolRequest(CallToolRequest::new(params.clone()));
            let sent = self.peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await;
            let handle = match sent {
                Ok(handle) => handle,
                Err(error) => return Err(self.failure_of(&error).await),
            };
            aloft.mark_sent(handle.id.clone(), handle.progress_token.clone());
            let mut result = tokio::select! {
                biased;
                fault = aloft.wait_stopped() => return Err(fault.into()),
                result = self.await_answer(CancelOnDrop(Some(handle))) => result?,
            };
            if result.get("resultType").and_then(Value::as_str) != Some("input_required") {
                return Ok(result);
            }
            let asked = result.get_mut("inputRequests").map(Value::take).unwrap_or_default();
            params.input_responses = Some(self.answer_inputs(asked, scope).await?);
            params.request_state = result.get("requestState").and_then(Value::as_str).map(str::to_owned);
        }
        Err(UpstreamError::protocol_error(
            &self.server,
            "its answer",
            "it asks for more input again and again",
        ))
    }

    /// Answers what a server asks for before it goes on.
    async fn answer_inputs(
        &self,
        asked: Value,
        scope: &CallScope,
    ) -> Result<std::collections::BTreeMap<String, Value>, UpstreamError> {
        let mut answers = std::collections::BTreeMap::new();
        let mut asks = Vec::new();
        let Value::Object(asked) = asked else { return Ok(answers) };
        for (key, request) in asked {
            let params = request.get("params").cloned().unwrap_or_default();
            match request.get("method").and_then(Value::as_str).unwrap_or_default() {
                "roots/list" => drop(answers.insert(key, self.root.clone())),
                "sampling/createMessage" => asks.push((key, Ask::Sample(params))),
                "elicitation/create" => {
                    let ask = serde_json::from_value(params)
                        .ok()
                        .and_then(|params| caller_question(&self.server, &params));
                    match ask {
                        Some(ask) => asks.push((key, ask)),
                        None => drop(answers.insert(key, json!({ "action": "decline" }))),
                    }
                }
                other => {
                    let why = format!("it asks for {other:?}");
                    return Err(UpstreamError::protocol_error(&self.server, "its answer", &why));
                }
            }
        }
        if !asks.is_empty() {
            let nobody = || UpstreamError::NobodyToAsk { server: self.server.clone() };
            let caller = scope.caller().ok_or_else(nobody)?;
            answers.extend(caller.ask(asks).await?);
        }
        Ok(answers)
    }

    /// Returns whether the server answers a ping within a moment.
    pub(super) async fn is_answering(&self) -> bool {
        let ping = self.send_request(ClientRequest::PingRequest(PingRequest::default()));
        match tokio::time::timeout(PING, ping).await {
            Ok(Ok(_)) => true,
            // A server that knows no ping has answered too.
            Ok(Err(_)) => !self.is_over(),
            Err(_) => false,
        }
    }

    /// Returns whether it has ended.
    pub(super) fn is_over(&self) -> bool {
        *self.over.borrow()
    }

    /// Waits until it has ended.
    pub(super) fn wait_over(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut over = self.over.clone();
        async move {
            // The sender that is gone means the same.
            let _ = over.wait_for(|over| *over).await;
        }
    }

    /// Returns whether nothing can be sent on it any more.
    pub(super) fn is_broken(&self) -> bool {
        self.broken.load(Ordering::Relaxed)
    }

    /// The health of the connection.
    pub(super) fn health(&self) -> &Arc<ConnectionHealth> {
        &self.health
    }

    /// Ends it, in its own time.
    pub(super) fn close(&self) {
        if let Some(end) = self.end.lock().take() {
            end.cancel();
        }
    }

    /// Its process, where it has one.
    pub(super) fn group(&self) -> Option<&Arc<ServerProcesses>> {
        self.group.as_ref()
    }

    /// Ends it and its process at once.
    pub(super) fn kill(&self) {
        self.close();
        if let Some(group) = &self.group {
            group.kill();
        }
    }

    async fn send_request(&self, request: ClientRequest) -> Result<Value, UpstreamError> {
        let sent = self.peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await;
        match sent {
            Ok(handle) => self.await_answer(CancelOnDrop(Some(handle))).await,
            Err(error) => Err(self.failure_of(&error).await),
        }
    }

    async fn await_answer(&self, mut sent: CancelOnDrop) -> Result<Value, UpstreamError> {
        let Some(handle) = &mut sent.0 else { return Ok(Value::Null) };
        let answer = (&mut handle.rx).await;
        // It came, or never will: there is nothing left to cancel.
        sent.0 = None;
        match answer {
            Ok(Ok(result)) => serde_json::to_value(&result).map_err(|error| UpstreamError::Internal {
                server: self.server.clone(),
                why: error.to_string(),
            }),
            Ok(Err(error)) => Err(self.failure_of(&error).await),
            Err(_) => Err(self.failure_of(&ServiceError::TransportClosed).await),
        }
    }

    async fn failure_of(&self, error: &ServiceError) -> UpstreamError {
        if matches!(error, ServiceError::TransportClosed) {
            // The failure is known here before the process's watcher gets it: the next call is not sent there too.
            self.broken.store(true, Ordering::Relaxed);
        }
        if let ServiceError::TransportSend(sent) = error {
            let refused = error::is_unreachable(&*sent.error);
            self.broken.fetch_or(self.group.is_some() || refused, Ordering::Relaxed);
            if self.group.is_some() {
                // A process that no longer reads is mostly gone: the reason for its end is more helpful than a failed
                // write.
                let _ = tokio::time::timeout(LOST_WAIT, self.wait_over()).await;
                return UpstreamError::lost_in_call(&self.server, &self.health);
            }
        }
        UpstreamError::of_service(&self.server, error, &self.health)
    }
}

/// A request that is cancelled at the server where its caller stops waiting.
struct CancelOnDrop(Option<RequestHandle<RoleClient>>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        if let (Some(handle), Ok(runtime)) = (self.0.take(), tokio::runtime::Handle::try_current()) {
            runtime.spawn(async move {
                let told = handle.cancel(Some("nobody waits for it any more".to_owned()));
                let _ = tokio::time::timeout(PING, told).await;
            });
        }
    }
}

/// Subscribes to changes of a server's tools: in the newer era a server announces them only to subscribers. A server
/// that refuses is listed again when it is started again.
async fn subscribe_changes(peer: Peer<RoleClient>, relist: Relist) {
    let wanted = SubscriptionFilter::builder().tools_list_changed().build();
    let Ok(mut subscription) = peer.listen(wanted).await else { return };
    while let Ok(Some(_)) = subscription.next().await {
        relist();
    }
}
