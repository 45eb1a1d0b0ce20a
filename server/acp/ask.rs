//! Requests of the proxy itself to an end, and their answers.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::message::{RpcAnswer, RpcRequest, notification_message};
use super::streams::EndOutbox;
use crate::base::ids::unique_word;

/// The requests of the proxy to one end that have no answer yet.
#[derive(Clone)]
pub(super) struct EndAsker(Arc<AskerState>);

struct AskerState {
    out: EndOutbox,
    /// No id of another party begins so.
    prefix: String,
    next: AtomicU64,
    open: Mutex<HashMap<String, oneshot::Sender<RpcAnswer>>>,
}

/// A request under way. Dropping it before its answer comes cancels it at the end.
pub(super) struct PendingRequest {
    id: String,
    asker: EndAsker,
    answer: oneshot::Receiver<RpcAnswer>,
    is_answered: bool,
}

impl EndAsker {
    /// Asks over that outbox.
    pub(super) fn new(out: EndOutbox) -> Self {
        let prefix = format!("wherefore-{}-", unique_word());
        Self(Arc::new(AskerState { out, prefix, next: AtomicU64::new(1), open: Mutex::default() }))
    }

    /// Makes a request.
    pub(super) async fn send_request(&self, method: &str, params: Value) -> PendingRequest {
        let number = self.0.next.fetch_add(1, Ordering::Relaxed);
        let id = format!("{}{number}", self.0.prefix);
        let (sender, answer) = oneshot::channel();
        self.0.open.lock().insert(id.clone(), sender);
        let question = PendingRequest { id: id.clone(), asker: self.clone(), answer, is_answered: false };
        self.0
            .out
            .send_message(&RpcRequest { id: json!(id), method: method.to_owned(), params }.to_message())
            .await;
        question
    }

    /// Takes an answer to a request of the proxy; returns any other answer.
    pub(super) fn take_answer(&self, id: &Value, answer: RpcAnswer) -> Option<RpcAnswer> {
        let Some(id) = id.as_str().filter(|id| id.starts_with(&self.0.prefix)) else { return Some(answer) };
        // The answer to a cancelled request is dropped.
        if let Some(sender) = self.0.open.lock().remove(id) {
            let _ = sender.send(answer);
        }
        None
    }

    /// Drops all open requests, as the end is gone.
    pub(super) fn drop_open(&self) {
        self.0.open.lock().clear();
    }
}

impl PendingRequest {
    /// The id that it has on the wire.
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// Waits for the answer; none if the end is gone.
    pub(super) async fn wait_for_answer(&mut self) -> Option<RpcAnswer> {
        let answer = (&mut self.answer).await.ok();
        self.is_answered = true;
        answer
    }
}

impl Drop for PendingRequest {
    fn drop(&mut self) {
        let was_open = self.asker.0.open.lock().remove(&self.id).is_some();
        if self.is_answered || !was_open {
            return;
        }
        let (out, id) = (self.asker.0.out.clone(), json!(self.id));
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                out.send_message(&notification_message("$/cancel_request", json!({ "requestId": id }))).await;
            });
        }
    }
}
