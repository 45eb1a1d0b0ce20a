//! The door for agents: the Model Context Protocol, in the era of sessions and in the one after it.
//!
//! `rmcp` speaks the protocol; [`Agent`] answers by the hub. A connection comes in through the runtime socket
//! ([`serve`]: messages a line each, as over standard streams) or over HTTP ([`http`]).

#![allow(deprecated, reason = "agents of the earlier era know sampling, roots and logging as they were")]

mod agent;
mod answer;
mod caller;
mod calls;
mod changes;
mod era;
pub mod http;
mod origin;
mod refusal;
mod resources;
mod seal;
mod surface;
mod transport;
mod wait;

use std::sync::Arc;

use rmcp::{ServerHandler, ServiceExt};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};

pub use agent::{Agent, Terms};
pub use seal::Seal;
pub use wait::ClientWait;

use crate::base::envelope::Envelope;
use crate::hub::Hub;

/// Bytes of the longest message of an agent.
pub const LONGEST: usize = 64 << 20;

/// The answer to a message beyond [`LONGEST`], by what was read of it.
pub fn too_long(envelope: &Envelope) -> Value {
    refusal::too_long(envelope).body()
}

/// Serves one agent until its end of the stream is closed. Its calls are cancelled then.
pub async fn serve<S>(hub: Hub, terms: Terms, seal: Arc<Seal>, stream: S)
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    serve_handler(Agent::new(hub, Arc::new(terms), seal, true), stream).await;
}

/// Serves one client by a handler of its own, messages a line each, until its end of the stream is closed.
pub(crate) async fn serve_handler<H, S>(handler: H, stream: S)
where
    H: ServerHandler,
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let (read, write) = tokio::io::split(stream);
    match handler.serve(transport::MessageStream::new(read, write)).await {
        Ok(running) => {
            let _ = running.waiting().await;
        }
        Err(error) => tracing::info!("an agent left before it was served: {error}"),
    }
}
