//! Document sync: what the client shows, handed on before anything waits.

use tower_lsp::ls_types::{
    DidChangeTextDocumentParams, DidSaveTextDocumentParams, Position, TextDocumentContentChangeEvent,
    TextDocumentIdentifier, TextDocumentItem,
};

use super::backend::Backend;
use crate::base::{position, uri};
use crate::hub::{DocumentEvent, Edits, TextChange};

impl Backend {
    pub(super) fn opened(&self, document: TextDocumentItem) {
        let TextDocumentItem { uri, language_id: language, version, text } = document;
        let uri = uri.as_str().to_owned();
        self.tell_hub(DocumentEvent::Opened { uri: uri.clone(), version, text, language });
        // Editors open documents that nobody looks at too. Where a client tells what is looked at, that alone counts.
        if uri::path_of(&uri).is_some() && !self.outbox.features().focus {
            self.tell_hub(DocumentEvent::Focused { uri });
        }
    }

    pub(super) fn changed(&self, params: DidChangeTextDocumentParams) {
        let (uri, version) = (params.text_document.uri.as_str().to_owned(), params.text_document.version);
        let changes = params.content_changes.into_iter().map(change).collect();
        let edits = Edits { changes, encoding: self.outbox.features().encoding };
        self.tell_hub(DocumentEvent::Changed { uri, version, edits });
    }

    pub(super) async fn saved(&self, params: DidSaveTextDocumentParams) {
        let uri = params.text_document.uri.as_str().to_owned();
        let ours = uri.contains("/.wherefore/");
        self.tell_hub(DocumentEvent::Saved { uri });
        if ours {
            self.outbox.problems(self.hub.problems()).await;
        }
    }

    pub(super) fn closed(&self, document: &TextDocumentIdentifier) {
        self.tell_hub(DocumentEvent::Closed { uri: document.uri.as_str().to_owned() });
    }

    pub(super) fn tell_hub(&self, event: DocumentEvent) {
        self.hub.document(self.documents.editor(), event);
    }
}

fn change(event: TextDocumentContentChangeEvent) -> TextChange {
    let at = |position: Position| position::Position { line: position.line, character: position.character };
    TextChange { range: event.range.map(|range| (at(range.start), at(range.end))), text: event.text }
}
