//! The searches of a session: lines that match, files that are meant, and lists of files.

use std::sync::Arc;

use super::file_similarity::FileSimilarity;
use super::files::SessionFiles;
use super::finder::Finder;
use super::workspace::Workspace;
use crate::memory::Memory;
use crate::ports::Editor;
use crate::protocol::WatchStatus;
use crate::watch::{Listener, Snapshot};

/// What searches in one workspace folder.
#[derive(Debug)]
pub struct FileSearch {
    pub(super) workspace: Arc<Workspace>,
    pub(super) files: Arc<SessionFiles>,
    pub(super) memory: Arc<Memory>,
    pub(super) editor: Arc<dyn Editor>,
    pub(super) finder: Finder,
    pub(super) similarity: FileSimilarity,
}

impl FileSearch {
    /// Keeps what searches need current from now on: for a process that stays.
    pub(super) fn serve(self: &Arc<Self>) {
        self.finder.serve(self);
        self.similarity.serve();
    }

    /// How the files are watched, where they are, and what is wrong with the index of them.
    pub fn status(&self) -> Option<WatchStatus> {
        self.finder.status()
    }

    /// The changes of the files from now on, where they are watched.
    pub fn changes(&self) -> Option<Listener> {
        self.finder.changes()
    }

    /// The files that the watch lists, as far as it knows by now; none where they are not watched.
    pub fn watched(&self) -> Option<Arc<Snapshot>> {
        self.finder.watched()
    }

    /// The files that the watch lists, with every change that is on the disk by now; none where they are not watched, or
    /// not listed in time.
    pub fn settled_files(&self) -> Option<Arc<Snapshot>> {
        self.finder.settled_files()
    }

    /// What is wrong with the model that files are found with too, as a sentence.
    pub fn trouble(&self) -> Option<String> {
        self.similarity.trouble()
    }

    /// Ends what runs in the background.
    pub(super) fn end(&self) {
        self.finder.end();
        self.similarity.end();
    }
}
