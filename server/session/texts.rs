//! The texts of a workspace as a search reads them: unsaved ones win over the disk, and the rules are asked at each file.

use std::collections::HashMap;
use std::fs::File;
use std::sync::{Arc, Weak};

use super::Session;
use crate::base::WorkspacePath;
use crate::index::lexical::source::Source;

/// Texts for one search.
pub(super) struct Texts<'a> {
    session: &'a Session,
    /// What editors show of files that differ from the disk.
    unsaved: HashMap<Arc<str>, Arc<str>>,
}

impl<'a> Texts<'a> {
    pub(super) fn new(session: &'a Session) -> Self {
        let open = session.documents().all().into_iter().filter(|document| document.dirty);
        let shown = open.filter_map(|document| {
            let path = document.path.filter(|path| readable(session, path))?;
            Some((Arc::from(path.as_str()), document.text))
        });
        Self { session, unsaved: shown.collect() }
    }

    /// What editors show of files that differ from the disk, by path.
    pub(super) fn unsaved(&self) -> &HashMap<Arc<str>, Arc<str>> {
        &self.unsaved
    }
}

/// Whether the rules let a file be read that may not be on the disk yet.
fn readable(session: &Session, path: &WorkspacePath) -> bool {
    session.files().rules().permit(crate::protocol::Access::Read, path).is_ok()
}

fn open(session: &Session, path: &str) -> Option<File> {
    session.files().open(&WorkspacePath::clean(path)?).ok().map(|opened| opened.file)
}

impl Source for Texts<'_> {
    fn open(&self, path: &str) -> Option<File> {
        open(self.session, path)
    }

    fn unsaved(&self, path: &str) -> Option<Arc<str>> {
        self.unsaved.get(path).cloned()
    }

    fn unsaved_paths(&self) -> Vec<Arc<str>> {
        self.unsaved.keys().cloned().collect()
    }
}

/// The files on the disk, for as long as the session is there: for the index, which knows nothing else.
pub(super) struct Known(pub(super) Weak<Session>);

impl Source for Known {
    fn open(&self, path: &str) -> Option<File> {
        open(&*self.0.upgrade()?, path)
    }

    fn unsaved(&self, _: &str) -> Option<Arc<str>> {
        None
    }

    fn unsaved_paths(&self) -> Vec<Arc<str>> {
        Vec::new()
    }
}
