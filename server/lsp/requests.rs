//! The `wherefore/*` requests beside the call: each asks the hub and answers.

use serde_json::Value;
use tower_lsp::jsonrpc::{Error, Result};

use super::backend::{Backend, read, refuse};
use super::content::SCHEME;
use super::ext::{ContentParams, ListAnswer, ListParams, LogAnswer, LogParams};
use crate::hub::DocumentEvent;
use crate::protocol::{
    CancelAnswer, CollectAnswer, ComposeAnswer, DecideAnswer, Door, ExpandToolAnswer, FocusParams,
    HintOutcome, ListToolsAnswer, Origin, ProposalsAnswer, SearchAnswer, SearchNodesAnswer,
    SearchToolsAnswer, StatusAnswer, UndoAnswer, WorkingSetAnswer, WorkingSetParams,
};

impl Backend {
    pub(super) async fn wherefore_proposals(&self, params: Value) -> Result<ProposalsAnswer> {
        Ok(self.hub.proposals(&read(params)?))
    }

    pub(super) async fn wherefore_decide(&self, params: Value) -> Result<DecideAnswer> {
        self.hub.decide(read(params)?).await.map_err(|fault| refuse(&fault))
    }

    pub(super) async fn wherefore_undo(&self, params: Value) -> Result<UndoAnswer> {
        self.hub.undo(read(params)?).await.map_err(|fault| refuse(&fault))
    }

    pub(super) async fn wherefore_cancel(&self, params: Value) -> Result<CancelAnswer> {
        self.hub.cancel(&read(params)?).map_err(|fault| refuse(&fault))
    }

    pub(super) async fn wherefore_search(&self, params: Value) -> Result<SearchAnswer> {
        self.hub.search(read(params)?).await.map_err(|fault| refuse(&fault))
    }

    pub(super) async fn wherefore_working_set(&self, params: Value) -> Result<WorkingSetAnswer> {
        let WorkingSetParams { root } = read(params)?;
        Ok(self.hub.working_set(root.as_deref()))
    }

    pub(super) async fn wherefore_hint(&self, params: Value) -> Result<HintOutcome> {
        // It is written to the disk, which is not done where requests are read.
        tokio::task::yield_now().await;
        self.hub.hint(&read(params)?).map_err(|fault| refuse(&fault))
    }

    pub(super) async fn wherefore_collect(&self, params: Value) -> Result<CollectAnswer> {
        tokio::task::yield_now().await;
        self.hub.collect(&read(params)?).map_err(|fault| refuse(&fault))
    }

    pub(super) async fn wherefore_did_focus(&self, params: FocusParams) {
        self.hub.document(DocumentEvent::Focused { uri: params.uri });
    }

    pub(super) async fn wherefore_status(&self, _: Value) -> Result<StatusAnswer> {
        Ok(self.hub.status())
    }

    pub(super) async fn wherefore_list(&self, params: Value) -> Result<ListAnswer> {
        let ListParams { root } = read(params)?;
        Ok(ListAnswer { tools: self.hub.tools(root.as_deref()) })
    }

    pub(super) async fn wherefore_list_tools(&self, params: Value) -> Result<ListToolsAnswer> {
        self.hub.list_tools(&read(params)?, &Origin::door(Door::Lsp)).await.map_err(|fault| refuse(&fault))
    }

    pub(super) async fn wherefore_search_tools(&self, params: Value) -> Result<SearchToolsAnswer> {
        self.hub.search_tools(&read(params)?, &Origin::door(Door::Lsp)).await.map_err(|fault| refuse(&fault))
    }

    pub(super) async fn wherefore_search_nodes(&self, params: Value) -> Result<SearchNodesAnswer> {
        self.hub.search_nodes(&read(params)?, &Origin::door(Door::Lsp)).await.map_err(|fault| refuse(&fault))
    }

    pub(super) async fn wherefore_expand_tool(&self, params: Value) -> Result<ExpandToolAnswer> {
        self.hub.expand_tool(&read(params)?, &Origin::door(Door::Lsp)).map_err(|fault| refuse(&fault))
    }

    pub(super) async fn wherefore_compose(&self, params: Value) -> Result<ComposeAnswer> {
        self.hub.compose(&read(params)?).map_err(|fault| refuse(&fault))
    }

    pub(super) async fn wherefore_log(&self, params: Value) -> Result<LogAnswer> {
        // A log can be long: it is not read where requests are.
        tokio::task::yield_now().await;
        self.log(read(params)?)
    }

    pub(super) fn log(&self, params: LogParams) -> Result<LogAnswer> {
        let log = self
            .hub
            .log(params.session.as_deref(), params.root.as_deref())
            .map_err(|fault| refuse(&fault))?;
        Ok(LogAnswer { uri: log.uri, path: log.path, text: params.text.then_some(log.text) })
    }

    /// A document of ours: a session log.
    pub(super) async fn text_document_content(&self, params: ContentParams) -> Result<Value> {
        tokio::task::yield_now().await;
        let session = params.uri.strip_prefix(SCHEME).and_then(|rest| rest.strip_prefix("://log/"));
        let Some(session) = session else {
            return Err(Error::invalid_params(format!("{:?} is no document of this server's", params.uri)));
        };
        let log = self.hub.log(Some(session), None).map_err(|fault| refuse(&fault))?;
        self.outbox.watches(&params.uri);
        Ok(serde_json::json!({ "text": log.text }))
    }
}
