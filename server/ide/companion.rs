//! What Gemini CLI asks of its companion in an editor: the Model Context Protocol over HTTP on loopback. A
//! change is shown at once, and what becomes of it is told by a notification.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomNotification, JsonObject,
    ListToolsResult, PaginatedRequestParams, ServerConfig, ServerNotification,
};
use rmcp::service::{NotificationContext, Peer, RequestContext, RoleServer};
use rmcp::{ErrorData, ServerHandler};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use super::said::{agent, config, refused, tools};
use super::shown::ShownChanges;
use super::view;
use crate::hub::{Hub, ShownChange, ShownOutcome};
use crate::mcp::http;
use crate::protocol::{Fault, IdeSlot};

const TOOLS: &[(&str, &[&str], &str)] = &[
    ("openDiff", &["filePath", "newContent"], "Show a change for review."),
    ("closeDiff", &["filePath"], "Take back a change that is shown."),
];

/// How long a session lasts in which nothing is said: a person may take their time.
const LASTS: Duration = Duration::from_secs(24 * 3600);

/// One session of an agent.
#[derive(Clone, Debug)]
pub(super) struct CompanionSlot {
    shown: Arc<ShownChanges>,
}

/// Listens for agents that show the token; the port.
///
/// # Errors
/// What the system says.
pub(super) async fn listen(
    hub: Hub,
    folders: Vec<String>,
    token: String,
) -> Result<(u16, JoinHandle<()>), Fault> {
    let bound = http::bind("127.0.0.1:0").await?.lasting(LASTS);
    let port = bound.port();
    let handler = move || {
        let shown = ShownChanges::new(hub.clone(), folders.clone());
        CompanionSlot { shown: Arc::new(shown) }
    };
    Ok((port, tokio::spawn(bound.serve(Some(token), handler))))
}

impl CompanionSlot {
    fn answer(
        &self,
        context: &RequestContext<RoleServer>,
        name: &str,
        arguments: &JsonObject,
    ) -> CallToolResult {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str).map(str::to_owned);
        match (name, text("filePath"), text("newContent")) {
            ("openDiff", Some(path), Some(content)) => {
                let origin = self.shown.origin(agent(context, IdeSlot::GeminiCli), "openDiff");
                let change = ShownChange { path: path.clone(), content, origin };
                match self.shown.show(path.clone(), change) {
                    Ok(outcome) => {
                        tokio::spawn(tell(context.peer.clone(), path, outcome));
                        CallToolResult::success(Vec::new())
                    }
                    Err(fault) => refused(&fault.message),
                }
            }
            ("closeDiff", Some(path), _) => {
                self.shown.close(&path);
                // What the agent proposed stands as it was.
                let text = json!({ "content": null }).to_string();
                CallToolResult::success(vec![ContentBlock::text(text)])
            }
            _ => refused(
                "the companion knows openDiff with filePath and newContent, and closeDiff with filePath",
            ),
        }
    }
}

/// Tells what became of a change. Of one that was taken back nothing is told: the agent knows.
async fn tell(
    peer: Peer<RoleServer>,
    path: String,
    outcome: impl Future<Output = super::shown::Shown> + Send,
) {
    let (method, params) = match outcome.await {
        Ok(Some(ShownOutcome::Accepted(text))) => {
            ("ide/diffAccepted", json!({ "filePath": path, "content": text }))
        }
        Ok(Some(ShownOutcome::Rejected)) => ("ide/diffRejected", json!({ "filePath": path })),
        Ok(None) => return,
        // The agent's own question to the person stands.
        Err(fault) => return tracing::info!("no change is shown: {}", fault.message),
    };
    notify(&peer, method, params).await;
}

/// Whether the agent could be told.
async fn notify(peer: &Peer<RoleServer>, method: &str, params: Value) -> bool {
    let told = ServerNotification::CustomNotification(CustomNotification::new(method, Some(params)));
    peer.send_notification(told).await.is_ok()
}

impl ServerHandler for CompanionSlot {
    fn get_info(&self) -> ServerConfig {
        config()
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(tools(TOOLS))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        Ok(self.answer(&context, &request.name, &arguments).into())
    }

    /// Tells which files are open, and what is selected, when that is another than before.
    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let (shown, gone) = (Arc::downgrade(&self.shown), self.shown.gone().clone());
        let mut changes = self.shown.hub().listen();
        tokio::spawn(gone.run_until_cancelled_owned(async move {
            let mut last = Value::Null;
            loop {
                let Some(slot) = shown.upgrade() else { return };
                let selection = view::selection(slot.hub(), slot.folders()).await;
                let open = view::documents(slot.hub(), slot.folders());
                drop(slot);
                let of_time = |now| view::companion_context(&open, selection.as_ref(), now);
                let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
                if last != of_time(0) {
                    let params = of_time(u64::try_from(now).unwrap_or_default());
                    if !notify(&context.peer, "ide/contextUpdate", params).await {
                        return;
                    }
                    last = of_time(0);
                }
                if !view::looks_elsewhere(&mut changes).await {
                    return;
                }
            }
        }));
    }
}
