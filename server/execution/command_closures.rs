//! The parts of a workspace that commands do not see, and the contents that stand in for some of them.

use std::path::{Path, PathBuf};

use super::closures::{ClosureFinder, Closures};
use super::error::ExecutionError;
use super::index_copy::IndexCopy;
use super::vetted_files::VettedFiles;
use crate::session::CallScope;
use crate::workspace::WorkspaceFiles;

/// Finds what the rules close to the commands of one workspace, and what they may read of it all the same.
#[derive(Debug, Default)]
pub(crate) struct CommandClosures {
    finder: ClosureFinder,
    vetted: VettedFiles,
    index: IndexCopy,
}

impl CommandClosures {
    /// The copy of git's index that commands find.
    pub(super) fn index(&self) -> &IndexCopy {
        &self.index
    }

    /// Returns the files and folders of a workspace that the rules close to reading, without a consent.
    ///
    /// # Errors
    /// Fails where the workspace cannot be listed.
    pub(crate) fn closed_paths(&self, files: &WorkspaceFiles) -> std::io::Result<Vec<PathBuf>> {
        Ok(self.finder.find(files)?.masked)
    }

    /// Returns the closures of a command.
    ///
    /// # Errors
    /// Fails where the workspace cannot be listed.
    pub(super) fn find_closures(&self, scope: &CallScope) -> Result<Closures, ExecutionError> {
        let mut found = self.find_lasting(scope)?;
        let root = Path::new(scope.files().paths().root().real_path());
        found.shown.extend(self.index.find_copy(root, &found.masked));
        Ok(found)
    }

    /// Returns the closures of a command that runs on: it sees git's index itself, since a copy would soon be old.
    ///
    /// # Errors
    /// As [`Self::find_closures`].
    pub(super) fn find_lasting(&self, scope: &CallScope) -> Result<Closures, ExecutionError> {
        let found = self.finder.find(scope.files());
        let found = found.map_err(ExecutionError::while_doing("listing the workspace"))?;
        Ok(Closures { shown: self.vetted.find_vetted(&found.masked), ..found })
    }
}
