//! Notifies editors that other files matter now: some time after the cause, and only where there is a difference to
//! see.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;

use super::note_files::note_files_watch;
use crate::memory::collect::CleanupOccasion;
use crate::protocol::{Advice, EditorNotice, WorkingFile};
use crate::session::WorkspaceSession;

/// The time that changes are gathered before the set is looked at.
const GATHER: Duration = Duration::from_millis(200);

/// The parts of a file that a person sees: an older time in a reason is no change.
type ShownFile = (String, i64, bool, Option<Advice>, bool, bool, u32, Option<u32>);

/// Notifies the session's editor of changes, for as long as the session exists. Does nothing outside of a runtime.
pub(super) fn start_notifier(session: &Arc<WorkspaceSession>) {
    let Ok(runtime) = Handle::try_current() else { return };
    let mut notes = note_files_watch(session);
    let (mut memory, mut documents) =
        (session.memory().watch_changes(), session.files().documents().watch_changes());
    let session = Arc::downgrade(session);
    runtime.spawn(async move {
        let mut told = Vec::new();
        loop {
            notes.watch_folder();
            let there = tokio::select! {
                changed = memory.changed() => changed,
                changed = documents.changed() => changed,
            };
            if there.is_err() {
                return;
            }
            tokio::time::sleep(GATHER).await;
            memory.mark_unchanged();
            documents.mark_unchanged();
            let Some(session) = session.upgrade() else { return };
            // The sizes of its files are asked of the disk, which may take its time.
            let look = session.clone();
            let Ok(now) = tokio::task::spawn_blocking(move || shown_files(&look)).await else { continue };
            if now != told {
                told = now;
                session.editor().tell(EditorNotice::WorkingSet);
            }
        }
    });
}

/// The set as it is shown; what is over its budget and has cooled leaves it first.
fn shown_files(session: &WorkspaceSession) -> Vec<ShownFile> {
    let why = "The working set holds more than its budget";
    // A failure to write the log leaves the set as it was.
    let _ = session.working_files().clean_up(CleanupOccasion::Budget, "wherefore", why);
    session.working_files().working_set().files.into_iter().map(shown_file).collect()
}

fn shown_file(file: WorkingFile) -> ShownFile {
    #[allow(clippy::cast_possible_truncation, reason = "it is between 0 and 20")]
    let step = (file.hotness * 20.0).round() as i64;
    let WorkingFile { path, pinned, advice, open, unsaved, pending_hunks, priority, .. } = file;
    (path, step, pinned, advice, open, unsaved, pending_hunks, priority)
}
