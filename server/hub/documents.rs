//! What the editor does to its documents, taken in before anything waits.

use super::Hub;
use crate::memory::Touch;
use crate::session::is_unsaved;

/// What the editor did to a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DocumentEvent {
    /// It was opened.
    Opened {
        /// Its URI, as the editor gave it.
        uri: String,
        /// Its absolute path.
        path: String,
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
        /// Its whole text now.
        text: String,
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

impl Hub {
    /// Takes in what the editor did to a document. State changes before this returns.
    pub fn document(&self, event: DocumentEvent) {
        match event {
            DocumentEvent::Opened { uri, path, version, text, language } => {
                if let Some((folder, path)) = self.folder_of(&path) {
                    let session = folder.session();
                    let path = session.files().root().resolve(&path).unwrap_or(path);
                    // Editors bring back what was not saved when they ended, and say no more than that it is open.
                    let dirty = is_unsaved(session, &path, &text);
                    let (shown, place) = (text.as_str(), Some(path.clone()));
                    session.documents().open(&uri, place, version, shown, &language, dirty);
                    folder.desk().text_changed(&path, &text);
                }
            }
            DocumentEvent::Changed { uri, version, text } => {
                for folder in self.folders() {
                    let documents = folder.session().documents();
                    let known = documents.change(&uri, version, text.as_str());
                    let path = documents.by_uri(&uri).and_then(|document| document.path);
                    if let Some(path) = path.filter(|_| known) {
                        if !folder.desk().is_placing(&path) {
                            folder.session().memory().touch(path.as_str(), Touch::Edit, "", "");
                        }
                        folder.desk().text_changed(&path, &text);
                    }
                }
            }
            DocumentEvent::Focused { uri } => {
                for folder in self.folders() {
                    let path = folder.session().documents().by_uri(&uri).and_then(|document| document.path);
                    if let Some(path) = path {
                        folder.session().memory().touch(path.as_str(), Touch::Focus, "", "");
                    }
                }
            }
            DocumentEvent::Saved { uri } => {
                for folder in self.folders() {
                    folder.session().documents().saved(&uri);
                }
            }
            DocumentEvent::Closed { uri } => {
                for folder in self.folders() {
                    folder.session().documents().close(&uri);
                }
            }
        }
    }
}
