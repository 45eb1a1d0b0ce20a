//! The texts of files that editors have open, and those that a caller was shown, for one call.

use std::sync::Arc;

use crate::base::WorkspacePath;
use crate::protocol::Origin;
use crate::session::SessionFiles;

/// The texts of files that editors have open, and those that the caller was shown.
#[derive(Clone, Copy, Debug)]
pub struct CallTexts<'a> {
    pub(super) files: &'a SessionFiles,
    pub(super) origin: &'a Origin,
}

impl CallTexts<'_> {
    /// Returns whether the editor has a file open, whatever symlinks lead to it.
    pub fn is_open(&self, path: &WorkspacePath) -> bool {
        self.files.document_at(path).is_some()
    }

    /// Returns whether the editor has the file open whose path has no symlinks.
    pub fn is_open_at(&self, real: &WorkspacePath) -> bool {
        self.files.documents().document_at(real).is_some()
    }

    /// Bytes of a file's text where the editor has it open.
    pub fn open_size(&self, path: &WorkspacePath) -> Option<u64> {
        self.files.document_at(path).map(|document| document.text.len() as u64)
    }

    /// Notes that the caller is shown a file whose bytes have that hash, or learns that there is none.
    pub fn note_shown(&self, real: &WorkspacePath, hash: Option<&str>) {
        self.files.shown_files().note_shown(self.origin, real, hash);
    }

    /// The state of a file that the caller was shown last; nothing where it was shown none.
    pub fn last_shown(&self, real: &WorkspacePath) -> Option<Option<String>> {
        self.files.shown_files().last_shown(self.origin, real)
    }

    /// Keeps a text that the caller is shown, for a later comparison.
    pub fn keep_shown_text(&self, hash: &str, text: &str) {
        self.files.keep_shown_text(hash, text);
    }

    /// The text of a hash, where a caller was shown it lately.
    pub fn shown_text(&self, hash: &str) -> Option<Arc<str>> {
        self.files.shown_text(hash)
    }
}
