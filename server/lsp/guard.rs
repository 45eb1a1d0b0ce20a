//! A layer around the language service for the cases that it leaves open: the life cycle for every method, a handler's
//! panic, requests without an answer.

use std::borrow::Cow;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll, Waker};

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, ErrorCode, Request, Response};
use tower_service::Service;

/// The outcome of a request.
pub(crate) type ServiceOutcome = Result<Value, Error>;

const NEW: u8 = 0;
const RUNNING: u8 = 1;
const DOWN: u8 = 2;

/// A language service that answers every request, whatever happens in it.
#[derive(Debug)]
pub(crate) struct ServiceGuard<S> {
    service: S,
    phase: Arc<AtomicU8>,
}

impl<S> ServiceGuard<S>
where
    S: Service<Request, Response = Option<Response>>,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
{
    /// Guards `service`.
    pub(crate) fn new(service: S) -> Self {
        Self { service, phase: Arc::new(AtomicU8::new(NEW)) }
    }

    /// Returns whether `shutdown` was requested.
    pub(crate) fn is_down(&self) -> bool {
        self.phase.load(Ordering::SeqCst) == DOWN
    }

    /// Starts a request under an internal id, unique among those that run. Its handler runs when the future is first polled.
    pub(crate) fn start_request(
        &mut self,
        id: i64,
        method: String,
        params: Option<Value>,
    ) -> BoxFuture<'static, ServiceOutcome> {
        if let Some(error) = self.refusal_for(&method) {
            return futures::future::ready(Err(error)).boxed();
        }
        // `shutdown` has no params, but some clients send an empty object.
        let params = if method == "shutdown" { Value::Null } else { params.unwrap_or_default() };
        let request = Request::build(method.clone()).id(id).params(params).finish();
        let (running, phase) = (self.call_service(request), self.phase.clone());
        if method == "shutdown" {
            phase.store(DOWN, Ordering::SeqCst);
        }
        async move {
            let outcome = match running.await {
                Ok(Some(response)) => response.into_parts().1,
                Ok(None) => Err(unknown_method(&method)),
                Err(()) => Err(handler_failed(&method)),
            };
            if method == "initialize" && outcome.is_ok() {
                let _ = phase.compare_exchange(NEW, RUNNING, Ordering::SeqCst, Ordering::SeqCst);
            }
            outcome
        }
        .boxed()
    }

    /// Runs a notification up to its first wait; returns the rest of it.
    pub(crate) fn start_notification(
        &mut self,
        method: String,
        params: Option<Value>,
    ) -> Option<BoxFuture<'static, ()>> {
        // Without an id these two are no notifications: the service would change its phase for them.
        let misused = method == "shutdown" || method == "initialize";
        if misused || self.phase.load(Ordering::SeqCst) != RUNNING {
            return None;
        }
        self.start_without_answer(method, params)
    }

    /// Cancels the request with this internal id, if it runs.
    pub(crate) fn cancel_request(&mut self, id: i64) {
        self.start_without_answer("$/cancelRequest".to_owned(), Some(json!({ "id": id })));
    }

    /// Cancels all running requests for good.
    pub(crate) fn cancel_all(&mut self) {
        self.start_without_answer("exit".to_owned(), None);
    }

    fn start_without_answer(
        &mut self,
        method: String,
        params: Option<Value>,
    ) -> Option<BoxFuture<'static, ()>> {
        let request = Request::build(method);
        let request = match params {
            Some(params) => request.params(params),
            None => request,
        };
        let mut running = self.call_service(request.finish()).map(drop).boxed();
        match running.poll_unpin(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(()) => None,
            Poll::Pending => Some(running),
        }
    }

    /// Calls the service; a panic anywhere in it is an error.
    fn call_service(
        &mut self,
        request: Request,
    ) -> impl Future<Output = Result<Option<Response>, ()>> + Send + 'static {
        let ready = self.service.poll_ready(&mut Context::from_waker(Waker::noop()));
        let running = match ready {
            Poll::Ready(Ok(())) => {
                catch_unwind(AssertUnwindSafe(|| self.service.call(request))).map_err(drop)
            }
            _ => Err(()),
        };
        async move {
            match AssertUnwindSafe(running?).catch_unwind().await {
                Ok(Ok(response)) => Ok(response),
                Ok(Err(_)) | Err(_) => Err(()),
            }
        }
    }

    fn refusal_for(&self, method: &str) -> Option<Error> {
        match self.phase.load(Ordering::SeqCst) {
            NEW if method != "initialize" => {
                Some(error_with_message(ErrorCode::ServerError(-32002), "send `initialize` first"))
            }
            DOWN => {
                Some(error_with_message(ErrorCode::InvalidRequest, "the server was shut down; send `exit`"))
            }
            _ if method == "exit" => {
                Some(error_with_message(ErrorCode::InvalidRequest, "`exit` is a notification: no id"))
            }
            _ => None,
        }
    }
}

/// An error with a message of our own.
pub(crate) fn error_with_message(code: ErrorCode, message: impl Into<Cow<'static, str>>) -> Error {
    let mut error = Error::new(code);
    error.message = message.into();
    error
}

fn unknown_method(method: &str) -> Error {
    let mut error = Error::method_not_found();
    error.data = Some(method.into());
    error
}

fn handler_failed(method: &str) -> Error {
    error_with_message(
        ErrorCode::InternalError,
        format!("`{method}` failed inside the server, which goes on"),
    )
}
