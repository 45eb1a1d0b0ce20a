//! Document synchronization: the client's documents, passed on before anything waits.

use tower_lsp::ls_types::{
    DidChangeTextDocumentParams, DidSaveTextDocumentParams, Position, TextDocumentContentChangeEvent,
    TextDocumentIdentifier, TextDocumentItem,
};

use super::backend::LspBackend;
use crate::base::{position, uri};
use crate::hub::{DocumentEvent, TextChange, TextEdits};

impl LspBackend {
    pub(super) fn open_document(&self, document: TextDocumentItem) {
        let TextDocumentItem { uri, language_id: language, version, text } = document;
        let uri = uri.as_str().to_owned();
        self.tell_hub(DocumentEvent::Opened { uri: uri.clone(), version, text, language });
        // Editors also open documents that the person does not look at. If a client notifies the focus, only that counts.
        if uri::path_from_uri(&uri).is_some() && !self.outbox.client().features().focus {
            self.tell_hub(DocumentEvent::Focused { uri });
        }
    }

    pub(super) fn change_document(&self, params: DidChangeTextDocumentParams) {
        let (uri, version) = (params.text_document.uri.as_str().to_owned(), params.text_document.version);
        let changes = params.content_changes.into_iter().map(text_change).collect();
        let edits = TextEdits { changes, encoding: self.outbox.client().features().encoding };
        self.tell_hub(DocumentEvent::Changed { uri, version, edits });
    }

    pub(super) async fn save_document(&self, params: DidSaveTextDocumentParams) {
        let uri = params.text_document.uri.as_str().to_owned();
        let ours = uri.contains("/.wherefore/");
        self.tell_hub(DocumentEvent::Saved { uri });
        if ours {
            self.outbox.show_problems(self.hub.definition_problems()).await;
        }
    }

    pub(super) fn close_document(&self, document: &TextDocumentIdentifier) {
        self.tell_hub(DocumentEvent::Closed { uri: document.uri.as_str().to_owned() });
    }

    pub(super) fn tell_hub(&self, event: DocumentEvent) {
        self.hub.apply_document_event(self.documents.editor_id(), event);
    }
}

fn text_change(event: TextDocumentContentChangeEvent) -> TextChange {
    let at =
        |position: Position| position::TextPosition { line: position.line, character: position.character };
    TextChange { range: event.range.map(|range| (at(range.start), at(range.end))), text: event.text }
}
