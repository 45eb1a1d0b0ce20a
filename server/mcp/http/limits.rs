//! The limits of one client of the HTTP door: a body that does not come, an answer that is not read, sessions that are
//! not ended.

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

use crate::base::envelope::MessageEnvelope;
use crate::mcp::LONGEST;
use crate::mcp::refusal::{self, ProtocolRefusal};

/// The longest time that a client may take to send a request's body.
const BODY: Duration = Duration::from_secs(15);
/// The longest time for which a client may leave sent data unread.
const UNREAD: Duration = Duration::from_secs(15);
/// Bytes of a body beyond the limit in which its id is looked for.
const PASSED: usize = 4 * LONGEST;
/// The number of concurrent sessions. A further one replaces the least recently used one.
const SESSIONS: usize = 64;
/// The time for which an unused session lasts.
pub(super) const SESSION: Duration = Duration::from_secs(300);

/// The reason why a body was not taken.
pub(super) enum BodyError {
    /// It did not come in time, or not whole.
    Late,
    /// It is no message, of that status.
    Wrong(StatusCode, ProtocolRefusal),
}

/// The body of a request.
pub(super) async fn read_body<B: Body<Data = Bytes> + Unpin>(body: B) -> Result<Bytes, BodyError> {
    timeout(BODY, collect_body(body)).await.unwrap_or(Err(BodyError::Late))
}

async fn collect_body<B: Body<Data = Bytes> + Unpin>(mut body: B) -> Result<Bytes, BodyError> {
    let mut bytes = BytesMut::new();
    let mut passing: Option<(MessageEnvelope, usize)> = None;
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|_| BodyError::Late)?.into_data() else { continue };
        if passing.is_none() && bytes.len() + data.len() > LONGEST {
            passing = Some((MessageEnvelope::from_text(&bytes), 0));
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
            Err(BodyError::Wrong(StatusCode::PAYLOAD_TOO_LARGE, refusal::too_long_refusal(&envelope)))
        }
    }
}

/// A connection that is closed if its client does not read.
#[derive(Debug)]
pub(super) struct ReadDeadlineStream {
    stream: TcpStream,
    /// Runs while nothing can be written.
    unread: Option<Pin<Box<Sleep>>>,
}

impl ReadDeadlineStream {
    pub(super) fn new(stream: TcpStream) -> Self {
        Self { stream, unread: None }
    }

    fn check_progress<T>(
        &mut self,
        written: Poll<io::Result<T>>,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.unread = None;
            return written;
        }
        let unread = self.unread.get_or_insert_with(|| Box::pin(sleep(UNREAD)));
        unread.as_mut().poll(cx).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for ReadDeadlineStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        to: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, to)
    }
}

impl AsyncWrite for ReadDeadlineStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.check_progress(written, cx)
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
        self.check_progress(written, cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

/// The sessions of the earlier era, with the times of their last use.
#[derive(Debug)]
pub(super) struct HttpSessions {
    manager: Arc<LocalSessionManager>,
    used: Mutex<HashMap<String, SessionUse>>,
}

/// The use of a session.
#[derive(Clone, Copy, Debug)]
struct SessionUse {
    last: Instant,
    /// True if its streams begin with an event that only has an id to resume from.
    is_primed: bool,
}

impl HttpSessions {
    pub(super) fn new(manager: Arc<LocalSessionManager>) -> Self {
        Self { manager, used: Mutex::default() }
    }

    /// Records a request of a session.
    pub(super) fn mark_used(&self, id: &str) {
        let now = Instant::now();
        let new = SessionUse { last: now, is_primed: true };
        self.lock_used().entry(id.to_owned()).or_insert(new).last = now;
    }

    /// Adds a session, of a version whose streams are primed or not.
    pub(super) fn add_session(&self, id: &str, is_primed: bool) {
        self.lock_used().insert(id.to_owned(), SessionUse { last: Instant::now(), is_primed });
    }

    /// Returns whether the streams of a session are primed.
    pub(super) fn is_primed(&self, id: &str) -> bool {
        self.lock_used().get(id).is_none_or(|session| session.is_primed)
    }

    /// Makes room for one more.
    pub(super) async fn make_room(&self) {
        let open: Vec<_> = self.manager.sessions.read().await.keys().cloned().collect();
        let over = (open.len() + 1).saturating_sub(SESSIONS);
        let mut oldest: Vec<_> = {
            let mut used = self.lock_used();
            used.retain(|id, _| open.iter().any(|open| **open == **id));
            open.into_iter().map(|id| (used.get(&*id).map(|session| session.last), id)).collect()
        };
        oldest.sort();
        for (_, id) in oldest.into_iter().take(over) {
            if let Err(error) = self.manager.close_session(&id).await {
                tracing::warn!("a session was not ended: {error}");
            }
        }
    }

    fn lock_used(&self) -> MutexGuard<'_, HashMap<String, SessionUse>> {
        self.used.lock()
    }
}
