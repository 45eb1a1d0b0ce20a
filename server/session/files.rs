//! The files of a session: behind the rules for their opener, with the texts that editors show and the states that
//! agents were shown.

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::json;

use super::known_files::{KnownContent, KnownFiles, LARGEST};
use super::shown_files::ShownFiles;
use super::shown_texts::ShownTexts;
use super::workspace::Workspace;
use crate::base::WorkspacePath;
use crate::protocol::{Code, Fault, PathAccess};
use crate::rules::FileOpener;
use crate::workspace::{Document, FileKind, FolderDocuments, WorkspaceFiles};

/// The files of one workspace folder.
#[derive(Debug)]
pub struct SessionFiles {
    pub(super) workspace: Arc<Workspace>,
    documents: FolderDocuments,
    shown: ShownFiles,
    known: Arc<KnownFiles>,
    shown_texts: Mutex<ShownTexts>,
    /// The number of times that a file was read for the person.
    #[cfg(test)]
    pub(crate) reads: std::sync::atomic::AtomicUsize,
}

impl SessionFiles {
    /// The files of a workspace. `one_process`: see [`ShownFiles::new`].
    pub(super) fn new(workspace: Arc<Workspace>, documents: FolderDocuments, one_process: bool) -> Self {
        let (shown, shown_texts, known) = (ShownFiles::new(one_process), Mutex::default(), Arc::default());
        Self {
            workspace,
            documents,
            shown,
            known,
            shown_texts,
            #[cfg(test)]
            reads: std::sync::atomic::AtomicUsize::default(),
        }
    }

    /// Returns the files, behind the current rules, without any consent of the person. The files of a call are
    /// [`super::CallScope::files`].
    pub fn unasked_files(&self) -> WorkspaceFiles {
        self.opened_by(FileOpener::NoConsent)
    }

    /// Returns the files, behind the current rules, for an opener.
    pub fn opened_by(&self, opener: FileOpener) -> WorkspaceFiles {
        WorkspaceFiles::new(
            self.workspace.state().clone(),
            self.workspace.governance().rules().clone(),
            opener,
        )
    }

    /// The documents that editors have open.
    pub fn documents(&self) -> &FolderDocuments {
        &self.documents
    }

    /// The document that shows a file, whatever symlinks lead to it.
    pub fn document_at(&self, path: &WorkspacePath) -> Option<Document> {
        let real = self.workspace.store().root().resolve_path(path).ok()?;
        self.documents.document_at(&real)
    }

    /// Returns whether nothing exists at a path on the disk, though an editor may still show a file.
    ///
    /// # Errors
    /// STALE where the path holds something else than a file: through a symlink another file would be written or
    /// removed. PERMISSION_DENIED by a rule or where it leads outside.
    pub fn is_gone(&self, path: &WorkspacePath) -> Result<bool, Fault> {
        let entry = self.opened_by(FileOpener::Person).entry_at(path)?;
        match entry.map(|entry| entry.kind) {
            None => Ok(true),
            Some(FileKind::File) => Ok(false),
            Some(kind) => {
                let message = format!("{path} is {} by now; it is left as it stands", kind.noun());
                Err(Fault::new(Code::Stale, message)
                    .with_suggestion("move it out of the way, or leave the file as it is")
                    .with_details(json!({ "path": path })))
            }
        }
    }

    /// Returns the record of the state of each file that an agent was shown.
    pub fn shown_files(&self) -> &ShownFiles {
        &self.shown
    }

    /// The content of files, by the knowledge of this process.
    pub fn known_files(&self) -> &Arc<KnownFiles> {
        &self.known
    }

    /// Returns the current content of a file; nothing where the rules close it, or ask before it is read.
    pub fn content_now(&self, path: &WorkspacePath) -> Option<KnownContent> {
        let files = self.unasked_files();
        files.paths().admit_path(PathAccess::Read, path).ok()?;
        match files.entry_at(path) {
            Ok(None) => Some(KnownContent::Absent),
            Ok(Some(entry)) if entry.kind == FileKind::File => {
                let read = files.read_bytes(path, LARGEST);
                Some(read.map_or(KnownContent::Lost, |(bytes, _)| KnownContent::Bytes(bytes.into())))
            }
            _ => Some(KnownContent::Lost),
        }
    }

    /// Notes what a file holds now, which this process wrote.
    pub fn note_known(&self, path: &WorkspacePath) {
        if self.known.is_on() {
            self.known.note_content(path, self.content_now(path).unwrap_or(KnownContent::Lost));
        }
    }

    /// Keeps a text that a caller was shown.
    pub fn keep_shown_text(&self, hash: &str, text: &str) {
        self.shown_texts.lock().add_text(hash, text);
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
