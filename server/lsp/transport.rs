//! Our own transport around the language service: wire order is state order, requests run side by side, and
//! nothing that arrives ends it but `exit`, the end of the stream, or the client's death.
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

use super::codec::{Frame, Frames};
use super::guard::{Guard, Outcome, error};
use super::message::{self, ClientMessage};
use super::outgoing::{self, Outgoing};

/// Requests that may run at one time; a further one is refused, so that cancellations are still read.
pub(crate) const RUNNING_LIMIT: usize = 32_768;
/// Messages that are taken in a row before answers are written.
const BURST: u64 = 32;
/// How long `initialize` and `shutdown` may hold up what was sent after them.
const ORDERED: Duration = Duration::from_millis(500);
/// After the stream's end: how long no answer may come before those that are left are given up.
const IDLE: Duration = Duration::from_secs(1);
/// How long the cancelled may take to say so.
const CANCEL: Duration = Duration::from_millis(50);
/// How long the last answers may take to be read.
const FLUSH: Duration = Duration::from_millis(250);

/// Why serving ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// The client sent `exit`.
    Exit,
    /// The client closed its end.
    Closed,
    /// The client reads no more.
    Deaf,
    /// The client's process is gone.
    Orphaned,
}

/// How serving ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct End {
    /// Why.
    pub reason: Reason,
    /// Whether `shutdown` came before it: then the exit code is 0, otherwise 1.
    pub shut_down: bool,
}

/// Serves one client until it or its process ends. `orphaned` resolves when the latter is gone.
pub(crate) async fn serve<R, W, S, L>(
    input: R,
    output: W,
    service: S,
    socket: L,
    orphaned: impl Future<Output = ()>,
) -> End
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
    let (out, pump) = outgoing::queue();
    let mut pump = tokio::spawn(pump.run(requests, output));
    let mut server =
        TransportServer { guard: Guard::new(service), answers, running: Running::default(), out };
    let reason = tokio::select! {
        reason = server.read(Frames::new(input)) => reason,
        _ = &mut pump => Reason::Deaf,
        () = orphaned => Reason::Orphaned,
    };
    let shut_down = server.guard.is_down();
    if reason == Reason::Closed {
        tokio::select! {
            () = server.running.finish() => {}
            _ = &mut pump => return End { reason, shut_down },
        }
    }
    server.guard.exit();
    if reason != Reason::Deaf {
        let _ = timeout(CANCEL, server.running.finish()).await;
        server.out.end();
        let _ = timeout(FLUSH, pump).await;
    }
    End { reason, shut_down }
}

struct TransportServer<S, A> {
    guard: Guard<S>,
    answers: A,
    running: Running,
    out: Outgoing,
}

impl<S, A> TransportServer<S, A>
where
    S: Service<Request, Response = Option<Response>>,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
    A: Sink<Response> + Unpin,
{
    async fn read<R: AsyncRead + Unpin>(&mut self, mut frames: Frames<R>) -> Reason {
        for turn in 1_u64.. {
            self.out.room().await;
            // Requests are answered here: in a burst of them the first answers are not to wait for the last.
            if turn.is_multiple_of(BURST) {
                tokio::task::yield_now().await;
            }
            match frames.next().await {
                Ok(Some(Frame::Body)) => {}
                Ok(Some(Frame::Broken { id, what })) => {
                    let code = if id.is_some() { ErrorCode::InvalidRequest } else { ErrorCode::ParseError };
                    self.refuse(&id.unwrap_or_default(), code, what);
                    continue;
                }
                Ok(None) | Err(_) => return Reason::Closed,
            }
            match message::parse(frames.body()) {
                Ok(ClientMessage::Request { id, method, params }) => self.request(id, method, params).await,
                Ok(ClientMessage::Notification { method, .. }) if method == "exit" => return Reason::Exit,
                Ok(ClientMessage::Notification { method, params }) => self.notification(method, params),
                Ok(ClientMessage::Response(response)) => drop(self.answers.send(response).await),
                Err(refusal) => {
                    if refusal.torn {
                        frames.reject();
                    }
                    self.out.push(message::answer(&refusal.id, &Err(refusal.error)));
                }
            }
        }
        Reason::Closed
    }

    async fn request(&mut self, id: Value, method: String, params: Option<Value>) {
        let ordered = method == "initialize" || method == "shutdown";
        let inner = match self.running.start(&id) {
            Ok(inner) => inner,
            Err(what) => return self.refuse(&id, ErrorCode::InvalidRequest, what),
        };
        let mut running = self.guard.request(inner, method, params);
        let (calls, out) = (self.running.clone(), self.out.clone());
        // Most requests never wait, and a task of their own would cost more than they do.
        if let Poll::Ready(outcome) = running.poll_unpin(&mut Context::from_waker(Waker::noop())) {
            return calls.answer(&id, &outcome, &out);
        }
        let task = tokio::spawn(async move {
            let outcome = running.await;
            calls.answer(&id, &outcome, &out);
        });
        if ordered {
            let _ = timeout(ORDERED, task).await;
        }
    }

    fn notification(&mut self, method: String, params: Option<Value>) {
        if method == "$/cancelRequest" {
            let id = params.as_ref().and_then(|params| params.get("id"));
            if let Some(inner) = id.and_then(|id| self.running.inner(id)) {
                self.guard.cancel(inner);
            }
        } else if let Some(rest) = self.guard.notify(method, params) {
            tokio::spawn(rest);
        }
    }

    fn refuse(&self, id: &Value, code: ErrorCode, what: impl Into<std::borrow::Cow<'static, str>>) {
        self.out.push(message::answer(id, &Err(error(code, what))));
    }
}

/// The requests that run, by the client's id, with the ids that the service knows them by: those are whole
/// numbers of 31 bits, whatever the client's are, and never used twice while one runs.
#[derive(Clone, Debug)]
struct Running {
    ids: Arc<Mutex<Ids>>,
    /// Those whose answer is not queued yet.
    count: Arc<watch::Sender<usize>>,
}

#[derive(Debug, Default)]
struct Ids {
    inner: HashMap<String, i64>,
    last: i64,
}

impl Default for Running {
    fn default() -> Self {
        Self { ids: Arc::default(), count: Arc::new(watch::Sender::new(0)) }
    }
}

impl Running {
    fn start(&self, id: &Value) -> Result<i64, String> {
        let mut ids = self.lock();
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

    fn inner(&self, id: &Value) -> Option<i64> {
        self.lock().inner.get(&id.to_string()).copied()
    }

    fn answer(&self, id: &Value, outcome: &Outcome, out: &Outgoing) {
        // The client may use the id again as soon as it reads the answer; the end waits for the answer.
        self.lock().inner.remove(&id.to_string());
        out.push(message::answer(id, outcome));
        self.count.send_modify(|count| *count -= 1);
    }

    /// Waits for the answers, as long as they keep coming.
    async fn finish(&self) {
        let mut count = self.count.subscribe();
        while *count.borrow_and_update() > 0 {
            if timeout(IDLE, count.changed()).await.is_err() {
                return;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Ids> {
        self.ids.lock()
    }
}

#[cfg(test)]
mod tests;
