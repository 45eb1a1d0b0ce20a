//! The errors of the files of a workspace, of checkpoints and of their steps.

use std::path::PathBuf;
use std::time::Duration;

use rustix::io::Errno;
use thiserror::Error;

use super::errno::error_text;
use super::stat::FileKind;
use crate::base::{CallId, WorkspacePath};
use crate::rules::AccessRefusal;

/// The reasons why an operation on a file or folder was not done.
#[derive(Clone, Debug, Error)]
pub enum WorkspaceError {
    /// The system did not do it.
    #[error("cannot {doing} `{path}`: {}", error_text(.source))]
    System {
        /// The operation, as "write".
        doing: &'static str,
        /// With what.
        path: WorkspacePath,
        /// The system's error.
        source: Errno,
    },
    /// There is no such file.
    #[error("cannot find `{path}`: {}", error_text(&Errno::NOENT))]
    Missing {
        /// The path that does not exist.
        path: WorkspacePath,
        /// The paths in its folder that look most like it.
        near: Vec<String>,
    },
    /// A change took effect, but may not outlive a power cut.
    #[error("cannot make durable the change of `{path}`: {}; the change itself took effect", error_text(.source))]
    NotDurable {
        /// The changed path.
        path: WorkspacePath,
        /// The system's error.
        source: Errno,
    },
    /// A rule refuses the access.
    #[error(transparent)]
    Refused(#[from] AccessRefusal),
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
        /// The path of the symlink.
        link: WorkspacePath,
        /// Its text.
        target: String,
    },
    /// The entry at a path is no regular file.
    #[error("`{path}` is {}; only regular files are read and written", kind.noun())]
    Irregular {
        /// Where.
        path: WorkspacePath,
        /// Its kind.
        kind: FileKind,
    },
    /// The entry at a path is no folder.
    #[error("`{path}` is {}, not a folder", kind.noun())]
    NoFolder {
        /// Where.
        path: WorkspacePath,
        /// Its kind.
        kind: FileKind,
    },
    /// Another entry exists where a folder is to be made.
    #[error("cannot make the folder `{path}`: {} stands there", kind.noun())]
    InTheWay {
        /// Where.
        path: WorkspacePath,
        /// Its kind.
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
        /// The reason why it is left.
        why: String,
        /// The action to take instead.
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
        /// The state that its writer did not know.
        what: &'static str,
        /// The hash that was expected.
        expected: Option<String>,
        /// The hash of the existing file.
        found: String,
        /// Its bytes.
        size: Option<i64>,
        /// The time when it was changed.
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
    /// A file exists where nothing may be overwritten.
    #[error("`{path}` exists already; it is left as it stands")]
    Taken {
        /// Where.
        path: WorkspacePath,
    },
    /// A symlink leads elsewhere than its writer knows, or is not there any more.
    #[error("the symlink `{path}` is not as it was; it is left as it stands")]
    LinkChanged {
        /// The path of the symlink.
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
    #[error("cannot open the root `{path}`: {}", error_text(.source))]
    NoRoot {
        /// Its path.
        path: String,
        /// The system's error.
        source: Errno,
    },
    /// A root that was opened cannot be used.
    #[error("cannot open the root {path}: {source}")]
    RootUnopened {
        /// Its path.
        path: String,
        /// The system's error.
        source: Errno,
    },
    /// The root was removed.
    #[error("the workspace's folder {path} was removed")]
    RootRemoved {
        /// Its path.
        path: String,
    },
    /// A path leaves one of our folders.
    #[error("`{path}` leaves the folder `{folder}`")]
    LeavesOurs {
        /// The path.
        path: String,
        /// Our folder.
        folder: WorkspacePath,
    },
    /// Another entry exists in the place of one of our folders.
    #[error("`{path}` must be a folder; a symlink or file stands in its way")]
    Blocked {
        /// Where.
        path: WorkspacePath,
    },
    /// A file of wherefore's own holds more than it may.
    #[error("`{path}` holds more than the {max} bytes that a file of that kind may")]
    OursTooLarge {
        /// The file.
        path: WorkspacePath,
        /// The limit.
        max: u64,
    },
    /// A file of wherefore's own would hold more than it may.
    #[error("`{path}` would hold {size} bytes; a file of that kind holds {max} at most")]
    WouldBeTooLarge {
        /// The file.
        path: WorkspacePath,
        /// The size that it would have.
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
        /// The user that owns it.
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
        /// The error.
        source: Box<WorkspaceError>,
        /// The state folder.
        place: String,
    },
}

/// The reasons why a checkpoint was not kept or found.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// The state folder was not read or written.
    #[error(transparent)]
    State(#[from] WorkspaceError),
    /// The call or its session is no name of a file.
    #[error("{call:?} names no call")]
    Name {
        /// The call.
        call: CallId,
    },
    /// The checkpoint does not serialise.
    #[error(transparent)]
    Serialize(#[from] serde_json::Error),
    /// The call has no checkpoint.
    #[error("no change of call {call:?} is kept")]
    Missing {
        /// The call, as it was asked for.
        call: String,
    },
    /// No call has a checkpoint that can be undone.
    #[error("there is no change to undo")]
    NothingToUndo,
}

/// The reasons why a step was not carried out.
#[derive(Debug, Error)]
pub enum StepError {
    /// A file was not read or written.
    #[error(transparent)]
    File(#[from] WorkspaceError),
    /// A rename has no source.
    #[error("a rename names no source")]
    NoSource,
    /// The state folder has no such bytes.
    #[error("the bytes {blob} that the change needs are not kept any more")]
    BytesGone {
        /// Their hash.
        blob: String,
    },
}
