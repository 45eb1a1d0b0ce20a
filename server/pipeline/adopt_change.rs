//! Takes in a change that is already in the workspace: nothing is run or written, and the rules are not asked whether
//! it may happen.

use super::{CallOutcome, CallPipeline, notices, touch_memory};
use crate::base::run_blocking;
use crate::proposals;
use crate::protocol::{ChangeKind, Fault, PathAccess};
use crate::registry::{CallDraft, CheckedCall, PathChange};
use crate::session::WorkspaceSession;

/// Checks that the rules close no path of a change, as it is named and where it leads: its text would get into the log and
/// the state folder.
///
/// # Errors
/// PERMISSION_DENIED by the rule that closes a path, or asks before it is read.
pub(crate) fn is_open(session: &WorkspaceSession, change: &PathChange) -> Result<(), Fault> {
    let files = session.files().unasked_files();
    for path in [Some(&change.path), change.from.as_ref()].into_iter().flatten() {
        match change.kind {
            ChangeKind::Rename | ChangeKind::Symlink => {
                files.paths().check_access(PathAccess::Read, path)?;
                files.paths().check_access(PathAccess::Read, &files.paths().root().resolve_entry(path)?)?;
            }
            _ => files.paths().admit_path(PathAccess::Read, path)?,
        }
    }
    Ok(())
}

impl CallPipeline {
    /// Makes a proposal of a logged call's change, which is already in the workspace; the person is not asked.
    pub(super) fn take_in(&self, call: &CheckedCall, draft: CallDraft) -> Result<CallOutcome, Fault> {
        let session = &self.session;
        session.editor().tell_call(true, &|| notices::call_notice(session, call));
        if draft.changes.is_empty() {
            let files = session.files().unasked_files();
            return Ok(CallOutcome::from_change(proposals::unchanged_answer(session, &files, call, draft)));
        }
        touch_memory::note_written(session, call, &draft);
        run_blocking(|| self.queue.adopter().adopt_change(call, draft)).map(CallOutcome::from_change)
    }
}
