//! The errors of the session log.

use std::path::PathBuf;
use std::sync::Arc;

use rustix::io::Errno;

use crate::protocol::Fault;

/// The reason why the session log was not opened, written, synced or read.
///
/// Every thread that waits for one failed sync gets the same error, so the error is `Clone`.
#[derive(Clone, Debug, thiserror::Error)]
pub enum JournalError {
    /// Another process has the log open for writing.
    #[error("the log of session {session} is open in another process")]
    Locked {
        /// The session's id.
        session: String,
    },
    /// The log is not continued: another machine wrote it, or it was altered.
    #[error("the log of session {session} is not continued: {reason}")]
    Foreign {
        /// The session's id.
        session: String,
        /// The evidence in the log.
        #[source]
        reason: ForeignReason,
    },
    /// The log was closed before the event came.
    #[error("the log of session {session} is closed")]
    Closed {
        /// The session's id.
        session: String,
    },
    /// The folder holds no session log.
    #[error("there is no session log in {}", .0.display())]
    Missing(PathBuf),
    /// The session's folder was not opened.
    #[error("{}", .0.message)]
    Folder(#[source] Box<Fault>),
    /// The disk refused an operation.
    #[error("could not {operation}: {source}{}", note(*.source))]
    Disk {
        /// The operation, as a verb with its object.
        operation: &'static str,
        /// The system's error.
        source: Errno,
    },
    /// A sync failed after the kernel took the data, which it may have dropped since.
    #[error(
        "could not bring the log to the disk: {source}{}; what was written since the last sync may be lost",
        note(*.source)
    )]
    Unsynced {
        /// The system's error.
        source: Errno,
    },
    /// Another program removed the log while it was written.
    #[error("the session log was removed while it was written")]
    Removed,
    /// The log was closed while somebody waited for the disk.
    #[error("the log was closed before it was on the disk")]
    ClosedUnsynced,
    /// A posted event was lost before it was written.
    #[error("an event was not written")]
    Unwritten,
    /// The event does not serialise.
    #[error(transparent)]
    Serialize(#[from] Arc<serde_json::Error>),
    /// The system started no thread.
    #[error("could not start a thread: {0}")]
    Thread(#[source] Arc<std::io::Error>),
}

/// Evidence in a log that this machine must not continue it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ForeignReason {
    /// The first part is gone or has no whole event.
    #[error("its beginning is not there, though it had {events} events")]
    NoBeginning {
        /// The events that it had when it was last durable.
        events: u64,
    },
    /// Another key hashed the blocks.
    #[error("it was written with a key that is not here")]
    OtherKey,
    /// No key hashed the blocks.
    #[error("it was written with no key")]
    NoKey,
    /// The first event's hash does not fit its text.
    #[error("its first event was altered, or forged")]
    FirstAltered,
    /// The first event names another workspace.
    #[error("it was written in another folder")]
    OtherFolder,
    /// The last durable event does not stand where it was written.
    #[error("its end was cut off or altered: {events} events were in it")]
    EndAltered {
        /// The events that it had when it was last durable.
        events: u64,
    },
}

/// Makes an error of the disk out of the system's error; `operation` is what failed, as a verb with its object.
pub(super) fn disk_error(operation: &'static str) -> impl Fn(Errno) -> JournalError + Copy {
    move |source| JournalError::Disk { operation, source }
}

/// Returns whether the error means that the log's path is not a regular file.
pub(super) fn is_no_file(error: Errno) -> bool {
    matches!(error, Errno::LOOP | Errno::MLINK | Errno::INVAL | Errno::NOTDIR)
}

/// An addition to the system's message.
fn note(error: Errno) -> &'static str {
    if is_no_file(error) { "; it is a link or no regular file" } else { "" }
}
