//! The editor at the other end: the only holder of the client, with a time limit for every wait.

mod background;
mod diagnostics_board;
mod edits;
mod language_client;
mod queue;
mod rate;
mod tell;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures::future::BoxFuture;
use parking_lot::Mutex;
use tokio::task::AbortHandle;
use tokio::time::timeout;
use tower_lsp::Client;

use super::ext;
use crate::hub::DefinitionProblem;
use crate::ports::{DocumentEdit, Editor, FileRename};
use crate::protocol::{
    AskParams, CallNotice, Code, DiagnosticsAnswer, DiagnosticsParams, EditorNotice, Fault, FinishNotice,
    NotifySettings, Proposal, Unanswered,
};
use crate::workspace::EditorDocuments;
use language_client::LanguageClient;

const SOON: Duration = Duration::from_secs(5);
const EDIT: Duration = Duration::from_secs(10);
const PERSON: Duration = Unanswered::TIMEOUT;

/// The editor, through its language client.
#[derive(Debug)]
pub(crate) struct EditorOutbox {
    client: LanguageClient,
    documents: EditorDocuments,
    attached: AtomicBool,
    settings: Mutex<NotifySettings>,
    queue: queue::NoticeQueue,
    /// True while calls are only counted until the next message.
    folding: AtomicBool,
    board: diagnostics_board::DiagnosticsBoard,
    /// Held while a preview is open: the next one waits for it.
    preview_lock: tokio::sync::Mutex<()>,
    /// The server's own documents that the client has opened.
    contents: Mutex<BTreeSet<String>>,
    /// True if the client did not answer a refresh.
    ignores_refresh: AtomicBool,
    /// The task that sends the queued notices.
    teller: OnceLock<AbortHandle>,
}

impl EditorOutbox {
    /// An editor behind `client` that is not attached yet.
    pub(crate) fn new(client: Client, documents: EditorDocuments) -> Self {
        Self {
            client: LanguageClient::new(client),
            documents,
            attached: AtomicBool::new(false),
            settings: Mutex::default(),
            queue: queue::NoticeQueue::default(),
            folding: AtomicBool::new(false),
            board: diagnostics_board::DiagnosticsBoard::default(),
            preview_lock: tokio::sync::Mutex::default(),
            contents: Mutex::default(),
            ignores_refresh: AtomicBool::new(false),
            teller: OnceLock::new(),
        }
    }

    /// The client.
    pub(crate) fn client(&self) -> &LanguageClient {
        &self.client
    }

    /// Sets whether a person sees this editor.
    pub(crate) fn set_attached(&self, attached: bool) {
        self.attached.store(attached, Ordering::SeqCst);
    }

    /// Starts to send the queued notices.
    pub(crate) fn start_telling(self: &Arc<Self>) {
        let telling = tokio::spawn(Arc::clone(self).run_telling());
        let _ = self.teller.set(telling.abort_handle());
    }

    /// Stops sending, as the client is gone for good.
    pub(crate) fn end_telling(&self) {
        self.set_attached(false);
        if let Some(telling) = self.teller.get() {
            telling.abort();
        }
    }

    /// Sets which calls are shown, and how many per second.
    pub(crate) fn set_notify_settings(&self, settings: NotifySettings) {
        *self.settings.lock() = settings;
    }

    /// Records that the client opened a virtual document, whose changes are notified from now on.
    pub(crate) fn add_watched_content(&self, uri: &str) {
        self.contents.lock().insert(uri.to_owned());
    }

    /// Shows the pending proposals when the client connects.
    pub(crate) async fn show_pending(&self, proposals: Vec<Proposal>) {
        for proposal in proposals {
            self.show_hunks(proposal).await;
        }
    }

    /// Shows the problems of definition files, each at its line, and removes those that are not named here.
    pub(crate) async fn show_problems(&self, problems: Vec<DefinitionProblem>) {
        for uri in self.board.set_problems(problems, &self.documents) {
            self.publish_diagnostics(&uri).await;
        }
    }

    /// Publishes the diagnostics of a document that the client opened: some clients show only later ones.
    pub(crate) async fn publish_on_open(&self, uri: &str) {
        if !self.board.diagnostics_of(uri, &self.documents, self.client.features().encoding).is_empty() {
            self.publish_diagnostics(uri).await;
        }
    }

    /// Shows a proposal as an edit with a confirmation for each hunk. Only one is open at a time. Its outcome shows
    /// only in the texts.
    ///
    /// # Errors
    /// The reason why it could not be shown.
    pub(crate) async fn preview_proposal(&self, proposal: &Proposal) -> Result<(), String> {
        let features = self.client.features();
        if !(features.apply_edit && features.document_changes && features.annotations) {
            return Err("this editor cannot ask before it applies an edit".to_owned());
        }
        let _open = self.preview_lock.lock().await;
        let edit = edits::annotated_edit(proposal, &self.documents, features)?;
        self.client.send_edit(PERSON, &proposal.why, edit).await.map(drop)
    }

