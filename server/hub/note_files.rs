//! Watches hot.yml, cold.yml and working-set.yml for edits outside of the editor.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use notify::{Event, EventKind};

use super::folder_watch::FolderWatch;
use crate::base::OWN_DIR;
use crate::memory::NOTE_FILES;
use crate::session::WorkspaceSession;

/// The watch on the note files of a session.
pub(super) fn note_files_watch(session: &Arc<WorkspaceSession>) -> FolderWatch {
    let folder = Path::new(session.workspace().root()).join(OWN_DIR);
    let session = Arc::downgrade(session);
    FolderWatch::new(folder, move |event| {
        if event.as_ref().is_ok_and(|event| !is_relevant(event)) {
            return;
        }
        if let Some(session) = session.upgrade() {
            session.memory().notify_changed();
        }
    })
}

fn is_relevant(event: &Event) -> bool {
    let is_note = |path: &PathBuf| NOTE_FILES.iter().any(|name| path.ends_with(name));
    !matches!(event.kind, EventKind::Access(_)) && (event.need_rescan() || event.paths.iter().any(is_note))
}
