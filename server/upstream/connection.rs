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
use super::flights::Flights;
use super::handler::{Relist, question};
use super::health::Health;
use super::process::{Group, Launch};
use super::remote::RemoteTool;
use crate::ports::Ask;
use crate::session::Scope;

/// Tools of one server at most.
const TOOLS: usize = 2000;
/// Pages of a listing at most.
const PAGES: usize = 200;
/// Bytes of a listing at most.
const LISTING: usize = 16 << 20;
/// Times that one call is made again with answers to what the server asked.
const ROUNDS: usize = 8;
/// Problems of one listing that are told.
const TOLD: usize = 20;
/// How long the end of a process is waited for that cannot be written to.
const LOST: Duration = Duration::from_secs(2);
/// How long a server may take to say that it is there.
const PING: Duration = Duration::from_secs(5);

/// What a server listed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Listing {
    /// Its tools, in its order.
    pub tools: Vec<RemoteTool>,
    /// What could not be taken, a sentence each.
    pub problems: Vec<String>,
}

/// A connection.
pub(super) struct Connection {
    server: String,
    peer: Peer<RoleClient>,
    end: Mutex<Option<RunningServiceCancellationToken>>,
    over: watch::Receiver<bool>,
    flights: Arc<Flights>,
    health: Arc<Health>,
    relist: Arc<OnceLock<Relist>>,
    group: Option<Arc<Group>>,
    broken: AtomicBool,
    root: Value,
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("server", &self.server).finish_non_exhaustive()
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.close();
    }
}

impl Connection {
    /// Starts or reaches a server and shakes hands with it. Unbounded in time: the caller's limit ends it.
    ///
    /// # Errors
    /// Why it cannot be reached, with what it said last.
    pub(super) async fn open(launch: Launch<'_>, health: Arc<Health>) -> Result<Self, UpstreamError> {
        HandshakeStart { launch, health }.run().await
    }

