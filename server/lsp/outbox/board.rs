//! Which diagnostics stand at which document: a client replaces all of a document's at once.

use std::collections::{BTreeMap, BTreeSet};

use parking_lot::{Mutex, MutexGuard};
use tower_lsp::ls_types::{Diagnostic, DiagnosticSeverity, NumberOrString, Position, Range};

use crate::base::position::Encoding;
use crate::base::{ProposalId, uri};
use crate::hub::Problem;
use crate::lsp::hunks::{self, DocumentView, SOURCE};
use crate::lsp::label::message;
use crate::protocol::{Proposal, ProposalState, ProposedFile};
use crate::workspace::{Document, EditorDocuments};

/// What is shown, by document.
#[derive(Debug, Default)]
pub(super) struct Board(Mutex<ShownBoard>);

#[derive(Debug, Default)]
struct ShownBoard {
    problems: BTreeMap<String, Vec<Diagnostic>>,
    /// Those with hunks that wait, by id.
    proposals: BTreeMap<ProposalId, Proposal>,
}

impl Board {
    /// Replaces the definition files' problems; the documents whose diagnostics change.
    pub(super) fn set_problems(
        &self,
        problems: Vec<Problem>,
        documents: &EditorDocuments,
    ) -> BTreeSet<String> {
        let mut by_uri: BTreeMap<String, Vec<Diagnostic>> = BTreeMap::new();
        for problem in problems {
            let uri =
                documents.of_file(&problem.path).map_or_else(|| uri::uri_of(&problem.path), |open| open.uri);
            by_uri.entry(uri).or_default().push(diagnostic(problem));
        }
        let mut shown = self.lock();
        let changed = by_uri.keys().chain(shown.problems.keys());
        let changed = changed.filter(|uri| by_uri.get(*uri) != shown.problems.get(*uri)).cloned().collect();
        shown.problems = by_uri;
        changed
    }

    /// Takes a proposal as it stands now; the documents that it touches.
    pub(super) fn set_proposal(&self, proposal: Proposal, documents: &EditorDocuments) -> BTreeSet<String> {
        let uris = proposal.files.iter().map(|file| document(file, documents).0).collect();
        let mut shown = self.lock();
        match proposal.state() {
            ProposalState::Pending => shown.proposals.insert(proposal.id.clone(), proposal),
            _ => shown.proposals.remove(&proposal.id),
        };
        uris
    }

    /// Everything to show at a document.
    pub(super) fn diagnostics(
        &self,
        uri: &str,
        documents: &EditorDocuments,
        encoding: Encoding,
    ) -> Vec<Diagnostic> {
        let shown = self.lock();
        let mut all = shown.problems.get(uri).cloned().unwrap_or_default();
        for proposal in shown.proposals.values() {
            for file in &proposal.files {
                let (shown_at, open) = document(file, documents);
                if shown_at == uri {
                    let view = DocumentView { text: open.as_ref().map(|open| &*open.text), encoding };
                    all.extend(hunks::diagnostics(proposal, file, view));
                }
            }
        }
        all
    }

    fn lock(&self) -> MutexGuard<'_, ShownBoard> {
        self.0.lock()
    }
}

/// The URI that the client knows a file by, with its document where it is open.
pub(super) fn document(file: &ProposedFile, documents: &EditorDocuments) -> (String, Option<Document>) {
    match uri::path_of(&file.uri).and_then(|path| documents.of_file(&path)) {
        Some(open) => (open.uri.clone(), Some(open)),
        None => (file.uri.clone(), None),
    }
}

fn diagnostic(problem: Problem) -> Diagnostic {
    let line = problem.line.saturating_sub(1);
    Diagnostic {
        range: Range::new(Position::new(line, 0), Position::new(line.saturating_add(1), 0)),
        severity: Some(DiagnosticSeverity::ERROR),
        code: Some(NumberOrString::String(problem.rule.to_owned())),
        source: Some(SOURCE.to_owned()),
        message: message(&problem.message),
        ..Diagnostic::default()
    }
}
