//! The `wherefore/*` requests at this door, and what else the hub answers a client.

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;
use tower_lsp::jsonrpc::{Error, Result};

use super::backend::{Backend, refuse};
use super::content::SCHEME;
use super::ext::{ContentParams, FocusParams, SelectParams};
use crate::hub::DocumentEvent;
use crate::protocol::Door;
use crate::requests::log::LogParams;
use crate::requests::{Asker, Entry, Log, Request, RequestRefusal};

/// What answers a request of the table.
pub(super) fn handler(
    request: &'static Entry,
) -> impl for<'a> Fn(&'a Backend, Value) -> BoxFuture<'a, Result<Value>> + Clone + Send + Sync + 'static {
    move |backend, params| {
        let answer = request.answer(&backend.hub, params, Asker::door(Door::Lsp));
        answer.map(|answer| answer.map_err(refused)).boxed()
    }
}

fn refused(refusal: RequestRefusal) -> Error {
    match refusal {
        RequestRefusal::Params(wrong) => Error::invalid_params(wrong),
        RequestRefusal::Fault(fault) => refuse(&fault),
    }
}

impl Backend {
    /// Answers a request whose params are known.
    pub(super) async fn ask<R: Request>(&self, params: R::Params) -> Result<R::Answer> {
        R::answer(&self.hub, params, Asker::door(Door::Lsp)).await.map_err(|fault| refuse(&fault))
    }

    pub(super) async fn did_focus(&self, params: FocusParams) {
        self.tell_hub(DocumentEvent::Focused { uri: params.uri });
    }

    pub(super) async fn did_select(&self, _: SelectParams) {
        self.hub.selected();
    }

    /// A document of ours: a session log.
    pub(super) async fn text_document_content(&self, params: ContentParams) -> Result<Value> {
        let session = params.uri.strip_prefix(SCHEME).and_then(|rest| rest.strip_prefix("://log/"));
        let Some(session) = session else {
            return Err(Error::invalid_params(format!("{:?} is no document of this server's", params.uri)));
        };
        let wanted = LogParams { session: Some(session.to_owned()), text: true, root: None };
        let log = self.ask::<Log>(wanted).await?;
        self.outbox.watches(&params.uri);
        Ok(serde_json::json!({ "text": log.text }))
    }
}
