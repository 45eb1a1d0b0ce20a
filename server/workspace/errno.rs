//! What an error of the system means to a caller.

use rustix::io::Errno;

use crate::base::WorkspacePath;
use crate::protocol::{Code, Fault};

/// The fault for an error of the system on the way to `doing` (as "write") something with `path`.
pub(super) fn fault(doing: &str, path: &WorkspacePath, errno: Errno) -> Fault {
    let (code, why, suggestion) = meaning(errno);
    let fault = Fault::new(code, format!("cannot {doing} `{path}`: {why}"));
    if suggestion.is_empty() { fault } else { fault.suggest(suggestion) }
}

/// The error behind one of the standard library's.
pub(super) fn of(error: &std::io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::IO)
}

/// The fault for a file that is not there.
pub(super) fn missing(path: &WorkspacePath) -> Fault {
    fault("find", path, Errno::NOENT)
}

fn meaning(errno: Errno) -> (Code, String, &'static str) {
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