    /// All its tools.
    ///
    /// # Errors
    /// What keeps them from being listed.
    pub(super) async fn list(&self) -> Result<Listing, UpstreamError> {
        let mut listing = Listing::default();
        let (mut cursor, mut bytes): (Option<String>, usize) = (None, 0);
        let note = |problems: &mut Vec<String>, problem: String| {
            if problems.len() < TOLD {
                problems.push(format!("{}: {problem}", self.server));
            }
        };
        for page in 0.. {
            let params = PaginatedRequestParams::default().with_cursor(cursor.take());
            let request = ClientRequest::ListToolsRequest(ListToolsRequest::with_param(params));
            let answer = self.request(request).await?;
            let Some(tools) = answer.get("tools").and_then(Value::as_array) else {
                let why = "it has no list of `tools`";
                return Err(UpstreamError::protocol(&self.server, "its listing of tools", why));
            };
            bytes += tools.iter().map(|tool| tool.to_string().len()).sum::<usize>();
            for tool in tools {
                match RemoteTool::read(tool) {
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

    /// Has `relist` called whenever the server says that its tools are others.
    pub(super) fn on_change(&self, relist: Relist) {
        let modern = |info: Arc<ServerPeerInfo>| !info.protocol_version.has_initialize();
        if self.peer.peer_info().is_some_and(modern) {
            tokio::spawn(subscribe(self.peer.clone(), relist.clone()));
        }
        let _ = self.relist.set(relist);
    }

    /// Calls a tool; gives the server's result as it came. Dropping the future cancels the call there.
    ///
    /// # Errors
    /// What the server or the way to it says.
    pub(super) async fn call(
        &self,
        tool: &str,
        args: Map<String, Value>,
        scope: &Scope,
    ) -> Result<Value, UpstreamError> {
        let aloft = self.flights.begin(scope);
        let mut params = CallToolRequestParams::new(tool.to_owned()).with_arguments(args);
        for _ in 0..ROUNDS {
            let request = ClientRequest::CallToolRequest(CallToolRequest::new(params.clone()));
            let sent = self.peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await;
            let handle = match sent {
                Ok(handle) => handle,
                Err(error) => return Err(self.failure(&error).await),
            };
            aloft.sent(handle.id.clone(), handle.progress_token.clone());
            let mut result = tokio::select! {
                biased;
                fault = aloft.stopped() => return Err(fault.into()),
                result = self.answer(Cancelling(Some(handle))) => result?,
            };
            if result.get("resultType").and_then(Value::as_str) != Some("input_required") {
                return Ok(result);
            }
            let asked = result.get_mut("inputRequests").map(Value::take).unwrap_or_default();
            params.input_responses = Some(self.inputs(asked, scope).await?);
            params.request_state = result.get("requestState").and_then(Value::as_str).map(str::to_owned);
        }
        Err(UpstreamError::protocol(&self.server, "its answer", "it asks for more input again and again"))
    }

    /// Answers what a server asks for before it goes on.
    async fn inputs(
        &self,
        asked: Value,
        scope: &Scope,
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
                        .and_then(|params| question(&self.server, &params));
                    match ask {
                        Some(ask) => asks.push((key, ask)),
                        None => drop(answers.insert(key, json!({ "action": "decline" }))),
                    }
                }
                other => {
                    let why = format!("it asks for {other:?}");
                    return Err(UpstreamError::protocol(&self.server, "its answer", &why));
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

    /// Whether the server says within a moment that it is there.
    pub(super) async fn answers(&self) -> bool {
        let ping = self.request(ClientRequest::PingRequest(PingRequest::default()));
        match tokio::time::timeout(PING, ping).await {
            Ok(Ok(_)) => true,
            // One that knows no ping has answered too.
            Ok(Err(_)) => !self.is_over(),
            Err(_) => false,
        }
    }

    /// Whether it has ended.
    pub(super) fn is_over(&self) -> bool {
        *self.over.borrow()
    }

    /// Waits until it has ended.
    pub(super) fn wait(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut over = self.over.clone();
        async move {
            // The sender that is gone means the same.
            let _ = over.wait_for(|over| *over).await;
        }
    }

    /// Whether nothing can be sent on it any more.
    pub(super) fn is_broken(&self) -> bool {
        self.broken.load(Ordering::Relaxed)
    }

    /// What is known of how it is.
    pub(super) fn health(&self) -> &Arc<Health> {
        &self.health
    }

    /// Ends it, in its own time.
    pub(super) fn close(&self) {
        if let Some(end) = self.end.lock().take() {
            end.cancel();
        }
    }

    /// Its process, where it has one.
    pub(super) fn group(&self) -> Option<&Arc<Group>> {
        self.group.as_ref()
    }

    /// Ends it and its process at once.
    pub(super) fn kill(&self) {
        self.close();
        if let Some(group) = &self.group {
            group.kill();
        }
    }

    async fn request(&self, request: ClientRequest) -> Result<Value, UpstreamError> {
        let sent = self.peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await;
        match sent {
            Ok(handle) => self.answer(Cancelling(Some(handle))).await,
            Err(error) => Err(self.failure(&error).await),
        }
    }

    async fn answer(&self, mut sent: Cancelling) -> Result<Value, UpstreamError> {
        let Some(handle) = &mut sent.0 else { return Ok(Value::Null) };
        let answer = (&mut handle.rx).await;
        // It came, or never will: there is nothing left to cancel.
        sent.0 = None;
        match answer {
            Ok(Ok(result)) => serde_json::to_value(&result).map_err(|error| UpstreamError::Internal {
                server: self.server.clone(),
                why: error.to_string(),
            }),
            Ok(Err(error)) => Err(self.failure(&error).await),
            Err(_) => Err(self.failure(&ServiceError::TransportClosed).await),
        }
    }

    async fn failure(&self, error: &ServiceError) -> UpstreamError {
        if matches!(error, ServiceError::TransportClosed) {
            // Known here before whoever watches the process hears of it: the next call is not sent there too.
            self.broken.store(true, Ordering::Relaxed);
        }
        if let ServiceError::TransportSend(sent) = error {
            let refused = error::is_unreachable(&*sent.error);
            self.broken.fetch_or(self.group.is_some() || refused, Ordering::Relaxed);
            if self.group.is_some() {
                // A process that does not read any more is mostly gone: why says more than that it cannot be written.
                let _ = tokio::time::timeout(LOST, self.wait()).await;
                return UpstreamError::lost(&self.server, &self.health);
            }
        }
        UpstreamError::of_service(&self.server, error, &self.health)
    }
}

/// A request that is told to the server as cancelled where nobody waits for its answer any more.
struct Cancelling(Option<RequestHandle<RoleClient>>);

impl Drop for Cancelling {
    fn drop(&mut self) {
        if let (Some(handle), Ok(runtime)) = (self.0.take(), tokio::runtime::Handle::try_current()) {
            runtime.spawn(async move {
                let told = handle.cancel(Some("nobody waits for it any more".to_owned()));
                let _ = tokio::time::timeout(PING, told).await;
            });
        }
    }
}

/// In the newer era a server says that its tools are others only where it was asked to. One that does not take that
/// is listed anew when it is started again.
async fn subscribe(peer: Peer<RoleClient>, relist: Relist) {
    let wanted = SubscriptionFilter::builder().tools_list_changed().build();
    let Ok(mut subscription) = peer.listen(wanted).await else { return };
    while let Ok(Some(_)) = subscription.next().await {
        relist();
    }
}
