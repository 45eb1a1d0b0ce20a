//! The files of a session: behind the rules for whoever opens them, with what editors show of them and what agents were
//! shown.

use std::sync::Arc;

use parking_lot::Mutex;

use super::known_files::{KnownContent, KnownFiles, LARGEST};
use super::shown::ShownFiles;
use super::shown_texts::ShownTexts;
use super::workspace::Workspace;
use crate::base::WorkspacePath;
use crate::protocol::Access;
use crate::rules::Opener;
use crate::workspace::{Document, FileKind, Files, FolderDocuments};

/// The files of one workspace folder.
#[derive(Debug)]
pub struct SessionFiles {
    pub(super) workspace: Arc<Workspace>,
    documents: FolderDocuments,
    shown: ShownFiles,
    known: Arc<KnownFiles>,
    shown_texts: Mutex<ShownTexts>,
}

impl SessionFiles {
    /// The files of a workspace. `one_process`: see [`ShownFiles::new`].
    pub(super) fn new(workspace: Arc<Workspace>, documents: FolderDocuments, one_process: bool) -> Self {
        let (shown, shown_texts, known) = (ShownFiles::new(one_process), Mutex::default(), Arc::default());
        Self { workspace, documents, shown, known, shown_texts }
    }

    /// The files, behind the rules as they hold now: for nobody whom the person said yes to. A call's own are
    /// [`super::Scope::files`].
    pub fn unasked(&self) -> Files {
        self.opened_by(Opener::Unasked)
    }

    /// The files, behind the rules as they hold now, for whoever opens them.
    pub fn opened_by(&self, opener: Opener) -> Files {
        Files::new(self.workspace.state().clone(), self.workspace.governance().rules().clone(), opener)
    }

    /// What editors have open.
    pub fn documents(&self) -> &FolderDocuments {
        &self.documents
    }

    /// The document that shows a file, whatever symlinks lead to it.
    pub fn document(&self, path: &WorkspacePath) -> Option<Document> {
        let real = self.workspace.store().root().resolve(path).ok()?;
        self.documents.snapshot(&real)
    }

    /// Which state of each file an agent was shown.
    pub fn shown(&self) -> &ShownFiles {
        &self.shown
    }

    /// What files hold as far as this process knows.
    pub fn known(&self) -> &Arc<KnownFiles> {
        &self.known
    }

    /// What a file holds now; nothing where the rules close it, or ask before it is read.
    pub fn held(&self, path: &WorkspacePath) -> Option<KnownContent> {
        let files = self.unasked();
        files.admit(Access::Read, path).ok()?;
        match files.entry_at(path) {
            Ok(None) => Some(KnownContent::Absent),
            Ok(Some(entry)) if entry.kind == FileKind::File => {
                let read = files.read(path, LARGEST);
                Some(read.map_or(KnownContent::Lost, |(bytes, _)| KnownContent::Bytes(bytes.into())))
            }
            _ => Some(KnownContent::Lost),
        }
    }

    /// Notes what a file holds now, which this process wrote.
    pub fn note_known(&self, path: &WorkspacePath) {
        if self.known.is_on() {
            self.known.note(path, self.held(path).unwrap_or(KnownContent::Lost));
        }
    }

    /// Keeps a text that a caller was shown.
    pub fn keep_shown_text(&self, hash: &str, text: &str) {
        self.shown_texts.lock().add(hash, text);
    }

    /// The text of a hash that a caller was shown lately.
    pub fn shown_text(&self, hash: &str) -> Option<Arc<str>> {
        self.shown_texts.lock().get(hash)
    }

    /// Forgets the texts that callers were shown: other rules hold.
    pub(super) fn forget_shown_texts(&self) {
        *self.shown_texts.lock() = ShownTexts::default();
    }
}
