//! The handshake with a server, in whichever era of the protocol the server speaks.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use rmcp::RoleClient;
use rmcp::model::ProtocolVersion;
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, RunningService, serve_client_with_lifecycle,
};
use serde_json::json;
use tokio::sync::watch;

use super::ServerConnection;
use crate::upstream::error::UpstreamError;
use crate::upstream::flights::CallsInFlight;
use crate::upstream::handler::{Relist, ServerHandler};
use crate::upstream::health::ConnectionHealth;
use crate::upstream::http;
use crate::upstream::listening_transport::ListeningTransport;
use crate::upstream::process::{ServerLaunch, ServerProcess};
use crate::upstream::stdio::StdioTransport;

/// The options of a handshake.
pub(super) struct HandshakeStart<'a> {
    pub launch: ServerLaunch<'a>,
    pub health: Arc<ConnectionHealth>,
}

/// The reasons why a handshake failed.
enum HandshakeError {
    /// The server speaks another era of the protocol.
    Era(UpstreamError),
    /// The handshake failed for another reason.
    Other(UpstreamError),
}

impl HandshakeError {
    fn into_error(self) -> UpstreamError {
        match self {
            Self::Era(error) | Self::Other(error) => error,
        }
    }
}

impl HandshakeStart<'_> {
    /// Starts or reaches the server, and shakes hands in the era of the protocol that it speaks.
    ///
    /// # Errors
    /// The reason why the server cannot be reached, with what it said last.
    pub(super) async fn shake_hands(&self) -> Result<ServerConnection, UpstreamError> {
        match self.shake_in_era(ClientLifecycleMode::Initialize).await {
            Err(HandshakeError::Era(_)) => {
                let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
                let mode = ClientLifecycleMode::Discover { preferred_versions };
                self.shake_in_era(mode).await.map_err(HandshakeError::into_error)
            }
            done => done.map_err(HandshakeError::into_error),
        }
    }

    async fn shake_in_era(&self, mode: ClientLifecycleMode) -> Result<ServerConnection, HandshakeError> {
        let flights = Arc::<CallsInFlight>::default();
        let relist = Arc::<OnceLock<Relist>>::default();
        let root = format!("file://{}", self.launch.root.display());
        let handler = ServerHandler {
            server: self.launch.name.to_owned(),
            root: root.clone(),
            flights: flights.clone(),
            relist: relist.clone(),
        };
        let mut group = None;
        let running = if self.launch.settings.url.is_some() {
            let transport =
                http::connect_http(self.launch.name, self.launch.settings).map_err(HandshakeError::Other)?;
            let transport = ListeningTransport {
                transport,
                server: self.launch.name.to_owned(),
                flights: flights.clone(),
            };
            serve_client_with_lifecycle(handler, transport, mode).await
        } else {
            let (process, stdin, stdout) =
                ServerProcess::start_process(&self.launch).await.map_err(HandshakeError::Other)?;
            group = Some(process.process_group().clone());
            let transport = StdioTransport::new(process, stdin, stdout, self.health.clone());
            let raw = transport.raw_flag().clone();
            let transport = ListeningTransport {
                transport,
                server: self.launch.name.to_owned(),
                flights: flights.clone(),
            };
            let running = serve_client_with_lifecycle(handler, transport, mode).await;
            raw.store(true, Ordering::Relaxed);
            running
        };
        let running = running.map_err(|error| self.handshake_error(&error))?;
        let (peer, end) = (running.peer().clone(), running.cancellation_token());
        let over = watch_end(running);
        Ok(ServerConnection {
            server: self.launch.name.to_owned(),
            peer,
            end: Mutex::new(Some(end)),
            over,
            flights,
            health: self.health.clone(),
            relist,
            group,
            broken: AtomicBool::new(false),
            root: json!({ "roots": [{ "uri": root }] }),
        })
    }

    fn handshake_error(&self, error: &ClientInitializeError) -> HandshakeError {
        let failed = UpstreamError::of_handshake(self.launch.name, error, &self.health);
        match error {
            ClientInitializeError::JsonRpcError(_)
            | ClientInitializeError::NoCompatibleProtocolVersion { .. } => HandshakeError::Era(failed),
            _ => HandshakeError::Other(failed),
        }
    }
}

/// Returns a receiver that changes when a connection is over.
fn watch_end(running: RunningService<RoleClient, ServerHandler>) -> watch::Receiver<bool> {
    let (sender, over) = watch::channel(false);
    tokio::spawn(async move {
        let _ = running.waiting().await;
        sender.send_replace(true);
    });
    over
}
