//! What the language service calls: its own methods, and the requests of ours.

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
use super::ext::{DID_FOCUS, DID_SELECT};
use super::guard::error;
use super::label::message;
use super::outbox::Outbox;
use super::parent;
use super::requests::handler;
use crate::hub::Hub;
use crate::protocol::{Code, Fault};
use crate::requests::{self, Call, Signature};
use crate::workspace::EditorDocuments;

/// The language server.
#[derive(Debug)]
pub(crate) struct Backend {
    pub(super) hub: Hub,
    pub(super) outbox: Arc<Outbox>,
    /// What the client has open.
    pub(super) documents: EditorDocuments,
    pub(super) parent: parent::Client,
    /// Whether the hub ends with this client.
    ends_hub: bool,
    /// Calls that the person can cancel at their progress, by its token.
    pub(super) cancels: Mutex<HashMap<String, Arc<Notify>>>,
}

/// The service for one client of the hub, the channel to that client, and the client as the hub's editor.
pub(crate) fn service(
    hub: Hub,
    documents: EditorDocuments,
    ends_hub: bool,
    parent: parent::Client,
) -> (WithContent<LspService<Backend>>, ClientSocket, Arc<Outbox>) {
    // The first handler of a method is the one that counts: a call shows its progress and can be cancelled.
    let build = LspService::build(|client| Backend::new(client, hub, documents, ends_hub, parent))
        .custom_method(Call::METHOD, Backend::wherefore_call)
        .custom_method(DID_FOCUS.method, Backend::did_focus)
        .custom_method(DID_SELECT.method, Backend::did_select)
        .custom_method("workspace/textDocumentContent", Backend::text_document_content)
        .custom_method("window/workDoneProgress/cancel", Backend::cancel_progress);
    let build = requests::ALL
        .iter()
        .fold(build, |build, request| build.custom_method(request.message.method, handler(request)));
    let (service, socket) = build.finish();
    let outbox = service.inner().outbox.clone();
    (WithContent(service), socket, outbox)
}

impl Backend {
    fn new(
        client: Client,
        hub: Hub,
        documents: EditorDocuments,
        ends_hub: bool,
        parent: parent::Client,
    ) -> Self {
        let outbox = Arc::new(Outbox::new(client, documents.clone()));
        Self { hub, outbox, documents, parent, ends_hub, cancels: Mutex::default() }
    }
}

impl LanguageServer for Backend {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        Ok(self.connect(params))
    }

    async fn initialized(&self, _: InitializedParams) {
        self.settle().await;
    }

    async fn shutdown(&self) -> Result<()> {
        self.outbox.attach(false);
        // The log ends before the editor hears that it may leave, unless agents go on with it.
        if self.ends_hub {
            self.hub.close();
        }
        Ok(())
    }

    async fn did_open(&self, params: DidOpenTextDocumentParams) {
        let uri = params.text_document.uri.as_str().to_owned();
        self.opened(params.text_document);
        self.outbox.opened(&uri).await;
    }

    async fn did_change(&self, params: DidChangeTextDocumentParams) {
        self.changed(params);
    }

    async fn did_save(&self, params: DidSaveTextDocumentParams) {
        self.saved(params).await;
    }

    async fn did_close(&self, params: DidCloseTextDocumentParams) {
        self.closed(&params.text_document);
    }

    async fn did_change_configuration(&self, params: DidChangeConfigurationParams) {
        self.configure(Some(params.settings)).await;
    }

    async fn did_change_workspace_folders(&self, params: DidChangeWorkspaceFoldersParams) {
        self.change_folders(params.event).await;
    }

    async fn did_change_watched_files(&self, _: DidChangeWatchedFilesParams) {}

    async fn code_lens(&self, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
        Ok(Some(self.lenses(&params.text_document.uri)))
    }

    async fn code_action(&self, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
        Ok(Some(self.actions(&params)))
    }

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        let TextDocumentPositionParams { text_document, position } = params.text_document_position_params;
        Ok(self.hover_of(&text_document.uri, position))
    }

    async fn completion(&self, params: CompletionParams) -> Result<Option<CompletionResponse>> {
        let TextDocumentPositionParams { text_document, position } = params.text_document_position;
        Ok(Some(CompletionResponse::Array(self.completions(&text_document.uri, position))))
    }

    async fn execute_command(&self, params: ExecuteCommandParams) -> Result<Option<Value>> {
        self.command(params).await.map(Some)
    }
}

/// Reads the params of a message of ours; none at all are an empty object.
pub(super) fn read<T: DeserializeOwned>(params: Value) -> Result<T> {
    let params = if params.is_null() { json!({}) } else { params };
    serde_json::from_value(params).map_err(|wrong| Error::invalid_params(wrong.to_string()))
}

/// A fault as the error of a request: the fault itself is its data.
pub(super) fn refuse(fault: &Fault) -> Error {
    const REQUEST_FAILED: i64 = -32803;
    let code = match fault.code {
        Code::InvalidArgs => ErrorCode::InvalidParams,
        Code::Cancelled => ErrorCode::RequestCancelled,
        Code::Internal => ErrorCode::InternalError,
        _ => ErrorCode::ServerError(REQUEST_FAILED),
    };
    Error { data: serde_json::to_value(fault).ok(), ..error(code, message(&fault.message)) }
}
