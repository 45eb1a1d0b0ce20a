//! A transport around the language service: messages take effect in the order of the wire, requests run concurrently,
//! and nothing that arrives ends it but `exit`, the end of the stream, or the client's death.
//!
//! Only the service is tower-lsp's. Its own server ends the process at one malformed message, polls every handler on one
//! task, four at a time, and does not watch the client; four handlers that wait for the editor would hold up the rest.

use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use futures::{FutureExt, Sink, SinkExt};
use parking_lot::{Mutex, MutexGuard};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio::time::timeout;
use tower_lsp::Loopback;
use tower_lsp::jsonrpc::{ErrorCode, Request, Response};
use tower_service::Service;

use super::codec::{FrameReader, LspFrame};
use super::guard::{ServiceGuard, ServiceOutcome, error_with_message};
use super::message::{self, ClientMessage};
use super::outgoing::{self, OutgoingQueue};

/// Requests that may run at one time; a further one is refused, so that cancellations are still read.
pub(crate) const RUNNING_LIMIT: usize = 32_768;
/// Messages that are taken in a row before answers are written.
const BURST: u64 = 32;
/// The longest time that `initialize` and `shutdown` may delay the messages after them.
const ORDERED: Duration = Duration::from_millis(500);
/// The time without an answer, after the stream's end, after which the remaining requests are given up.
const IDLE: Duration = Duration::from_secs(1);
/// The longest time that cancelled requests may take to end.
const CANCEL: Duration = Duration::from_millis(50);
/// The longest time that the last answers may take to be read.
const FLUSH: Duration = Duration::from_millis(250);

/// The reason why serving ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EndReason {
    /// The client sent `exit`.
    Exit,
    /// The client closed its end.
    StreamClosed,
    /// The client reads no more.
    ClientNotReading,
    /// The client's process is gone.
    ClientGone,
}

/// The end of serving.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TransportEnd {
    /// The reason.
    pub reason: EndReason,
    /// True if `shutdown` came before it: then the exit code is 0, otherwise 1.
    pub shut_down: bool,
}

/// Serves one client until it or its process ends. `orphaned` resolves when the latter is gone.
pub(crate) async fn serve_transport<R, W, S, L>(
    input: R,
    output: W,
    service: S,
    socket: L,
    orphaned: impl Future<Output = ()>,
) -> TransportEnd
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin + Send + 'static,
    S: Service<Request, Response = Option<Response>>,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
    L: Loopback,
    L::RequestStream: Send + 'static,
{
    let (requests, answers) = socket.split();
    let (out, pump) = outgoing::outgoing_queue();
    let mut pump = tokio::spawn(pump.write_queue(requests, output));
    let mut server = TransportServer {
        guard: ServiceGuard::new(service),
        answers,
        running: RunningRequests::default(),
        out,
    };
    let reason = tokio::select! {
        reason = server.read_frames(FrameReader::new(input)) => reason,
        _ = &mut pump => EndReason::ClientNotReading,
        () = orphaned => EndReason::ClientGone,
    };
    let shut_down = server.guard.is_down();
    if reason == EndReason::StreamClosed {
        tokio::select! {
            () = server.running.wait_for_answers() => {}
            _ = &mut pump => return TransportEnd { reason, shut_down },
        }
    }
    server.guard.cancel_all();
    if reason != EndReason::ClientNotReading {
        let _ = timeout(CANCEL, server.running.wait_for_answers()).await;
        server.out.push_end();
        let _ = timeout(FLUSH, pump).await;
    }
    TransportEnd { reason, shut_down }
}

struct TransportServer<S, A> {
    guard: ServiceGuard<S>,
    answers: A,
    running: RunningRequests,
    out: OutgoingQueue,
}

