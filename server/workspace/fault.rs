//! The errors of a workspace as faults: what an agent or a person reads.

use rustix::io::Errno;
use serde_json::json;

use super::errno::classify_errno;
use super::error::{CheckpointError, StepError, WorkspaceError};
use super::stat::FileKind;
use crate::protocol::{Code, Fault};

/// The advice to a person who has no state folder.
const WAY_OUT: &str =
    "ask the person to set HOME or XDG_STATE_HOME to a folder of theirs that can be written; reading goes on";

impl WorkspaceError {
    /// The code of its fault.
    pub fn code(&self) -> Code {
        match self {
            Self::System { source, .. } | Self::NotDurable { source, .. } | Self::NoRoot { source, .. } => {
                classify_errno(*source).0
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
            Self::System { source, .. } => classify_errno(*source).2,
            Self::Missing { .. } => classify_errno(Errno::NOENT).2,
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
            Self::TooLarge { .. } => {
                "have a command read or change a part of it: terminal.run with head, tail or sed"
            }
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
            WorkspaceError::Missing { near, .. } => fault.with_hints(near),
            WorkspaceError::NotDurable { .. } => Self { applied: Some(true), ..fault },
            WorkspaceError::Blocked { .. } => fault.as_fatal(),
            WorkspaceError::Stale { path, expected, found, size, modified, .. } => fault.with_details(json!({
                "path": path, "expected_hash": expected, "hash": found, "size": size, "modified": modified,
            })),
            WorkspaceError::Gone { path, expected } => {
                fault.with_details(json!({ "path": path, "expected_hash": expected, "hash": null }))
            }
            WorkspaceError::Taken { path } => fault.with_details(json!({ "path": path })),
            WorkspaceError::LinkChanged { path, expected, found } => {
                fault.with_details(json!({ "path": path, "expected_target": expected, "target": found }))
            }
            _ => fault,
        }
    }
}

impl CheckpointError {
    /// The code of its fault.
    pub fn code(&self) -> Code {
        match self {
            Self::State(error) => error.code(),
            Self::Missing { .. } | Self::NothingToUndo => Code::NotFound,
            Self::Name { .. } | Self::Serialize(_) => Code::Internal,
        }
    }
}

impl From<CheckpointError> for Fault {
    fn from(error: CheckpointError) -> Self {
        let fault = Self::new(error.code(), error.to_string());
        match error {
            CheckpointError::State(error) => error.into(),
            CheckpointError::Missing { .. } => fault.with_suggestion(
                "`wherefore log --status ok` lists the calls; only those that changed a file can be undone",
            ),
            _ => fault,
        }
    }
}

impl From<StepError> for Fault {
    fn from(error: StepError) -> Self {
        let message = error.to_string();
        match error {
            StepError::File(error) => error.into(),
            StepError::NoSource => Self::internal(message),
            StepError::BytesGone { .. } => Self::new(Code::NotFound, message).as_fatal(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::*;
    use crate::base::WorkspacePath;

    #[test]
    fn a_fault_says_what_the_error_knows_and_the_error_keeps_its_source() {
        let path = WorkspacePath::from_relative("a/b").unwrap();
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
