//! What goes wrong with the files of a workspace. It becomes the fault of a call here, and nowhere else.

use std::path::PathBuf;
use std::time::Duration;

use rustix::io::Errno;
use serde_json::json;
use thiserror::Error;

use super::errno::{meaning, why};
use super::stat::FileKind;
use crate::base::WorkspacePath;
use crate::protocol::{Code, Fault};
use crate::rules::Refusal;

/// Why something was not done with a file or folder.
#[derive(Clone, Debug, Error)]
pub enum WorkspaceError {
    /// The system did not do it.
    #[error("cannot {doing} `{path}`: {}", why(.source))]
    System {
        /// What was to be done, as "write".
        doing: &'static str,
        /// With what.
        path: WorkspacePath,
        /// What the system says.
        source: Errno,
    },
    /// There is no such file.
    #[error("cannot find `{path}`: {}", why(&Errno::NOENT))]
    Missing {
        /// What is not there.
        path: WorkspacePath,
        /// The paths in its folder that look most like it.
        near: Vec<String>,
    },
    /// A change took effect, but may not outlive a power cut.
    #[error("cannot make durable the change of `{path}`: {}; the change itself took effect", why(.source))]
    NotDurable {
        /// What was changed.
        path: WorkspacePath,
        /// What the system says.
        source: Errno,
    },
    /// A rule says no.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// A symlink leads out of the workspace.
    #[error("`{path}` leads outside the workspace through the symlink `{link}`")]
    LeadsOutside {
        /// The path asked for.
        path: WorkspacePath,
        /// The part of it that leads outside.
        link: String,
    },
    /// A symlink would lead out of the workspace.
    #[error("the symlink `{link}` to `{target}` would lead outside the workspace")]
    WouldLeadOutside {
        /// Where it would stand.
        link: WorkspacePath,
        /// Its text.
        target: String,
    },
    /// What stands there is no regular file.
    #[error("`{path}` is {}; only regular files are read and written", kind.noun())]
    Irregular {
        /// Where.
        path: WorkspacePath,
        /// What it is.
        kind: FileKind,
    },
    /// What stands there is no folder.
    #[error("`{path}` is {}, not a folder", kind.noun())]
    NoFolder {
        /// Where.
        path: WorkspacePath,
        /// What it is.
        kind: FileKind,
    },
    /// Something stands where a folder is to be made.
    #[error("cannot make the folder `{path}`: {} stands there", kind.noun())]
    InTheWay {
        /// Where.
        path: WorkspacePath,
        /// What it is.
        kind: FileKind,
    },
    /// The folder of a file that is written is not there.
    #[error("cannot write `{path}`: there is no folder `{folder}`")]
    FolderMissing {
        /// The file.
        path: WorkspacePath,
        /// Its folder.
        folder: WorkspacePath,
    },
    /// A file could not stay what it is, or the person wants it kept.
    #[error("cannot write `{path}`: {why}")]
    Kept {
        /// The file.
        path: WorkspacePath,
        /// Why it is left.
        why: String,
        /// What to do instead.
        act: &'static str,
    },
    /// A file holds more than is read at once.
    #[error("`{path}` holds {size} bytes, more than the {max} that are read at once")]
    TooLarge {
        /// The file.
        path: WorkspacePath,
        /// Its bytes.
        size: u64,
        /// The limit.
        max: u64,
    },
    /// A file is there, or holds something else than its writer knows.
    #[error("`{path}` {what}; it is left as it stands")]
    Stale {
        /// The file.
        path: WorkspacePath,
        /// What its writer did not know.
        what: &'static str,
        /// The hash that was expected.
        expected: Option<String>,
        /// The hash of what stands there.
        found: String,
        /// Its bytes.
        size: Option<i64>,
        /// When it was changed.
        modified: Option<String>,
    },
    /// A file that its writer knows is not there any more.
    #[error("`{path}` is gone since it was read")]
    Gone {
        /// The file.
        path: WorkspacePath,
        /// The hash that was expected.
        expected: String,
    },
    /// Something stands where nothing is to be written over.
    #[error("`{path}` exists already; it is left as it stands")]
    Taken {
        /// Where.
        path: WorkspacePath,
    },
    /// A symlink leads elsewhere than its writer knows, or is not there any more.
    #[error("the symlink `{path}` is not as it was; it is left as it stands")]
    LinkChanged {
        /// Where it stands.
        path: WorkspacePath,
        /// The target that was expected; none where nothing was.
        expected: Option<String>,
        /// The target that it has; none where it is not there.
        found: Option<String>,
    },
    /// The target of a copy is its source, or lies in it.
    #[error("cannot copy `{from}` to `{to}`: the target is the source or lies in it")]
    OntoItself {
        /// The source.
        from: WorkspacePath,
        /// The target.
        to: WorkspacePath,
    },
    /// A copy would make too much.
    #[error("`{from}`: a copy makes at most {max} files and folders")]
    CopyTooLarge {
        /// The source.
        from: WorkspacePath,
        /// The limit.
        max: usize,
    },
    /// The path of a root is not UTF-8.
    #[error("the root {path:?} is not a UTF-8 path")]
    RootName {
        /// The path.
        path: PathBuf,
    },
    /// There is no root that can be opened.
    #[error("cannot open the root `{path}`: {}", why(.source))]
    NoRoot {
        /// Its path.
        path: String,
        /// What the system says.
        source: Errno,
    },
    /// A root that was opened cannot be used.
    #[error("cannot open the root {path}: {source}")]
    RootUnopened {
        /// Its path.
        path: String,
        /// What the system says.
        source: Errno,
    },
    /// The root was removed.
    #[error("the workspace's folder {path} was removed")]
    RootRemoved {
        /// Its path.
        path: String,
    },
    /// A path leaves a folder of ours.
    #[error("`{path}` leaves the folder `{folder}`")]
    LeavesOurs {
        /// The path.
        path: String,
        /// Our folder.
        folder: WorkspacePath,
    },
    /// Something stands where a folder of ours belongs.
    #[error("`{path}` must be a folder; a symlink or file stands in its way")]
    Blocked {
        /// Where.
        path: WorkspacePath,
    },
    /// A file of ours holds more than it may.
    #[error("`{path}` holds more than the {max} bytes that a file of that kind may")]
    OursTooLarge {
        /// The file.
        path: WorkspacePath,
        /// The limit.
        max: u64,
    },
    /// A file of ours would hold more than it may.
    #[error("`{path}` would hold {size} bytes; a file of that kind holds {max} at most")]
    WouldBeTooLarge {
        /// The file.
        path: WorkspacePath,
        /// What it would hold.
        size: u64,
        /// The limit.
        max: u64,
    },
    /// Another process keeps the lock.
    #[error("another process has held the workspace's lock for {0:?}")]
    Locked(Duration),
    /// The system gives no lock.
    #[error("cannot lock the workspace: {0}")]
    NoLock(#[source] Errno),
    /// The person has no state folder.
    #[error(
        "there is no folder for what this machine keeps of a workspace: neither HOME nor XDG_STATE_HOME names one"
    )]
    NoState,
    /// The person's state folder may have come with the code.
    #[error(
        "the state folder {path} lies in the workspace, so that it may have come with the code; it is not used"
    )]
    StateInWorkspace {
        /// Its path.
        path: String,
    },
    /// The state folder is somebody else's.
    #[error("the state folder belongs to the user {user}, not to you; it is not used")]
    StateOfAnother {
        /// Whose it is.
        user: u32,
    },
    /// The state folder is not there though it was made.
    #[error("the state folder was not made")]
    StateNotMade,
    /// Something with what this machine keeps of the workspace.
    #[error(
        "{source}; that is in {place}, where this machine keeps what waits for the person and what undo needs"
    )]
    InState {
        /// What went wrong.
        source: Box<WorkspaceError>,
        /// The state folder.
        place: String,
    },
}

