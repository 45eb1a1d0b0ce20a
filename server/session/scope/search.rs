//! The searches of the workspace, for one call: they see what it may read, and end with it.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::index::lexical::entry::FileEntry;
use crate::index::lexical::query::LineQuery;
use crate::index::lexical::search::{FoundLines, SearchOptions};
use crate::protocol::WatchStatus;
use crate::rules::FileOpener;
use crate::session::error::SearchError;
use crate::session::{FileSearch, MeaningMatches, SearchScope, WantedFiles, WantedLines};
use crate::workspace::WorkspaceFiles;

/// The searches of the workspace that a call may make.
#[derive(Clone, Copy, Debug)]
pub struct CallSearch<'a> {
    pub(super) search: &'a Arc<FileSearch>,
    pub(super) files: &'a WorkspaceFiles,
    pub(super) cancel: &'a CancellationToken,
}

impl CallSearch<'_> {
    /// The lines that match a pattern.
    ///
    /// # Errors
    /// As [`crate::session::FileSearch::search_lines`].
    pub fn search_lines(
        &self,
        query: &LineQuery,
        place: SearchScope<'_>,
        options: SearchOptions,
    ) -> Result<FoundLines, SearchError> {
        let wanted = WantedLines { query, place, options };
        self.search.search_lines(self.files, wanted, &|| self.goes_on())
    }

    /// Returns the files that most likely match by meaning.
    ///
    /// # Errors
    /// As [`crate::session::FileSearch::search_meaning`].
    pub fn search_meaning(
        &self,
        wanted: &WantedFiles<'_>,
        progress: &dyn Fn(usize, usize),
    ) -> Result<MeaningMatches, SearchError> {
        self.search.search_meaning(self.files, wanted, progress, &|| self.goes_on())
    }

    /// The files of the workspace, or of a folder in it.
    ///
    /// # Errors
    /// As [`crate::session::FileSearch::list_files`].
    pub fn list_files(&self, place: SearchScope<'_>) -> Result<Vec<FileEntry>, SearchError> {
        self.search.list_files(self.files, place, &|| self.goes_on())
    }

    /// Describes how many files of a search are left out: see [`crate::session::FileSearch::left_out`].
    ///
    /// # Errors
    /// As [`crate::session::FileSearch::left_out`].
    pub fn left_out(&self, place: SearchScope<'_>) -> Result<Option<String>, SearchError> {
        self.search.left_out(self.files, place, &|| self.goes_on())
    }

    /// Describes the left-out files of a search that also leaves out files that the person consented to.
    ///
    /// # Errors
    /// As [`crate::session::FileSearch::left_out`].
    pub fn left_out_unasked(&self, place: SearchScope<'_>) -> Result<Option<String>, SearchError> {
        self.search.left_out(&self.files.opened_by(FileOpener::NoConsent), place, &|| self.goes_on())
    }

    fn goes_on(&self) -> bool {
        !self.cancel.is_cancelled()
    }

    /// Returns the status of the watch, where there is one.
    pub fn watch_status(&self) -> Option<WatchStatus> {
        self.search.watch_status()
    }
}
