//! Claude Code's connection: the Model Context Protocol over a WebSocket on loopback.

use std::sync::Arc;
use std::time::Duration;

use futures::{SinkExt, StreamExt};
use hyper::StatusCode;
use hyper::header::{HeaderMap, HeaderValue, ORIGIN, SEC_WEBSOCKET_PROTOCOL};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{self, Message};
use tokio_tungstenite::{WebSocketStream, accept_hdr_async_with_config};

use super::claude::ClaudeSlot;
use super::shown::ShownChanges;
use crate::base::hash;
use crate::hub::Hub;
use crate::mcp;
use crate::protocol::Fault;

/// The header that shows the token.
const TOKEN: &str = "x-claude-code-ide-authorization";
/// The subprotocol that the agent asks for.
const PROTOCOL: &str = "mcp";
/// Connections at the same time; further ones wait.
const CONNECTIONS: usize = 16;
/// How long a client may take to begin.
const BEGIN: Duration = Duration::from_secs(10);
/// Bytes on their way between the connection and the protocol.
const BUFFER: usize = 64 << 10;

/// Listens for agents that show the token; the port.
///
/// # Errors
/// What the system says.
pub(super) async fn listen(
    hub: Hub,
    folders: Vec<String>,
    token: String,
) -> Result<(u16, JoinHandle<()>), Fault> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await;
    let listener = listener.map_err(|error| Fault::internal(error.to_string()))?;
    let port = listener.local_addr().map_err(|error| Fault::internal(error.to_string()))?.port();
    Ok((port, tokio::spawn(accept(listener, hub, folders, hash::full(token.as_bytes())))))
}

async fn accept(listener: TcpListener, hub: Hub, folders: Vec<String>, token: String) {
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    let mut connections = JoinSet::new();
    loop {
        while connections.try_join_next().is_some() {}
        let Ok(place) = room.clone().acquire_owned().await else { return };
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            // Too many open files, say: the next one may do.
            Err(_) => {
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        let (hub, folders, token) = (hub.clone(), folders.clone(), token.clone());
        connections.spawn(async move {
            let _place = place;
            if let Some(socket) = shake(stream, &token).await {
                talk(socket, Arc::new(ShownChanges::new(hub, folders))).await;
            }
        });
    }
}

async fn shake(stream: TcpStream, token: &str) -> Option<WebSocketStream<TcpStream>> {
    let config =
        WebSocketConfig::default().max_message_size(Some(mcp::LONGEST)).max_frame_size(Some(mcp::LONGEST));
    #[allow(clippy::result_large_err, reason = "the crate's own form of a refusal")]
    let judge = |request: &Request, mut response: Response| -> Result<Response, ErrorResponse> {
        if !may_enter(request.headers(), token) {
            let mut refusal = ErrorResponse::new(None);
            *refusal.status_mut() = StatusCode::UNAUTHORIZED;
            return Err(refusal);
        }
        let asked = request.headers().get(SEC_WEBSOCKET_PROTOCOL).and_then(|asked| asked.to_str().ok());
        if asked.is_some_and(|asked| asked.split(',').any(|one| one.trim() == PROTOCOL)) {
            response.headers_mut().insert(SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(PROTOCOL));
        }
        Ok(response)
    };
    match timeout(BEGIN, accept_hdr_async_with_config(stream, judge, Some(config))).await {
        Ok(Ok(socket)) => Some(socket),
        Ok(Err(error)) => {
            tracing::info!("a client of the slot was turned away: {error}");
            None
        }
        Err(_) => None,
    }
}

/// Whether a request shows the token and comes from no web page.
fn may_enter(headers: &HeaderMap, token: &str) -> bool {
    let shown = headers.get(TOKEN).and_then(|shown| shown.to_str().ok());
    // Hashes are compared so that the time taken tells nothing of the token.
    !headers.contains_key(ORIGIN) && shown.is_some_and(|shown| hash::full(shown.as_bytes()) == token)
}

/// Serves one agent until either end is closed: each text is a line of the protocol.
async fn talk(socket: WebSocketStream<TcpStream>, shown: Arc<ShownChanges>) {
    // Also where this is stopped on the way.
    let _gone = shown.gone().clone().drop_guard();
    let (ours, theirs) = tokio::io::duplex(BUFFER);
    tokio::select! {
        () = mcp::serve_handler(ClaudeSlot::new(shown), theirs) => {}
        result = pass_on(socket, ours) => {
            if let Err(error) = result {
                tracing::debug!("a connection of the slot broke: {error}");
            }
        }
    }
}

async fn pass_on(socket: WebSocketStream<TcpStream>, lines: DuplexStream) -> Result<(), tungstenite::Error> {
    let (mut sink, mut stream) = socket.split();
    let (read, mut write) = tokio::io::split(lines);
    let mut answers = BufReader::new(read).lines();
    let incoming = async {
        while let Some(message) = stream.next().await {
            match message? {
                Message::Text(text) => {
                    // A line's end in JSON is no more than a space.
                    let line = text.replace(['\n', '\r'], " ");
                    write.write_all(line.as_bytes()).await?;
                    write.write_all(b"\n").await?;
                }
                Message::Close(_) => break,
                _ => {}
            }
        }
        Ok::<_, tungstenite::Error>(())
    };
    let outgoing = async {
        while let Some(line) = answers.next_line().await? {
            sink.send(Message::text(line)).await?;
        }
        Ok::<_, tungstenite::Error>(())
    };
    tokio::select! {
        done = incoming => done,
        done = outgoing => done,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_who_shows_the_token_and_is_no_page_enters() {
        let token = hash::full(b"secret");
        let headers = |pairs: &[(&'static str, &'static str)]| -> HeaderMap {
            pairs
                .iter()
                .map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value)))
                .collect()
        };
        assert!(may_enter(&headers(&[(TOKEN, "secret")]), &token));
        assert!(!may_enter(&headers(&[(TOKEN, "other")]), &token));
        assert!(!may_enter(&headers(&[]), &token));
        assert!(!may_enter(&headers(&[(TOKEN, "secret"), ("origin", "https://a.example")]), &token));
    }
}
