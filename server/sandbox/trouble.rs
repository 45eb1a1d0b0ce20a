//! Why a sandbox was not built, as its processes tell it.

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use crate::bytes::Bytes;
use crate::spec::{Stage, Word};

/// The stage that failed, with the system's error and the path that it happened at.
#[derive(Debug)]
pub(crate) struct Trouble {
    stage: Stage,
    error: io::Error,
    path: Option<Bytes>,
}

impl Trouble {
    /// The trouble of `stage` with `name`.
    pub(crate) fn new(stage: Stage, error: io::Error, name: &OsStr) -> Self {
        Self { stage, error, path: Some(name.to_owned().into()) }
    }

    /// The word that tells it.
    pub(crate) fn word(self) -> Word {
        Word::Failed {
            stage: self.stage,
            errno: self.error.raw_os_error().unwrap_or(libc::EINVAL),
            path: self.path,
        }
    }
}

/// Names the stage that an error belongs to.
pub(crate) trait At<T> {
    /// The error of `stage`.
    fn at(self, stage: Stage) -> Result<T, Trouble>;

    /// The error of `stage` at `path`.
    fn at_path(self, stage: Stage, path: &Path) -> Result<T, Trouble>;
}

impl<T, E: Into<io::Error>> At<T> for Result<T, E> {
    fn at(self, stage: Stage) -> Result<T, Trouble> {
        self.map_err(|error| Trouble { stage, error: error.into(), path: None })
    }

    fn at_path(self, stage: Stage, path: &Path) -> Result<T, Trouble> {
        self.map_err(|error| Trouble { stage, error: error.into(), path: Some(path.into()) })
    }
}