    async fn edit_document(&self, edit: DocumentEdit) -> Result<bool, String> {
        let features = self.client.features();
        if !features.apply_edit {
            return Err("this editor takes no edits from its language servers".to_owned());
        }
        let applied = self
            .client
            .send_edit(EDIT, &edit.label, edits::plain_edit(&edit, &self.documents, features)?)
            .await?;
        if applied && edit.save && features.save {
            let uris = vec![edit.uri];
            if let Err(error) =
                self.client.send_bounded_request::<ext::Save>(SOON, ext::SaveParams { uris }).await
            {
                tracing::warn!("the editor did not save: {error}");
            }
        }
        Ok(applied)
    }

    async fn rename_file(&self, rename: FileRename) -> Result<bool, String> {
        self.client.send_edit(EDIT, &rename.label, edits::rename_edit(&rename)?).await
    }

    async fn ask_question(&self, question: AskParams) -> Result<String, Unanswered> {
        if !self.attached() {
            return Err(Unanswered::Nobody);
        }
        let answers = question.answers.clone();
        let asked = async {
            match self.client.features().asks {
                true => self.client.ask_wherefore(question).await,
                false => self.client.ask_by_message(question).await,
            }
        };
        let answer = timeout(PERSON, asked).await.map_err(|_| Unanswered::Late)?;
        let answer = answer.map_err(|error| {
            tracing::warn!("the editor did not put a question: {}", error.message);
            Unanswered::Lost
        })?;
        answer.filter(|answer| answers.contains(answer)).ok_or(Unanswered::Closed)
    }

    /// Returns whether the end of a call has to be sent. A successful end matters only to wherefore plugins, and to an
    /// open log: other clients are not woken up for it.
    fn wants_finish(&self, finish: &FinishNotice) -> bool {
        let watched = || !self.contents.lock().is_empty();
        finish.error.is_some() || finish.failure.is_some() || self.client.features().hunks || watched()
    }
}

impl Editor for EditorOutbox {
    fn attached(&self) -> bool {
        self.attached.load(Ordering::SeqCst)
    }

    fn name(&self) -> Option<String> {
        self.client.name().map(str::to_owned)
    }

    fn edits(&self) -> bool {
        self.client.features().apply_edit
    }

    fn holds(&self, uri: &str, version: i32) -> bool {
        self.attached() && self.documents.get(uri).is_some_and(|document| document.version == version)
    }

    fn apply(&self, edit: DocumentEdit) -> BoxFuture<'_, Result<bool, String>> {
        Box::pin(self.edit_document(edit))
    }

    fn renames(&self) -> bool {
        // A client with operations on files supports `documentChanges`, even if it does not declare it (Neovim).
        let features = self.client.features();
        self.attached() && features.apply_edit && features.rename
    }

    fn rename(&self, rename: FileRename) -> BoxFuture<'_, Result<bool, String>> {
        Box::pin(self.rename_file(rename))
    }

    fn ask(&self, question: AskParams) -> BoxFuture<'_, Result<String, Unanswered>> {
        Box::pin(self.ask_question(question))
    }

    fn diagnostics(&self, asked: DiagnosticsParams) -> BoxFuture<'_, Result<DiagnosticsAnswer, Fault>> {
        Box::pin(async move {
            let name = self.name().unwrap_or_else(|| "the editor".to_owned());
            if !self.client.features().diagnostics {
                let message = format!("{name} does not tell what its language servers say");
                return Err(Fault::new(Code::Unsupported, message));
            }
            let answer = self.client.send_bounded_request::<ext::Diagnostics>(SOON, asked).await;
            let answer = answer.map_err(|why| Fault::new(Code::Timeout, format!("{name}: {why}")))?;
            answer.ok_or_else(|| Fault::new(Code::Unsupported, format!("{name} answered nothing")))
        })
    }

    fn tell(&self, notice: EditorNotice) {
        match notice {
            EditorNotice::Finish(finish) if !self.wants_finish(&finish) => {}
            EditorNotice::Command(_) if !self.shows_commands() => {}
            EditorNotice::Agent(_) if !(self.attached() && self.client.features().agent) => {}
            notice => self.queue.push_notice(notice),
        }
    }

    fn shows_commands(&self) -> bool {
        self.attached() && self.client.features().commands
    }

    fn tell_call(&self, writes: bool, notice: &dyn Fn() -> CallNotice) {
        match self.folding.load(Ordering::Relaxed) && !writes {
            true => self.queue.count_call(notice),
            false => self.tell(EditorNotice::Call(notice())),
        }
    }
}
