//! The door for agents: the Model Context Protocol, in the era of sessions and in the one after it.
//!
//! `rmcp` speaks the protocol; [`McpConnection`] answers through the hub. A connection comes in through the runtime
//! socket ([`serve_agent`]: messages a line each, as over standard streams) or over HTTP ([`http`]).
//!
//! # Invariants
//!
//! - No request goes unanswered, and none ends its connection, because it is nested too deep, too long or no JSON.
//!   Test: `what_is_no_message_does_no_harm`, `what_is_no_message_is_answered_by_its_id`,
//!   `a_message_that_is_too_long_is_reported_by_its_id`
//! - No message of an agent sets the policy of its own changes.
//!   Test: `the_policy_is_that_of_the_command`

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

use rmcp::ServiceExt;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};

pub use agent::{ConnectionOptions, McpConnection, greet_before_roots};
pub use seal::StateSeal;
pub use wait::ClientWait;

use crate::base::envelope::MessageEnvelope;
use crate::hub::Hub;

/// Bytes of the longest message of an agent.
pub const LONGEST: usize = 64 << 20;

/// The answer to a message beyond [`LONGEST`], by its beginning.
pub fn too_long_answer(envelope: &MessageEnvelope) -> Value {
    refusal::too_long_refusal(envelope).to_message()
}

/// Serves one agent until its end of the stream is closed. Its calls are cancelled then.
pub async fn serve_agent<S>(hub: Hub, terms: ConnectionOptions, seal: Arc<StateSeal>, stream: S)
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let handler = McpConnection::new(hub, Arc::new(terms), seal, true);
    let (read, write) = tokio::io::split(stream);
    match handler.serve(transport::MessageStream::new(read, write)).await {
        Ok(running) => {
            let _ = running.waiting().await;
        }
        Err(error) => tracing::info!("an agent left before it was served: {error}"),
    }
}
