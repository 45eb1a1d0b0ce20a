//! The activity behind a server's tools: a call that is sent on.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::error::UpstreamError;
use super::known::Known;
use super::remote::RemoteTool;
use super::server::Server;
use super::{http, result};
use crate::base::hidden::shown;
use crate::base::nearest::nearest;
use crate::protocol::{Code, Effects, Fault, ForwardWhy};
use crate::registry::{Activity, AnyInput, Output, Permitted, Tool};
use crate::session::Scope;

/// A tool of a server.
pub(super) struct RemoteCall {
    /// The server.
    pub server: Arc<Server>,
    /// The server's own name of the tool, where the definition gives it.
    pub remote_tool: Option<String>,
}

impl RemoteCall {
    /// The server's tool that is meant: the one named, else the one whose name is the last part of ours, or all of it.
    fn meant(&self, tool: &Tool, known: &Known) -> Result<RemoteTool, Fault> {
        let last = tool.name().rsplit('.').next().unwrap_or_default().to_owned();
        let wanted = match &self.remote_tool {
            Some(name) => vec![name.clone()],
            None => vec![last, tool.name().to_owned(), tool.def().flat_name()],
        };
        if let Some(found) = wanted.iter().find_map(|name| known.tool(name)) {
            return Ok(found.clone());
        }
        let server = &self.server.name;
        let names: Vec<&str> = known.tools.iter().map(|tool| tool.name.as_str()).collect();
        let near =
            nearest(&wanted[0], names.iter().copied(), 3).into_iter().map(|name| shown(name).into_owned());
        Err(Fault::new(Code::NotFound, format!("{server} has no tool {:?}", shown(&wanted[0])))
            .near(near)
            .suggest(format!(
                "ask the person to name one of its tools in `remote_tool` of the definition of {}",
                tool.name()
            )))
    }

    async fn call(&self, call: &Permitted, scope: &Scope) -> Result<Output, Fault> {
        let (server, call) = (&self.server, call.call());
        server.let_start(Some(call.id())).await?;
        server.let_define(call.tool().name(), Some(call.id())).await?;
        let connection = server.connection().await?;
        let known = server.known().unwrap_or_default();
        let remote = self.meant(call.tool(), &known)?;
        server.let_call(&remote, Some(call.id())).await?;
        let mut args = call.args().clone();
        let forward = match server.settings.why {
            Some(why) => why == ForwardWhy::Forward,
            None => remote.takes("why"),
        };
        if !forward {
            args.shift_remove("why");
        }
        let outcome = {
            // Where this is not awaited to its end, the server was too slow.
            let slow = Slow(Some((server.clone(), connection.clone())));
            let outcome = connection.call(&remote.name, args, scope).await;
            slow.in_time();
            outcome
        };
        if let Err(error) = &outcome
            && connection.is_broken()
        {
            server.broke(&connection, error);
        }
        let result = outcome?;
        server.answered();
        result::output(&server.name, call.tool(), result, scope.settings().limits.output_bytes)
    }
}

impl Activity for RemoteCall {
    type Input = AnyInput;
    type Output = Value;

    fn effects(&self, _: &AnyInput) -> Effects {
        // The server's gate asks the person before it starts and before a tool of it is called.
        let network = self.server.settings.url.as_deref().map(http::host);
        Effects { network: network.into_iter().collect(), consented: true, ..Effects::default() }
    }

    async fn run(&self, _: Arc<AnyInput>, call: &Permitted, scope: &Scope) -> Result<Output, Fault> {
        let tool = call.call().tool();
        let whole = Duration::from_millis(tool.def().sandbox.timeout_ms);
        // A little less than the pipeline's own, which could not say whose fault it is.
        let limit = whole - (whole / 20).min(Duration::from_millis(50));
        tokio::select! {
            outcome = tokio::time::timeout(limit, self.call(call, scope)) => {
                outcome.unwrap_or_else(|_| {
                    let (server, tool) = (self.server.name.clone(), tool.name().to_owned());
                    Err(UpstreamError::SlowCall { server, tool, limit: whole }.into())
                })
            }
            () = scope.cancel().cancelled() => {
                Err(Fault::new(Code::Cancelled, format!("the call was cancelled; {} was told", self.server.name)))
            }
        }
    }
}

/// Has a server looked at that left a call unanswered until nobody waited any more.
struct Slow(Option<(Arc<Server>, Arc<super::connection::Connection>)>);

impl Slow {
    fn in_time(mut self) {
        self.0 = None;
    }
}

impl Drop for Slow {
    fn drop(&mut self) {
        if let Some((server, connection)) = self.0.take()
            && tokio::runtime::Handle::try_current().is_ok()
        {
            server.unanswered(connection);
        }
    }
}

/// A tool whose server the settings do not have.
pub(super) struct NoServer(pub String);

impl Activity for NoServer {
    type Input = AnyInput;
    type Output = Value;

    fn effects(&self, _: &AnyInput) -> Effects {
        Effects::default()
    }

    async fn run(&self, _: Arc<AnyInput>, call: &Permitted, _: &Scope) -> Result<Output, Fault> {
        let server = shown(&self.0).into_owned();
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
        Err(fault.suggest(suggestion))
    }
}
