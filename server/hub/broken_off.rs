//! Takes in what commands changed in place that broke off: with an earlier server, or alone.
//!
//! # Invariants
//!
//! - No change of a command that was killed with its server is lost: the next server has it reviewed, or names it.
//!   Test: `what_a_killed_server_left_is_taken_in_by_the_next`

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::OwnedMutexGuard;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio_util::sync::CancellationToken;

use super::folder::ServedFolder;
use crate::execution::BrokenOffCommand;
use crate::protocol::{Door, Event, Origin};
use crate::session::CallScope;

/// The time in which the processes of a command end that nobody waits for any more.
const ENDING: Duration = Duration::from_millis(500);

/// Takes in what earlier processes left, and whatever breaks off while the folder is served. Commands that write in place wait
/// for the first.
pub(super) fn start_taking_in(folder: &Arc<ServedFolder>) {
    let Ok(runtime) = Handle::try_current() else { return };
    let Some(heard) = folder.executor().in_place().hear_broken_off() else { return };
    let held = folder
        .executor()
        .in_place()
        .has_broken_off(&own_scope(folder))
        .then(|| folder.executor().in_place().hold_turn());
    runtime.spawn(follow_broken_off(Arc::downgrade(folder), held.flatten(), heard));
}

async fn follow_broken_off(
    folder: Weak<ServedFolder>,
    held: Option<OwnedMutexGuard<()>>,
    mut heard: UnboundedReceiver<()>,
) {
    if held.is_some() {
        let Some(served) = folder.upgrade() else { return };
        take_all_in(&served).await;
    }
    drop(held);
    while heard.recv().await.is_some() {
        tokio::time::sleep(ENDING).await;
        let Some(served) = folder.upgrade() else { return };
        let _held = served.executor().in_place().wait_turn().await;
        take_all_in(&served).await;
    }
}

async fn take_all_in(folder: &ServedFolder) {
    let scope = own_scope(folder);
    for broken in folder.executor().in_place().find_broken_off(folder.executor(), &scope).await {
        take_in(folder, broken).await;
    }
    folder.executor().in_place().sweep_copies(&scope);
}

async fn take_in(folder: &ServedFolder, broken: BrokenOffCommand) {
    let command = &broken.command;
    let why = format!("{} (`{command}` broke off)", broken.why);
    let taken = folder.adopt_draft(broken.origin.clone(), Some(&why), broken.draft.clone()).await;
    let fault = match taken {
        Ok(envelope) => envelope.and_then(|envelope| envelope.error),
        Err(fault) => Some(fault),
    };
    if let Some(fault) = &fault {
        let message = &fault.message;
        folder.session().troubles().report_trouble(format!(
            "`{command}` broke off, and what it changed is not in the review: {message}"
        ));
    }
    if !broken.lost.is_empty() {
        let files = broken.lost.len() as u64;
        let why = format!("`{command}` broke off: {}", broken.lost.join("; "));
        folder.session().troubles().report_trouble(why.clone());
        // A failure to log is reported with the log's other troubles.
        let _ = folder.session().log().write_event(Event::OutsideChanges { files, why });
    }
    if fault.is_none_or(|fault| fault.applied == Some(true)) {
        broken.forget();
    }
}

fn own_scope(folder: &ServedFolder) -> CallScope {
    let origin = Origin::from_door(Door::Outside);
    CallScope::new(folder.session().clone(), &origin, CancellationToken::default(), None)
}
