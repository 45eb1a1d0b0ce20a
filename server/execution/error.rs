//! The errors of running a command, or of reading its changes.

use std::io;

use crate::protocol::{Code, Fault};
use crate::sandbox::SandboxError;
use crate::workspace::WorkspaceError;

/// The error that keeps a command from being run, or its changes from being read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ExecutionError {
    /// The folder that the command is to start in is none.
    #[error("{path} is {what}, not a folder that a command can start in")]
    Start {
        /// The folder asked for.
        path: String,
        /// The kind of entry at that path.
        what: &'static str,
    },
    /// The sandbox was not built, or the command is not there.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// Node.js is asked for and not there.
    #[error("no Node.js that a sandbox shows: neither the system nor a toolchain has a program `node`")]
    NoNode(#[source] SandboxError),
    /// The workspace, or the state folder, cannot be read or written.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// The system refuses what a run needs.
    #[error("{doing} failed")]
    System {
        /// The operation that failed.
        doing: &'static str,
        /// The system's error.
        #[source]
        source: io::Error,
    },
    /// Too many commands run in the background.
    #[error("{0} commands run in the background already; that is the limit")]
    TooMany(usize),
    /// A task of wherefore ended early.
    #[error("the run was not seen to its end")]
    Lost,
}

impl ExecutionError {
    /// Names what was being done when the system refused it.
    pub(crate) fn while_doing(doing: &'static str) -> impl Fn(io::Error) -> Self {
        move |source| Self::System { doing, source }
    }
}

/// The error of a call that runs a command.
impl From<ExecutionError> for Fault {
    fn from(error: ExecutionError) -> Self {
        let message = error_chain(&error);
        match error {
            ExecutionError::Start { .. } => Self::new(Code::InvalidArgs, message)
                .with_suggestion("name a folder of the workspace as `cwd`"),
            ExecutionError::Workspace(error) => error.into(),
            ExecutionError::Sandbox(error) => of_sandbox(&error, message),
            ExecutionError::NoNode(_) => Self::new(Code::NotFound, message).with_suggestion(
                "leave `runtime` out: quickjs is always there; or ask the person to install Node.js",
            ),
            ExecutionError::TooMany(_) => Self::new(Code::QuotaExceeded, message)
                .with_suggestion("end one with terminal.kill; process.list shows them"),
            ExecutionError::System { .. } | ExecutionError::Lost => Self::internal(message),
        }
    }
}

fn of_sandbox(error: &SandboxError, message: String) -> Fault {
    match error {
        SandboxError::Unavailable { offered, .. } => Fault::new(Code::SandboxUnavailable, message)
            .with_hints(offered.reasons.iter().cloned())
            .with_suggestion("ask the person to run `wherefore doctor`, which says how to mend it"),
        SandboxError::Program { program, .. } => Fault::new(Code::NotFound, message).with_suggestion(format!(
            "check the name of {}; programs of the person's home folder are not there unless `[sandbox] toolchains` \
             names their folder",
            program.display()
        )),
        SandboxError::Command(_) | SandboxError::Path { .. } => Fault::new(Code::InvalidArgs, message),
        SandboxError::Start(_) | SandboxError::Build { .. } | SandboxError::Lost => {
            Fault::new(Code::SandboxUnavailable, message)
                .with_suggestion("ask the person to run `wherefore doctor`, which says what is wrong")
        }
    }
}

/// An error with everything that led to it.
fn error_chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.ends_with(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        source = cause.source();
    }
    text
}
