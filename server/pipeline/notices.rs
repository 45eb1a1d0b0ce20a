//! The notices of a call for the editor.

use std::time::Instant;

use super::LoggedCall;
use crate::base::WorkspacePath;
use crate::protocol::{CallNotice, Door, EditorNotice, FinishNotice, Status, Why, call_paths};
use crate::registry::{CheckedCall, RefusedCall};
use crate::session::WorkspaceSession;

/// A call began.
pub(super) fn call_notice(session: &WorkspaceSession, call: &CheckedCall) -> CallNotice {
    let effects = call.effects();
    let parse = |asked: &str| {
        WorkspacePath::parse(session.workspace().root(), asked)
            .map_or(asked.to_owned(), |path| path.to_string())
    };
    // No tool made it, and there is no reason for it.
    let (tool, why) = match call.origin().door {
        Door::Outside => (Door::Outside.as_str(), "another program changed it"),
        _ => (call.tool().name(), call.why().as_str()),
    };
    CallNotice {
        call_id: call.id().clone(),
        session: session.log().id().to_owned(),
        tool: tool.to_owned(),
        why: why.to_owned(),
        origin: call.origin().clone(),
        paths: effects.paths().map(|(_, path)| parse(path)).collect(),
        writes: super::changes_something(call),
        time: session.now(),
        root: session.workspace().uri(&WorkspacePath::root()),
    }
}

/// A call was refused before it became one.
pub(super) fn refusal_notice(session: &WorkspaceSession, refused: &RefusedCall) -> CallNotice {
    let why = refused.args.get("why").and_then(|why| why.as_str()).filter(|why| !why.trim().is_empty());
    CallNotice {
        call_id: refused.call_id.clone(),
        session: session.log().id().to_owned(),
        tool: refused.tool.clone(),
        why: why.unwrap_or(Why::UNSTATED).to_owned(),
        origin: refused.origin.clone(),
        paths: call_paths(&refused.args),
        writes: false,
        time: session.now(),
        root: session.workspace().uri(&WorkspacePath::root()),
    }
}

/// A call ended.
pub(super) fn finish_notice(session: &WorkspaceSession, carried: &LoggedCall) -> EditorNotice {
    let LoggedCall { id, tool, outcome: ended, began, .. } = carried;
    EditorNotice::Finish(FinishNotice {
        call_id: id.clone(),
        session: session.log().id().to_owned(),
        root: session.workspace().uri(&WorkspacePath::root()),
        tool: tool.clone(),
        status: if ended.error.is_some() { Status::Error } else { ended.status },
        latent: ended.is_latent,
        error: ended.error.clone(),
        failure: ended.run_failure(),
        duration_ms: elapsed_ms(*began),
    })
}

/// Returns the elapsed time in milliseconds, to the microsecond.
pub(super) fn elapsed_ms(began: Instant) -> f64 {
    (began.elapsed().as_secs_f64() * 1e6).round() / 1e3
}
