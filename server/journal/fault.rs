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
                .suggest("use another session")
                .detail(json!({ "taken": true })),
            JournalError::Foreign { session, .. } => Self::new(Code::NotAuthorized, message)
                .suggest(format!(
                    "look at it with `wherefore log verify {session}`; what follows stands in another session"
                ))
                .detail(json!({ "taken": true, "foreign": true })),
            JournalError::Missing(_) => Self::new(Code::NotFound, message),
            JournalError::Folder(fault) => *fault,
            JournalError::Disk { source, .. } => of_disk(source, message),
            JournalError::Unsynced { source } => {
                of_disk(source, message).suggest("call again: the log goes on in a new part")
            }
            JournalError::Removed => Self::internal(message).suggest("call again: a new log is begun"),
            JournalError::Closed { .. }
            | JournalError::ClosedUnsynced
            | JournalError::Unwritten
            | JournalError::Serialize(_)
            | JournalError::Thread(_) => Self::internal(message),
        }
    }
}

/// The fault of a disk's error, with a way out where there is one.
fn of_disk(error: Errno, message: String) -> Fault {
    match error {
        Errno::NOSPC | Errno::DQUOT | Errno::FBIG => Fault::new(Code::QuotaExceeded, message)
            .suggest("free some space on the disk that holds .wherefore, then call again"),
        Errno::MFILE | Errno::NFILE | Errno::NOMEM => Fault::new(Code::QuotaExceeded, message)
            .suggest("wait until other calls have ended, then call again"),
        Errno::ACCESS | Errno::PERM | Errno::ROFS => {
            Fault::new(Code::PermissionDenied, message).suggest("make .wherefore writable for this user")
        }
        error if is_no_file(error) => Fault::new(Code::PermissionDenied, message)
            .suggest("remove what stands in the session's folder in place of the log"),
        _ => Fault::internal(message),
    }
}
