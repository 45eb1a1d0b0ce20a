//! The methods of the language service with their capabilities, and the handlers of `wherefore/*` requests. The answers of
//! the standard requests stand in files beside it.

mod commands;
mod completion;
mod review;

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::Notify;
use tower_lsp::jsonrpc::{Error, ErrorCode, Result};
use tower_lsp::ls_types::*;
use tower_lsp::{Client, ClientSocket, LanguageServer, LspService};

use super::content::WithContent;
use super::ext::DID_FOCUS;
use super::features::ClientFeatures;
use super::guard::error_with_message;
use super::label::message_text;
use super::outbox::EditorOutbox;
use super::parent;
use super::requests::request_handler;
use crate::hub::Hub;
use crate::protocol::{Code, Fault};
use crate::requests::{self, Call, Signature};
use crate::workspace::EditorDocuments;

/// The language server.
#[derive(Debug)]
pub(crate) struct LspBackend {
    pub(super) hub: Hub,
    pub(super) outbox: Arc<EditorOutbox>,
    /// The documents that the client has open.
    pub(super) documents: EditorDocuments,
    pub(super) parent: parent::ClientProcess,
    /// True if the hub ends with this client.
    ends_hub: bool,
    /// Calls that the person can cancel at their progress, by its token.
    pub(super) cancels: Mutex<HashMap<String, Arc<Notify>>>,
}

/// The service for one client of the hub, the channel to that client, and the client as the hub's editor.
pub(crate) fn build_service(
    hub: Hub,
    documents: EditorDocuments,
    ends_hub: bool,
    parent: parent::ClientProcess,
) -> (WithContent<LspService<LspBackend>>, ClientSocket, Arc<EditorOutbox>) {
    // The first handler of a method takes precedence: a call shows its progress and can be cancelled.
    let build = LspService::build(|client| LspBackend::new(client, hub, documents, ends_hub, parent))
        .custom_method(Call::METHOD, LspBackend::wherefore_call)
        .custom_method(DID_FOCUS.method, LspBackend::did_focus)
        .custom_method("workspace/textDocumentContent", LspBackend::text_document_content)
        .custom_method("window/workDoneProgress/cancel", LspBackend::cancel_progress);
    let build = requests::ALL
        .iter()
        .fold(build, |build, request| build.custom_method(request.message.method, request_handler(request)));
    let (service, socket) = build.finish();
    let outbox = service.inner().outbox.clone();
    (WithContent(service), socket, outbox)
}

impl LspBackend {
    fn new(
        client: Client,
        hub: Hub,
        documents: EditorDocuments,
        ends_hub: bool,
        parent: parent::ClientProcess,
    ) -> Self {
        let outbox = Arc::new(EditorOutbox::new(client, documents.clone()));
        Self { hub, outbox, documents, parent, ends_hub, cancels: Mutex::default() }
    }
}

impl LanguageServer for LspBackend {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        Ok(self.connect_client(params))
    }

    async fn initialized(&self, _: InitializedParams) {
        self.announce_ready().await;
    }

    async fn shutdown(&self) -> Result<()> {
        self.outbox.set_attached(false);
        // The log ends before the editor gets the answer, unless agents still use it.
        if self.ends_hub {
            self.hub.close();
        }
        Ok(())
    }

    async fn did_open(&self, params: DidOpenTextDocumentParams) {
        let uri = params.text_document.uri.as_str().to_owned();
        self.open_document(params.text_document);
        self.outbox.publish_on_open(&uri).await;
    }

    async fn did_change(&self, params: DidChangeTextDocumentParams) {
        self.change_document(params);
    }

    async fn did_save(&self, params: DidSaveTextDocumentParams) {
        self.save_document(params).await;
    }

    async fn did_close(&self, params: DidCloseTextDocumentParams) {
        self.close_document(&params.text_document);
    }

    async fn did_change_configuration(&self, params: DidChangeConfigurationParams) {
        self.load_settings(Some(params.settings)).await;
    }

    async fn did_change_workspace_folders(&self, params: DidChangeWorkspaceFoldersParams) {
        self.change_folders(params.event).await;
    }

    async fn did_change_watched_files(&self, _: DidChangeWatchedFilesParams) {}

    async fn code_lens(&self, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
        Ok(Some(self.code_lenses(&params.text_document.uri)))
    }

    async fn code_action(&self, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
        Ok(Some(self.code_actions(&params)))
    }

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        let TextDocumentPositionParams { text_document, position } = params.text_document_position_params;
        Ok(self.hover_of(&text_document.uri, position))
    }

    async fn completion(&self, params: CompletionParams) -> Result<Option<CompletionResponse>> {
        let TextDocumentPositionParams { text_document, position } = params.text_document_position;
        Ok(Some(CompletionResponse::Array(self.completion_items(&text_document.uri, position))))
    }

    async fn execute_command(&self, params: ExecuteCommandParams) -> Result<Option<Value>> {
        self.run_command(params).await.map(Some)
    }
}

/// The capabilities that the server states to a client with these features.
pub(super) fn server_capabilities(features: ClientFeatures) -> ServerCapabilities {
    let save = TextDocumentSyncSaveOptions::SaveOptions(SaveOptions { include_text: Some(false) });
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::INCREMENTAL),
        save: Some(save),
        ..TextDocumentSyncOptions::default()
    };
    let actions = CodeActionOptions {
        code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]),
        ..CodeActionOptions::default()
    };
    let folders = WorkspaceFoldersServerCapabilities {
        supported: Some(true),
        change_notifications: Some(OneOf::Left(true)),
    };
    ServerCapabilities {
        position_encoding: Some(PositionEncodingKind::from(features.encoding.name().to_owned())),
        text_document_sync: Some(TextDocumentSyncCapability::Options(sync)),
        completion_provider: Some(CompletionOptions::default()),
        // A wherefore plugin shows a hunk's details itself.
        hover_provider: (!features.hunks).then_some(HoverProviderCapability::Simple(true)),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
        code_action_provider: Some(CodeActionProviderCapability::Options(actions)),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: commands::NAMES.iter().map(|name| (*name).to_owned()).collect(),
            ..ExecuteCommandOptions::default()
        }),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(folders),
            ..WorkspaceServerCapabilities::default()
        }),
        experimental: Some(json!({ "wherefore": { "version": env!("CARGO_PKG_VERSION") } })),
        ..ServerCapabilities::default()
    }
}

/// Reads the params of a `wherefore/*` message; missing ones are an empty object.
pub(super) fn read_params<T: DeserializeOwned>(params: Value) -> Result<T> {
    let params = if params.is_null() { json!({}) } else { params };
    serde_json::from_value(params).map_err(|wrong| Error::invalid_params(wrong.to_string()))
}

/// A fault as the error of a request: the fault itself is its data.
pub(super) fn to_request_error(fault: &Fault) -> Error {
    const REQUEST_FAILED: i64 = -32803;
    let code = match fault.code {
        Code::InvalidArgs => ErrorCode::InvalidParams,
        Code::Cancelled => ErrorCode::RequestCancelled,
        Code::Internal => ErrorCode::InternalError,
        _ => ErrorCode::ServerError(REQUEST_FAILED),
    };
    Error { data: serde_json::to_value(fault).ok(), ..error_with_message(code, message_text(&fault.message)) }
}
