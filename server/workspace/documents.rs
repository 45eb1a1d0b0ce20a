//! The documents that editors have open: one store of all of them, with their unsaved texts.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::watch;

use super::document_text::{DocumentText, TextEdits};
use crate::base::WorkspacePath;
use crate::base::uri::path_from_uri;

/// Identifies the editor that a document is open in: several may have one open, each with a text and a version of its
/// own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EditorId(u64);

/// An open document at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Its URI, as the editor gave it.
    pub uri: String,
    /// The root of the folder that it lies in; nothing where it lies in none.
    pub root: Option<Arc<str>>,
    /// Its path below that root.
    pub path: Option<WorkspacePath>,
    /// Its version, as the editor counts.
    pub version: i32,
    /// Its text.
    pub text: DocumentText,
    /// Its language, as the editor calls it.
    pub language: String,
    /// True where it holds what is not saved: it was changed since it was saved, or was opened with another text than
    /// the disk's.
    pub dirty: bool,
}

/// Every open document of every editor, in a folder or not. Changes are seen in the order in which they are made; a
/// snapshot is cheap.
#[derive(Debug)]
pub struct DocumentStore {
    open: Mutex<OpenDocuments>,
    changes: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct OpenDocuments {
    /// By editor and URI.
    documents: HashMap<EditorId, HashMap<String, OpenDocument>>,
    /// Openings and changes so far.
    count: u64,
    /// Editors so far.
    editors: u64,
}

#[derive(Debug)]
struct OpenDocument {
    document: Document,
    /// The absolute path that its URI names, where it is a file.
    file: Option<String>,
    /// The time when it was opened or changed last, as the store counts.
    at: u64,
}

impl Default for DocumentStore {
    fn default() -> Self {
        Self { open: Mutex::default(), changes: watch::Sender::new(0) }
    }
}

impl DocumentStore {
    /// The id of an editor that came.
    pub fn new_editor(&self) -> EditorId {
        let mut open = self.open.lock();
        open.editors += 1;
        EditorId(open.editors)
    }

    /// An editor opened a document, or opened it again.
    pub fn open_document(&self, editor: EditorId, document: Document) {
        {
            let mut open = self.open.lock();
            open.count += 1;
            let held = OpenDocument { at: open.count, file: path_from_uri(&document.uri), document };
            open.documents.entry(editor).or_default().insert(held.document.uri.clone(), held);
        }
        self.notify_changed();
    }

    /// An editor changed a document: as it is now, or nothing where it is not open.
    pub fn change_document(
        &self,
        editor: EditorId,
        uri: &str,
        version: i32,
        edits: TextEdits,
    ) -> Option<Document> {
        self.update_document(editor, uri, |document| {
            document.version = version;
            document.text = document.text.with_edits(edits);
            document.dirty = true;
        })
    }

    /// Notes that an editor wrote a document to the disk. Returns whether it is open at all.
    pub fn mark_saved(&self, editor: EditorId, uri: &str) -> bool {
        self.update_document(editor, uri, |document| document.dirty = false).is_some()
    }

    /// A document lies in another folder than before, since folders came or went.
    pub fn move_document(
        &self,
        editor: EditorId,
        uri: &str,
        place: Option<(Arc<str>, WorkspacePath)>,
        dirty: bool,
    ) {
        self.update_document(editor, uri, |document| {
            (document.root, document.path) = place.unzip();
            document.dirty = dirty;
        });
    }

    /// Notes that an editor closed a document: unsaved text is gone, and the disk's text counts. Returns whether it was
    /// open.
    pub fn close_document(&self, editor: EditorId, uri: &str) -> bool {
        let known = {
            let mut open = self.open.lock();
            let of_editor = open.documents.get_mut(&editor);
            let known = of_editor.is_some_and(|documents| documents.remove(uri).is_some());
            open.documents.retain(|_, documents| !documents.is_empty());
            known
        };
        self.notify_changed();
        known
    }

    /// The document with this URI, where that editor has it open.
    pub fn get(&self, editor: EditorId, uri: &str) -> Option<Document> {
        self.open.lock().documents.get(&editor)?.get(uri).map(|held| held.document.clone())
    }

