//! The events of editors' documents, taken in before anything waits.
//!
//! # Invariants
//!
//! - No unsaved text is missed where a document was opened before its folder was served.
//!   Test: `a_document_that_was_open_before_its_folder_was_served_is_read_unsaved`

use std::sync::Arc;

use super::{Hub, ServedFolder};
use crate::base::WorkspacePath;
use crate::base::uri::path_from_uri;
use crate::memory::{HeatTouch, TouchCause};
use crate::workspace::{Document, EditorDocuments, EditorId, TextEdits};

/// A document event of an editor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DocumentEvent {
    /// It was opened.
    Opened {
        /// Its URI, as the editor gave it.
        uri: String,
        /// Its version.
        version: i32,
        /// Its text.
        text: String,
        /// Its language.
        language: String,
    },
    /// Its text changed.
    Changed {
        /// Its URI.
        uri: String,
        /// Its version now.
        version: i32,
        /// The edits.
        edits: TextEdits,
    },
    /// It was saved.
    Saved {
        /// Its URI.
        uri: String,
    },
    /// The person looks at it.
    Focused {
        /// Its URI.
        uri: String,
    },
    /// It was closed.
    Closed {
        /// Its URI.
        uri: String,
    },
}

/// The folder that a document lies in, and where.
type DocumentPlace = Option<(Arc<ServedFolder>, WorkspacePath)>;

impl Hub {
    /// The documents of an editor that came just now, and its id.
    pub(crate) fn editor_documents(&self) -> EditorDocuments {
        EditorDocuments::new(self.0.documents.clone())
    }

    /// Takes in what an editor did to a document. State changes before this returns.
    pub fn apply_document_event(&self, editor: EditorId, event: DocumentEvent) {
        let documents = &self.0.documents;
        match event {
            DocumentEvent::Opened { uri, version, text, language } => {
                let place = self.locate_uri(&uri);
                // Editors bring back what was not saved when they ended, and say no more than that it is open.
                let dirty = place
                    .as_ref()
                    .is_some_and(|(folder, path)| folder.session().files().is_unsaved(path, &text));
                let (root, path) = place.as_ref().map(root_and_path).unzip();
                let document = Document { uri, root, path, version, text: text.into(), language, dirty };
                documents.open_document(editor, document.clone());
                notify_queue(&place, &document);
            }
            DocumentEvent::Changed { uri, version, edits } => {
                let before = documents.get(editor, &uri);
                let (Some(before), Some(document)) =
                    (before, documents.change_document(editor, &uri, version, edits.clone()))
                else {
                    return tracing::warn!("a change of {uri}, which is not open");
                };
                let place = self.place_of(&document);
                if let Some((folder, path)) = &place {
                    let session = folder.session();
                    if folder.queue().texts().is_placing(path) {
                        session.line_history().note_other_change(path);
                    } else {
                        session.line_history().note_typing(path, &before.text, &edits, &document.text);
                        session.memory().touch_file(path.as_str(), HeatTouch::Edit, TouchCause::PERSON);
                    }
                }
                notify_queue(&place, &document);
            }
            DocumentEvent::Focused { uri } => {
                let place = documents.get(editor, &uri).and_then(|document| self.place_of(&document));
                if let Some((folder, path)) = place {
                    folder.session().memory().touch_file(path.as_str(), HeatTouch::Focus, TouchCause::PERSON);
                }
            }
            DocumentEvent::Saved { uri } => {
                documents.mark_saved(editor, &uri);
                let place = documents.get(editor, &uri).and_then(|document| self.place_of(&document));
                if let Some((folder, path)) = place {
                    folder.session().files().known_files().note_save(&path);
                    folder.session().line_history().keep_typed(&path);
                }
            }
            DocumentEvent::Closed { uri } => {
                let place = documents.get(editor, &uri).and_then(|document| self.place_of(&document));
                documents.close_document(editor, &uri);
                if let Some((folder, path)) = place {
                    folder.session().line_history().note_other_change(&path);
                    // Unsaved text is gone: the disk's text counts.
                    folder.queue().disk().look_soon([path]);
                }
            }
        }
    }

    /// Puts every open document where it lies now: a folder came or went.
    pub(super) fn place_documents(&self) {
        for (editor, document) in self.0.documents.all() {
            let place = self.locate_uri(&document.uri);
            let (root, path) = place.as_ref().map(root_and_path).unzip();
            if (&root, &path) == (&document.root, &document.path) {
                continue;
            }
            let unsaved = |(folder, path): &(Arc<ServedFolder>, WorkspacePath)| {
                folder.session().files().is_unsaved(path, &document.text)
            };
            let dirty = document.dirty || place.as_ref().is_some_and(unsaved);
            self.0.documents.move_document(editor, &document.uri, root.zip(path), dirty);
            notify_queue(&place, &document);
        }
    }

    /// Locates the file of a URI in a served folder, symlinks followed.
    fn locate_uri(&self, uri: &str) -> DocumentPlace {
        let (folder, path) = self.folder_of(&path_from_uri(uri)?)?;
        let path = folder.session().workspace().store().root().resolve_path(&path).unwrap_or(path);
        Some((folder, path))
    }

    /// The folder that an open document was put into.
    fn place_of(&self, document: &Document) -> DocumentPlace {
        let (root, path) = (document.root.as_deref()?, document.path.clone()?);
        let folder = self.folders().into_iter().find(|folder| folder.root() == root)?;
        Some((folder, path))
    }
}

fn root_and_path((folder, path): &(Arc<ServedFolder>, WorkspacePath)) -> (Arc<str>, WorkspacePath) {
    (folder.root().into(), path.clone())
}

/// Hunks that stand in a document follow its text. Where there are none, it is not made whole.
fn notify_queue(place: &DocumentPlace, document: &Document) {
    if let Some((folder, path)) = place
        && folder.queue().texts().has_hunks_in(path)
    {
        folder.queue().texts().text_changed(path, &document.text);
    }
}
