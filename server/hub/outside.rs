//! Detects changes that no known program made: they are taken in afterwards, so that a person sees them and can take
//! them back.
//!
//! Invariants: nothing is read while nothing changes; a change by a person, an editor or a call is not taken in;
//! where what a file held before is not known for sure, nothing is offered that would take a person's work back.
//!
//! # Invariants
//!
//! - No change on the disk is offered as another program's that a person saved, a call of a tool made, or git
//!   made.
//!   Test: `what_a_person_or_a_call_writes_is_not_offered`, `a_checkout_of_two_thousand_files_raises_none`
//! - No undo of another program's change takes a person's earlier work with it.
//!   Test: `what_git_has_and_what_a_person_changed_before_is_what_a_script_replaced`
//! - No file is read for that where no editor is connected.
//!   Test: `nothing_is_offered_of_closed_files_where_it_is_off_or_where_nobody_is_there`
//! - No path that the rules close is shown or kept, where a change that is on the disk already is taken in.
//!   Test: `what_the_rules_close_is_neither_shown_nor_kept`

mod base;
mod change_drafts;
mod gathered_changes;
mod git_marks;
mod look;

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::{Instant, timeout_at};

use super::folder::ServedFolder;
use crate::session::KnownFiles;
use crate::watch::ChangeListener;
use base::OutsideBase;
use gathered_changes::GatheredChanges;

/// The quiet after which changes are looked at: a script writes in several steps, and editors tell of a save after it.
const QUIET: Duration = Duration::from_millis(400);
/// The time that changes may follow each other before they are looked at all the same.
const LONGEST: Duration = Duration::from_secs(3);

/// Takes in what changes in a folder, for as long as the folder is served. Nothing happens outside of a runtime.
pub(super) fn start_watching(folder: &Arc<ServedFolder>) {
    let Ok(runtime) = Handle::try_current() else { return };
    let Some(changes) = folder.session().search().subscribe_changes() else { return };
    let known = folder.session().files().known_files().clone();
    runtime.spawn(follow_changes(Arc::downgrade(folder), changes, known));
}

async fn follow_changes(folder: Weak<ServedFolder>, mut changes: ChangeListener, known: Arc<KnownFiles>) {
    let mut base: Option<OutsideBase> = None;
    let mut heard = GatheredChanges::default();
    loop {
        let Some(served) = folder.upgrade() else { return };
        if !is_on(&served) {
            (base, heard) = (None, GatheredChanges::default());
            known.clear_notes();
        } else if base.is_none() {
            base = OutsideBase::capture_state(&served).await;
            if base.is_none() {
                heard = GatheredChanges::default();
            }
        }
        drop(served);
        let again = if heard.is_empty() { Duration::MAX } else { QUIET };
        tokio::select! {
            batch = changes.next() => match batch {
                Some(batch) => heard.add_batch(&batch),
                None => return,
            },
            () = known.wanted.notified() => continue,
            () = tokio::time::sleep(again) => {}
        }
        if !gather_changes(&mut changes, &mut heard).await {
            return;
        }
        let Some(served) = folder.upgrade() else { return };
        if let Some(known) = base.take().filter(|_| is_on(&served)) {
            base = known.look_at_changes(&served, &mut heard).await;
        }
    }
}

/// Gathers the changes that follow; returns whether the folder is still served.
async fn gather_changes(changes: &mut ChangeListener, heard: &mut GatheredChanges) -> bool {
    let longest = Instant::now() + LONGEST;
    while Instant::now() < longest {
        match timeout_at((Instant::now() + QUIET).min(longest), changes.next()).await {
            Ok(Some(batch)) => heard.add_batch(&batch),
            Ok(None) => return false,
            Err(_) => break,
        }
    }
    true
}

/// Returns whether an editor or an agent is attached, and the settings ask for it.
fn is_on(folder: &ServedFolder) -> bool {
    let session = folder.session();
    session.workspace().settings().native.outside
        && (session.editor().attached() || session.presence().has_agents())
}
