//! The net under all that agents do: what changes on the disk by nobody that we know is taken in afterwards, so that a
//! person sees it and can take it back.
//!
//! Invariants: nothing is read while nothing changes; what a person, an editor or a call of ours writes is not taken in;
//! where what a file held before is not known for sure, nothing is offered that would take a person's work back.

mod base;
mod git_marks;
mod heard;
mod judged;
mod look;

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::{Instant, timeout_at};

use super::folder::Folder;
use crate::session::KnownFiles;
use crate::watch::Listener;
use base::OutsideBase;
use heard::HeardChanges;

/// The quiet after which changes are looked at: a script writes in several steps, and editors tell of a save after it.
const QUIET: Duration = Duration::from_millis(400);
/// How long changes may follow each other before they are looked at all the same.
const LONGEST: Duration = Duration::from_secs(3);

/// Takes in what changes in a folder, for as long as the folder is served. Nothing happens outside of a runtime.
pub(super) fn start(folder: &Arc<Folder>) {
    let Ok(runtime) = Handle::try_current() else { return };
    let Some(changes) = folder.session().search().changes() else { return };
    let known = folder.session().files().known().clone();
    runtime.spawn(follow(Arc::downgrade(folder), changes, known));
}

async fn follow(folder: Weak<Folder>, mut changes: Listener, known: Arc<KnownFiles>) {
    let mut base: Option<OutsideBase> = None;
    let mut heard = HeardChanges::default();
    loop {
        let Some(served) = folder.upgrade() else { return };
        if !is_on(&served) {
            (base, heard) = (None, HeardChanges::default());
            known.end();
        } else if base.is_none() {
            base = OutsideBase::take(&served).await;
            if base.is_none() {
                heard = HeardChanges::default();
            }
        }
        drop(served);
        let again = if heard.is_empty() { Duration::MAX } else { QUIET };
        tokio::select! {
            batch = changes.next() => match batch {
                Some(batch) => heard.add(&batch),
                None => return,
            },
            () = known.called.notified() => continue,
            () = tokio::time::sleep(again) => {}
        }
        if !gather(&mut changes, &mut heard).await {
            return;
        }
        let Some(served) = folder.upgrade() else { return };
        if let Some(known) = base.take().filter(|_| is_on(&served)) {
            base = known.look(&served, &mut heard).await;
        }
    }
}

/// Hears of what follows at once; whether the folder is served still.
async fn gather(changes: &mut Listener, heard: &mut HeardChanges) -> bool {
    let longest = Instant::now() + LONGEST;
    while Instant::now() < longest {
        match timeout_at((Instant::now() + QUIET).min(longest), changes.next()).await {
            Ok(Some(batch)) => heard.add(&batch),
            Ok(None) => return false,
            Err(_) => break,
        }
    }
    true
}

/// Whether anybody is there to be told, and wants to be.
fn is_on(folder: &Folder) -> bool {
    let session = folder.session();
    session.workspace().settings().native.outside
        && (session.editor().attached() || session.presence().has_agents())
}
