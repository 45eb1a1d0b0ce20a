//! Watches one folder for changes of its files, from when it is made.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};

/// The listener to the events of a folder.
type OnEvent = dyn Fn(&notify::Result<Event>) + Send + Sync;

/// The watch on a folder, once there is one.
pub(super) struct FolderWatch {
    folder: PathBuf,
    on_event: Arc<OnEvent>,
    /// The inode distinguishes a folder from another that was made in its place.
    watch: Option<(u64, RecommendedWatcher)>,
}

impl FolderWatch {
    /// A watch that tells each event to `on_event`, on a thread of the watcher's.
    pub(super) fn new(
        folder: PathBuf,
        on_event: impl Fn(&notify::Result<Event>) + Send + Sync + 'static,
    ) -> Self {
        Self { folder, on_event: Arc::new(on_event), watch: None }
    }

    /// Watches for changes from now on, where there is such a folder; returns whether there is. Call it again when there may
    /// be one.
    pub(super) fn watch_folder(&mut self) -> bool {
        let found = std::fs::symlink_metadata(&self.folder).ok().filter(|found| found.is_dir());
        let Some(found) = found else {
            self.watch = None;
            return false;
        };
        if self.watch.as_ref().is_none_or(|(known, _)| *known != found.ino()) {
            let watcher = make_watcher(&self.folder, self.on_event.clone());
            self.watch = watcher.map(|watcher| (found.ino(), watcher));
        }
        self.watch.is_some()
    }
}

fn make_watcher(folder: &Path, on_event: Arc<OnEvent>) -> Option<RecommendedWatcher> {
    let watcher = notify::recommended_watcher(move |event| on_event(&event)).and_then(|mut watcher| {
        watcher.watch(folder, RecursiveMode::NonRecursive)?;
        Ok(watcher)
    });
    // Its files are read again when something else changes.
    watcher.inspect_err(|error| tracing::info!("{} is not watched: {error}", folder.display())).ok()
}
