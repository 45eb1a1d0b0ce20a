//! Pending hunks for clients that are not ours: code lenses, quick fixes, hovers, and the preview that asks.

use serde::Deserialize;
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::{
    CodeActionKind, CodeActionOrCommand, CodeActionParams, CodeLens, Hover, HoverContents, MarkupContent,
    MarkupKind, Position, Uri,
};

use super::{LspBackend, to_request_error};
use crate::base::{ProposalId, uri};
use crate::lsp::hunks::{self, DocumentView};
use crate::protocol::{Code, Fault, Proposal, ProposalsParams, ProposedFile};
use crate::requests::decide::DecideAnswer;

/// Params of `wherefore.preview`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PreviewParams {
    /// The proposal to show.
    proposal: ProposalId,
}

impl LspBackend {
    pub(super) fn code_lenses(&self, uri: &Uri) -> Vec<CodeLens> {
        let preview = self.outbox.client().features().annotations;
        self.each_file(uri, |proposal, file, view| hunks::make_hunk_lenses(proposal, file, view, preview))
    }

    pub(super) fn code_actions(&self, params: &CodeActionParams) -> Vec<CodeActionOrCommand> {
        let wanted = |kind: &CodeActionKind| kind.as_str().is_empty() || *kind == CodeActionKind::QUICKFIX;
        if params.context.only.as_ref().is_some_and(|only| !only.iter().any(wanted)) {
            return Vec::new();
        }
        let shown = &params.context.diagnostics;
        let actions = self.each_file(&params.text_document.uri, |proposal, file, view| {
            hunks::hunk_actions(proposal, file, view, params.range, shown)
        });
        actions.into_iter().map(CodeActionOrCommand::CodeAction).collect()
    }

    /// The lines of the pending hunks under the cursor.
    pub(super) fn hover_of(&self, uri: &Uri, position: Position) -> Option<Hover> {
        let markdown = self.outbox.client().features().markdown;
        let hunks = self.each_file(uri, |proposal, file, view| {
            hunks::hover_texts(proposal, file, view, position.line, markdown)
        });
        let kind = if markdown { MarkupKind::Markdown } else { MarkupKind::PlainText };
        let contents = HoverContents::Markup(MarkupContent { kind, value: hunks.join("\n\n") });
        (!hunks.is_empty()).then_some(Hover { contents, range: None })
    }

    /// Asks hunk by hunk in the editor's own way, then checks which hunks are in the texts.
    pub(super) async fn preview_and_decide(&self, params: PreviewParams) -> Result<DecideAnswer> {
        let id = &params.proposal;
        let folders = self.hub.folders();
        let waiting = folders.iter().find_map(|folder| {
            let item = folder.queue().store().get(id).filter(|item| item.is_waiting())?;
            Some((folder.queue(), item.proposal().clone()))
        });
        let Some((queue, proposal)) = waiting else {
            return Err(to_request_error(&Fault::new(Code::NotFound, format!("no proposal {id:?} waits"))));
        };
        let shown = self.outbox.preview_proposal(&proposal).await;
        // Whatever the editor answers, it may have applied some hunks.
        queue.texts().look_at_proposal(id);
        let proposals = queue.store().get(id).map(|item| item.proposal().clone()).into_iter().collect();
        Ok(DecideAnswer { proposals, problems: shown.err().into_iter().collect() })
    }

    /// The proposals that wait, of every folder.
    pub(in crate::lsp) fn waiting_proposals(&self) -> Vec<Proposal> {
        let params = ProposalsParams::default();
        self.hub.folders().iter().flat_map(|folder| folder.queue().store().list_proposals(&params)).collect()
    }

    /// The results of `each` for every pending change of a document; none for a plugin that shows them itself.
    fn each_file<T>(
        &self,
        document: &Uri,
        each: impl Fn(&Proposal, &ProposedFile, DocumentView<'_>) -> Vec<T>,
    ) -> Vec<T> {
        let features = self.outbox.client().features();
        let Some(path) = uri::path_from_uri(document.as_str()).filter(|_| !features.hunks) else {
            return Vec::new();
        };
        let text = self.documents.get(document.as_str()).map(|open| open.text);
        let view = DocumentView { text: text.as_deref(), encoding: features.encoding };
        let mut all = Vec::new();
        let folders = self.hub.folders();
        for item in
            folders.iter().flat_map(|folder| folder.queue().store().select_items(&ProposalsParams::default()))
        {
            let files = item.proposal().files.iter();
            for file in files.filter(|file| uri::path_from_uri(&file.uri).as_deref() == Some(&path)) {
                all.extend(each(item.proposal(), file, view));
            }
        }
        all
    }
}