/// What a person can do where there is no state folder.
const WAY_OUT: &str =
    "ask the person to set HOME or XDG_STATE_HOME to a folder of theirs that can be written; reading goes on";

impl WorkspaceError {
    /// The code of its fault.
    pub fn code(&self) -> Code {
        match self {
            Self::System { source, .. } | Self::NotDurable { source, .. } | Self::NoRoot { source, .. } => {
                meaning(*source).0
            }
            Self::InState { source, .. } => source.code(),
            Self::Missing { .. } | Self::FolderMissing { .. } | Self::RootRemoved { .. } => Code::NotFound,
            Self::LeadsOutside { .. }
            | Self::WouldLeadOutside { .. }
            | Self::Kept { .. }
            | Self::Refused(_)
            | Self::Blocked { .. }
            | Self::NoState
            | Self::StateInWorkspace { .. }
            | Self::StateOfAnother { .. } => Code::PermissionDenied,
            Self::Irregular { .. }
            | Self::NoFolder { .. }
            | Self::InTheWay { .. }
            | Self::OntoItself { .. }
            | Self::RootName { .. } => Code::InvalidArgs,
            Self::TooLarge { .. } | Self::WouldBeTooLarge { .. } | Self::CopyTooLarge { .. } => {
                Code::QuotaExceeded
            }
            Self::OursTooLarge { .. } => Code::Unsupported,
            Self::Stale { .. } | Self::Gone { .. } | Self::Taken { .. } | Self::LinkChanged { .. } => {
                Code::Stale
            }
            Self::Locked(_) => Code::Timeout,
            Self::RootUnopened { .. } | Self::LeavesOurs { .. } | Self::NoLock(_) | Self::StateNotMade => {
                Code::Internal
            }
        }
    }

