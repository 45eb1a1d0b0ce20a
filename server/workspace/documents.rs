//! What editors show: the one store of every open document, with what is not saved yet.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::watch;

use super::document_text::{DocumentText, Edits};
use crate::base::WorkspacePath;
use crate::base::uri::path_of;

/// Which editor a document is open in: several may have one open, each with a text and a version of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EditorId(u64);

/// One open document at one moment.
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
    /// Whether it holds what is not saved: it was changed since it was saved, or was opened with another text than the
    /// disk's.
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
    /// When it was opened or changed last, as the store counts.
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
    pub fn open(&self, editor: EditorId, document: Document) {
        {
            let mut open = self.open.lock();
            open.count += 1;
            let held = OpenDocument { at: open.count, file: path_of(&document.uri), document };
            open.documents.entry(editor).or_default().insert(held.document.uri.clone(), held);
        }
        self.tell();
    }

    /// An editor changed a document: as it is now, or nothing where it is not open.
    pub fn change(&self, editor: EditorId, uri: &str, version: i32, edits: Edits) -> Option<Document> {
        self.update(editor, uri, |document| {
            document.version = version;
            document.text = document.text.edited(edits);
            document.dirty = true;
        })
    }

    /// An editor wrote a document to the disk. Says whether it is open at all.
    pub fn saved(&self, editor: EditorId, uri: &str) -> bool {
        self.update(editor, uri, |document| document.dirty = false).is_some()
    }

    /// A document lies in another folder than before, since folders came or went.
    pub fn moved(&self, editor: EditorId, uri: &str, place: Option<(Arc<str>, WorkspacePath)>, dirty: bool) {
        self.update(editor, uri, |document| {
            (document.root, document.path) = place.unzip();
            document.dirty = dirty;
        });
    }

    /// An editor closed a document: what was not saved is gone, the disk is the truth. Says whether it was open.
    pub fn close(&self, editor: EditorId, uri: &str) -> bool {
        let known = {
            let mut open = self.open.lock();
            let of_editor = open.documents.get_mut(&editor);
            let known = of_editor.is_some_and(|documents| documents.remove(uri).is_some());
            open.documents.retain(|_, documents| !documents.is_empty());
            known
        };
        self.tell();
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
    pub fn watch(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    fn update(&self, editor: EditorId, uri: &str, change: impl FnOnce(&mut Document)) -> Option<Document> {
        let now = {
            let mut open = self.open.lock();
            open.count += 1;
            let count = open.count;
            let held = open.documents.get_mut(&editor)?.get_mut(uri)?;
            held.at = count;
            change(&mut held.document);
            held.document.clone()
        };
        self.tell();
        Some(now)
    }

    fn tell(&self) {
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
    /// Those of the folder `root`.
    pub fn new(store: Arc<DocumentStore>, root: &str) -> Self {
        Self { store, root: root.into() }
    }

    /// The document with this path, if open. Where one file is open under two URIs or in two editors, a dirty one before
    /// a clean one, and the one changed last.
    pub fn snapshot(&self, path: &WorkspacePath) -> Option<Document> {
        let open = self.store.open.lock();
        let same = self.inside(&open).filter(|held| held.document.path.as_ref() == Some(path));
        same.max_by_key(|held| (held.document.dirty, held.at)).map(|held| held.document.clone())
    }

    /// Every open document, by URI.
    pub fn all(&self) -> Vec<Document> {
        let open = self.store.open.lock();
        let mut all: Vec<&OpenDocument> = self.inside(&open).collect();
        all.sort_by(|a, b| (&a.document.uri, a.at).cmp(&(&b.document.uri, b.at)));
        all.into_iter().map(|held| held.document.clone()).collect()
    }

    /// See [`DocumentStore::watch`].
    pub fn watch(&self) -> watch::Receiver<u64> {
        self.store.watch()
    }

    fn inside<'a>(&self, open: &'a MutexGuard<'_, OpenDocuments>) -> impl Iterator<Item = &'a OpenDocument> {
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
    /// Those of an editor that came just now.
    pub(crate) fn new(store: Arc<DocumentStore>) -> Self {
        Self { editor: store.new_editor(), store }
    }

    /// Which editor it is.
    pub(crate) fn editor(&self) -> EditorId {
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
        WorkspacePath::clean(path).unwrap()
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
        store.open(ONE, expected.clone());
        assert_eq!(folder.snapshot(&path("a")), Some(expected.clone()));
        (expected.version, expected.text, expected.dirty) = (2, "two".into(), true);
        assert_eq!(store.change(ONE, "file:///w/a", 2, Edits::whole("two")), Some(expected.clone()));
        assert_eq!(store.get(ONE, "file:///w/a"), Some(expected.clone()));
        assert!(store.saved(ONE, "file:///w/a"));
        expected.dirty = false;
        assert_eq!(folder.all(), [expected]);
        assert!(store.close(ONE, "file:///w/a"));
        assert_eq!(folder.snapshot(&path("a")), None);
    }

    #[test]
    fn what_is_not_open_is_not_changed() {
        let (store, folder) = stores();
        let watch = folder.watch();
        assert!(store.change(ONE, "file:///w/a", 2, Edits::whole("two")).is_none());
        assert!(!store.saved(ONE, "file:///w/a"));
        assert!(!watch.has_changed().unwrap());
        store.open(ONE, Document { root: None, path: None, ..document("untitled:1", 0, "") });
        assert!(watch.has_changed().unwrap());
        assert_eq!((folder.all(), store.all().len()), (Vec::new(), 1));
    }

    #[test]
    fn of_two_names_for_a_file_the_unsaved_one_counts() {
        let (store, folder) = stores();
        store.open(ONE, document("file:///w/a", 9, "clean"));
        store.open(ONE, document("file:///w/%61", 1, "x"));
        store.change(ONE, "file:///w/%61", 2, Edits::whole("dirty"));
        assert_eq!(&*folder.snapshot(&path("a")).unwrap().text, "dirty");
    }

    #[test]
    fn each_editor_has_its_own_text_and_one_that_closes_it_takes_no_other_away() {
        let (store, folder) = stores();
        store.open(ONE, document("file:///w/a", 1, "disk"));
        store.open(OTHER, document("file:///w/a", 1, "disk"));
        store.change(ONE, "file:///w/a", 2, Edits::whole("typed"));
        assert_eq!(&*store.get(OTHER, "file:///w/a").unwrap().text, "disk");
        assert!(store.close(OTHER, "file:///w/a"));
        let left = folder.snapshot(&path("a")).unwrap();
        assert_eq!((&*left.text, left.dirty), ("typed", true));
    }

    #[test]
    fn a_document_is_in_the_folder_that_it_was_moved_to() {
        let (store, folder) = stores();
        let inner = FolderDocuments::new(store.clone(), "/w/in");
        store.open(ONE, Document { path: Some(path("in/a")), ..document("file:///w/in/a", 1, "x") });
        store.moved(ONE, "file:///w/in/a", Some(("/w/in".into(), path("a"))), true);
        assert_eq!((folder.all().len(), inner.snapshot(&path("a")).unwrap().dirty), (0, true));
    }

    #[test]
    fn the_documents_of_an_editor_are_found_by_file() {
        let store = Arc::<DocumentStore>::default();
        let mine = EditorDocuments::new(store.clone());
        store.open(mine.editor(), document("file:///w/a%20b", 1, "x"));
        let other = EditorDocuments::new(store.clone());
        store.open(other.editor(), document("file:///other", 1, "x"));
        assert_eq!(mine.of_file("/w/a b").unwrap().uri, "file:///w/a%20b");
        assert_eq!((mine.uris(), mine.of_file("/other")), (vec!["file:///w/a%20b".to_owned()], None));
    }
}
