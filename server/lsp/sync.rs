//! Document sync: what the client shows, handed on before anything waits.

use tower_lsp::ls_types::{
    DidChangeTextDocumentParams, DidSaveTextDocumentParams, TextDocumentIdentifier, TextDocumentItem,
};

use super::backend::Backend;
use crate::base::uri;
use crate::hub::DocumentEvent;

impl Backend {
    pub(super) fn opened(&self, document: TextDocumentItem) {
        let TextDocumentItem { uri, language_id: language, version, text } = document;
        let uri = uri.as_str().to_owned();
        self.texts.open(&uri, version, text.as_str().into());
        if let Some(path) = uri::path_of(&uri) {
            self.hub.document(DocumentEvent::Opened { uri: uri.clone(), path, version, text, language });
            // Editors open documents that nobody looks at too. Where a client tells what is looked at, that alone counts.
            if !self.outbox.features().focus {
                self.hub.document(DocumentEvent::Focused { uri });
            }
        }
    }

    pub(super) fn changed(&self, params: DidChangeTextDocumentParams) {
        let (uri, version) = (params.text_document.uri.as_str().to_owned(), params.text_document.version);
        let encoding = self.outbox.features().encoding;
        match self.texts.change(&uri, version, params.content_changes, encoding) {
            Some(text) => {
                let text = text.to_string();
                self.hub.document(DocumentEvent::Changed { uri, version, text });
            }
            None => tracing::warn!("a change of {uri}, which is not open"),
        }
    }

    pub(super) async fn saved(&self, params: DidSaveTextDocumentParams) {
        let uri = params.text_document.uri.as_str().to_owned();
        let ours = uri.contains("/.wherefore/");
        self.hub.document(DocumentEvent::Saved { uri });
        if ours {
            self.outbox.problems(self.hub.problems()).await;
        }
    }

    pub(super) fn closed(&self, document: &TextDocumentIdentifier) {
        let uri = document.uri.as_str().to_owned();
        self.texts.close(&uri);
        self.hub.document(DocumentEvent::Closed { uri });
    }
}
