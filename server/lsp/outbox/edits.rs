//! Wherefore's edits in the client's form.

use std::collections::HashMap;
use std::str::FromStr;

use tower_lsp::ls_types::{
    AnnotatedTextEdit, ChangeAnnotation, CreateFile, DocumentChangeOperation, DocumentChanges, OneOf,
    OptionalVersionedTextDocumentIdentifier, Position, Range, RenameFile, RenameFileOptions, ResourceOp,
    TextDocumentEdit, TextEdit, Uri, WorkspaceEdit,
};

use super::diagnostics_board::client_document;
use crate::lsp::features::ClientFeatures;
use crate::lsp::hunks::{DocumentView, pending_hunks};
use crate::lsp::label::label_text;
use crate::lsp::lines::line_range;
use crate::ports::{DocumentEdit, FileRename};
use crate::protocol::{ChangeKind, Hunk, Proposal, ProposedFile};
use crate::workspace::EditorDocuments;

/// An edit of one open document, for the version it was made for if the client supports versions.
pub(super) fn plain_edit(
    edit: &DocumentEdit,
    documents: &EditorDocuments,
    features: ClientFeatures,
) -> Result<WorkspaceEdit, String> {
    let uri = parse_uri(&edit.uri)?;
    let open = documents.get(&edit.uri);
    if let Some(open) = open.as_ref().filter(|open| open.version != edit.version) {
        return Err(format!("the document moved on from version {} to {}", edit.version, open.version));
    }
    let text = open.as_ref().map(|open| &*open.text);
    let edits = edit.edits.iter().map(|lines| {
        let range = line_range(text, lines.start, lines.count, features.encoding);
        TextEdit { range, new_text: lines.text.clone() }
    });
    if !features.document_changes {
        return Ok(WorkspaceEdit {
            changes: Some(HashMap::from([(uri, edits.collect())])),
            ..WorkspaceEdit::default()
        });
    }
    let text_document = OptionalVersionedTextDocumentIdentifier { uri, version: Some(edit.version) };
    let edits = edits.map(OneOf::Left).collect();
    let changes = DocumentChanges::Edits(vec![TextDocumentEdit { text_document, edits }]);
    Ok(WorkspaceEdit { document_changes: Some(changes), ..WorkspaceEdit::default() })
}

/// A renaming of a file to a free path.
pub(super) fn rename_edit(rename: &FileRename) -> Result<WorkspaceEdit, String> {
    let options = RenameFileOptions { overwrite: Some(false), ignore_if_exists: Some(false) };
    let [old_uri, new_uri] = [parse_uri(&rename.from)?, parse_uri(&rename.to)?];
    let rename = RenameFile { old_uri, new_uri, options: Some(options), annotation_id: None };
    let operation = DocumentChangeOperation::Op(ResourceOp::Rename(rename));
    let changes = DocumentChanges::Operations(vec![operation]);
    Ok(WorkspaceEdit { document_changes: Some(changes), ..WorkspaceEdit::default() })
}

/// A whole proposal, with a confirmation for every pending hunk.
pub(super) fn annotated_edit(
    proposal: &Proposal,
    documents: &EditorDocuments,
    features: ClientFeatures,
) -> Result<WorkspaceEdit, String> {
    let (mut operations, mut annotations) = (Vec::new(), HashMap::new());
    for file in &proposal.files {
        let hunks: Vec<_> = pending_hunks(file).collect();
        let shown = match file.kind {
            ChangeKind::Edit => true,
            ChangeKind::Create => features.create,
            _ => false,
        };
        if hunks.is_empty() || !shown {
            continue;
        }
        for hunk in &hunks {
            annotations.insert(hunk.id.to_string(), hunk_annotation(proposal, file, hunk));
        }
        let (uri, text) = client_document(file, documents);
        let uri = parse_uri(&uri)?;
        if file.kind == ChangeKind::Create {
            let annotation_id = hunks.first().map(|hunk| hunk.id.to_string());
            let create = CreateFile { uri: uri.clone(), options: None, annotation_id };
            operations.push(DocumentChangeOperation::Op(ResourceOp::Create(create)));
        }
        let view = DocumentView { text: text.as_ref().map(|text| &*text.text), encoding: features.encoding };
        let edits = hunks.iter().map(|hunk| OneOf::Right(hunk_edit(hunk, file, view))).collect();
        let version = text.as_ref().map(|text| text.version);
        let text_document = OptionalVersionedTextDocumentIdentifier { uri, version };
        operations.push(DocumentChangeOperation::Edit(TextDocumentEdit { text_document, edits }));
    }
    if operations.is_empty() {
        return Err(
            "no change of this proposal can be shown as an edit; decide on it hunk by hunk".to_owned()
        );
    }
    Ok(WorkspaceEdit {
        changes: None,
        document_changes: Some(DocumentChanges::Operations(operations)),
        change_annotations: Some(annotations),
    })
}

fn hunk_edit(hunk: &Hunk, file: &ProposedFile, view: DocumentView<'_>) -> AnnotatedTextEdit {
    let range = match file.kind {
        ChangeKind::Create => Range::new(Position::new(0, 0), Position::new(0, 0)),
        _ => view.hunk_range(hunk),
    };
    let text_edit = TextEdit { range, new_text: hunk.new.concat() };
    AnnotatedTextEdit { text_edit, annotation_id: hunk.id.to_string() }
}

fn hunk_annotation(proposal: &Proposal, file: &ProposedFile, hunk: &Hunk) -> ChangeAnnotation {
    ChangeAnnotation {
        label: label_text(&proposal.why),
        needs_confirmation: Some(true),
        description: Some(format!("{} {} in {}", proposal.id, hunk.id, label_text(file.path.as_str()))),
    }
}

fn parse_uri(uri: &str) -> Result<Uri, String> {
    Uri::from_str(uri).map_err(|error| format!("{uri:?} is no URI: {error}"))
}
