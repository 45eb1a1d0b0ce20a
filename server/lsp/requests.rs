//! The `wherefore/*` requests at this door, and other messages that the hub answers.

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;
use tower_lsp::jsonrpc::{Error, Result};

use super::backend::{LspBackend, to_request_error};
use super::content::SCHEME;
use super::ext::{ContentParams, FocusParams};
use crate::hub::DocumentEvent;
use crate::protocol::Door;
use crate::requests::log::LogParams;
use crate::requests::{Asker, Entry, Log, Request, RequestRefusal};

/// The handler of a request of the table.
pub(super) fn request_handler(
    request: &'static Entry,
) -> impl for<'a> Fn(&'a LspBackend, Value) -> BoxFuture<'a, Result<Value>> + Clone + Send + Sync + 'static {
    move |backend, params| {
        let answer = request.answer_json(&backend.hub, without_tokens(params), Asker::from_door(Door::Lsp));
        answer.map(|answer| answer.map_err(refusal_error)).boxed()
    }
}

/// The params without the tokens that the protocol permits in the params of any request.
pub(super) fn without_tokens(mut params: Value) -> Value {
    if let Value::Object(members) = &mut params {
        ["workDoneToken", "partialResultToken"].iter().for_each(|token| drop(members.shift_remove(*token)));
    }
    params
}

fn refusal_error(refusal: RequestRefusal) -> Error {
    match refusal {
        RequestRefusal::Params(wrong) => Error::invalid_params(wrong),
        RequestRefusal::Fault(fault) => to_request_error(&fault),
    }
}

impl LspBackend {
    /// Answers a request whose params are known.
    pub(super) async fn answer_request<R: Request>(&self, params: R::Params) -> Result<R::Answer> {
        R::answer_request(&self.hub, params, Asker::from_door(Door::Lsp))
            .await
            .map_err(|fault| to_request_error(&fault))
    }

    pub(super) async fn did_focus(&self, params: FocusParams) {
        self.tell_hub(DocumentEvent::Focused { uri: params.uri });
    }

    /// Returns the text of a document of the server's: a session log.
    pub(super) async fn text_document_content(&self, params: ContentParams) -> Result<Value> {
        let session = params.uri.strip_prefix(SCHEME).and_then(|rest| rest.strip_prefix("://log/"));
        let Some(session) = session else {
            return Err(Error::invalid_params(format!("{:?} is no document of this server's", params.uri)));
        };
        let wanted = LogParams { session: Some(session.to_owned()), text: true, root: None };
        let log = self.answer_request::<Log>(wanted).await?;
        self.outbox.add_watched_content(&params.uri);
        Ok(serde_json::json!({ "text": log.text }))
    }
}
