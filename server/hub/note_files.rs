//! Watches hot.yml, cold.yml and working-set.yml for edits outside of the editor.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use crate::base::OWN_DIR;
use crate::memory::NOTE_FILES;
use crate::session::WorkspaceSession;

/// The watch on the folder that they stand in, once there is one.
#[derive(Debug)]
pub(super) struct NoteFilesWatch {
    folder: PathBuf,
    session: Weak<WorkspaceSession>,
    /// The inode distinguishes a folder from another that was made in its place.
    watch: Option<(u64, RecommendedWatcher)>,
}

impl NoteFilesWatch {
    /// The note files of a session.
    pub(super) fn new(session: &Arc<WorkspaceSession>) -> Self {
        let folder = Path::new(session.workspace().root()).join(OWN_DIR);
        Self { folder, session: Arc::downgrade(session), watch: None }
    }

    /// Watches for changes from now on, where there is such a folder: call it again when there may be one.
    pub(super) fn watch_folder(&mut self) {
        let Ok(found) = std::fs::symlink_metadata(&self.folder) else { return self.watch = None };
        let is_same = |(known, _): &(u64, _)| *known == found.ino();
        if !found.is_dir() || self.watch.as_ref().is_some_and(is_same) {
            return;
        }
        let session = self.session.clone();
        let heard = move |event: notify::Result<Event>| {
            if event.as_ref().is_ok_and(|event| !is_relevant(event)) {
                return;
            }
            if let Some(session) = session.upgrade() {
                session.memory().notify_changed();
            }
        };
        let watcher = notify::recommended_watcher(heard).and_then(|mut watcher| {
            watcher.watch(&self.folder, RecursiveMode::NonRecursive)?;
            Ok(watcher)
        });
        match watcher {
            Ok(watcher) => self.watch = Some((found.ino(), watcher)),
            // They are read again when something else changes.
            Err(error) => tracing::info!("{} is not watched: {error}", self.folder.display()),
        }
    }
}

fn is_relevant(event: &Event) -> bool {
    let is_note = |path: &PathBuf| NOTE_FILES.iter().any(|name| path.ends_with(name));
    !matches!(event.kind, EventKind::Access(_)) && (event.need_rescan() || event.paths.iter().any(is_note))
}
