//! Lists the content of a folder.

use std::ffi::CString;
use std::os::fd::OwnedFd;

use rustix::fs::{AtFlags, Dir, readlinkat, statat};
use rustix::io::Errno;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::errno;
use super::error::WorkspaceError;
use super::files::WorkspaceFiles;
use super::stat::{FileKind, FileStat, modified_time};
use super::swap::{RetryStop, retry_swapped};
use super::temp;
use crate::base::WorkspacePath;

/// The target of a symlink.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Link {
    /// Its text.
    pub target: String,
    /// The kind of the entry at its end; absent where that does not exist, is closed or lies outside the workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<FileKind>,
}

/// A name in a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FolderItem {
    /// The name.
    pub name: String,
    /// True where the name is not UTF-8: then it is shown with replacement characters and cannot be opened.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lossy: bool,
    /// Its kind, symlinks not followed.
    #[serde(rename = "type")]
    pub kind: FileKind,
    /// Its size in bytes.
    pub size: u64,
    /// The time when its content last changed, RFC 3339.
    pub modified: String,
    /// Its target, for a symlink.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<Link>,
}

/// A part of what a folder holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderPage {
    /// The folder, symlinks followed.
    pub path: WorkspacePath,
    /// Sorted by name, byte by byte.
    pub entries: Vec<FolderItem>,
    /// The number of names in the folder.
    pub total: usize,
}

impl WorkspaceFiles {
    /// Lists a folder: at most `max` entries after the first `skip`. Our temporaries are left out.
    ///
    /// # Errors
    /// NOT_FOUND, PERMISSION_DENIED; INVALID_ARGS where it is no folder.
    pub fn list_folder(
        &self,
        path: &WorkspacePath,
        skip: usize,
        max: usize,
    ) -> Result<FolderPage, WorkspaceError> {
        retry_swapped(path, || {
            let located = self.paths.look_at(path)?;
            match located.stat.as_ref().map(FileKind::from_stat) {
                Some(FileKind::Folder) => {}
                Some(other) => return Err(no_folder(path, other).into()),
                None => return Err(self.paths.missing_error(path).into()),
            }
            let folder = self
                .paths
                .root
                .open_folder(&located.path)
                .map_err(|error| RetryStop::from_errno("list", path, error))?;
            let failed = |error| errno::system_error("list", path, error);
            let mut names = entry_names(&folder).map_err(failed)?;
            names.sort_unstable();
            let total = names.len();
            let mut entries = Vec::new();
            for name in names.into_iter().skip(skip).take(max) {
                match statat(&folder, &name, AtFlags::SYMLINK_NOFOLLOW) {
                    Ok(stat) => entries.push(self.folder_item(&folder, &located.path, &name, &stat)),
                    // Gone since the folder was read.
                    Err(Errno::NOENT) => {}
                    Err(error) => return Err(failed(error).into()),
                }
            }
            Ok(FolderPage { path: located.path, entries, total })
        })
    }

    fn folder_item(
        &self,
        folder: &OwnedFd,
        at: &WorkspacePath,
        raw: &CString,
        stat: &rustix::fs::Stat,
    ) -> FolderItem {
        let name = raw.to_string_lossy().into_owned();
        let lossy = raw.to_str().is_err();
        let shown = FileStat::new(WorkspacePath::root(), stat);
        let link = (shown.kind == FileKind::Symlink).then(|| Link {
            target: readlinkat(folder, raw, Vec::new())
                .map_or_else(|_| String::new(), |target| target.to_string_lossy().into_owned()),
            kind: at
                .join(&name)
                .filter(|_| !lossy)
                .and_then(|path| self.stat(&path).ok().flatten())
                .map(|stat| stat.kind),
        });
        FolderItem { name, lossy, kind: shown.kind, size: shown.size, modified: modified_time(stat), link }
    }
}

/// The names in a folder, without our temporaries.
pub(super) fn entry_names(folder: &OwnedFd) -> Result<Vec<CString>, Errno> {
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
