//! The reason why a sandbox was not built, as reported by its processes.

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use crate::bytes::OsBytes;
use crate::spec::{BuildStage, ControlMessage};

/// The stage that failed, with the system's error and the path that it happened at.
#[derive(Debug)]
pub(crate) struct BuildFailure {
    stage: BuildStage,
    error: io::Error,
    path: Option<OsBytes>,
}

impl BuildFailure {
    /// The trouble of `stage` with `name`.
    pub(crate) fn new(stage: BuildStage, error: io::Error, name: &OsStr) -> Self {
        Self { stage, error, path: Some(name.to_owned().into()) }
    }

    /// Returns the message that reports it.
    pub(crate) fn into_message(self) -> ControlMessage {
        ControlMessage::Failed {
            stage: self.stage,
            errno: self.error.raw_os_error().unwrap_or(libc::EINVAL),
            path: self.path,
        }
    }
}

/// Names the stage that an error belongs to.
pub(crate) trait AtStage<T> {
    /// The error of `stage`.
    fn at_stage(self, stage: BuildStage) -> Result<T, BuildFailure>;

    /// The error of `stage` at `path`.
    fn at_path(self, stage: BuildStage, path: &Path) -> Result<T, BuildFailure>;
}

impl<T, E: Into<io::Error>> AtStage<T> for Result<T, E> {
    fn at_stage(self, stage: BuildStage) -> Result<T, BuildFailure> {
        self.map_err(|error| BuildFailure { stage, error: error.into(), path: None })
    }

    fn at_path(self, stage: BuildStage, path: &Path) -> Result<T, BuildFailure> {
        self.map_err(|error| BuildFailure { stage, error: error.into(), path: Some(path.into()) })
    }
}
