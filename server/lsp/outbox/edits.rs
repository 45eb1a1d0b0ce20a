//! Our edits as the client takes them.

use std::collections::HashMap;
use std::str::FromStr;

use tower_lsp::ls_types::{
    AnnotatedTextEdit, ChangeAnnotation, CreateFile, DocumentChangeOperation, DocumentChanges, OneOf,
    OptionalVersionedTextDocumentIdentifier, Position, Range, RenameFile, RenameFileOptions, ResourceOp,
    TextDocumentEdit, TextEdit, Uri, WorkspaceEdit,
};

use super::board::document;
use crate::lsp::features::Features;
use crate::lsp::hunks::{DocumentView, pending};
use crate::lsp::label::label;
use crate::lsp::lines::line_range;
use crate::ports::{DocumentEdit, FileRename};
use crate::protocol::{ChangeKind, Hunk, Proposal, ProposedFile};
use crate::workspace::EditorDocuments;

/// An edit of one open document, for the version it was made for where the client can be told.
pub(super) fn plain(
    edit: &DocumentEdit,
    documents: &EditorDocuments,
    features: Features,
) -> Result<WorkspaceEdit, String> {
    let uri = parse(&edit.uri)?;
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

/// Another path for a file, where nothing stands yet.
pub(super) fn rename(rename: &FileRename) -> Result<WorkspaceEdit, String> {
    let options = RenameFileOptions { overwrite: Some(false), ignore_if_exists: Some(false) };
    let [old_uri, new_uri] = [parse(&rename.from)?, parse(&rename.to)?];
    let rename = RenameFile { old_uri, new_uri, options: Some(options), annotation_id: None };
    let operation = DocumentChangeOperation::Op(ResourceOp::Rename(rename));
    let changes = DocumentChanges::Operations(vec![operation]);
    Ok(WorkspaceEdit { document_changes: Some(changes), ..WorkspaceEdit::default() })
}

/// A whole proposal, every pending hunk to be confirmed by the person.
pub(super) fn annotated(
    proposal: &Proposal,
    documents: &EditorDocuments,
    features: Features,
) -> Result<WorkspaceEdit, String> {
    let (mut operations, mut annotations) = (Vec::new(), HashMap::new());
    for file in &proposal.files {
        let hunks: Vec<_> = pending(file).collect();
        let shown = match file.kind {
            ChangeKind::Edit => true,
            ChangeKind::Create => features.create,
            _ => false,
        };
        if hunks.is_empty() || !shown {
            continue;
        }
        for hunk in &hunks {
            annotations.insert(hunk.id.to_string(), annotation(proposal, file, hunk));
        }
        let (uri, text) = document(file, documents);
        let uri = parse(&uri)?;
        if file.kind == ChangeKind::Create {
            let annotation_id = hunks.first().map(|hunk| hunk.id.to_string());
            let create = CreateFile { uri: uri.clone(), options: None, annotation_id };
            operations.push(DocumentChangeOperation::Op(ResourceOp::Create(create)));
        }
        let view = DocumentView { text: text.as_ref().map(|text| &*text.text), encoding: features.encoding };
        let edits = hunks.iter().map(|hunk| OneOf::Right(edit(hunk, file, view))).collect();
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

fn edit(hunk: &Hunk, file: &ProposedFile, view: DocumentView<'_>) -> AnnotatedTextEdit {
    let range = match file.kind {
        ChangeKind::Create => Range::new(Position::new(0, 0), Position::new(0, 0)),
        _ => view.range(hunk),
    };
    let text_edit = TextEdit { range, new_text: hunk.new.concat() };
    AnnotatedTextEdit { text_edit, annotation_id: hunk.id.to_string() }
}

fn annotation(proposal: &Proposal, file: &ProposedFile, hunk: &Hunk) -> ChangeAnnotation {
    ChangeAnnotation {
        label: label(&proposal.why),
        needs_confirmation: Some(true),
        description: Some(format!("{} {} in {}", proposal.id, hunk.id, label(file.path.as_str()))),
    }
}

fn parse(uri: &str) -> Result<Uri, String> {
    Uri::from_str(uri).map_err(|error| format!("{uri:?} is no URI: {error}"))
}
