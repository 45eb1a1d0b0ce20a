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

use super::Connection;
use crate::upstream::error::UpstreamError;
use crate::upstream::flights::Flights;
use crate::upstream::handler::{Handler, Relist};
use crate::upstream::health::Health;
use crate::upstream::http;
use crate::upstream::listening::Listening;
use crate::upstream::process::{Launch, Process};
use crate::upstream::stdio::Stdio;

/// What a handshake needs to know.
pub(super) struct HandshakeStart<'a> {
    pub launch: Launch<'a>,
    pub health: Arc<Health>,
}

/// Why a handshake failed.
enum HandshakeError {
    /// The server speaks another era of the protocol.
    Era(UpstreamError),
    /// The handshake failed for another reason.
    Other(UpstreamError),
}

impl HandshakeError {
    fn error(self) -> UpstreamError {
        match self {
            Self::Era(error) | Self::Other(error) => error,
        }
    }
}

impl HandshakeStart<'_> {
    /// Starts or reaches the server, and shakes hands in the era of the protocol that it speaks.
    ///
    /// # Errors
    /// Why the server cannot be reached, with what it said last.
    pub(super) async fn run(&self) -> Result<Connection, UpstreamError> {
        match self.shake(ClientLifecycleMode::Initialize).await {
            Err(HandshakeError::Era(_)) => {
                let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
                let mode = ClientLifecycleMode::Discover { preferred_versions };
                self.shake(mode).await.map_err(HandshakeError::error)
            }
            done => done.map_err(HandshakeError::error),
        }
    }

    async fn shake(&self, mode: ClientLifecycleMode) -> Result<Connection, HandshakeError> {
        let flights = Arc::<Flights>::default();
        let relist = Arc::<OnceLock<Relist>>::default();
        let root = format!("file://{}", self.launch.root.display());
        let handler = Handler {
            server: self.launch.name.to_owned(),
            root: root.clone(),
            flights: flights.clone(),
            relist: relist.clone(),
        };
        let mut group = None;
        let running = if self.launch.settings.url.is_some() {
            let transport =
                http::connect(self.launch.name, self.launch.settings).map_err(HandshakeError::Other)?;
            let transport =
                Listening { transport, server: self.launch.name.to_owned(), flights: flights.clone() };
            serve_client_with_lifecycle(handler, transport, mode).await
        } else {
            let (process, stdin, stdout) =
                Process::start(&self.launch).await.map_err(HandshakeError::Other)?;
            group = Some(process.group().clone());
            let transport = Stdio::new(process, stdin, stdout, self.health.clone());
            let raw = transport.raw().clone();
            let transport =
                Listening { transport, server: self.launch.name.to_owned(), flights: flights.clone() };
            let running = serve_client_with_lifecycle(handler, transport, mode).await;
            raw.store(true, Ordering::Relaxed);
            running
        };
        let running = running.map_err(|error| self.refused(&error))?;
        let (peer, end) = (running.peer().clone(), running.cancellation_token());
        let over = watched(running);
        Ok(Connection {
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

    fn refused(&self, error: &ClientInitializeError) -> HandshakeError {
        let failed = UpstreamError::of_handshake(self.launch.name, error, &self.health);
        match error {
            ClientInitializeError::JsonRpcError(_)
            | ClientInitializeError::NoCompatibleProtocolVersion { .. } => HandshakeError::Era(failed),
            _ => HandshakeError::Other(failed),
        }
    }
}

/// Tells when a connection is over.
fn watched(running: RunningService<RoleClient, Handler>) -> watch::Receiver<bool> {
    let (sender, over) = watch::channel(false);
    tokio::spawn(async move {
        let _ = running.waiting().await;
        sender.send_replace(true);
    });
    over
}
