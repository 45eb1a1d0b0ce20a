//! What the editor is told of a call.

use std::time::Instant;

use super::Carried;
use crate::base::WorkspacePath;
use crate::protocol::{CallNotice, FinishNotice, Notice, Status};
use crate::registry::{Call, Refused};
use crate::session::Session;

/// A call began.
pub(super) fn call(session: &Session, call: &Call) -> CallNotice {
    let effects = call.effects();
    let parse = |asked: &str| {
        WorkspacePath::parse(session.workspace().root(), asked)
            .map_or(asked.to_owned(), |path| path.to_string())
    };
    CallNotice {
        call_id: call.id().clone(),
        session: session.log().id().to_owned(),
        tool: call.tool().name().to_owned(),
        why: call.why().as_str().to_owned(),
        origin: call.origin().clone(),
        paths: effects.paths().map(|(_, path)| parse(path)).collect(),
        writes: super::changes_something(call),
        time: session.now(),
        root: session.workspace().uri(&WorkspacePath::root()),
    }
}

/// A call was refused before it became one.
pub(super) fn refused(session: &Session, refused: &Refused) -> CallNotice {
    let why = refused.args.get("why").and_then(|why| why.as_str()).unwrap_or_default();
    CallNotice {
        call_id: refused.call_id.clone(),
        session: session.log().id().to_owned(),
        tool: refused.tool.clone(),
        why: why.to_owned(),
        origin: refused.origin.clone(),
        paths: Vec::new(),
        writes: false,
        time: session.now(),
        root: session.workspace().uri(&WorkspacePath::root()),
    }
}

/// A call ended.
pub(super) fn finish(session: &Session, carried: &Carried) -> Notice {
    let Carried { id, tool, ended, began, .. } = carried;
    Notice::Finish(FinishNotice {
        call_id: id.clone(),
        session: session.log().id().to_owned(),
        root: session.workspace().uri(&WorkspacePath::root()),
        tool: tool.clone(),
        status: if ended.error.is_some() { Status::Error } else { ended.status },
        error: ended.error.clone(),
        duration_ms: milliseconds(*began),
    })
}

/// How long ago, in milliseconds, to the microsecond.
pub(super) fn milliseconds(began: Instant) -> f64 {
    (began.elapsed().as_secs_f64() * 1e6).round() / 1e3
}
