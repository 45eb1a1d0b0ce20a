//! The folders' servers, reached over their sockets: each request has a connection of its own, so that dropping it cancels it.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use futures::future::BoxFuture;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;

use crate::acp::FolderServers;
use crate::cli::mcp::reach::ServerConnector;
use crate::protocol::{Door, Fault, NativeSettings, Policy};
use crate::socket::ClientGreeting;
use crate::workspace::config;

/// The number of servers of a folder that may end, one after the other, during one read-only request.
const TRIES: usize = 5;

/// The ways to the servers, by root.
#[derive(Default)]
pub(super) struct FolderLinks {
    open: Mutex<HashMap<String, Arc<FolderLink>>>,
}

/// The way to one server.
struct FolderLink {
    reach: ServerConnector,
    /// An open connection that keeps a server without other clients from ending between two requests.
    connection: tokio::sync::Mutex<Option<UnixStream>>,
}

impl FolderServers for FolderLinks {
    fn workspace_root(&self, folder: &Path) -> Result<String, Fault> {
        let root = ServerConnector::nearest_for_hook(Some(folder))?.root().to_owned();
        // The connection that the link holds keeps its server alive; nothing else does.
        let reach = ServerConnector::new(Some(Path::new(&root)), None)?;
        let link = FolderLink { reach, connection: tokio::sync::Mutex::default() };
        self.open.lock().entry(root.clone()).or_insert_with(|| Arc::new(link));
        Ok(root)
    }

    fn native_settings(&self, root: &str) -> NativeSettings {
        config::settings_at(Some(Path::new(root))).native
    }

    fn change_policy(&self, root: &str) -> Policy {
        config::settings_at(Some(Path::new(root))).review.policy
    }

    fn ensure_server(&self, root: &str) -> BoxFuture<'static, Result<(), Fault>> {
        let link = self.open.lock().get(root).cloned();
        Box::pin(async move {
            match link {
                Some(link) => link.hold_connection().await,
                None => Ok(()),
            }
        })
    }

    fn send_request(
        &self,
        root: &str,
        method: &'static str,
        params: Value,
        looks: bool,
    ) -> BoxFuture<'static, Result<Value, Fault>> {
        let link = self.open.lock().get(root).cloned();
        let root = root.to_owned();
        Box::pin(async move {
            let link = link.ok_or_else(|| Fault::internal(format!("{root} is no folder of a session")))?;
            let request = json!({ "id": 1, "method": method, "params": params });
            for _ in 0..TRIES {
                match link.exchange_request(&request).await? {
                    Some(answer) => return answer,
                    None if looks => {}
                    None => break,
                }
            }
            Err(Fault::internal("the folder's server ended while this was under way, as an editor's does with its editor")
                .with_suggestion("look at the file: what came of the change stands in the session log, and what nobody decided waits in `wherefore review`"))
        })
    }
}

impl FolderLink {
    /// Makes a request on a connection of its own; returns none if the server ended meanwhile.
    async fn exchange_request(&self, request: &Value) -> Result<Option<Result<Value, Fault>>, Fault> {
        self.hold_connection().await?;
        let mut stream = BufReader::new(self.connect().await?);
        let mut line = Vec::new();
        let exchanged = async {
            stream.get_mut().write_all(format!("{request}\n").as_bytes()).await?;
            stream.read_until(b'\n', &mut line).await
        };
        if exchanged.await.is_err() || !line.ends_with(b"\n") {
            return Ok(None);
        }
        let odd = |error: serde_json::Error| Fault::internal(format!("the server's answer: {error}"));
        let mut answer: Value = serde_json::from_slice(&line).map_err(odd)?;
        Ok(Some(match answer.get_mut("error").map(Value::take) {
            Some(error) => Err(serde_json::from_value(error).unwrap_or_else(odd)),
            None => Ok(answer.get_mut("result").map(Value::take).unwrap_or_default()),
        }))
    }

    /// Ensures that a connection to the current server is held open.
    async fn hold_connection(&self) -> Result<(), Fault> {
        let mut held = self.connection.lock().await;
        let ended = held.as_ref().is_none_or(|stream| match stream.try_read(&mut [0; 1]) {
            Ok(_) => true,
            Err(error) => error.kind() != std::io::ErrorKind::WouldBlock,
        });
        if ended {
            *held = Some(self.connect().await?);
        }
        Ok(())
    }

    async fn connect(&self) -> Result<UnixStream, Fault> {
        let reach = self.reach.clone();
        let greeting = ClientGreeting { door: Some(Door::Acp), ..ClientGreeting::default() };
        // A server may have to be started first.
        let connected = tokio::task::spawn_blocking(move || reach.connect(&greeting));
        let stream = connected.await.map_err(|error| Fault::internal(error.to_string()))??;
        let internal = |error: std::io::Error| Fault::internal(error.to_string());
        stream.set_nonblocking(true).map_err(internal)?;
        UnixStream::from_std(stream).map_err(internal)
    }
}
