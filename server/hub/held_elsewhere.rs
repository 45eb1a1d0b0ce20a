//! Tells the editor when another server of the folder, as that of a second window, holds other hunks than before.

use std::sync::Arc;
use std::time::Duration;

use notify::EventKind;
use tokio::runtime::Handle;
use tokio::sync::Notify;

use super::folder::ServedFolder;
use super::folder_watch::FolderWatch;
use crate::proposals::PROPOSALS;
use crate::protocol::EditorNotice;

/// The time that changes are gathered: a proposal of this server is stored a moment before it is known here.
const GATHER: Duration = Duration::from_millis(400);
/// The time between two looks for the folder of proposals, until a server makes it.
const ABSENT: Duration = Duration::from_secs(2);
/// The time after which it is looked whether the folder is served, where nothing changes.
const LONGEST: Duration = Duration::from_secs(60);

/// Notifies the folder's editor, for as long as the folder is served. Does nothing outside of a runtime.
pub(super) fn start_notifier(folder: &Arc<ServedFolder>) {
    let Ok(runtime) = Handle::try_current() else { return };
    let Some(state) = folder.session().workspace().state().folder().state_path() else { return };
    let changed = Arc::new(Notify::new());
    let heard = changed.clone();
    let mut watch = FolderWatch::new(state.join(PROPOSALS), move |event| {
        if !event.as_ref().is_ok_and(|event| matches!(event.kind, EventKind::Access(_))) {
            heard.notify_one();
        }
    });
    let folder = Arc::downgrade(folder);
    runtime.spawn(async move {
        // What was stored before this server began is its own.
        let mut told = Vec::new();
        let mut is_there = watch.watch_folder();
        loop {
            // The folder may be served no longer, and nothing change in it.
            let has_changed =
                tokio::time::timeout(if is_there { LONGEST } else { ABSENT }, changed.notified())
                    .await
                    .is_ok();
            let was_there = std::mem::replace(&mut is_there, watch.watch_folder());
            if has_changed || is_there != was_there {
                tokio::time::sleep(GATHER).await;
            }
            let Some(served) = folder.upgrade() else { return };
            if !has_changed && is_there == was_there {
                continue;
            }
            let look = served.clone();
            let held = tokio::task::spawn_blocking(move || look.queue().store().held_elsewhere()).await;
            if let Ok(held) = held.as_ref()
                && told != *held
            {
                told.clone_from(held);
                served.session().editor().tell(EditorNotice::HeldElsewhere);
            }
        }
    });
}
