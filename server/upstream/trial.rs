//! One start of a server, for a person who wants to know what comes of it.

use std::sync::Arc;

use serde::Serialize;

use super::Upstreams;
use super::server::UpstreamServer;
use crate::base::hidden::escape_hidden;
use crate::protocol::Fault;

/// The outcome of a trial.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TriedServer {
    /// The server's name in the settings.
    pub server: String,
    /// The number of tools that it listed.
    pub tools: usize,
    /// The tools among them that cannot be taken in, a sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
    /// The reason why it cannot be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
}

impl TriedServer {
    /// Describes the outcome in a line.
    pub fn outcome(&self) -> String {
        let server = escape_hidden(&self.server);
        match (&self.fault, self.tools) {
            (Some(fault), _) => fault.message.clone(),
            (None, 1) => format!("{server} starts, and has one tool"),
            (None, tools) => format!("{server} starts, and has {tools} tools"),
        }
    }
}

impl Upstreams {
    /// Starts each of these servers once, or every server where none is named, side by side, and lists its tools. One that waits
    /// for the person's consent is not started.
    pub async fn try_servers(&self, names: Option<&[String]>) -> Vec<TriedServer> {
        let servers = self.servers();
        let wanted =
            servers.values().filter(|server| names.is_none_or(|names| names.contains(&server.gate.name)));
        futures::future::join_all(wanted.map(try_server)).await
    }
}

async fn try_server(server: &Arc<UpstreamServer>) -> TriedServer {
    let started = match server.gate.may_start() {
        true => server.ensure_connection().await.map(drop),
        false => Err(server.gate.unconsented_error()),
    };
    let known = server.known_tools().filter(|_| started.is_ok()).unwrap_or_default();
    TriedServer {
        server: server.gate.name.clone(),
        tools: known.tools.len(),
        problems: known.problems.clone(),
        fault: started.err().map(Fault::from),
    }
}
