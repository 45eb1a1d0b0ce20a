//! What editors do to their documents, taken in before anything waits.

use std::sync::Arc;

use super::{Folder, Hub};
use crate::base::WorkspacePath;
use crate::base::uri::path_of;
use crate::memory::{Cause, HeatTouch};
use crate::workspace::{Document, EditorDocuments, EditorId, Edits};

/// What an editor did to a document.
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
        /// How it changed.
        edits: Edits,
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
type Place = Option<(Arc<Folder>, WorkspacePath)>;

impl Hub {
    /// The documents of an editor that came just now, and its id.
    pub(crate) fn editor_documents(&self) -> EditorDocuments {
        EditorDocuments::new(self.0.documents.clone())
    }

    /// Takes in what an editor did to a document. State changes before this returns.
    pub fn document(&self, editor: EditorId, event: DocumentEvent) {
        let documents = &self.0.documents;
        match event {
            DocumentEvent::Opened { uri, version, text, language } => {
                let place = self.place(&uri);
                // Editors bring back what was not saved when they ended, and say no more than that it is open.
                let dirty = place
                    .as_ref()
                    .is_some_and(|(folder, path)| folder.session().files().is_unsaved(path, &text));
                let (root, path) = place.as_ref().map(inside).unzip();
                let document = Document { uri, root, path, version, text: text.into(), language, dirty };
                documents.open(editor, document.clone());
                tell_desk(&place, &document);
            }
            DocumentEvent::Changed { uri, version, edits } => {
                let before = documents.get(editor, &uri);
                let (Some(before), Some(document)) =
                    (before, documents.change(editor, &uri, version, edits.clone()))
                else {
                    return tracing::warn!("a change of {uri}, which is not open");
                };
                let place = self.place_of(&document);
                if let Some((folder, path)) = &place {
                    let session = folder.session();
                    if folder.queue().is_placing(path) {
                        session.lines().not_typed(path);
                    } else {
                        session.lines().typed(path, &before.text, &edits, &document.text);
                        session.memory().touch(path.as_str(), HeatTouch::Edit, Cause::PERSON);
                    }
                }
                tell_desk(&place, &document);
            }
            DocumentEvent::Focused { uri } => {
                let place = documents.get(editor, &uri).and_then(|document| self.place_of(&document));
                if let Some((folder, path)) = place {
                    folder.session().memory().touch(path.as_str(), HeatTouch::Focus, Cause::PERSON);
                }
            }
            DocumentEvent::Saved { uri } => {
                documents.saved(editor, &uri);
                let place = documents.get(editor, &uri).and_then(|document| self.place_of(&document));
                if let Some((folder, path)) = place {
                    folder.session().files().known().saved(&path);
                    folder.session().lines().keep_typed(&path);
                }
            }
            DocumentEvent::Closed { uri } => {
                let place = documents.get(editor, &uri).and_then(|document| self.place_of(&document));
                documents.close(editor, &uri);
                if let Some((folder, path)) = place {
                    folder.session().lines().not_typed(&path);
                    // What was not saved is gone: the text is that of the disk.
                    folder.queue().look_soon([path]);
                }
            }
        }
    }

    /// Puts every open document where it lies now: a folder came or went.
    pub(super) fn place_documents(&self) {
        for (editor, document) in self.0.documents.all() {
            let place = self.place(&document.uri);
            let (root, path) = place.as_ref().map(inside).unzip();
            if (&root, &path) == (&document.root, &document.path) {
                continue;
            }
            let unsaved = |(folder, path): &(Arc<Folder>, WorkspacePath)| {
                folder.session().files().is_unsaved(path, &document.text)
            };
            let dirty = document.dirty || place.as_ref().is_some_and(unsaved);
            self.0.documents.moved(editor, &document.uri, root.zip(path), dirty);
            tell_desk(&place, &document);
        }
    }

    /// Where the file of a URI lies, whatever symlinks lead to it.
    fn place(&self, uri: &str) -> Place {
        let (folder, path) = self.folder_of(&path_of(uri)?)?;
        let path = folder.session().workspace().store().root().resolve(&path).unwrap_or(path);
        Some((folder, path))
    }

    /// The folder that an open document was put into.
    fn place_of(&self, document: &Document) -> Place {
        let (root, path) = (document.root.as_deref()?, document.path.clone()?);
        let folder = self.folders().into_iter().find(|folder| folder.root() == root)?;
        Some((folder, path))
    }
}

fn inside((folder, path): &(Arc<Folder>, WorkspacePath)) -> (Arc<str>, WorkspacePath) {
    (folder.root().into(), path.clone())
}

/// Hunks that stand in a document follow its text. Where there are none, it is not made whole.
fn tell_desk(place: &Place, document: &Document) {
    if let Some((folder, path)) = place
        && folder.queue().follows(path)
    {
        folder.queue().text_changed(path, &document.text);
    }
}
