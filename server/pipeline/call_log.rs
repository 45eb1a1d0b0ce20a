//! The entries of a call and its end in the session log.
//!
//! # Invariants
//!
//! - Nothing that is kept in memory of calls grows with their number.
//!   Test: `what_is_kept_does_not_grow_with_the_calls`, `what_is_kept_does_not_grow_with_files_that_are_gone`,
//!   `agents_are_remembered_one_by_one_up_to_a_number`
//! - No change is made, and no answer leaves, before its call is in the log.
//!   Test: `no_answer_comes_before_its_call_is_in_the_log`

use serde_json::{Map, Value};

use super::{LoggedCall, notices};
use crate::catalogue::Risk;
use crate::journal::{JournalError, PostedEvent, WriteMark};
use crate::protocol::{Durability, Event, LogEvent, Status};
use crate::registry::{CheckedCall, RefusedCall};
use crate::session::WorkspaceSession;

/// The time at which the events of a call are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LogDurability {
    /// Before it runs and before it is answered; and they are on the disk by then.
    Durable,
    /// Before it runs and before it is answered.
    Before,
    /// By another thread, while it runs. The call is in the log before its answer leaves, and its result soon
    /// after: it only looks, so that nothing can come of it that the log does not hold.
    Async,
}

impl LogDurability {
    /// The pace of a call.
    pub(super) fn for_call(session: &WorkspaceSession, call: &CheckedCall) -> Self {
        if super::changes_something(call)
            || session.workspace().settings().log.durability == Durability::Always
        {
            return Self::Durable;
        }
        let looks = call.activity().is_some() && call.tool().def().risk == Risk::Read;
        if looks { Self::Async } else { Self::Before }
    }

    /// The pace of a call that was refused.
    pub(super) fn for_refusal(session: &WorkspaceSession) -> Self {
        if session.workspace().settings().log.durability == Durability::Always {
            Self::Durable
        } else {
            Self::Before
        }
    }
}

/// A call's entry in the log.
#[derive(Debug)]
pub(super) enum CallEntry {
    /// In the file.
    Written(WriteMark),
    /// On its way there.
    Posted(PostedEvent),
}

impl CallEntry {
    /// Makes sure that it is in the file.
    ///
    /// # Errors
    /// The error that keeps it from being written.
    pub(super) fn ensure_written(&self, session: &WorkspaceSession) -> Result<WriteMark, JournalError> {
        match self {
            Self::Written(mark) => Ok(*mark),
            Self::Posted(posted) => session.log().journal()?.ensure_written(posted),
        }
    }
}

/// Logs a call that may run.
///
/// # Errors
/// The error that keeps it from being written.
pub(super) fn log_call(
    session: &WorkspaceSession,
    call: &CheckedCall,
    pace: LogDurability,
) -> Result<CallEntry, JournalError> {
    let event = LogEvent {
        event: Event::ToolCall {
            call_id: call.id().clone(),
            origin: call.origin().clone(),
            tool: call.tool().name().to_owned(),
            args: stated_args(call),
            follows: call.leading_call().cloned(),
            environment: call.environment().map(str::to_owned),
            warnings: call.warnings().to_vec(),
        },
        comments: call.comments().clone(),
    };
    match pace {
        LogDurability::Async => session.log().post_event(event).map(CallEntry::Posted),
        LogDurability::Before | LogDurability::Durable => {
            session.log().write_event(event).map(CallEntry::Written)
        }
    }
}

/// A call's arguments, with `null` for a reason that was not given.
fn stated_args(call: &CheckedCall) -> Map<String, Value> {
    let mut args = call.args().clone();
    if call.why().is_unstated() {
        args.insert("why".to_owned(), Value::Null);
    }
    args
}

/// Logs a call that never became one, as it came.
///
/// # Errors
/// The error that keeps it from being written.
pub(super) fn log_refusal(
    session: &WorkspaceSession,
    refused: &RefusedCall,
) -> Result<CallEntry, JournalError> {
    let event = LogEvent {
        event: Event::ToolCall {
            call_id: refused.call_id.clone(),
            origin: refused.origin.clone(),
            tool: refused.tool.clone(),
            args: refused.args.clone(),
            follows: refused.follows.clone(),
            environment: None,
            warnings: Vec::new(),
        },
        comments: refused.comments.clone(),
    };
    session.log().write_event(event).map(CallEntry::Written)
}

/// Logs how a call ended.
///
/// # Errors
/// The error that keeps it from being written.
pub(super) fn log_end(session: &WorkspaceSession, carried: &LoggedCall) -> Result<CallEntry, JournalError> {
    let LoggedCall { id, tool, outcome: ended, durability: pace, .. } = carried;
    let duration_ms = notices::elapsed_ms(carried.began);
    if ended.is_latent && ended.status != Status::Latent {
        session.presence().count_latent();
    }
    session.log().count_total(match (&ended.error, ended.status) {
        (Some(_), _) => "calls_failed",
        (None, Status::Pending) => "calls_pending",
        (None, _) if ended.is_latent => "calls_latent",
        (None, _) if ended.run_failure().is_some() => "calls_failed",
        (None, _) => "calls_ok",
    });
    let (call_id, tool) = (id.clone(), tool.clone());
    match &ended.error {
        Some(error) => session
            .log()
            .write_event(Event::ToolError { call_id, tool, error: error.clone(), duration_ms })
            .map(CallEntry::Written),
        None => {
            let result = ended.result.clone().unwrap_or_default();
            let event = Event::ToolResult {
                call_id,
                tool,
                status: ended.status,
                result,
                activity: ended.is_latent.then(|| "latent".to_owned()),
                duration_ms,
            };
            match pace {
                LogDurability::Async => session.log().post_event(event).map(CallEntry::Posted),
                LogDurability::Before | LogDurability::Durable => {
                    session.log().write_event(event).map(CallEntry::Written)
                }
            }
        }
    }
}
