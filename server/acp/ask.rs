//! Requests that the proxy itself makes of an end, and their answers.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::ends::EndOutbox;
use super::message::{AskedRequest, RpcAnswer, notification};
use crate::base::ids::unique;

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

/// A request under way. Dropped before its answer came, it is given up: the end is told so.
pub(super) struct Question {
    id: String,
    asker: EndAsker,
    answer: oneshot::Receiver<RpcAnswer>,
    answered: bool,
}

impl EndAsker {
    /// Asks over that outbox.
    pub(super) fn new(out: EndOutbox) -> Self {
        let prefix = format!("wherefore-{}-", unique());
        Self(Arc::new(AskerState { out, prefix, next: AtomicU64::new(1), open: Mutex::default() }))
    }

    /// Makes a request.
    pub(super) async fn ask(&self, method: &str, params: Value) -> Question {
        let number = self.0.next.fetch_add(1, Ordering::Relaxed);
        let id = format!("{}{number}", self.0.prefix);
        let (sender, answer) = oneshot::channel();
        self.0.open.lock().insert(id.clone(), sender);
        let question = Question { id: id.clone(), asker: self.clone(), answer, answered: false };
        self.0.out.send(&AskedRequest { id: json!(id), method: method.to_owned(), params }.message()).await;
        question
    }

    /// Takes an answer that came, where it is to a request of the proxy's; gives it back where it is not.
    pub(super) fn take(&self, id: &Value, answer: RpcAnswer) -> Option<RpcAnswer> {
        let Some(id) = id.as_str().filter(|id| id.starts_with(&self.0.prefix)) else { return Some(answer) };
        // One that was given up is answered to nobody.
        if let Some(sender) = self.0.open.lock().remove(id) {
            let _ = sender.send(answer);
        }
        None
    }

    /// The end is gone: nothing that is open is answered any more.
    pub(super) fn end(&self) {
        self.0.open.lock().clear();
    }
}

impl Question {
    /// The id that it has on the wire.
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// Waits for the answer; none where the end is gone.
    pub(super) async fn answer(&mut self) -> Option<RpcAnswer> {
        let answer = (&mut self.answer).await.ok();
        self.answered = true;
        answer
    }
}

impl Drop for Question {
    fn drop(&mut self) {
        let was_open = self.asker.0.open.lock().remove(&self.id).is_some();
        if self.answered || !was_open {
            return;
        }
        let (out, id) = (self.asker.0.out.clone(), json!(self.id));
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                out.send(&notification("$/cancel_request", json!({ "requestId": id }))).await;
            });
        }
    }
}
