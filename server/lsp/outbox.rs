//! The editor at the other end: the only holder of the client, and nothing waits on it without bound.

mod background;
mod board;
mod edits;
mod queue;
mod rate;
mod tell;

use std::collections::BTreeSet;
use std::future::Future;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures::future::BoxFuture;
use parking_lot::Mutex;
use serde_json::Value;
use tokio::task::AbortHandle;
use tokio::time::timeout;
use tower_lsp::Client;
use tower_lsp::jsonrpc;
use tower_lsp::ls_types::notification::{Notification, Progress};
use tower_lsp::ls_types::request::{ApplyWorkspaceEdit, Request};
use tower_lsp::ls_types::{
    ApplyWorkspaceEditParams, ConfigurationItem, MessageActionItem, MessageType, ProgressParams,
    ProgressParamsValue, ProgressToken, Registration, ShowDocumentParams, Uri, WorkDoneProgress,
    WorkspaceEdit,
};

use super::ext;
use super::features::Features;
use super::label::{self, message};
use crate::hub::Problem;
use crate::ports::{DocumentEdit, Editor, FileRename};
use crate::protocol::{
    AskParams, CallNotice, FinishNotice, LookAnswer, LookParams, Notice, NotifySettings, Proposal,
};
use crate::workspace::EditorDocuments;

const SOON: Duration = Duration::from_secs(5);
const EDIT: Duration = Duration::from_secs(10);
const PERSON: Duration = Duration::from_secs(120);

/// The editor, as far as its client lets us reach it.
#[derive(Debug)]
pub(crate) struct Outbox {
    client: Client,
    documents: EditorDocuments,
    features: OnceLock<Features>,
    /// What the client is called.
    name: OnceLock<String>,
    attached: AtomicBool,
    settings: Mutex<NotifySettings>,
    queue: queue::Queue,
    /// Whether calls are only counted until the next message.
    folding: AtomicBool,
    board: board::Board,
    /// Held while a preview is open: the next one waits.
    previewing: tokio::sync::Mutex<()>,
    /// The server's own documents that the client looked at.
    contents: Mutex<BTreeSet<String>>,
    /// Whether it left a refresh unanswered.
    mute: AtomicBool,
    /// What tells the queued.
    telling: OnceLock<AbortHandle>,
}

impl Outbox {
    /// An editor behind `client` that is not attached yet.
    pub(crate) fn new(client: Client, documents: EditorDocuments) -> Self {
        Self {
            client,
            documents,
            features: OnceLock::new(),
            name: OnceLock::new(),
            attached: AtomicBool::new(false),
            settings: Mutex::default(),
            queue: queue::Queue::default(),
            folding: AtomicBool::new(false),
            board: board::Board::default(),
            previewing: tokio::sync::Mutex::default(),
            contents: Mutex::default(),
            mute: AtomicBool::new(false),
            telling: OnceLock::new(),
        }
    }

    /// The client said what it can do, and what it is called.
    pub(crate) fn connect(&self, features: Features, name: Option<String>) {
        let _ = self.features.set(features);
        if let Some(name) = name.filter(|name| !name.trim().is_empty()) {
            let _ = self.name.set(name);
        }
    }

    /// What the client can do.
    pub(crate) fn features(&self) -> Features {
        self.features.get().copied().unwrap_or_default()
    }

    /// Whether there is someone to show things to from now on.
    pub(crate) fn attach(&self, attached: bool) {
        self.attached.store(attached, Ordering::SeqCst);
    }

    /// Tells what is queued from now on.
    pub(crate) fn start(self: &Arc<Self>) {
        let telling = tokio::spawn(Arc::clone(self).run());
        let _ = self.telling.set(telling.abort_handle());
    }

    /// The client is gone for good.
    pub(crate) fn end(&self) {
        self.attach(false);
        if let Some(telling) = self.telling.get() {
            telling.abort();
        }
    }

    /// Which calls are shown, and how many a second.
    pub(crate) fn configure(&self, settings: NotifySettings) {
        *self.settings.lock() = settings;
    }

    /// The client looked at this document of ours: it is told from now on when it changes.
    pub(crate) fn watches(&self, uri: &str) {
        self.contents.lock().insert(uri.to_owned());
    }

    /// The pending proposals, as they are when the client connects.
    pub(crate) async fn load(&self, proposals: Vec<Proposal>) {
        for proposal in proposals {
            self.show_hunks(proposal).await;
        }
    }

