//! Completion of keys and values in the files that define tools.

use tower_lsp::ls_types::{CompletionItem, CompletionItemKind, Position, Uri};

use super::LspBackend;
use crate::base::position::{self, offset_at};
use crate::base::uri;
use crate::catalogue::complete::completion_offers;
use crate::lsp::label::label_text;

/// The folder of such files, below a workspace's root.
const FOLDER: &str = ".wherefore/tools/";

impl LspBackend {
    /// The completions at a position; none in any other file.
    pub(super) fn completion_items(&self, document: &Uri, at: Position) -> Vec<CompletionItem> {
        let document = document.as_str();
        let (Some(path), Some(text)) = (uri::path_from_uri(document), self.documents.get(document)) else {
            return Vec::new();
        };
        let inside = self.hub.locate_path(&path).map(|(_, path)| path);
        let is_yaml = |name: &str| name.ends_with(".yaml") || name.ends_with(".yml");
        if !inside.is_some_and(|path| path.as_str().strip_prefix(FOLDER).is_some_and(is_yaml)) {
            return Vec::new();
        }
        let at = position::TextPosition { line: at.line, character: at.character };
        let at = offset_at(&text.text, at, self.outbox.client().features().encoding);
        let item = |offer: crate::catalogue::complete::CompletionOffer| CompletionItem {
            kind: Some(match offer.insert.ends_with([':', ' ']) {
                true => CompletionItemKind::PROPERTY,
                false => CompletionItemKind::VALUE,
            }),
            detail: Some(label_text(&offer.about)).filter(|about| !about.is_empty()),
            insert_text: Some(offer.insert),
            label: label_text(&offer.label),
            ..CompletionItem::default()
        };
        completion_offers(&text.text, at).into_iter().map(item).collect()
    }
}
