//! How a call and its end get into the session log.

use serde_json::{Map, Value};

use super::{Carried, notices};
use crate::catalogue::Risk;
use crate::journal::{JournalError, Mark, Posted};
use crate::protocol::{Durability, Event, LogEvent, Status};
use crate::registry::{Call, Refused};
use crate::session::Session;

/// When the events of a call are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pace {
    /// Before it runs and before it is answered; and they are on the disk by then.
    Durable,
    /// Before it runs and before it is answered.
    Before,
    /// By another thread, while it runs. The call is in the log before its answer leaves, and its result soon
    /// after: it only looks, so that nothing can come of it that the log does not hold.
    Beside,
}

impl Pace {
    /// The pace of a call.
    pub(super) fn of(session: &Session, call: &Call) -> Self {
        if super::changes_something(call)
            || session.workspace().settings().log.durability == Durability::Always
        {
            return Self::Durable;
        }
        let looks = call.activity().is_some() && call.tool().def().risk == Risk::Read;
        if looks { Self::Beside } else { Self::Before }
    }

    /// The pace of a call that was refused.
    pub(super) fn refused(session: &Session) -> Self {
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
    Written(Mark),
    /// On its way there.
    Posted(Posted),
}

impl CallEntry {
    /// Makes sure that it is in the file.
    ///
    /// # Errors
    /// What keeps it from being written.
    pub(super) fn mark(&self, session: &Session) -> Result<Mark, JournalError> {
        match self {
            Self::Written(mark) => Ok(*mark),
            Self::Posted(posted) => session.log().journal()?.written(posted),
        }
    }
}

/// Logs a call that may run.
///
/// # Errors
/// What keeps it from being written.
pub(super) fn call(session: &Session, call: &Call, pace: Pace) -> Result<CallEntry, JournalError> {
    let event = LogEvent {
        event: Event::ToolCall {
            call_id: call.id().clone(),
            origin: call.origin().clone(),
            tool: call.tool().name().to_owned(),
            args: stated(call),
            follows: call.follows().cloned(),
            warnings: call.warnings().to_vec(),
        },
        comments: call.comments().clone(),
    };
    match pace {
        Pace::Beside => session.log().post(event).map(CallEntry::Posted),
        Pace::Before | Pace::Durable => session.log().write(event).map(CallEntry::Written),
    }
}

/// A call's arguments, with `null` for a reason that was not given.
fn stated(call: &Call) -> Map<String, Value> {
    let mut args = call.args().clone();
    if call.why().is_unstated() {
        args.insert("why".to_owned(), Value::Null);
    }
    args
}

/// Logs a call that never became one, as it came.
///
/// # Errors
/// What keeps it from being written.
pub(super) fn refused(session: &Session, refused: &Refused) -> Result<CallEntry, JournalError> {
    let event = LogEvent {
        event: Event::ToolCall {
            call_id: refused.call_id.clone(),
            origin: refused.origin.clone(),
            tool: refused.tool.clone(),
            args: refused.args.clone(),
            follows: refused.follows.clone(),
            warnings: Vec::new(),
        },
        comments: refused.comments.clone(),
    };
    session.log().write(event).map(CallEntry::Written)
}

/// Logs how a call ended.
///
/// # Errors
/// What keeps it from being written.
pub(super) fn end(session: &Session, carried: &Carried) -> Result<CallEntry, JournalError> {
    let Carried { id, tool, ended, pace, .. } = carried;
    let duration_ms = notices::milliseconds(carried.began);
    session.log().count(match (&ended.error, ended.status) {
        (Some(_), _) => "calls_failed",
        (None, Status::Pending) => "calls_pending",
        (None, _) => "calls_ok",
    });
    let (call_id, tool) = (id.clone(), tool.clone());
    match &ended.error {
        Some(error) => session
            .log()
            .write(Event::ToolError { call_id, tool, error: error.clone(), duration_ms })
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
                Pace::Beside => session.log().post(event).map(CallEntry::Posted),
                Pace::Before | Pace::Durable => session.log().write(event).map(CallEntry::Written),
            }
        }
    }
}
