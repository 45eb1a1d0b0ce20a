//! `wherefore/call`: one call with its progress. It is cancelled with its request, or by the person.

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

use super::backend::{LspBackend, to_request_error};
use super::label::label_text;
use super::outbox::EditorOutbox;
use super::requests::without_tokens;
use crate::base::ids;
use crate::ports::Caller;
use crate::protocol::{Door, Envelope, RawCall};
use crate::requests::{Asker, Call, Request};

/// The time after which a running call shows progress that the client did not ask for.
const PATIENCE: Duration = Duration::from_millis(500);

type ProgressReports = watch::Receiver<Option<(String, Option<u32>)>>;

impl LspBackend {
    pub(super) async fn wherefore_call(&self, params: Value) -> Result<Envelope> {
        let token = params.get("workDoneToken").cloned().and_then(|token| serde_json::from_value(token).ok());
        self.run_call(Call::read_params(without_tokens(params)).map_err(Error::invalid_params)?, token).await
    }

    pub(super) async fn cancel_progress(&self, params: WorkDoneProgressCancelParams) {
        let cancels = self.cancels.lock();
        if let Some(cancel) = cancels.get(&token_key(&params.token)) {
            cancel.notify_one();
        }
    }

    pub(super) async fn run_call(&self, raw: RawCall, token: Option<ProgressToken>) -> Result<Envelope> {
        let title = format!("wherefore: {}", label_text(&raw.tool));
        let (report, reports) = watch::channel(None);
        let shown = ProgressSlot::default();
        let caller: Option<Arc<dyn Caller>> = Some(Arc::new(ProgressReporter(report)));
        let call =
            pin!(Call::answer_request(&self.hub, raw, Asker { caller, ..Asker::from_door(Door::Lsp) }));
        let outcome = tokio::select! {
            biased;
            envelope = call => envelope.map_err(|fault| to_request_error(&fault)),
            () = self.show_progress(token, title, reports, &shown) => Err(Error::request_cancelled()),
        };
        if let Some(shown) = shown.take_progress() {
            shown.end_progress().await;
        }
        outcome
    }

    /// Shows progress until it is dropped; it only ends when the person cancels.
    async fn show_progress(
        &self,
        asked: Option<ProgressToken>,
        title: String,
        mut reports: ProgressReports,
        slot: &ProgressSlot,
    ) {
        let token = match asked {
            Some(token) => token,
            None => {
                tokio::time::sleep(PATIENCE).await;
                let token = ProgressToken::String(format!("wherefore-{}", ids::unique_word()));
                if !self.outbox.client().features().progress
                    || !self.outbox.client().create_progress(token.clone()).await
                {
                    return std::future::pending().await;
                }
                token
            }
        };
        let cancel = Arc::new(Notify::new());
        self.cancels.lock().insert(token_key(&token), cancel.clone());
        let _known = CancellableCall { backend: self, key: token_key(&token) };
        slot.put_progress(ShownProgress { outbox: self.outbox.clone(), token: Some(token.clone()) });
        let begin = WorkDoneProgressBegin { title, cancellable: Some(true), message: None, percentage: None };
        self.outbox.client().send_progress(token.clone(), WorkDoneProgress::Begin(begin)).await;
        loop {
            tokio::select! {
                () = cancel.notified() => return,
                changed = reports.changed() => if changed.is_err() {
                    return std::future::pending().await;
                },
            }
            let Some((text, percentage)) = reports.borrow_and_update().clone() else { continue };
            let percentage = percentage.map(|percentage| percentage.min(100));
            let report = WorkDoneProgressReport {
                cancellable: Some(true),
                message: Some(label_text(&text)),
                percentage,
            };
            self.outbox.client().send_progress(token.clone(), WorkDoneProgress::Report(report)).await;
        }
    }
}

/// A caller that gets the progress of its call, and no questions.
#[derive(Debug)]
struct ProgressReporter(watch::Sender<Option<(String, Option<u32>)>>);

impl Caller for ProgressReporter {
    fn progress(&self, message: &str, percentage: Option<u32>) {
        // There is one line for it: the last line of the output.
        let line = message.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        self.0.send_replace(Some((line.to_owned(), percentage)));
    }
}

fn token_key(token: &ProgressToken) -> String {
    match token {
        ProgressToken::Number(number) => format!("#{number}"),
        ProgressToken::String(text) => text.clone(),
    }
}

/// A token that can be cancelled, until it is dropped.
struct CancellableCall<'a> {
    backend: &'a LspBackend,
    key: String,
}

impl Drop for CancellableCall<'_> {
    fn drop(&mut self) {
        self.backend.cancels.lock().remove(&self.key);
    }
}

/// Progress that the client shows; it is ended even where its call is dropped.
struct ShownProgress {
    outbox: Arc<EditorOutbox>,
    token: Option<ProgressToken>,
}

impl ShownProgress {
    async fn end_progress(mut self) {
        if let Some(token) = self.token.take() {
            self.outbox.client().send_progress(token, end_of_progress()).await;
        }
    }
}

impl Drop for ShownProgress {
    fn drop(&mut self) {
        if let Some(token) = self.token.take() {
            let outbox = self.outbox.clone();
            tokio::spawn(async move { outbox.client().send_progress(token, end_of_progress()).await });
        }
    }
}

fn end_of_progress() -> WorkDoneProgress {
    WorkDoneProgress::End(WorkDoneProgressEnd { message: None })
}

#[derive(Default)]
struct ProgressSlot(Mutex<Option<ShownProgress>>);

impl ProgressSlot {
    fn put_progress(&self, shown: ShownProgress) {
        *self.0.lock() = Some(shown);
    }

    fn take_progress(&self) -> Option<ShownProgress> {
        self.0.lock().take()
    }
}
