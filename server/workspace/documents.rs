//! What the editor shows: the text of every open document, with what is not saved yet.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::watch;

use crate::base::WorkspacePath;

/// One open document at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Its URI, as the editor gave it.
    pub uri: String,
    /// Its path below the root; nothing where it is outside, or no file at all.
    pub path: Option<WorkspacePath>,
    /// Its version, as the editor counts.
    pub version: i32,
    /// Its text.
    pub text: Arc<str>,
    /// Its language, as the editor calls it.
    pub language: String,
    /// Whether it holds what is not saved: it was changed since it was saved, or was opened with another text than the
    /// disk's.
    pub dirty: bool,
}

/// Every open document. Changes are seen in the order in which they are made; a snapshot is cheap.
#[derive(Debug)]
pub struct Documents {
    open: Mutex<HashMap<String, Document>>,
    changes: watch::Sender<u64>,
}

impl Default for Documents {
    fn default() -> Self {
        Self { open: Mutex::default(), changes: watch::Sender::new(0) }
    }
}

impl Documents {
    /// The editor opened a document, or opened it again: its text is as given, and `dirty` where that is not the disk's.
    pub fn open(
        &self,
        uri: &str,
        path: Option<WorkspacePath>,
        version: i32,
        text: impl Into<Arc<str>>,
        language: &str,
        dirty: bool,
    ) {
        let (uri, language, text) = (uri.to_owned(), language.to_owned(), text.into());
        let document = Document { uri: uri.clone(), path, version, text, language, dirty };
        self.lock().insert(uri, document);
        self.tell();
    }

    /// Its text is now `text`. Says whether it is open at all.
    pub fn change(&self, uri: &str, version: i32, text: impl Into<Arc<str>>) -> bool {
        self.update(uri, |document| {
            document.version = version;
            document.text = text.into();
            document.dirty = true;
        })
    }

    /// The editor wrote it to the disk. Says whether it is open at all.
    pub fn saved(&self, uri: &str) -> bool {
        self.update(uri, |document| document.dirty = false)
    }

    /// The editor closed it: what was not saved is gone, the disk is the truth. Says whether it was open.
    pub fn close(&self, uri: &str) -> bool {
        let known = self.lock().remove(uri).is_some();
        self.tell();
        known
    }

    /// The document with this path, if open. Where one file is open under two URIs, the one changed last by
    /// its version, a dirty one before a clean one.
    pub fn snapshot(&self, path: &WorkspacePath) -> Option<Document> {
        let open = self.lock();
        let same = open.values().filter(|document| document.path.as_ref() == Some(path));
        same.max_by_key(|document| (document.dirty, document.version)).cloned()
    }

    /// The document with this URI, if open.
    pub fn by_uri(&self, uri: &str) -> Option<Document> {
        self.lock().get(uri).cloned()
    }

    /// Every open document, by URI.
    pub fn all(&self) -> Vec<Document> {
        let mut all: Vec<_> = self.lock().values().cloned().collect();
        all.sort_by(|a, b| a.uri.cmp(&b.uri));
        all
    }

    /// Marks every change from now on: await `changed()`, then look again. Take it before the look that it
    /// guards, or a change between the two is missed.
    pub fn watch(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    fn update(&self, uri: &str, change: impl FnOnce(&mut Document)) -> bool {
        let known = self.lock().get_mut(uri).map(change).is_some();
        if known {
            self.tell();
        }
        known
    }

    fn tell(&self) {
        self.changes.send_modify(|count| *count = count.wrapping_add(1));
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Document>> {
        self.open.lock()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(path: &str) -> WorkspacePath {
        WorkspacePath::clean(path).unwrap()
    }

    #[test]
    fn a_document_from_open_to_close() {
        let documents = Documents::default();
        documents.open("file:///w/a", Some(path("a")), 1, "one", "text", false);
        let mut expected = Document {
            uri: "file:///w/a".into(),
            path: Some(path("a")),
            version: 1,
            text: "one".into(),
            language: "text".into(),
            dirty: false,
        };
        assert_eq!(documents.snapshot(&path("a")), Some(expected.clone()));
        assert!(documents.change("file:///w/a", 2, "two"));
        (expected.version, expected.text, expected.dirty) = (2, "two".into(), true);
        assert_eq!(documents.by_uri("file:///w/a"), Some(expected.clone()));
        assert!(documents.saved("file:///w/a"));
        expected.dirty = false;
        assert_eq!(documents.all(), [expected]);
        assert!(documents.close("file:///w/a"));
        assert_eq!(documents.snapshot(&path("a")), None);
    }

    #[test]
    fn what_is_not_open_is_not_changed() {
        let documents = Documents::default();
        let watch = documents.watch();
        assert!(!documents.change("file:///w/a", 2, "two"));
        assert!(!documents.saved("file:///w/a"));
        assert!(!watch.has_changed().unwrap());
        documents.open("untitled:1", None, 0, "", "", false);
        assert!(watch.has_changed().unwrap());
        assert_eq!(documents.snapshot(&path("a")), None);
    }

    #[test]
    fn of_two_names_for_a_file_the_unsaved_one_counts() {
        let documents = Documents::default();
        documents.open("file:///w/a", Some(path("a")), 9, "clean", "", false);
        documents.open("file:///w/%61", Some(path("a")), 1, "x", "", false);
        documents.change("file:///w/%61", 2, "dirty");
        assert_eq!(&*documents.snapshot(&path("a")).unwrap().text, "dirty");
    }
}
