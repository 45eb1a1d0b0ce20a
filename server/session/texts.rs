//! The texts of a workspace as a search reads them: unsaved ones win over the disk, and the rules are asked at each file,
//! for whoever searches.

use std::collections::HashMap;
use std::fs::File;
use std::sync::{Arc, Weak};

use super::files::SessionFiles;
use crate::base::WorkspacePath;
use crate::index::lexical::source::Source;
use crate::protocol::Access;
use crate::rules::Rules;
use crate::workspace::{Files, FolderDocuments};

/// Texts for one search.
pub(super) struct Texts {
    files: Files,
    /// What editors show of files that differ from the disk.
    unsaved: HashMap<Arc<str>, Arc<str>>,
}

impl Texts {
    pub(super) fn new(documents: &FolderDocuments, files: &Files) -> Self {
        let open = documents.all().into_iter().filter(|document| document.dirty);
        let shown = open.filter_map(|document| {
            let path = document.path.filter(|path| files.permit(Access::Read, path).is_ok())?;
            Some((Arc::from(path.as_str()), document.text.shared().clone()))
        });
        Self { files: files.clone(), unsaved: shown.collect() }
    }

    /// The rules that they are read by.
    pub(super) fn rules(&self) -> &Arc<Rules> {
        self.files.rules()
    }

    /// What editors show of files that differ from the disk, by path.
    pub(super) fn unsaved(&self) -> &HashMap<Arc<str>, Arc<str>> {
        &self.unsaved
    }
}

fn open(files: &Files, path: &str) -> Option<File> {
    files.open(&WorkspacePath::clean(path)?).ok().map(|opened| opened.file)
}

impl Source for Texts {
    fn open(&self, path: &str) -> Option<File> {
        open(&self.files, path)
    }

    fn unsaved(&self, path: &str) -> Option<Arc<str>> {
        self.unsaved.get(path).cloned()
    }

    fn unsaved_paths(&self) -> Vec<Arc<str>> {
        self.unsaved.keys().cloned().collect()
    }
}

/// The files on the disk, for as long as the session is there: for the index, which knows nothing else.
pub(super) struct IndexedFiles(pub(super) Weak<SessionFiles>);

impl Source for IndexedFiles {
    fn open(&self, path: &str) -> Option<File> {
        open(&self.0.upgrade()?.unasked(), path)
    }

    fn unsaved(&self, _: &str) -> Option<Arc<str>> {
        None
    }

    fn unsaved_paths(&self) -> Vec<Arc<str>> {
        Vec::new()
    }
}
