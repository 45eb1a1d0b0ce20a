//! Tells that other files matter now: some time after what made it so, and only where there is something to see.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;

use super::note_files::NoteFilesWatch;
use crate::memory::collect::Occasion;
use crate::protocol::{Advice, Notice, WorkingFile};
use crate::session::Session;

/// How long changes are gathered before the set is looked at.
const GATHER: Duration = Duration::from_millis(200);

/// What a person sees of a file: that a reason is a minute older is no change.
type Shown = (String, i64, bool, Option<Advice>, bool, bool, u32, Option<u32>);

/// Tells the session's editor of changes, for as long as the session is there. Nothing happens outside of a runtime.
pub(super) fn start(session: &Arc<Session>) {
    let Ok(runtime) = Handle::try_current() else { return };
    let mut notes = NoteFilesWatch::new(session);
    let (mut memory, mut documents) = (session.memory().watch(), session.files().documents().watch());
    let session = Arc::downgrade(session);
    runtime.spawn(async move {
        let mut told = Vec::new();
        loop {
            notes.listen();
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
            let Ok(now) = tokio::task::spawn_blocking(move || look_at(&look)).await else { continue };
            if now != told {
                told = now;
                session.editor().tell(Notice::WorkingSet);
            }
        }
    });
}

/// The set as it is shown; what is over its budget and has cooled leaves it first.
fn look_at(session: &Session) -> Vec<Shown> {
    let why = "The working set holds more than its budget";
    // Where the log cannot be written nothing can be told either; the set is as it was.
    let _ = session.working_files().collect(Occasion::Budget, "wherefore", why);
    session.working_files().set().files.into_iter().map(shown).collect()
}

fn shown(file: WorkingFile) -> Shown {
    #[allow(clippy::cast_possible_truncation, reason = "it is between 0 and 20")]
    let step = (file.hotness * 20.0).round() as i64;
    let WorkingFile { path, pinned, advice, open, unsaved, pending_hunks, priority, .. } = file;
    (path, step, pinned, advice, open, unsaved, pending_hunks, priority)
}
