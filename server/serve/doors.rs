//! Where a connection of the runtime socket goes: to the door of the language that it speaks.

use std::future::pending;
use std::sync::Arc;

use futures::future::BoxFuture;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;

use crate::base::random;
use crate::hub::Hub;
use crate::lsp;
use crate::mcp::{self, Agent, ClientWait, Seal, Terms};
use crate::protocol::{Code, Fault};
use crate::socket::{Doors, Greeting, Speaks};

/// Characters of the shortest bearer token that a person may choose.
const SHORTEST: usize = 16;

/// The doors of one process.
pub(super) struct Entrance {
    /// What stands behind them.
    pub hub: Hub,
    /// The seal of what agents carry between the rounds of a call.
    pub seal: Arc<Seal>,
}

impl Doors for Entrance {
    fn open(&self, greeting: Greeting, stream: BufReader<UnixStream>) -> BoxFuture<'static, ()> {
        let (hub, seal) = (self.hub.clone(), self.seal.clone());
        match greeting.speaks {
            Some(Speaks::Mcp) => Box::pin(async move { agent(hub, seal, greeting, stream).await }),
            Some(Speaks::Http) => Box::pin(async move { http(hub, seal, greeting, stream).await }),
            Some(Speaks::Lsp) => Box::pin(async move { editor(hub, stream).await }),
            None => Box::pin(async {}),
        }
    }
}

/// The folder that agents of a greeting work in.
fn terms(hub: &Hub, greeting: &Greeting) -> Result<Terms, Fault> {
    let root = greeting.root.as_deref().and_then(|root| hub.locate(root)).map(|(root, _)| root);
    let root = root.ok_or_else(|| {
        Fault::new(Code::NotFound, "the greeting names no folder that this server has open").hint(hub.roots())
    })?;
    Ok(Terms {
        root,
        policy: greeting.policy,
        wait: ClientWait { wait_s: greeting.wait_s, limit_s: greeting.limit_s },
    })
}

async fn agent(hub: Hub, seal: Arc<Seal>, greeting: Greeting, stream: BufReader<UnixStream>) {
    match terms(&hub, &greeting) {
        Ok(terms) => mcp::serve(hub, terms, seal, stream).await,
        Err(fault) => tracing::warn!("an agent was not let in: {}", fault.message),
    }
}

/// An editor that came after the agents: it takes the review over for as long as it stays.
async fn editor(hub: Hub, stream: BufReader<UnixStream>) {
    // Its end of the stream is closed when it is gone: the process that passes its bytes on watches it.
    let (parent, _) = lsp::parent::watch(None);
    let (input, output) = tokio::io::split(stream);
    let connection = lsp::ClientConnection { input, output, parent, orphaned: pending() };
    lsp::serve(&hub, false, connection).await;
}

/// Opens an address over HTTP for as long as the connection lasts, and tells where it is.
async fn http(hub: Hub, seal: Arc<Seal>, greeting: Greeting, mut stream: BufReader<UnixStream>) {
    let opened = async {
        let terms = Arc::new(terms(&hub, &greeting)?);
        let token = match greeting.bearer {
            Some(token) if token.chars().count() < SHORTEST => {
                return Err(Fault::new(
                    Code::InvalidArgs,
                    format!("the bearer token has fewer than {SHORTEST} characters"),
                )
                .suggest("choose a longer token, or leave it out: then the server makes one"));
            }
            Some(token) => token,
            None => random::token()?,
        };
        let bound = mcp::http::bind(greeting.address.as_deref().unwrap_or_default()).await?;
        Ok((terms, token, bound))
    };
    let (line, serving) = match opened.await {
        Ok((terms, token, bound)) => {
            let line = json!({ "url": bound.url(), "token": token });
            let agent = move || Agent::new(hub.clone(), terms.clone(), seal.clone(), false);
            (line, Some(bound.serve(Some(token), agent)))
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
