//! The errors of reading a repository.

use super::super::error::ExecutionError;
use crate::protocol::{Code, Fault};
use crate::sandbox::SandboxError;
use crate::workspace::WorkspaceError;

/// The error that keeps a repository from being read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GitError {
    /// The workspace's root holds no repository.
    #[error("the workspace's root holds no git repository")]
    NoRepository,
    /// The repository's own folder is outside of the workspace.
    #[error("`.git` leads to {0}, outside of the workspace, where no tool reads")]
    Outside(String),
    /// A file of the repository does not hold what it should.
    #[error("`{path}` holds no {expected}")]
    Malformed {
        /// The file.
        path: String,
        /// The content that it should have.
        expected: &'static str,
    },
    /// The repository's format has an extension that is not known.
    #[error("the repository's format has the extension {0:?}, which is not supported")]
    Extension(String),
    /// There is no git.
    #[error("git is not installed where a sandbox finds it")]
    NotInstalled,
    /// A revision names no commit.
    #[error("{0:?} names no commit of this repository")]
    Revision(String),
    /// Too much changed for one answer.
    #[error("too many files changed to judge each of them by the rules")]
    TooMuch,
    /// Files that a rule closes changed while the diff was made.
    #[error("the files changed while the diff was made")]
    Restless,
    /// A limit ended git.
    #[error("a limit ended git before it was done")]
    Limit,
    /// Git refuses.
    #[error("git failed: {0}")]
    Failed(String),
    /// Git was not run.
    #[error(transparent)]
    Execution(ExecutionError),
    /// A file of the repository cannot be read.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
}

impl From<ExecutionError> for GitError {
    fn from(error: ExecutionError) -> Self {
        match error {
            ExecutionError::Sandbox(SandboxError::Program { .. }) => Self::NotInstalled,
            other => Self::Execution(other),
        }
    }
}

/// The error of a call that reads a repository.
impl From<GitError> for Fault {
    fn from(error: GitError) -> Self {
        let message = error.to_string();
        let (code, suggestion) = match error {
            GitError::Execution(error) => return error.into(),
            GitError::Workspace(error) => return error.into(),
            GitError::NoRepository => (
                Code::NotFound,
                "go on without it; a repository that begins above or below the root is read where its own folder is \
                 the workspace",
            ),
            GitError::Outside(_) => (
                Code::PermissionDenied,
                "go on without it, or ask the person to open the folder that holds the whole repository",
            ),
            GitError::Malformed { .. } => (Code::Unsupported, "ask the person to look at it with `git fsck`"),
            GitError::Extension(_) => (Code::Unsupported, "go on without it"),
            GitError::NotInstalled => (
                Code::Unsupported,
                "ask the person to install git, or to name its folder under `[sandbox] toolchains`",
            ),
            GitError::Revision(_) => (
                Code::InvalidArgs,
                "name one commit: a branch, a tag, a hash, or `HEAD~2`; git.log shows hashes",
            ),
            GitError::TooMuch => (Code::QuotaExceeded, "name `paths`"),
            GitError::Restless => (Code::Stale, "call again"),
            GitError::Limit => (Code::Timeout, "name `paths`, or fewer commits"),
            GitError::Failed(_) => (Code::Unsupported, "go by what git says"),
        };
        Self::new(code, message).with_suggestion(suggestion)
    }
}
