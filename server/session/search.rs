//! The searches of a session: lines that match a pattern, files that match by meaning, and lists of files.

use std::sync::Arc;

use super::file_similarity::FileSimilarity;
use super::files::SessionFiles;
use super::finder::FileFinder;
use super::workspace::Workspace;
use crate::memory::WorkspaceMemory;
use crate::ports::Editor;
use crate::protocol::WatchStatus;
use crate::watch::{ChangeListener, FileSnapshot};

/// The searches of one workspace folder.
#[derive(Debug)]
pub struct FileSearch {
    pub(super) workspace: Arc<Workspace>,
    pub(super) files: Arc<SessionFiles>,
    pub(super) memory: Arc<WorkspaceMemory>,
    pub(super) editor: Arc<dyn Editor>,
    pub(super) finder: FileFinder,
    pub(super) similarity: FileSimilarity,
}

impl FileSearch {
    /// Keeps what searches need current from now on: for a process that stays.
    pub(super) fn keep_current(self: &Arc<Self>) {
        self.finder.start_watching(self);
        self.similarity.mark_staying();
    }

    /// Returns the status of the watch, where there is one, with the problems of the index.
    pub fn watch_status(&self) -> Option<WatchStatus> {
        self.finder.watch_status()
    }

    /// The changes of the files from now on, where they are watched.
    pub fn subscribe_changes(&self) -> Option<ChangeListener> {
        self.finder.subscribe_changes()
    }

    /// The files that the watch lists, by its knowledge so far; none where they are not watched.
    pub fn watched_files(&self) -> Option<Arc<FileSnapshot>> {
        self.finder.watched_files()
    }

    /// The files that the watch lists, with every change that is on the disk by now; none where they are not watched, or
    /// not listed in time.
    pub fn settled_files(&self) -> Option<Arc<FileSnapshot>> {
        self.finder.settled_files()
    }

    /// Returns the error of the model that files are found with, as a sentence.
    pub fn model_trouble(&self) -> Option<String> {
        self.similarity.model_trouble()
    }

    /// Ends what runs in the background.
    pub(super) fn stop_tasks(&self) {
        self.finder.stop_watching();
        self.similarity.stop_task();
    }
}
