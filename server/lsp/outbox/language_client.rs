//! The language client: what it can do, and the messages to it, with a time limit for every wait.

use std::future::Future;
use std::str::FromStr;
use std::sync::OnceLock;
use std::time::Duration;

use serde_json::Value;
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

use super::SOON;
use crate::lsp::ext;
use crate::lsp::features::ClientFeatures;
use crate::lsp::label::{self, message_text};
use crate::protocol::AskParams;

/// The language client of an editor.
#[derive(Debug)]
pub(crate) struct LanguageClient {
    client: Client,
    features: OnceLock<ClientFeatures>,
    /// The client's name.
    name: OnceLock<String>,
}

impl LanguageClient {
    /// A client of which nothing is known yet.
    pub(super) fn new(client: Client) -> Self {
        Self { client, features: OnceLock::new(), name: OnceLock::new() }
    }

    /// Records the client's capabilities and its name.
    pub(crate) fn set_client(&self, features: ClientFeatures, name: Option<String>) {
        let _ = self.features.set(features);
        if let Some(name) = name.filter(|name| !name.trim().is_empty()) {
            let _ = self.name.set(name);
        }
    }

    /// The client's capabilities.
    pub(crate) fn features(&self) -> ClientFeatures {
        self.features.get().copied().unwrap_or_default()
    }

    /// The client's name.
    pub(super) fn name(&self) -> Option<&str> {
        self.name.get().map(String::as_str)
    }

    /// The settings that the client holds for us.
    pub(crate) async fn fetch_settings(&self) -> Option<Value> {
        let item = ConfigurationItem { scope_uri: None, section: Some("wherefore".to_owned()) };
        let values = within_limit(SOON, self.client.configuration(vec![item])).await.ok()?;
        values.into_iter().next().filter(|value| !value.is_null())
    }

    /// Asks for notifications of changed settings.
    pub(crate) async fn register_configuration(&self) {
        let registration = Registration {
            id: "wherefore-configuration".to_owned(),
            method: "workspace/didChangeConfiguration".to_owned(),
            register_options: Some(serde_json::json!({ "section": "wherefore" })),
        };
        if let Err(error) = within_limit(SOON, self.client.register_capability(vec![registration])).await {
            tracing::info!("settings are not watched: {error}");
        }
    }

    /// Opens a document with the focus on it. Returns whether the editor did so.
    pub(crate) async fn show_document(&self, uri: &str) -> bool {
        let Ok(uri) = Uri::from_str(uri) else { return false };
        let params = ShowDocumentParams { uri, external: None, take_focus: Some(true), selection: None };
        within_limit(SOON, self.client.show_document(params)).await.unwrap_or(false)
    }

    /// Shows a message to the person at once.
    pub(crate) async fn show_message(&self, kind: MessageType, text: String) {
        let _ = timeout(SOON, self.client.show_message(kind, message_text(&text))).await;
    }

    /// Makes a token for progress that the client did not ask for.
    pub(crate) async fn create_progress(&self, token: ProgressToken) -> bool {
        within_limit(SOON, self.client.create_work_done_progress(token)).await.is_ok()
    }

    /// Sends one step of progress.
    pub(crate) async fn send_progress(&self, token: ProgressToken, value: WorkDoneProgress) {
        let value = ProgressParamsValue::WorkDone(value);
        self.send_notification::<Progress>(ProgressParams { token, value }).await;
    }

    /// Has the editor carry an edit out; returns whether it did.
    ///
    /// # Errors
    /// The reason why it did not.
    pub(super) async fn send_edit(
        &self,
        limit: Duration,
        label: &str,
        edit: WorkspaceEdit,
    ) -> Result<bool, String> {
        let params = ApplyWorkspaceEditParams { label: Some(label::label_text(label)), edit };
        let answer = self.send_bounded_request::<ApplyWorkspaceEdit>(limit, params).await?;
        match answer.failure_reason {
            Some(reason) if !answer.applied => Err(reason),
            _ => Ok(answer.applied),
        }
    }

    /// Asks the question by wherefore's own request.
    pub(super) async fn ask_wherefore(&self, question: AskParams) -> jsonrpc::Result<Option<String>> {
        Ok(self.client.send_request::<ext::Ask>(question).await?.and_then(|said| said.answer))
    }

    /// Asks the question by a request that every editor supports.
    pub(super) async fn ask_by_message(&self, question: AskParams) -> jsonrpc::Result<Option<String>> {
        let action = |title: &String| MessageActionItem {
            title: label::label_text(title),
            properties: Default::default(),
        };
        let actions = question.answers.iter().map(action).collect();
        let asked = self.client.show_message_request(
            MessageType::WARNING,
            message_text(&question.text),
            Some(actions),
        );
        Ok(asked.await?.map(|action| action.title))
    }

    /// Has the client ask for its code lenses again.
    pub(super) async fn refresh_lenses(&self) -> Result<(), String> {
        within_limit(SOON, self.client.code_lens_refresh()).await
    }

    /// Sends a notification; it is lost if the client does not read.
    pub(super) async fn send_notification<N: Notification>(&self, params: N::Params) {
        let _ = timeout(SOON, self.client.send_notification::<N>(params)).await;
    }

    /// Sends a request and waits so long for its answer.
    ///
    /// # Errors
    /// The reason why there is no answer.
    pub(super) async fn send_bounded_request<R: Request>(
        &self,
        limit: Duration,
        params: R::Params,
    ) -> Result<R::Result, String> {
        within_limit(limit, self.client.send_request::<R>(params)).await
    }
}

async fn within_limit<T>(
    limit: Duration,
    asked: impl Future<Output = jsonrpc::Result<T>>,
) -> Result<T, String> {
    match timeout(limit, asked).await {
        Ok(answer) => answer.map_err(|error| format!("the editor answered: {}", error.message)),
        Err(_) => Err(format!("the editor did not answer within {} s", limit.as_secs())),
    }
}
