//! What a call touched goes into the memory of the workspace.

use crate::memory::{Cause, HeatTouch};
use crate::protocol::{Access, ChangeKind};
use crate::registry::{Call, Draft, Output, Permitted};
use crate::session::Session;

/// A call ran: the files that it read, and those that it changes.
pub(super) fn touched(session: &Session, permitted: &Permitted, output: &Output) {
    let (memory, call) = (session.memory(), permitted.call());
    let cause = Cause { by: call.origin().who(), why: call.why().as_str() };
    // Of what is read only files count: a listing or a search says little of one of them.
    let read = permitted.grant().paths().filter(|touch| touch.access == Access::Read && touch.file.is_some());
    for touch in read {
        memory.touch(touch.resolved.as_str(), HeatTouch::Read, cause);
    }
    if let Some(draft) = &output.change {
        written(session, call, draft);
    }
}

/// The files that a call changes.
pub(super) fn written(session: &Session, call: &Call, draft: &Draft) {
    let cause = Cause { by: call.origin().who(), why: call.why().as_str() };
    let is_file = |kind| !matches!(kind, ChangeKind::Mkdir | ChangeKind::Rmdir);
    for change in draft.changes.iter().filter(|change| is_file(change.kind)) {
        session.memory().touch(change.path.as_str(), HeatTouch::Write, cause);
    }
}
