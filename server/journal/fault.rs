//! The session log's errors as faults: what an agent or a person reads.

use rustix::io::Errno;
use serde_json::json;

use super::error::{JournalError, is_no_file};
use crate::protocol::{Code, Fault};

impl From<JournalError> for Fault {
    fn from(error: JournalError) -> Self {
        let message = error.to_string();
        match error {
            JournalError::Locked { .. } => Self::new(Code::NotAuthorized, message)
                .with_suggestion("use another session")
                .with_details(json!({ "taken": true })),
            JournalError::Foreign { session, .. } => Self::new(Code::NotAuthorized, message)
                .with_suggestion(format!(
                    "look at it with `wherefore log verify {session}`; what follows stands in another session"
                ))
                .with_details(json!({ "taken": true, "foreign": true })),
            JournalError::Missing(_) => Self::new(Code::NotFound, message),
            JournalError::Folder(fault) => *fault,
            JournalError::Disk { source, .. } => disk_fault(source, message),
            JournalError::Unsynced { source } => {
                disk_fault(source, message).with_suggestion("call again: the log goes on in a new part")
            }
            JournalError::Removed => {
                Self::internal(message).with_suggestion("call again: a new log is begun")
            }
            JournalError::Closed { .. }
            | JournalError::ClosedUnsynced
            | JournalError::Unwritten
            | JournalError::Serialize(_)
            | JournalError::Thread(_) => Self::internal(message),
        }
    }
}

/// The fault of a disk's error, with a way out if there is one.
fn disk_fault(error: Errno, message: String) -> Fault {
    match error {
        Errno::NOSPC | Errno::DQUOT | Errno::FBIG => Fault::new(Code::QuotaExceeded, message)
            .with_suggestion("free some space on the disk that holds .wherefore, then call again"),
        Errno::MFILE | Errno::NFILE | Errno::NOMEM => Fault::new(Code::QuotaExceeded, message)
            .with_suggestion("wait until other calls have ended, then call again"),
        Errno::ACCESS | Errno::PERM | Errno::ROFS => Fault::new(Code::PermissionDenied, message)
            .with_suggestion("make .wherefore writable for this user"),
        error if is_no_file(error) => Fault::new(Code::PermissionDenied, message)
            .with_suggestion("remove what stands in the session's folder in place of the log"),
        _ => Fault::internal(message),
    }
}
