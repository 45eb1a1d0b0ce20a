//! The activity behind a server's tools: a call that is sent on.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::error::UpstreamError;
use super::known::ServerTools;
use super::remote::RemoteTool;
use super::server::UpstreamServer;
use super::{http, result};
use crate::base::hidden::escape_hidden;
use crate::base::nearest::nearest_names;
use crate::protocol::{CallEffects, Code, Fault, ForwardWhy};
use crate::registry::{Activity, ActivityOutput, AnyInput, CompiledTool, PermittedCall};
use crate::session::CallScope;

/// A tool of a server.
pub(super) struct RemoteCall {
    /// The server.
    pub server: Arc<UpstreamServer>,
    /// The server's own name of the tool, where the definition gives it.
    pub remote_tool: Option<String>,
}

impl RemoteCall {
    /// Finds the server's tool: the one named, else the one whose name is the last part of this tool's name, or all of
    /// it.
    fn find_remote_tool(&self, tool: &CompiledTool, known: &ServerTools) -> Result<RemoteTool, Fault> {
        let last = tool.name().rsplit('.').next().unwrap_or_default().to_owned();
        let wanted = match &self.remote_tool {
            Some(name) => vec![name.clone()],
            None => vec![last, tool.name().to_owned(), tool.def().flat_name()],
        };
        if let Some(found) = wanted.iter().find_map(|name| known.find_tool(name)) {
            return Ok(found.clone());
        }
        let server = &self.server.gate.name;
        let names: Vec<&str> = known.tools.iter().map(|tool| tool.name.as_str()).collect();
        let near = nearest_names(&wanted[0], names.iter().copied(), 3)
            .into_iter()
            .map(|name| escape_hidden(name).into_owned());
        Err(Fault::new(Code::NotFound, format!("{server} has no tool {:?}", escape_hidden(&wanted[0])))
            .with_near_names(near)
            .with_suggestion(format!(
                "ask the person to name one of its tools in `remote_tool` of the definition of {}",
                tool.name()
            )))
    }

    async fn send_call(&self, call: &PermittedCall, scope: &CallScope) -> Result<ActivityOutput, Fault> {
        let (server, call) = (&self.server, call.call());
        server.gate.let_start(Some(call.id())).await?;
        server.gate.let_define(call.tool().name(), Some(call.id())).await?;
        let connection = server.ensure_connection().await?;
        let known = server.known_tools().unwrap_or_default();
        let remote = self.find_remote_tool(call.tool(), &known)?;
        server.gate.let_call(&known, &remote, Some(call.id())).await?;
        let mut args = call.args().clone();
        let forward = match server.gate.settings.why {
            Some(why) => why == ForwardWhy::Forward,
            None => remote.has_argument("why"),
        };
        if !forward {
            args.shift_remove("why");
        }
        let outcome = {
            // Dropping this before the call ends means that the server was too slow.
            let slow = SlowCallGuard(Some((server.clone(), connection.clone())));
            let outcome = connection.call_tool(&remote.name, args, scope).await;
            slow.in_time();
            outcome
        };
        if let Err(error) = &outcome
            && connection.is_broken()
        {
            server.note_broken(&connection, error);
        }
        let result = outcome?;
        server.note_answered();
        result::call_output(&server.gate.name, call.tool(), result, scope.settings().limits.output_bytes)
    }
}

impl Activity for RemoteCall {
    type Input = AnyInput;
    type Output = Value;

    fn call_effects(&self, _: &AnyInput) -> CallEffects {
        // The server's gate asks the person before it starts and before a tool of it is called.
        let network = self.server.gate.settings.url.as_deref().map(http::url_host);
        CallEffects { network: network.into_iter().collect(), consented: true, ..CallEffects::default() }
    }

    async fn run_call(
        &self,
        _: Arc<AnyInput>,
        call: &PermittedCall,
        scope: &CallScope,
    ) -> Result<ActivityOutput, Fault> {
        let tool = call.call().tool();
        let whole = Duration::from_millis(tool.def().sandbox.timeout_ms);
        // A little less than the pipeline's own, which could not say whose fault it is.
        let limit = whole - (whole / 20).min(Duration::from_millis(50));
        tokio::select! {
            outcome = tokio::time::timeout(limit, self.send_call(call, scope)) => {
                outcome.unwrap_or_else(|_| {
                    let (server, tool) = (self.server.gate.name.clone(), tool.name().to_owned());
                    Err(UpstreamError::SlowCall { server, tool, limit: whole }.into())
                })
            }
            () = scope.cancel_token().cancelled() => {
                Err(Fault::new(Code::Cancelled, format!("the call was cancelled; {} was told", self.server.gate.name)))
            }
        }
    }
}

/// Checks a server whose call stayed unanswered until its caller gave up.
struct SlowCallGuard(Option<(Arc<UpstreamServer>, Arc<super::connection::ServerConnection>)>);

impl SlowCallGuard {
    fn in_time(mut self) {
        self.0 = None;
    }
}

impl Drop for SlowCallGuard {
    fn drop(&mut self) {
        if let Some((server, connection)) = self.0.take()
            && tokio::runtime::Handle::try_current().is_ok()
        {
            server.check_unanswered(connection);
        }
    }
}

/// A tool whose server the settings do not have.
pub(super) struct NoServer(pub String);

impl Activity for NoServer {
    type Input = AnyInput;
    type Output = Value;

    fn call_effects(&self, _: &AnyInput) -> CallEffects {
        CallEffects::default()
    }

    async fn run_call(
        &self,
        _: Arc<AnyInput>,
        call: &PermittedCall,
        _: &CallScope,
    ) -> Result<ActivityOutput, Fault> {
        let server = escape_hidden(&self.0).into_owned();
        let fault = Fault::new(
            Code::NotFound,
            format!(
                "{} is a tool of the server {server:?}, which the settings do not have",
                call.call().tool().name()
            ),
        );
        let suggestion = format!(
            "ask the person to add [mcp_servers.{server}] with a `command` or a `url` to the settings"
        );
        Err(fault.with_suggestion(suggestion))
    }
}
