//! The layer over a workspace that a command writes to.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::runtime::Handle;

use super::error::ExecutionError;
use crate::workspace::State;

/// The folder below a workspace's state in which layers stand.
const LAYERS: &str = "layers";

/// A private folder for what one command writes. It is removed when this is dropped; nobody waits for that where a runtime
/// has threads for it.
#[derive(Debug)]
pub(super) struct Layer {
    path: PathBuf,
    folder: Option<LayerFolder>,
}

/// The folder itself, which goes with this.
#[derive(Debug)]
struct LayerFolder(tempfile::TempDir);

impl Layer {
    /// Makes an empty one in the workspace's state folder.
    ///
    /// # Errors
    /// Where there is no such folder, or the system refuses to make one.
    pub(super) fn make(state: &Arc<State>) -> Result<Self, ExecutionError> {
        let doing = ExecutionError::doing("making a folder for what the command writes");
        let above = state.path().unwrap_or_else(|| std::env::temp_dir().join("wherefore")).join(LAYERS);
        std::fs::create_dir_all(&above).map_err(&doing)?;
        let folder = tempfile::tempdir_in(above).map_err(&doing)?;
        Ok(Self { path: folder.path().to_owned(), folder: Some(LayerFolder(folder)) })
    }

    /// Where it stands.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Where something stands below it.
    pub(super) fn join(&self, below: &Path) -> PathBuf {
        self.path.join(below)
    }
}

impl Drop for Layer {
    fn drop(&mut self) {
        let folder = self.folder.take();
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn_blocking(move || drop(folder));
        }
    }
}

impl Drop for LayerFolder {
    fn drop(&mut self) {
        crate::sandbox::open_layers(self.0.path());
    }
}