impl<S, A> TransportServer<S, A>
where
    S: Service<Request, Response = Option<Response>>,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
    A: Sink<Response> + Unpin,
{
    async fn read_frames<R: AsyncRead + Unpin>(&mut self, mut frames: FrameReader<R>) -> EndReason {
        for turn in 1_u64.. {
            self.out.wait_for_room().await;
            // Requests are answered here: in a burst of them the first answers are not to wait for the last.
            if turn.is_multiple_of(BURST) {
                tokio::task::yield_now().await;
            }
            match frames.next_frame().await {
                Ok(Some(LspFrame::Body)) => {}
                Ok(Some(LspFrame::Broken { id, what })) => {
                    let code = if id.is_some() { ErrorCode::InvalidRequest } else { ErrorCode::ParseError };
                    self.refuse_request(&id.unwrap_or_default(), code, what);
                    continue;
                }
                Ok(None) | Err(_) => return EndReason::StreamClosed,
            }
            match message::parse_message(frames.last_body()) {
                Ok(ClientMessage::Request { id, method, params }) => {
                    self.handle_request(id, method, params).await
                }
                Ok(ClientMessage::Notification { method, .. }) if method == "exit" => return EndReason::Exit,
                Ok(ClientMessage::Notification { method, params }) => {
                    self.handle_notification(method, params)
                }
                Ok(ClientMessage::Response(response)) => drop(self.answers.send(response).await),
                Err(refusal) => {
                    if refusal.is_torn {
                        frames.reject_body();
                    }
                    self.out.push_message(message::frame_answer(&refusal.id, &Err(refusal.error)));
                }
            }
        }
        EndReason::StreamClosed
    }

    async fn handle_request(&mut self, id: Value, method: String, params: Option<Value>) {
        let ordered = method == "initialize" || method == "shutdown";
        let inner = match self.running.start_request(&id) {
            Ok(inner) => inner,
            Err(what) => return self.refuse_request(&id, ErrorCode::InvalidRequest, what),
        };
        let mut running = self.guard.start_request(inner, method, params);
        let (calls, out) = (self.running.clone(), self.out.clone());
        // Most requests never wait, and a task of their own would cost more than they do.
        if let Poll::Ready(outcome) = running.poll_unpin(&mut Context::from_waker(Waker::noop())) {
            return calls.answer_request(&id, &outcome, &out);
        }
        let task = tokio::spawn(async move {
            let outcome = running.await;
            calls.answer_request(&id, &outcome, &out);
        });
        if ordered {
            let _ = timeout(ORDERED, task).await;
        }
    }

    fn handle_notification(&mut self, method: String, params: Option<Value>) {
        if method == "$/cancelRequest" {
            let id = params.as_ref().and_then(|params| params.get("id"));
            if let Some(inner) = id.and_then(|id| self.running.inner_id(id)) {
                self.guard.cancel_request(inner);
            }
        } else if let Some(rest) = self.guard.start_notification(method, params) {
            tokio::spawn(rest);
        }
    }

    fn refuse_request(&self, id: &Value, code: ErrorCode, what: impl Into<std::borrow::Cow<'static, str>>) {
        self.out.push_message(message::frame_answer(id, &Err(error_with_message(code, what))));
    }
}

/// The running requests, by the client's id, with their ids for the service: whole numbers of 31 bits, whatever the
/// client's are, and unique among those that run.
#[derive(Clone, Debug)]
struct RunningRequests {
    ids: Arc<Mutex<RequestIds>>,
    /// The number of requests whose answer is not queued yet.
    count: Arc<watch::Sender<usize>>,
}

#[derive(Debug, Default)]
struct RequestIds {
    inner: HashMap<String, i64>,
    last: i64,
}

impl Default for RunningRequests {
    fn default() -> Self {
        Self { ids: Arc::default(), count: Arc::new(watch::Sender::new(0)) }
    }
}

impl RunningRequests {
    fn start_request(&self, id: &Value) -> Result<i64, String> {
        let mut ids = self.lock_ids();
        if ids.inner.len() >= RUNNING_LIMIT {
            return Err(format!("{RUNNING_LIMIT} requests run already; send it again later"));
        }
        let inner = (ids.last + 1) & 0x7fff_ffff;
        if ids.inner.contains_key(&id.to_string()) {
            return Err(format!("a request with the id {id} runs already"));
        }
        ids.inner.insert(id.to_string(), inner);
        ids.last = inner;
        self.count.send_modify(|count| *count += 1);
        Ok(inner)
    }

    fn inner_id(&self, id: &Value) -> Option<i64> {
        self.lock_ids().inner.get(&id.to_string()).copied()
    }

    fn answer_request(&self, id: &Value, outcome: &ServiceOutcome, out: &OutgoingQueue) {
        // The client may reuse the id as soon as it reads the answer; the end of serving waits for the answer.
        self.lock_ids().inner.remove(&id.to_string());
        out.push_message(message::frame_answer(id, outcome));
        self.count.send_modify(|count| *count -= 1);
    }

    /// Waits for the answers, as long as they keep coming.
    async fn wait_for_answers(&self) {
        let mut count = self.count.subscribe();
        while *count.borrow_and_update() > 0 {
            if timeout(IDLE, count.changed()).await.is_err() {
                return;
            }
        }
    }

    fn lock_ids(&self) -> MutexGuard<'_, RequestIds> {
        self.ids.lock()
    }
}

#[cfg(test)]
mod tests;
