//! The layers of a command before it writes to them: covers of closed files, and the repository with the changes of earlier
//! commands.

use std::path::Path;

use super::closures::Closures;
use super::error::ExecutionError;
use super::index_copy::IndexCopy;
use super::layer_covers::LayerCovers;
use super::repository_layer::RepositoryLayer;
use super::session_caches::CacheLayers;
use crate::sandbox::{RunReport, SandboxPlan};
use crate::session::CallScope;

/// The entries that are put into the layers of a command before it runs.
#[derive(Debug, Default)]
pub(super) struct CommandLayers {
    covers: LayerCovers,
    repository: Option<RepositoryLayer>,
    pub(super) caches: CacheLayers,
}

impl CommandLayers {
    /// Places in the layers below `folder` what the command of `plan` finds in them, and lets the plan know. With the copies of
    /// the index it may write to the repository.
    ///
    /// # Errors
    /// Fails if a layer cannot be written.
    pub(super) fn place(
        plan: &mut SandboxPlan,
        scope: &CallScope,
        (closures, index): (&Closures, Option<&IndexCopy>),
        folder: &Path,
    ) -> Result<Self, ExecutionError> {
        let root = Path::new(scope.files().paths().root().real_path());
        let place = |index| RepositoryLayer::place(plan, scope, (folder, closures), index);
        let repository = index.map(place).transpose();
        let repository =
            repository.map_err(ExecutionError::while_doing("making a layer for the repository"))?.flatten();
        let covers = LayerCovers::place_covers(plan, root, &closures.ignored, folder)
            .map_err(ExecutionError::while_doing("covering closed files"))?;
        Ok(Self { covers, repository, caches: CacheLayers::default() })
    }

    /// Removes the entries that were placed, and keeps the command's changes of the repository. Returns a sentence for each
    /// change that is not kept.
    ///
    /// # Errors
    /// Fails if the layer of the repository cannot be kept.
    pub(super) fn take_back(
        self,
        scope: &CallScope,
        report: &RunReport,
    ) -> Result<Vec<String>, ExecutionError> {
        self.covers.take_back();
        let root = Path::new(scope.files().paths().root().real_path());
        let kept = self.repository.map(|repository| repository.keep(root, report)).transpose();
        let doing = ExecutionError::while_doing("keeping what the command did to the repository");
        Ok(kept.map_err(doing)?.unwrap_or_default())
    }
}
