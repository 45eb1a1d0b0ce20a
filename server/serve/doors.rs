//! The dispatch of a runtime socket's connections: to the door of the protocol that each speaks.

use std::future::pending;
use std::sync::Arc;

use futures::future::BoxFuture;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;

use crate::base::random;
use crate::hub::Hub;
use crate::lsp;
use crate::mcp::{self, ClientWait, ConnectionOptions, McpConnection, StateSeal};
use crate::protocol::{Code, Fault};
use crate::socket::{ClientGreeting, ConnectionHandler, SpokenProtocol};

/// Characters of the shortest bearer token that a person may choose.
const SHORTEST: usize = 16;

/// The doors of one process.
pub(super) struct DoorSet {
    /// The hub behind the doors.
    pub hub: Hub,
    /// The seal for the state that agents carry between the rounds of a call.
    pub seal: Arc<StateSeal>,
}

impl ConnectionHandler for DoorSet {
    fn serve_connection(
        &self,
        greeting: ClientGreeting,
        stream: BufReader<UnixStream>,
    ) -> BoxFuture<'static, ()> {
        let (hub, seal) = (self.hub.clone(), self.seal.clone());
        match greeting.speaks {
            Some(SpokenProtocol::Mcp) => {
                Box::pin(async move { serve_agent(hub, seal, greeting, stream).await })
            }
            Some(SpokenProtocol::Http) => {
                Box::pin(async move { serve_http(hub, seal, greeting, stream).await })
            }
            Some(SpokenProtocol::Lsp) => Box::pin(async move { serve_editor(hub, stream).await }),
            None => Box::pin(async {}),
        }
    }
}

/// The connection options of an agent, from its greeting.
fn connection_options(hub: &Hub, greeting: &ClientGreeting) -> Result<ConnectionOptions, Fault> {
    let root = greeting.root.as_deref().and_then(|root| hub.locate_path(root)).map(|(root, _)| root);
    let root = root.ok_or_else(|| {
        Fault::new(Code::NotFound, "the greeting names no folder that this server has open")
            .with_hints(hub.roots())
    })?;
    Ok(ConnectionOptions {
        root,
        policy: greeting.policy,
        environment: greeting.environment.clone(),
        wait: ClientWait { wait_s: greeting.wait_s, limit_s: greeting.limit_s },
    })
}

async fn serve_agent(
    hub: Hub,
    seal: Arc<StateSeal>,
    greeting: ClientGreeting,
    stream: BufReader<UnixStream>,
) {
    match connection_options(&hub, &greeting) {
        Ok(terms) => mcp::serve_agent(hub, terms, seal, stream).await,
        Err(fault) => tracing::warn!("an agent was not let in: {}", fault.message),
    }
}

/// Serves an editor that came after the agents: it takes over the review for as long as it stays.
async fn serve_editor(hub: Hub, stream: BufReader<UnixStream>) {
    // Its process is watched by the process that passes its bytes on; when it is gone, the stream ends.
    let (parent, _) = lsp::parent::watch_client(None);
    let (input, output) = tokio::io::split(stream);
    let connection = lsp::ClientConnection { input, output, parent, client_gone: pending() };
    lsp::serve_client(&hub, false, connection).await;
}

/// Opens an address over HTTP for as long as the connection lasts, and sends its URL.
async fn serve_http(
    hub: Hub,
    seal: Arc<StateSeal>,
    greeting: ClientGreeting,
    mut stream: BufReader<UnixStream>,
) {
    let opened = async {
        let terms = Arc::new(connection_options(&hub, &greeting)?);
        let token = match greeting.bearer {
            Some(token) if token.chars().count() < SHORTEST => {
                return Err(Fault::new(
                    Code::InvalidArgs,
                    format!("the bearer token has fewer than {SHORTEST} characters"),
                )
                .with_suggestion("choose a longer token, or leave it out: then the server makes one"));
            }
            Some(token) => token,
            None => random::random_token()?,
        };
        let bound = mcp::http::bind_loopback(greeting.address.as_deref().unwrap_or_default()).await?;
        Ok((terms, token, bound))
    };
    let (line, serving) = match opened.await {
        Ok((terms, token, bound)) => {
            let line = json!({ "url": bound.url(), "token": token });
            let agent = move || McpConnection::new(hub.clone(), terms.clone(), seal.clone(), false);
            (line, Some(bound.serve_clients(Some(token), agent)))
        }
        Err(fault) => (json!({ "error": fault }), None),
    };
    if stream.write_all(format!("{line}\n").as_bytes()).await.is_err() {
        return;
    }
    if let Some(serving) = serving {
        let mut rest = Vec::new();
        tokio::select! {
            () = serving => {}
            _ = stream.read_to_end(&mut rest) => {}
        }
    }
}
