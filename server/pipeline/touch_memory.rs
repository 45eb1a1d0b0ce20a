//! Notes the files that a call touched in the memory of the workspace.

use crate::memory::{HeatTouch, TouchCause};
use crate::protocol::{ChangeKind, PathAccess};
use crate::registry::{ActivityOutput, CallDraft, CheckedCall, PermittedCall};
use crate::session::WorkspaceSession;

/// A call ran: the files that it read, and those that it changes.
pub(super) fn note_touched(session: &WorkspaceSession, permitted: &PermittedCall, output: &ActivityOutput) {
    let (memory, call) = (session.memory(), permitted.call());
    let cause = TouchCause { by: call.origin().display_name(), why: call.why().as_str() };
    // Of the touches for reading only files count: a listing or a search means little for a single file.
    let read =
        permitted.grant().paths().filter(|touch| touch.access == PathAccess::Read && touch.file.is_some());
    for touch in read {
        memory.touch_file(touch.resolved.as_str(), HeatTouch::Read, cause);
    }
    if let Some(draft) = &output.change {
        note_written(session, call, draft);
    }
}

/// The files that a call changes.
pub(super) fn note_written(session: &WorkspaceSession, call: &CheckedCall, draft: &CallDraft) {
    let cause = TouchCause { by: call.origin().display_name(), why: call.why().as_str() };
    let is_file = |kind| !matches!(kind, ChangeKind::Mkdir | ChangeKind::Rmdir);
    for change in draft.changes.iter().filter(|change| is_file(change.kind)) {
        session.memory().touch_file(change.path.as_str(), HeatTouch::Write, cause);
    }
}