    /// The definition files that are wrong, each at its line; those shown before and not named here are well.
    pub(crate) async fn problems(&self, problems: Vec<Problem>) {
        for uri in self.board.set_problems(problems, &self.documents) {
            self.publish(&uri).await;
        }
    }

    /// The client opened a document: some show only what they are told after that.
    pub(crate) async fn opened(&self, uri: &str) {
        if !self.board.diagnostics(uri, &self.documents, self.features().encoding).is_empty() {
            self.publish(uri).await;
        }
    }

    /// The settings that the client holds for us.
    pub(crate) async fn configuration(&self) -> Option<Value> {
        let item = ConfigurationItem { scope_uri: None, section: Some("wherefore".to_owned()) };
        let values = bounded(SOON, self.client.configuration(vec![item])).await.ok()?;
        values.into_iter().next().filter(|value| !value.is_null())
    }

    /// Asks to be told when the settings change.
    pub(crate) async fn register_configuration(&self) {
        let registration = Registration {
            id: "wherefore-configuration".to_owned(),
            method: "workspace/didChangeConfiguration".to_owned(),
            register_options: Some(serde_json::json!({ "section": "wherefore" })),
        };
        if let Err(error) = bounded(SOON, self.client.register_capability(vec![registration])).await {
            tracing::info!("settings are not watched: {error}");
        }
    }

    /// Opens a document and puts the person into it. Says whether the editor says so.
    pub(crate) async fn show_document(&self, uri: &str) -> bool {
        let Ok(uri) = Uri::from_str(uri) else { return false };
        let params = ShowDocumentParams { uri, external: None, take_focus: Some(true), selection: None };
        bounded(SOON, self.client.show_document(params)).await.unwrap_or(false)
    }

    /// A line for the person, now.
    pub(crate) async fn say(&self, kind: MessageType, text: String) {
        let _ = timeout(SOON, self.client.show_message(kind, message(&text))).await;
    }

    /// Makes a token for progress that the client did not ask for.
    pub(crate) async fn create_progress(&self, token: ProgressToken) -> bool {
        bounded(SOON, self.client.create_work_done_progress(token)).await.is_ok()
    }

    /// One step of progress.
    pub(crate) async fn progress(&self, token: ProgressToken, value: WorkDoneProgress) {
        let value = ProgressParamsValue::WorkDone(value);
        self.notify::<Progress>(ProgressParams { token, value }).await;
    }

    /// Shows a proposal as an edit that asks hunk by hunk. Only one is open at a time, the next one waits. What
    /// it came to shows in the texts alone.
    ///
    /// # Errors
    /// Why it could not be shown.
    pub(crate) async fn preview(&self, proposal: &Proposal) -> Result<(), String> {
        let features = self.features();
        if !(features.apply_edit && features.document_changes && features.annotations) {
            return Err("this editor cannot ask before it applies an edit".to_owned());
        }
        let _open = self.previewing.lock().await;
        let edit = edits::annotated(proposal, &self.documents, features)?;
        self.send_edit(PERSON, &proposal.why, edit).await.map(drop)
    }

    async fn send_edit(&self, limit: Duration, label: &str, edit: WorkspaceEdit) -> Result<bool, String> {
        let params = ApplyWorkspaceEditParams { label: Some(label::label(label)), edit };
        let answer = self.ask_for::<ApplyWorkspaceEdit>(limit, params).await?;
        match answer.failure_reason {
            Some(reason) if !answer.applied => Err(reason),
            _ => Ok(answer.applied),
        }
    }

    async fn edit(&self, edit: DocumentEdit) -> Result<bool, String> {
        let features = self.features();
        if !features.apply_edit {
            return Err("this editor takes no edits from its language servers".to_owned());
        }
        let applied =
            self.send_edit(EDIT, &edit.label, edits::plain(&edit, &self.documents, features)?).await?;
        if applied && edit.save && features.save {
            let uris = vec![edit.uri];
            if let Err(error) = self.ask_for::<ext::Save>(SOON, ext::SaveParams { uris }).await {
                tracing::warn!("the editor did not save: {error}");
            }
        }
        Ok(applied)
    }

    async fn rename_file(&self, rename: FileRename) -> Result<bool, String> {
        self.send_edit(EDIT, &rename.label, edits::rename(&rename)?).await
    }

