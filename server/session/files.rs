//! The files of a session: behind the rules for whoever opens them, with what editors show of them and what agents were
//! shown.

use std::sync::Arc;

use parking_lot::Mutex;

use super::shown::ShownFiles;
use super::shown_texts::ShownTexts;
use super::workspace::Workspace;
use crate::base::WorkspacePath;
use crate::rules::Opener;
use crate::workspace::{Document, Files, FolderDocuments};

/// The files of one workspace folder.
#[derive(Debug)]
pub struct SessionFiles {
    pub(super) workspace: Arc<Workspace>,
    documents: FolderDocuments,
    shown: ShownFiles,
    shown_texts: Mutex<ShownTexts>,
}

impl SessionFiles {
    /// The files of a workspace. `one_process`: see [`ShownFiles::new`].
    pub(super) fn new(workspace: Arc<Workspace>, documents: FolderDocuments, one_process: bool) -> Self {
        Self { workspace, documents, shown: ShownFiles::new(one_process), shown_texts: Mutex::default() }
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
