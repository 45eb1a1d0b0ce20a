//! A change that stands already is taken in: nothing is run or written, and the rules are not asked whether it may happen.

use super::{Ended, Pipeline, inject, notices};
use crate::base::blocking;
use crate::protocol::{Access, ChangeKind, Fault};
use crate::registry::{Call, Change, Draft};
use crate::review;
use crate::session::Session;

/// Checks that the rules close no path of a change, as it is named and where it leads: its text would get into the log and
/// the state folder.
///
/// # Errors
/// PERMISSION_DENIED by the rule that closes a path, or asks before it is read.
pub(crate) fn is_open(session: &Session, change: &Change) -> Result<(), Fault> {
    let files = session.files().unasked();
    for path in [Some(&change.path), change.from.as_ref()].into_iter().flatten() {
        match change.kind {
            ChangeKind::Rename | ChangeKind::Symlink => {
                files.permit(Access::Read, path)?;
                files.permit(Access::Read, &files.root().resolve_entry(path)?)?;
            }
            _ => files.admit(Access::Read, path)?,
        }
    }
    Ok(())
}

impl Pipeline {
    /// Makes a proposal of a logged call's change, which stands; nobody is asked.
    pub(super) fn take_in(&self, call: &Call, draft: Draft) -> Result<Ended, Fault> {
        let session = &self.session;
        session.editor().tell_call(&|| notices::call(session, call));
        if draft.changes.is_empty() {
            return Ok(Ended::ok(review::unchanged(session, &session.files().unasked(), call, draft)));
        }
        inject::written(session, call, &draft);
        blocking(|| self.queue.adopt(call, draft)).map(Ended::ok)
    }
}
