//! The reasons why a command was not run.

use std::io;
use std::path::PathBuf;

use crate::spec::BuildStage;
use crate::tier::{MachineTier, SandboxLevel};

/// The reason why a command was not run, or its end is not known.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// The machine offers less than the plan asks for.
    #[error("no sandbox that this command may run in: {wanted} is asked for, this machine offers {}", .offered.level)]
    Unavailable {
        /// The level that the plan requires.
        wanted: SandboxLevel,
        /// The tier of this machine, with the reasons why there is no better one.
        offered: MachineTier,
    },
    /// A path of the plan cannot be used.
    #[error("{} cannot be used in a sandbox: {reason}", .path.display())]
    Path {
        /// The path.
        path: PathBuf,
        /// The reason why it cannot be used.
        reason: String,
    },
    /// The plan names no program, or an argument with a NUL character.
    #[error("no command: {0}")]
    Command(&'static str),
    /// The processes of the sandbox were not started.
    #[error("the sandbox was not started")]
    Start(#[source] io::Error),
    /// The sandbox was not built.
    #[error("{stage} failed{}", .path.as_ref().map(|path| format!(" at {}", path.display())).unwrap_or_default())]
    Build {
        /// The step that failed.
        stage: BuildStage,
        /// Where.
        path: Option<PathBuf>,
        /// The system's error.
        #[source]
        source: io::Error,
    },
    /// The program is not there, or cannot be executed.
    #[error("{} cannot be executed in the sandbox", .program.display())]
    Program {
        /// Its name.
        program: PathBuf,
        /// The system's error.
        #[source]
        source: io::Error,
    },
    /// The sandbox ended without saying how.
    #[error("the sandbox ended without telling how the command ended")]
    Lost,
}
