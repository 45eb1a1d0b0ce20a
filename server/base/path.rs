//! Paths inside the workspace.

use std::borrow::{Borrow, Cow};
use std::fmt;
use std::path::{Path, PathBuf};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Our own folder in a workspace.
pub const OWN_DIR: &str = ".wherefore";

/// A path relative to the workspace's root: `/`-separated, with no empty, `.` or `..` part; the root itself is
/// `.`. A symlink may be on the way: opening it finds out (`workspace::Root`). Data that names another path does not
/// deserialise.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct WorkspacePath(String);

/// The reason why a text names no path in the workspace.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PathError {
    /// It is empty.
    #[error("the path is empty")]
    Empty,
    /// It has more bytes than the longest path: their number.
    #[error("the path has {0} bytes; the longest one has {MAX_PATH_BYTES}")]
    TooLong(usize),
    /// It holds a NUL.
    #[error("the path {0:?} holds a NUL")]
    Nul(String),
    /// It leaves the workspace.
    #[error("{0:?} is outside the workspace")]
    Outside(String),
    /// Data spells a path in another form than the normal one.
    #[error("{asked:?} is no path in the workspace; write it as \"{normal}\"")]
    Spelling {
        /// The text.
        asked: String,
        /// The path that it may mean.
        normal: WorkspacePath,
    },
}

/// Bytes of the longest path that a caller may write: what systems take. Rules look at each folder of a path, so a
/// longer one would cost the square of its length.
const MAX_PATH_BYTES: usize = 4095;

impl WorkspacePath {
    /// The workspace's root.
    pub fn root() -> Self {
        Self(".".to_owned())
    }

    /// Reads a path as a caller writes it: relative, or absolute or a `file:` URI if it names something
    /// below `root` by the root's own spelling. Whether it stays beneath through symlinks is decided where it
    /// is opened.
    ///
    /// # Errors
    /// Fails if the path leaves the root, is empty, holds a NUL, or is longer than the system accepts.
    pub fn parse(root: &str, asked: &str) -> Result<Self, PathError> {
        if asked.is_empty() {
            return Err(PathError::Empty);
        }
        if asked.len() > MAX_PATH_BYTES {
            return Err(PathError::TooLong(asked.len()));
        }
        if asked.contains('\0') {
            return Err(PathError::Nul(asked.to_owned()));
        }
        let outside = || PathError::Outside(asked.to_owned());
        let decoded = asked.strip_prefix("file://").map(percent_decode);
        let path = decoded.as_deref().unwrap_or(asked);
        let inner = match path.strip_prefix('/') {
            None => path,
            Some(_) => strip_root(root, path).ok_or_else(outside)?,
        };
        Self::from_relative(inner).ok_or_else(outside)
    }

    /// Cleans a relative path; `None` if it leaves the root.
    pub fn from_relative(path: &str) -> Option<Self> {
        let mut parts = Vec::new();
        for part in path.split('/') {
            match part {
                "" | "." => {}
                ".." => {
                    parts.pop()?;
                }
                part => parts.push(part),
            }
        }
        Some(if parts.is_empty() { Self::root() } else { Self(parts.join("/")) })
    }

    /// The path as text, `.` for the root.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether it is the root itself.
    pub fn is_root(&self) -> bool {
        self.0 == "."
    }

    /// Returns its parts, none for the root.
    pub fn parts(&self) -> impl Iterator<Item = &str> {
        self.0.split('/').filter(|part| *part != ".")
    }

    /// The folder it is in; nothing for the root.
    pub fn parent(&self) -> Option<Self> {
        match self.0.rsplit_once('/') {
            Some((parent, _)) => Some(Self(parent.to_owned())),
            None => (!self.is_root()).then(Self::root),
        }
    }

    /// Returns its last part, `.` for the root.
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// `name` inside this folder. `name` is one part or several, and must not climb.
    pub fn join(&self, name: &str) -> Option<Self> {
        Self::from_relative(&format!("{}/{name}", self.0)).filter(|path| self.is_root() || path.is_in(self))
    }

