//! A path or an argument in a message: text if it is UTF-8, else its bytes.

use std::ffi::{CString, NulError, OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// A text of the operating system, which need not be UTF-8.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum OsBytes {
    /// Bytes that are valid UTF-8.
    Text(String),
    /// Bytes that are not valid UTF-8.
    Raw(Vec<u8>),
}

impl OsBytes {
    pub(crate) fn as_path(&self) -> &Path {
        match self {
            Self::Text(text) => Path::new(text),
            Self::Raw(bytes) => Path::new(OsStr::from_bytes(bytes)),
        }
    }

    pub(crate) fn to_c(&self) -> Result<CString, NulError> {
        CString::new(self.as_path().as_os_str().as_bytes())
    }
}

impl From<OsString> for OsBytes {
    fn from(text: OsString) -> Self {
        text.into_string().map_or_else(|raw| Self::Raw(raw.into_vec()), Self::Text)
    }
}

impl From<PathBuf> for OsBytes {
    fn from(path: PathBuf) -> Self {
        path.into_os_string().into()
    }
}

impl From<&Path> for OsBytes {
    fn from(path: &Path) -> Self {
        path.as_os_str().to_owned().into()
    }
}

impl From<&str> for OsBytes {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}