    /// Every document of every editor, with whose it is.
    pub fn all(&self) -> Vec<(EditorId, Document)> {
        let open = self.open.lock();
        let each = open
            .documents
            .iter()
            .flat_map(|(editor, documents)| documents.values().map(|held| (*editor, held.document.clone())));
        each.collect()
    }

    /// Marks every change from now on: await `changed()`, then look again. Take it before the look that it
    /// guards, or a change between the two is missed.
    pub fn watch_changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    fn update_document(
        &self,
        editor: EditorId,
        uri: &str,
        change: impl FnOnce(&mut Document),
    ) -> Option<Document> {
        let now = {
            let mut open = self.open.lock();
            open.count += 1;
            let count = open.count;
            let held = open.documents.get_mut(&editor)?.get_mut(uri)?;
            held.at = count;
            change(&mut held.document);
            held.document.clone()
        };
        self.notify_changed();
        Some(now)
    }

    fn notify_changed(&self) {
        self.changes.send_modify(|count| *count = count.wrapping_add(1));
    }
}

/// The documents of one folder, whichever editor has them open.
#[derive(Clone, Debug)]
pub struct FolderDocuments {
    store: Arc<DocumentStore>,
    root: Arc<str>,
}

impl FolderDocuments {
    /// Returns the documents of the folder `root`.
    pub fn new(store: Arc<DocumentStore>, root: &str) -> Self {
        Self { store, root: root.into() }
    }

    /// The document with this path, if open. Where one file is open under two URIs or in two editors, a dirty one before
    /// a clean one, and the one changed last.
    pub fn document_at(&self, path: &WorkspacePath) -> Option<Document> {
        let open = self.store.open.lock();
        let same = self.documents_in(&open).filter(|held| held.document.path.as_ref() == Some(path));
        same.max_by_key(|held| (held.document.dirty, held.at)).map(|held| held.document.clone())
    }

    /// Every open document, by URI.
    pub fn all(&self) -> Vec<Document> {
        let open = self.store.open.lock();
        let mut all: Vec<&OpenDocument> = self.documents_in(&open).collect();
        all.sort_by(|a, b| (&a.document.uri, a.at).cmp(&(&b.document.uri, b.at)));
        all.into_iter().map(|held| held.document.clone()).collect()
    }

    /// See [`DocumentStore::watch_changes`].
    pub fn watch_changes(&self) -> watch::Receiver<u64> {
        self.store.watch_changes()
    }

    fn documents_in<'a>(
        &self,
        open: &'a MutexGuard<'_, OpenDocuments>,
    ) -> impl Iterator<Item = &'a OpenDocument> {
        let all = open.documents.values().flat_map(HashMap::values);
        all.filter(|held| held.document.root.as_ref() == Some(&self.root))
    }
}

/// The documents of one editor, in a folder or not.
#[derive(Clone, Debug)]
pub(crate) struct EditorDocuments {
    store: Arc<DocumentStore>,
    editor: EditorId,
}

impl EditorDocuments {
    /// Returns the documents of an editor that has just attached.
    pub(crate) fn new(store: Arc<DocumentStore>) -> Self {
        Self { editor: store.new_editor(), store }
    }

    /// Returns the editor's id.
    pub(crate) fn editor_id(&self) -> EditorId {
        self.editor
    }

    /// The document with this URI.
    pub(crate) fn get(&self, uri: &str) -> Option<Document> {
        self.store.get(self.editor, uri)
    }

    /// The document of the file at an absolute path, as the editor spells it.
    pub(crate) fn of_file(&self, file: &str) -> Option<Document> {
        let open = self.store.open.lock();
        let mut mine = open.documents.get(&self.editor)?.values();
        let same = mine.find(|held| held.file.as_deref() == Some(file));
        same.map(|held| held.document.clone())
    }

