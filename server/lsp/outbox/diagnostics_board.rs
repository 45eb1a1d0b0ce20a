//! The diagnostics of each document: a client replaces all of a document's at once.

use std::collections::{BTreeMap, BTreeSet};

use parking_lot::{Mutex, MutexGuard};
use tower_lsp::ls_types::{Diagnostic, DiagnosticSeverity, NumberOrString, Position, Range};

use crate::base::position::PositionEncoding;
use crate::base::{ProposalId, uri};
use crate::hub::DefinitionProblem;
use crate::lsp::hunks::{self, DocumentView, SOURCE};
use crate::lsp::label::message_text;
use crate::protocol::{Proposal, ProposalState, ProposedFile};
use crate::workspace::{Document, EditorDocuments};

/// The diagnostics that are shown, by document.
#[derive(Debug, Default)]
pub(super) struct DiagnosticsBoard(Mutex<ShownBoard>);

#[derive(Debug, Default)]
struct ShownBoard {
    problems: BTreeMap<String, Vec<Diagnostic>>,
    /// The proposals with pending hunks, by id.
    proposals: BTreeMap<ProposalId, Proposal>,
}

impl DiagnosticsBoard {
    /// Replaces the problems of definition files; returns the documents whose diagnostics change.
    pub(super) fn set_problems(
        &self,
        problems: Vec<DefinitionProblem>,
        documents: &EditorDocuments,
    ) -> BTreeSet<String> {
        let mut by_uri: BTreeMap<String, Vec<Diagnostic>> = BTreeMap::new();
        for problem in problems {
            let uri = documents
                .of_file(&problem.path)
                .map_or_else(|| uri::uri_from_path(&problem.path), |open| open.uri);
            by_uri.entry(uri).or_default().push(problem_diagnostic(problem));
        }
        let mut shown = self.lock_shown();
        let changed = by_uri.keys().chain(shown.problems.keys());
        let changed = changed.filter(|uri| by_uri.get(*uri) != shown.problems.get(*uri)).cloned().collect();
        shown.problems = by_uri;
        changed
    }

    /// Updates a proposal; returns the documents that it touches.
    pub(super) fn set_proposal(&self, proposal: Proposal, documents: &EditorDocuments) -> BTreeSet<String> {
        let uris = proposal.files.iter().map(|file| client_document(file, documents).0).collect();
        let mut shown = self.lock_shown();
        match proposal.state() {
            ProposalState::Pending => shown.proposals.insert(proposal.id.clone(), proposal),
            _ => shown.proposals.remove(&proposal.id),
        };
        uris
    }

    /// All diagnostics of a document.
    pub(super) fn diagnostics_of(
        &self,
        uri: &str,
        documents: &EditorDocuments,
        encoding: PositionEncoding,
    ) -> Vec<Diagnostic> {
        let shown = self.lock_shown();
        let mut all = shown.problems.get(uri).cloned().unwrap_or_default();
        for proposal in shown.proposals.values() {
            for file in &proposal.files {
                let (shown_at, open) = client_document(file, documents);
                if shown_at == uri {
                    let view = DocumentView { text: open.as_ref().map(|open| &*open.text), encoding };
                    all.extend(hunks::hunk_diagnostics(proposal, file, view));
                }
            }
        }
        all
    }

    fn lock_shown(&self) -> MutexGuard<'_, ShownBoard> {
        self.0.lock()
    }
}

/// The client's URI of a file, with its document if it is open.
pub(super) fn client_document(
    file: &ProposedFile,
    documents: &EditorDocuments,
) -> (String, Option<Document>) {
    match uri::path_from_uri(&file.uri).and_then(|path| documents.of_file(&path)) {
        Some(open) => (open.uri.clone(), Some(open)),
        None => (file.uri.clone(), None),
    }
}

fn problem_diagnostic(problem: DefinitionProblem) -> Diagnostic {
    let line = problem.line.saturating_sub(1);
    Diagnostic {
        range: Range::new(Position::new(line, 0), Position::new(line.saturating_add(1), 0)),
        severity: Some(match problem.is_warning {
            true => DiagnosticSeverity::WARNING,
            false => DiagnosticSeverity::ERROR,
        }),
        code: Some(NumberOrString::String(problem.rule.to_owned())),
        source: Some(SOURCE.to_owned()),
        message: message_text(&problem.message),
        ..Diagnostic::default()
    }
}
