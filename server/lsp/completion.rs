//! Keys and values offered in the files that define tools.

use tower_lsp::ls_types::{CompletionItem, CompletionItemKind, Position, Uri};

use super::backend::Backend;
use super::label::label;
use crate::base::position::{self, offset_at};
use crate::base::uri;
use crate::catalogue::complete::offers;

/// The folder of such files, below a workspace's root.
const FOLDER: &str = ".wherefore/tools/";

impl Backend {
    /// What may be written at a place; nothing in any other file.
    pub(super) fn completions(&self, document: &Uri, at: Position) -> Vec<CompletionItem> {
        let document = document.as_str();
        let (Some(path), Some(text)) = (uri::path_of(document), self.documents.get(document)) else {
            return Vec::new();
        };
        let inside = self.hub.locate(&path).map(|(_, path)| path);
        let is_yaml = |name: &str| name.ends_with(".yaml") || name.ends_with(".yml");
        if !inside.is_some_and(|path| path.as_str().strip_prefix(FOLDER).is_some_and(is_yaml)) {
            return Vec::new();
        }
        let at = position::Position { line: at.line, character: at.character };
        let at = offset_at(&text.text, at, self.outbox.features().encoding);
        let item = |offer: crate::catalogue::complete::Offer| CompletionItem {
            kind: Some(match offer.insert.ends_with([':', ' ']) {
                true => CompletionItemKind::PROPERTY,
                false => CompletionItemKind::VALUE,
            }),
            detail: Some(label(&offer.about)).filter(|about| !about.is_empty()),
            insert_text: Some(offer.insert),
            label: label(&offer.label),
            ..CompletionItem::default()
        };
        offers(&text.text, at).into_iter().map(item).collect()
    }
}
