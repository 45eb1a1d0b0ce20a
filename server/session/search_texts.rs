//! The texts of a workspace as a search reads them: unsaved ones win over the disk, and the rules are asked at each
//! file, for the searcher.

use std::collections::HashMap;
use std::fs::File;
use std::sync::{Arc, Weak};

use super::files::SessionFiles;
use crate::base::WorkspacePath;
use crate::index::lexical::source::TextSource;
use crate::protocol::PathAccess;
use crate::rules::WorkspaceRules;
use crate::workspace::{FolderDocuments, WorkspaceFiles};

/// Texts for one search.
pub(super) struct SearchTexts {
    files: WorkspaceFiles,
    /// The texts in editors that differ from the disk.
    unsaved: HashMap<Arc<str>, Arc<str>>,
}

impl SearchTexts {
    pub(super) fn new(documents: &FolderDocuments, files: &WorkspaceFiles) -> Self {
        let open = documents.all().into_iter().filter(|document| document.dirty);
        let shown = open.filter_map(|document| {
            let path =
                document.path.filter(|path| files.paths().check_access(PathAccess::Read, path).is_ok())?;
            Some((Arc::from(path.as_str()), document.text.shared_text().clone()))
        });
        Self { files: files.clone(), unsaved: shown.collect() }
    }

    /// The rules that they are read by.
    pub(super) fn rules(&self) -> &Arc<WorkspaceRules> {
        self.files.paths().rules()
    }

    /// The texts in editors that differ from the disk, by path.
    pub(super) fn unsaved_texts(&self) -> &HashMap<Arc<str>, Arc<str>> {
        &self.unsaved
    }
}

fn open_file(files: &WorkspaceFiles, path: &str) -> Option<File> {
    files.open(&WorkspacePath::from_relative(path)?).ok().map(|opened| opened.file)
}

impl TextSource for SearchTexts {
    fn open(&self, path: &str) -> Option<File> {
        open_file(&self.files, path)
    }

    fn unsaved_text(&self, path: &str) -> Option<Arc<str>> {
        self.unsaved.get(path).cloned()
    }

    fn unsaved_paths(&self) -> Vec<Arc<str>> {
        self.unsaved.keys().cloned().collect()
    }
}

/// The files on the disk, for as long as the session is there: for the index, which knows nothing else.
pub(super) struct IndexedFiles(pub(super) Weak<SessionFiles>);

impl TextSource for IndexedFiles {
    fn open(&self, path: &str) -> Option<File> {
        open_file(&self.0.upgrade()?.unasked_files(), path)
    }

    fn unsaved_text(&self, _: &str) -> Option<Arc<str>> {
        None
    }

    fn unsaved_paths(&self) -> Vec<Arc<str>> {
        Vec::new()
    }
}
