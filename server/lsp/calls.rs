//! `wherefore/call`: one call, its progress shown, cancelled when its request is or at the person's word.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::{Notify, watch};
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::{
    ProgressToken, WorkDoneProgress, WorkDoneProgressBegin, WorkDoneProgressCancelParams,
    WorkDoneProgressEnd, WorkDoneProgressReport,
};

use super::backend::{Backend, refuse};
use super::label::label;
use super::outbox::Outbox;
use crate::base::ids;
use crate::ports::Caller;
use crate::protocol::{Door, Envelope, RawCall};
use crate::requests::{Asker, Call, Request};

/// How long a call may run before progress is shown that nobody asked for.
const PATIENCE: Duration = Duration::from_millis(500);

type Reports = watch::Receiver<Option<(String, Option<u32>)>>;

impl Backend {
    pub(super) async fn wherefore_call(&self, params: Value) -> Result<Envelope> {
        let token = params.get("workDoneToken").cloned().and_then(|token| serde_json::from_value(token).ok());
        self.call(Call::read(params).map_err(Error::invalid_params)?, token).await
    }

    pub(super) async fn cancel_progress(&self, params: WorkDoneProgressCancelParams) {
        let cancels = self.cancels.lock();
        if let Some(cancel) = cancels.get(&key(&params.token)) {
            cancel.notify_one();
        }
    }

    pub(super) async fn call(&self, raw: RawCall, token: Option<ProgressToken>) -> Result<Envelope> {
        let title = format!("wherefore: {}", label(&raw.tool));
        let (report, reports) = watch::channel(None);
        let shown = Slot::default();
        let caller: Option<Arc<dyn Caller>> = Some(Arc::new(Reporting(report)));
        let call = pin!(Call::answer(&self.hub, raw, Asker { caller, ..Asker::door(Door::Lsp) }));
        let outcome = tokio::select! {
            biased;
            envelope = call => envelope.map_err(|fault| refuse(&fault)),
            () = self.show(token, title, reports, &shown) => Err(Error::request_cancelled()),
        };
        if let Some(shown) = shown.take() {
            shown.end().await;
        }
        outcome
    }

    /// Shows progress until it is dropped; it only ends when the person cancels.
    async fn show(&self, asked: Option<ProgressToken>, title: String, mut reports: Reports, slot: &Slot) {
        let token = match asked {
            Some(token) => token,
            None => {
                tokio::time::sleep(PATIENCE).await;
                let token = ProgressToken::String(format!("wherefore-{}", ids::unique()));
                if !self.outbox.features().progress || !self.outbox.create_progress(token.clone()).await {
                    return std::future::pending().await;
                }
                token
            }
        };
        let cancel = Arc::new(Notify::new());
        self.cancels.lock().insert(key(&token), cancel.clone());
        let _known = CancellableCall { backend: self, key: key(&token) };
        slot.put(ShownProgress { outbox: self.outbox.clone(), token: Some(token.clone()) });
        let begin = WorkDoneProgressBegin { title, cancellable: Some(true), message: None, percentage: None };
        self.outbox.progress(token.clone(), WorkDoneProgress::Begin(begin)).await;
        loop {
            tokio::select! {
                () = cancel.notified() => return,
                changed = reports.changed() => if changed.is_err() {
                    return std::future::pending().await;
                },
            }
            let Some((text, percentage)) = reports.borrow_and_update().clone() else { continue };
            let percentage = percentage.map(|percentage| percentage.min(100));
            let report =
                WorkDoneProgressReport { cancellable: Some(true), message: Some(label(&text)), percentage };
            self.outbox.progress(token.clone(), WorkDoneProgress::Report(report)).await;
        }
    }
}

/// A client that is told how far its call is, and never asked.
#[derive(Debug)]
struct Reporting(watch::Sender<Option<(String, Option<u32>)>>);

impl Caller for Reporting {
    fn progress(&self, message: &str, percentage: Option<u32>) {
        // There is one line for it: of output that comes, the last.
        let line = message.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        self.0.send_replace(Some((line.to_owned(), percentage)));
    }
}

fn key(token: &ProgressToken) -> String {
    match token {
        ProgressToken::Number(number) => format!("#{number}"),
        ProgressToken::String(text) => text.clone(),
    }
}

/// A token that can be cancelled, until it is dropped.
struct CancellableCall<'a> {
    backend: &'a Backend,
    key: String,
}

impl Drop for CancellableCall<'_> {
    fn drop(&mut self) {
        self.backend.cancels.lock().remove(&self.key);
    }
}

/// Progress that the client shows; it is ended even where its call is dropped.
struct ShownProgress {
    outbox: Arc<Outbox>,
    token: Option<ProgressToken>,
}

impl ShownProgress {
    async fn end(mut self) {
        if let Some(token) = self.token.take() {
            self.outbox.progress(token, over()).await;
        }
    }
}

impl Drop for ShownProgress {
    fn drop(&mut self) {
        if let Some(token) = self.token.take() {
            let outbox = self.outbox.clone();
            tokio::spawn(async move { outbox.progress(token, over()).await });
        }
    }
}

fn over() -> WorkDoneProgress {
    WorkDoneProgress::End(WorkDoneProgressEnd { message: None })
}

#[derive(Default)]
struct Slot(Mutex<Option<ShownProgress>>);

impl Slot {
    fn put(&self, shown: ShownProgress) {
        *self.0.lock() = Some(shown);
    }

    fn take(&self) -> Option<ShownProgress> {
        self.0.lock().take()
    }
}
