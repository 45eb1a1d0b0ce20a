//! The meaning of a system error for a caller.

use rustix::io::Errno;

use super::error::WorkspaceError;
use crate::base::WorkspacePath;
use crate::protocol::Code;

/// An error of the system on the way to `doing` (as "write") something with `path`.
pub(super) fn system_error(doing: &'static str, path: &WorkspacePath, source: Errno) -> WorkspaceError {
    WorkspaceError::System { doing, path: path.clone(), source }
}

/// The error behind one of the standard library's.
pub(super) fn errno_of(error: &std::io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::IO)
}

/// Returns the reason why the system did not do something.
pub(super) fn error_text(errno: &Errno) -> String {
    classify_errno(*errno).1
}

/// The code of an error of the system, what it means, and the act to take next.
pub(super) fn classify_errno(errno: Errno) -> (Code, String, &'static str) {
    let (code, why, suggestion) = match errno {
        Errno::NOENT => (Code::NotFound, "no such file or folder", "list the folder to see what is there"),
        Errno::ACCESS | Errno::PERM => (
            Code::PermissionDenied,
            "the system does not permit it",
            "choose another path, or ask the person",
        ),
        Errno::ROFS => {
            (Code::PermissionDenied, "the file system is read-only", "ask the person to make it writable")
        }
        Errno::LOOP | Errno::XDEV | Errno::AGAIN => {
            (Code::PermissionDenied, "the path keeps changing or its links go in a circle", "try again once")
        }
        Errno::NOSPC => {
            (Code::QuotaExceeded, "the disk is full", "ask the person to free space, then try again")
        }
        Errno::DQUOT => (Code::QuotaExceeded, "the disk quota is used up", "ask the person to free space"),
        Errno::FBIG => (Code::QuotaExceeded, "the file would be larger than permitted", "write less"),
        Errno::MFILE | Errno::NFILE => {
            (Code::QuotaExceeded, "too many files are open", "try again when other calls have ended")
        }
        Errno::NOMEM => (Code::QuotaExceeded, "the system is out of memory", "try again later"),
        Errno::NOTDIR => {
            (Code::InvalidArgs, "a part of the path is not a folder", "list the folder above it")
        }
        Errno::ISDIR => (Code::InvalidArgs, "it is a folder", "name a file in it"),
        Errno::EXIST => (Code::InvalidArgs, "it exists already", "read it first"),
        Errno::NOTEMPTY => (Code::InvalidArgs, "the folder is not empty", "remove what is in it first"),
        Errno::NAMETOOLONG => (Code::InvalidArgs, "the name is too long", "use a shorter one"),
        Errno::INVAL => (Code::InvalidArgs, "the system does not take this name", "use another one"),
        Errno::INTR => (Code::Internal, "the system interrupted the call", "try again"),
        other => return (Code::Internal, format!("system error {} ({other})", other.raw_os_error()), ""),
    };
    (code, why.to_owned(), suggestion)
}