    async fn question(&self, question: AskParams) -> Option<String> {
        let answers = question.answers.clone();
        let answer = match self.features().asks {
            true => self.ask_for::<ext::Ask>(PERSON, question).await.ok()??.answer,
            false => self.message(question).await,
        };
        answer.filter(|answer| answers.contains(answer))
    }

    /// The question as every editor can put it.
    async fn message(&self, question: AskParams) -> Option<String> {
        let action =
            |title: &String| MessageActionItem { title: label::label(title), properties: Default::default() };
        let actions = question.answers.iter().map(action).collect();
        let asked =
            self.client.show_message_request(MessageType::WARNING, message(&question.text), Some(actions));
        Some(bounded(PERSON, asked).await.ok()??.title)
    }

    /// Whether a call's end comes to anything. That it ended well is told to our plugins only, or makes a log
    /// that the client looks at longer: for others nobody is woken up.
    fn hears(&self, finish: &FinishNotice) -> bool {
        let watched = || !self.contents.lock().is_empty();
        finish.error.is_some() || self.features().hunks || watched()
    }

    async fn notify<N: Notification>(&self, params: N::Params) {
        let _ = timeout(SOON, self.client.send_notification::<N>(params)).await;
    }

    async fn ask_for<R: Request>(&self, limit: Duration, params: R::Params) -> Result<R::Result, String> {
        bounded(limit, self.client.send_request::<R>(params)).await
    }
}

impl Editor for Outbox {
    fn attached(&self) -> bool {
        self.attached.load(Ordering::SeqCst)
    }

    fn name(&self) -> Option<String> {
        self.name.get().cloned()
    }

    fn edits(&self) -> bool {
        self.features().apply_edit
    }

    fn holds(&self, uri: &str, version: i32) -> bool {
        self.attached() && self.documents.get(uri).is_some_and(|document| document.version == version)
    }

    fn apply(&self, edit: DocumentEdit) -> BoxFuture<'_, Result<bool, String>> {
        Box::pin(self.edit(edit))
    }

    fn renames(&self) -> bool {
        // Whoever takes operations on files takes `documentChanges`, whether it says so (Neovim does not).
        let features = self.features();
        self.attached() && features.apply_edit && features.rename
    }

    fn rename(&self, rename: FileRename) -> BoxFuture<'_, Result<bool, String>> {
        Box::pin(self.rename_file(rename))
    }

    fn ask(&self, question: AskParams) -> BoxFuture<'_, Option<String>> {
        Box::pin(self.question(question))
    }

    fn look(&self, what: LookParams) -> BoxFuture<'_, Option<LookAnswer>> {
        Box::pin(async move {
            match self.features().looks {
                true => self.ask_for::<ext::Look>(SOON, what).await.ok()?,
                false => None,
            }
        })
    }

    fn save(&self, uri: String) -> BoxFuture<'_, bool> {
        Box::pin(async move {
            let params = ext::SaveParams { uris: vec![uri] };
            let answer = match self.features().save {
                true => self.ask_for::<ext::Save>(SOON, params).await,
                false => return false,
            };
            answer.is_ok_and(|answer| answer.is_some_and(|answer| !answer.saved.is_empty()))
        })
    }

    fn open(&self, uri: String) -> BoxFuture<'_, bool> {
        Box::pin(async move { self.features().show_document && self.show_document(&uri).await })
    }

    fn tell(&self, notice: Notice) {
        match notice {
            Notice::Finish(finish) if !self.hears(&finish) => {}
            Notice::Command(_) if !self.shows_commands() => {}
            Notice::Agent(_) if !(self.attached() && self.features().agent) => {}
            notice => self.queue.push(notice),
        }
    }

    fn shows_commands(&self) -> bool {
        self.attached() && self.features().commands
    }

    fn tell_call(&self, notice: &dyn Fn() -> CallNotice) {
        match self.folding.load(Ordering::Relaxed) {
            true => self.queue.count(),
            false => self.tell(Notice::Call(notice())),
        }
    }
}

async fn bounded<T>(limit: Duration, asked: impl Future<Output = jsonrpc::Result<T>>) -> Result<T, String> {
    match timeout(limit, asked).await {
        Ok(answer) => answer.map_err(|error| format!("the editor answered: {}", error.message)),
        Err(_) => Err(format!("the editor did not answer within {} s", limit.as_secs())),
    }
}
