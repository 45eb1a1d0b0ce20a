//! What one client of the HTTP door may hold, and how long: a body that does not come, an answer that nobody reads, sessions
//! that nobody ends.

use std::collections::HashMap;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http_body_util::BodyExt;
use hyper::StatusCode;
use hyper::body::{Body, Bytes};
use parking_lot::{Mutex, MutexGuard};
use rmcp::transport::streamable_http_server::SessionManager;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep, timeout};
use tokio_util::bytes::BytesMut;

use crate::base::envelope::Envelope;
use crate::mcp::LONGEST;
use crate::mcp::refusal::{self, ProtocolRefusal};

/// How long a client may take to send a request's body.
const BODY: Duration = Duration::from_secs(15);
/// How long a client may leave what it is sent unread.
const UNREAD: Duration = Duration::from_secs(15);
/// Bytes of a body beyond the limit in which its id is looked for.
const PASSED: usize = 4 * LONGEST;
/// Sessions at the same time. A further one takes the place of the one that was not used for longest.
const SESSIONS: usize = 64;
/// How long a session lasts that nobody uses.
pub(super) const SESSION: Duration = Duration::from_secs(300);

/// Why a body was not taken.
pub(super) enum BodyRefused {
    /// It did not come in time, or not whole.
    Late,
    /// It is no message, of that status.
    Wrong(StatusCode, ProtocolRefusal),
}

/// The body of a request.
pub(super) async fn whole<B: Body<Data = Bytes> + Unpin>(body: B) -> Result<Bytes, BodyRefused> {
    timeout(BODY, collected(body)).await.unwrap_or(Err(BodyRefused::Late))
}

async fn collected<B: Body<Data = Bytes> + Unpin>(mut body: B) -> Result<Bytes, BodyRefused> {
    let mut bytes = BytesMut::new();
    let mut passing: Option<(Envelope, usize)> = None;
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|_| BodyRefused::Late)?.into_data() else { continue };
        if passing.is_none() && bytes.len() + data.len() > LONGEST {
            passing = Some((Envelope::of(&bytes), 0));
            bytes.clear();
        }
        match &mut passing {
            None => bytes.extend_from_slice(&data),
            Some((envelope, passed)) => {
                envelope.feed(&data);
                *passed += data.len();
                if envelope.request_id().is_some() || *passed > PASSED {
                    break;
                }
            }
        }
    }
    match passing {
        None => Ok(bytes.freeze()),
        Some((envelope, _)) => {
            Err(BodyRefused::Wrong(StatusCode::PAYLOAD_TOO_LARGE, refusal::too_long(&envelope)))
        }
    }
}

/// A connection whose client reads: one that leaves what it is sent unread is broken off.
#[derive(Debug)]
pub(super) struct Read {
    stream: TcpStream,
    /// Runs while nothing can be written.
    unread: Option<Pin<Box<Sleep>>>,
}

impl Read {
    pub(super) fn new(stream: TcpStream) -> Self {
        Self { stream, unread: None }
    }

    fn judge<T>(&mut self, written: Poll<io::Result<T>>, cx: &mut Context<'_>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.unread = None;
            return written;
        }
        let unread = self.unread.get_or_insert_with(|| Box::pin(sleep(UNREAD)));
        unread.as_mut().poll(cx).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Read {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        to: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, to)
    }
}

impl AsyncWrite for Read {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.judge(written, cx)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bytes);
        self.judge(written, cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

/// The sessions of the earlier era, by when each was used last.
#[derive(Debug)]
pub(super) struct Sessions {
    manager: Arc<LocalSessionManager>,
    used: Mutex<HashMap<String, Instant>>,
}

impl Sessions {
    pub(super) fn new(manager: Arc<LocalSessionManager>) -> Self {
        Self { manager, used: Mutex::default() }
    }

    /// A request of a session came, or its beginning was answered.
    pub(super) fn uses(&self, id: &str) {
        self.lock().insert(id.to_owned(), Instant::now());
    }

    /// Makes room for one more.
    pub(super) async fn make_room(&self) {
        let open: Vec<_> = self.manager.sessions.read().await.keys().cloned().collect();
        let over = (open.len() + 1).saturating_sub(SESSIONS);
        let mut oldest: Vec<_> = {
            let mut used = self.lock();
            used.retain(|id, _| open.iter().any(|open| **open == **id));
            open.into_iter().map(|id| (used.get(&*id).copied(), id)).collect()
        };
        oldest.sort();
        for (_, id) in oldest.into_iter().take(over) {
            if let Err(error) = self.manager.close_session(&id).await {
                tracing::warn!("a session was not ended: {error}");
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Instant>> {
        self.used.lock()
    }
}