    /// The act to take next.
    fn suggestion(&self) -> Option<String> {
        let act = match self {
            Self::System { source, .. } => meaning(*source).2,
            Self::Missing { .. } => meaning(Errno::NOENT).2,
            Self::NotDurable { .. } => "read the path to see it; ask the person to look at the disk",
            Self::Refused(refusal) => return Fault::from(refusal.clone()).suggestion,
            Self::LeadsOutside { .. } => "use a path inside the workspace; what lies outside stays closed",
            Self::WouldLeadOutside { .. } => "copy what it leads to",
            Self::Irregular { kind: FileKind::Folder, .. } => "list it, or name a file in it",
            Self::Irregular { .. } => "choose a regular file",
            Self::NoFolder { .. } => "read it, or list the folder it is in",
            Self::InTheWay { .. } => "choose another name",
            Self::FolderMissing { .. } => "make the folder first (fs.mkdir)",
            Self::Kept { act, .. } => act,
            Self::TooLarge { .. } => "read a range of its lines",
            Self::Stale { .. } => "read it again and redo the change on what it holds now",
            Self::Gone { .. } => "list its folder, then decide anew",
            Self::Taken { .. } => "look at what stands there, then decide anew",
            Self::LinkChanged { .. } => "look at it again and redo the change on what it is now",
            Self::OntoItself { .. } => "choose a target outside of what is copied",
            Self::CopyTooLarge { .. } => "copy its parts one by one",
            Self::NoRoot { .. } => "name an existing folder as the root",
            Self::RootRemoved { .. } => "put it back: calls go on as soon as it is there",
            Self::Blocked { .. } => "ask the person to look at it and remove it",
            Self::OursTooLarge { .. } => "ask the person to look at it",
            Self::WouldBeTooLarge { .. } => "make the change in several parts",
            Self::Locked(_) => "try again in a moment",
            Self::NoState | Self::StateInWorkspace { .. } => WAY_OUT,
            Self::InState { source, .. } => match source.code() {
                Code::QuotaExceeded | Code::Timeout => return source.suggestion(),
                _ => WAY_OUT,
            },
            Self::RootName { .. }
            | Self::RootUnopened { .. }
            | Self::LeavesOurs { .. }
            | Self::NoLock(_)
            | Self::StateOfAnother { .. }
            | Self::StateNotMade => "",
        };
        (!act.is_empty()).then(|| act.to_owned())
    }
}

impl From<WorkspaceError> for Fault {
    fn from(error: WorkspaceError) -> Self {
        let (code, message, suggestion) = (error.code(), error.to_string(), error.suggestion());
        let fault = Self { suggestion, ..Self::new(code, message) };
        match error {
            WorkspaceError::Refused(refusal) => refusal.into(),
            WorkspaceError::InState { source, .. } => {
                Self { message: fault.message, suggestion: fault.suggestion, ..Self::from(*source) }
            }
            WorkspaceError::Missing { near, .. } => fault.hint(near),
            WorkspaceError::NotDurable { .. } => Self { applied: Some(true), ..fault },
            WorkspaceError::Blocked { .. } => fault.fatal(),
            WorkspaceError::Stale { path, expected, found, size, modified, .. } => fault.detail(json!({
                "path": path, "expected_hash": expected, "hash": found, "size": size, "modified": modified,
            })),
            WorkspaceError::Gone { path, expected } => {
                fault.detail(json!({ "path": path, "expected_hash": expected, "hash": null }))
            }
            WorkspaceError::Taken { path } => fault.detail(json!({ "path": path })),
            WorkspaceError::LinkChanged { path, expected, found } => {
                fault.detail(json!({ "path": path, "expected_target": expected, "target": found }))
            }
            _ => fault,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::*;

    #[test]
    fn a_fault_says_what_the_error_knows_and_the_error_keeps_its_source() {
        let path = WorkspacePath::clean("a/b").unwrap();
        let error = WorkspaceError::System { doing: "write", path: path.clone(), source: Errno::NOSPC };
        assert_eq!(error.source().unwrap().to_string(), Errno::NOSPC.to_string());
        let within = WorkspaceError::InState { source: Box::new(error), place: "/state".to_owned() };
        let fault = Fault::from(within);
        assert_eq!(fault.code, Code::QuotaExceeded);
        assert_eq!(fault.suggestion.as_deref(), Some("ask the person to free space, then try again"));
        assert!(fault.message.starts_with("cannot write `a/b`: the disk is full; that is in /state, where"));
        let durable = Fault::from(WorkspaceError::NotDurable { path, source: Errno::IO });
        assert_eq!((durable.applied, durable.recoverable), (Some(true), false));
    }
}
