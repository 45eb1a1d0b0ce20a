//! What a folder holds.

use std::ffi::CString;
use std::os::fd::OwnedFd;

use rustix::fs::{AtFlags, Dir, readlinkat, statat};
use rustix::io::Errno;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::errno;
use super::error::WorkspaceError;
use super::files::Files;
use super::stat::{FileKind, Stat, modified};
use super::swap::{Stop, retry};
use super::temp;
use crate::base::WorkspacePath;

/// Where a symlink leads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Link {
    /// Its text.
    pub target: String,
    /// What stands at its end; absent where that does not exist, is closed or lies outside the workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<FileKind>,
}

/// One name in a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FolderItem {
    /// The name.
    pub name: String,
    /// Whether the name is not UTF-8: then it is shown with replacement characters and cannot be opened.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lossy: bool,
    /// What it is, symlinks not followed.
    #[serde(rename = "type")]
    pub kind: FileKind,
    /// Its size in bytes.
    pub size: u64,
    /// When its content last changed, RFC 3339.
    pub modified: String,
    /// Where it leads, for a symlink.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<Link>,
}

/// A part of what a folder holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderListing {
    /// The folder, symlinks followed.
    pub path: WorkspacePath,
    /// Sorted by name, byte by byte.
    pub entries: Vec<FolderItem>,
    /// How many names the folder holds.
    pub total: usize,
}

impl Files {
    /// Lists a folder: at most `max` entries after the first `skip`. Temporaries of ours are left out.
    ///
    /// # Errors
    /// NOT_FOUND, PERMISSION_DENIED; INVALID_ARGS where it is no folder.
    pub fn list(
        &self,
        path: &WorkspacePath,
        skip: usize,
        max: usize,
    ) -> Result<FolderListing, WorkspaceError> {
        retry(path, || {
            let located = self.look_at(path)?;
            match located.stat.as_ref().map(FileKind::of) {
                Some(FileKind::Folder) => {}
                Some(other) => return Err(no_folder(path, other).into()),
                None => return Err(self.missing(path).into()),
            }
            let folder = self.root.folder(&located.path).map_err(|error| Stop::of("list", path, error))?;
            let failed = |error| errno::failed("list", path, error);
            let mut names = names(&folder).map_err(failed)?;
            names.sort_unstable();
            let total = names.len();
            let mut entries = Vec::new();
            for name in names.into_iter().skip(skip).take(max) {
                match statat(&folder, &name, AtFlags::SYMLINK_NOFOLLOW) {
                    Ok(stat) => entries.push(self.entry(&folder, &located.path, &name, &stat)),
                    // Gone since the folder was read.
                    Err(Errno::NOENT) => {}
                    Err(error) => return Err(failed(error).into()),
                }
            }
            Ok(FolderListing { path: located.path, entries, total })
        })
    }

    fn entry(
        &self,
        folder: &OwnedFd,
        at: &WorkspacePath,
        raw: &CString,
        stat: &rustix::fs::Stat,
    ) -> FolderItem {
        let name = raw.to_string_lossy().into_owned();
        let lossy = raw.to_str().is_err();
        let shown = Stat::new(WorkspacePath::root(), stat);
        let link = (shown.kind == FileKind::Symlink).then(|| Link {
            target: readlinkat(folder, raw, Vec::new())
                .map_or_else(|_| String::new(), |target| target.to_string_lossy().into_owned()),
            kind: at
                .join(&name)
                .filter(|_| !lossy)
                .and_then(|path| self.stat(&path).ok().flatten())
                .map(|stat| stat.kind),
        });
        FolderItem { name, lossy, kind: shown.kind, size: shown.size, modified: modified(stat), link }
    }
}

/// The names in a folder, without our temporaries.
pub(super) fn names(folder: &OwnedFd) -> Result<Vec<CString>, Errno> {
    let mut names = Vec::new();
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let bytes = name.to_bytes();
        if !matches!(bytes, b"." | b"..") && !bytes.starts_with(temp::PREFIX.as_bytes()) {
            names.push(name.to_owned());
        }
    }
    Ok(names)
}

fn no_folder(path: &WorkspacePath, kind: FileKind) -> WorkspaceError {
    WorkspaceError::NoFolder { path: path.clone(), kind }
}