    /// The URIs of all that is open.
    pub(crate) fn uris(&self) -> Vec<String> {
        let open = self.store.open.lock();
        open.documents.get(&self.editor).into_iter().flat_map(|mine| mine.keys().cloned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: EditorId = EditorId(1);
    const OTHER: EditorId = EditorId(2);

    fn path(path: &str) -> WorkspacePath {
        WorkspacePath::from_relative(path).unwrap()
    }

    fn document(uri: &str, version: i32, text: &str) -> Document {
        Document {
            uri: uri.to_owned(),
            root: Some("/w".into()),
            path: Some(path("a")),
            version,
            text: text.into(),
            language: "text".into(),
            dirty: false,
        }
    }

    fn stores() -> (Arc<DocumentStore>, FolderDocuments) {
        let store = Arc::<DocumentStore>::default();
        (store.clone(), FolderDocuments::new(store, "/w"))
    }

    #[test]
    fn a_document_from_open_to_close() {
        let (store, folder) = stores();
        let mut expected = document("file:///w/a", 1, "one");
        store.open_document(ONE, expected.clone());
        assert_eq!(folder.document_at(&path("a")), Some(expected.clone()));
        (expected.version, expected.text, expected.dirty) = (2, "two".into(), true);
        assert_eq!(
            store.change_document(ONE, "file:///w/a", 2, TextEdits::from_text("two")),
            Some(expected.clone())
        );
        assert_eq!(store.get(ONE, "file:///w/a"), Some(expected.clone()));
        assert!(store.mark_saved(ONE, "file:///w/a"));
        expected.dirty = false;
        assert_eq!(folder.all(), [expected]);
        assert!(store.close_document(ONE, "file:///w/a"));
        assert_eq!(folder.document_at(&path("a")), None);
    }

    #[test]
    fn what_is_not_open_is_not_changed() {
        let (store, folder) = stores();
        let watch = folder.watch_changes();
        assert!(store.change_document(ONE, "file:///w/a", 2, TextEdits::from_text("two")).is_none());
        assert!(!store.mark_saved(ONE, "file:///w/a"));
        assert!(!watch.has_changed().unwrap());
        store.open_document(ONE, Document { root: None, path: None, ..document("untitled:1", 0, "") });
        assert!(watch.has_changed().unwrap());
        assert_eq!((folder.all(), store.all().len()), (Vec::new(), 1));
    }

    #[test]
    fn of_two_names_for_a_file_the_unsaved_one_counts() {
        let (store, folder) = stores();
        store.open_document(ONE, document("file:///w/a", 9, "clean"));
        store.open_document(ONE, document("file:///w/%61", 1, "x"));
        store.change_document(ONE, "file:///w/%61", 2, TextEdits::from_text("dirty"));
        assert_eq!(&*folder.document_at(&path("a")).unwrap().text, "dirty");
    }

    #[test]
    fn each_editor_has_its_own_text_and_one_that_closes_it_takes_no_other_away() {
        let (store, folder) = stores();
        store.open_document(ONE, document("file:///w/a", 1, "disk"));
        store.open_document(OTHER, document("file:///w/a", 1, "disk"));
        store.change_document(ONE, "file:///w/a", 2, TextEdits::from_text("typed"));
        assert_eq!(&*store.get(OTHER, "file:///w/a").unwrap().text, "disk");
        assert!(store.close_document(OTHER, "file:///w/a"));
        let left = folder.document_at(&path("a")).unwrap();
        assert_eq!((&*left.text, left.dirty), ("typed", true));
    }

    #[test]
    fn a_document_is_in_the_folder_that_it_was_moved_to() {
        let (store, folder) = stores();
        let inner = FolderDocuments::new(store.clone(), "/w/in");
        store.open_document(ONE, Document { path: Some(path("in/a")), ..document("file:///w/in/a", 1, "x") });
        store.move_document(ONE, "file:///w/in/a", Some(("/w/in".into(), path("a"))), true);
        assert_eq!((folder.all().len(), inner.document_at(&path("a")).unwrap().dirty), (0, true));
    }

    #[test]
    fn the_documents_of_an_editor_are_found_by_file() {
        let store = Arc::<DocumentStore>::default();
        let mine = EditorDocuments::new(store.clone());
        store.open_document(mine.editor_id(), document("file:///w/a%20b", 1, "x"));
        let other = EditorDocuments::new(store.clone());
        store.open_document(other.editor_id(), document("file:///other", 1, "x"));
        assert_eq!(mine.of_file("/w/a b").unwrap().uri, "file:///w/a%20b");
        assert_eq!((mine.uris(), mine.of_file("/other")), (vec!["file:///w/a%20b".to_owned()], None));
    }
}