    /// Returns whether it is `folder` or lies below it.
    pub fn is_in(&self, folder: &Self) -> bool {
        folder.is_root()
            || self
                .0
                .strip_prefix(folder.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

impl fmt::Display for WorkspacePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl TryFrom<String> for WorkspacePath {
    type Error = PathError;

    /// Accepts a path only in its normal form.
    fn try_from(path: String) -> Result<Self, PathError> {
        match Self::from_relative(&path) {
            _ if path.is_empty() => Err(PathError::Empty),
            _ if path.contains('\0') => Err(PathError::Nul(path)),
            Some(clean) if clean.0 == path => Ok(clean),
            Some(normal) if !path.starts_with('/') => Err(PathError::Spelling { asked: path, normal }),
            _ => Err(PathError::Outside(path)),
        }
    }
}

impl From<WorkspacePath> for String {
    fn from(path: WorkspacePath) -> Self {
        path.0
    }
}

impl AsRef<str> for WorkspacePath {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for WorkspacePath {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl PartialEq<str> for WorkspacePath {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl PartialEq<&str> for WorkspacePath {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

impl JsonSchema for WorkspacePath {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "WorkspacePath".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}

/// The rest of an absolute path below `root`, part by part. This only reads a spelling; it permits nothing.
fn strip_root<'a>(root: &str, path: &'a str) -> Option<&'a str> {
    let mut rest = path;
    for part in root.split('/').filter(|part| !part.is_empty()) {
        rest = rest.trim_start_matches('/').strip_prefix(part)?;
        if !(rest.is_empty() || rest.starts_with('/')) {
            return None;
        }
    }
    Some(rest)
}

fn percent_decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = (bytes[at] == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The path with the links of the nearest folder above it that exists followed, since editors and agents may spell a folder
/// differently. The rest is taken as it is. `None` if no folder above it can be read.
pub fn resolve_parent_links(path: &Path) -> Option<PathBuf> {
    let folder = path.ancestors().skip(1).find(|folder| folder.is_dir())?;
    Some(folder.canonicalize().ok()?.join(path.strip_prefix(folder).ok()?))
}

#[cfg(test)]
mod tests {
    use super::WorkspacePath;

    fn check(asked: &str, expected: Option<&str>) {
        let path = WorkspacePath::parse("/w/p", asked).ok();
        assert_eq!(path.as_ref().map(WorkspacePath::as_str), expected, "{asked:?}");
    }

    #[test]
    fn paths_are_cleaned_or_refused() {
        check("a/./b//c/../d", Some("a/b/d"));
        check(".", Some("."));
        check("a/..", Some("."));
        check("/w/p/a", Some("a"));
        check("/w/p", Some("."));
        check("file:///w/p/a%20b", Some("a b"));
        for outside in
            ["..", "a/../../b", "/w/pp/a", "/etc/passwd", "/w/p/../q", "", "a\0b", "file:///w/p/%2e%2e/q"]
        {
            check(outside, None);
        }
    }

    #[test]
    fn data_names_a_path_in_its_one_form_or_is_refused() {
        let read = |path: &str| serde_json::from_value::<WorkspacePath>(path.into());
        for path in [".", "a", "a/b c", "ä\n/.b"] {
            assert_eq!(read(path).unwrap(), path);
            assert_eq!(serde_json::to_value(read(path).unwrap()).unwrap(), path);
        }
        for wrong in ["", "..", "a/../..", "/a", "//", "./a", "a/", "a//b", "a/./b", "a\0"] {
            assert!(read(wrong).is_err(), "{wrong:?}");
        }
        let message = read("./a").unwrap_err().to_string();
        assert_eq!(message, r#""./a" is no path in the workspace; write it as "a""#);
    }

    #[test]
    fn joins_and_ancestors() {
        let path = WorkspacePath::from_relative("a/b").unwrap();
        assert_eq!(path.join("c/../d").unwrap().as_str(), "a/b/d");
        assert_eq!(path.join("../../c"), None);
        assert!(path.is_in(&WorkspacePath::from_relative("a").unwrap()));
        assert!(
            !WorkspacePath::from_relative("ab").unwrap().is_in(&WorkspacePath::from_relative("a").unwrap())
        );
        assert_eq!(path.parent().unwrap().parent().unwrap(), WorkspacePath::root());
    }
}
