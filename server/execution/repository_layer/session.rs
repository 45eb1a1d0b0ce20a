//! The layer in which the commands' changes of a repository wait for a decision: only later commands see it. It outlives its
//! server.

use std::ffi::CString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::{CWD, FileType, Mode};

use super::super::layer;
use super::take::TakenChange;
use super::view::{is_whiteout, open_folder, read_file};
use crate::protocol::RepositoryChange;
use crate::sandbox::{hide_lower, hides_lower};
use crate::workspace::WorkspaceState;

/// The name of the layer's folder, below a workspace's state.
const FOLDER: &str = "repository";
/// The name of the file next to it that records the changes that were taken over last.
const TAKEN: &str = "repository-taken.json";
/// The most entries of a layer that are copied.
const MOST: usize = 200_000;

/// The session's layer over the repository of one workspace.
#[derive(Clone, Debug)]
pub(super) struct SessionRepository {
    folder: PathBuf,
}

/// The result of a decision.
#[derive(Debug, Default)]
pub(crate) struct TakenRepository {
    /// The changes that were decided on.
    pub(crate) changes: Vec<RepositoryChange>,
    /// A sentence for each reason why the decision was not carried out, or not as a whole.
    pub(crate) problems: Vec<String>,
}

impl SessionRepository {
    /// Returns the layer of a workspace; none if the workspace has no state folder.
    pub(super) fn of(state: &WorkspaceState) -> Option<Self> {
        Some(Self { folder: state.folder().state_path()?.join(FOLDER) })
    }

    /// Returns the folder of the layer itself.
    pub(super) fn upper(&self) -> PathBuf {
        self.folder.join("upper")
    }

    /// Returns the layer's inode, which distinguishes it from a later layer; none if there is no layer.
    pub(super) fn inode(&self) -> Option<u64> {
        Some(fs::symlink_metadata(self.upper()).ok().filter(fs::Metadata::is_dir)?.ino())
    }

    /// Returns the start of the first command whose changes the layer holds.
    pub(super) fn began(&self) -> Option<SystemTime> {
        let text = fs::read_to_string(self.folder.join("began")).ok()?;
        Some(SystemTime::UNIX_EPOCH + Duration::from_nanos(text.trim().parse().ok()?))
    }

    /// Returns the index that was on the disk at that time.
    pub(super) fn index(&self) -> Option<Vec<u8>> {
        read_file(&self.folder.join("index"))
    }

    /// Copies the layer to `upper`, and returns the layer's inode.
    ///
    /// # Errors
    /// An error of the file system.
    pub(super) fn copy_to(&self, upper: &Path) -> io::Result<Option<u64>> {
        let inode = self.inode();
        if inode.is_some() {
            copy(&self.upper(), upper)?;
        }
        Ok(inode)
    }

    /// Replaces the layer by another one.
    ///
    /// # Errors
    /// An error of the file system.
    pub(super) fn put(&self, upper: &Path, began: SystemTime, index: Option<&[u8]>) -> io::Result<()> {
        let next = self.folder.with_extension("next");
        remove_folder(&next)?;
        fs::create_dir_all(&next)?;
        fs::rename(upper, next.join("upper"))?;
        let nanos = began.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
        fs::write(next.join("began"), nanos.to_string())?;
        if let Some(index) = index {
            fs::write(next.join("index"), index)?;
        }
        self.remove()?;
        fs::rename(next, &self.folder)
    }

    /// Removes the layer.
    ///
    /// # Errors
    /// An error of the file system.
    pub(super) fn remove(&self) -> io::Result<()> {
        remove_folder(&self.folder)
    }

    /// Records the changes that were taken over last.
    ///
    /// # Errors
    /// An error of the file system.
    pub(super) fn remember(&self, taken: &[TakenChange]) -> io::Result<()> {
        let at = self.folder.with_file_name(TAKEN);
        fs::write(at, serde_json::to_vec(taken)?)
    }

    /// Returns the changes that were taken over last and not moved back.
    pub(super) fn remembered(&self) -> Vec<TakenChange> {
        let bytes = fs::read(self.folder.with_file_name(TAKEN)).unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }
}

fn remove_folder(path: &Path) -> io::Result<()> {
    match layer::remove_folder(path) {
        Ok(()) | Err(rustix::io::Errno::NOENT) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Copies a layer with the marks of removed entries. An entry that is no file, folder or mark is left out.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let (mut waiting, mut seen) = (vec![PathBuf::new()], 0);
    while let Some(path) = waiting.pop() {
        let (source, place) = (from.join(&path), to.join(&path));
        let found = fs::symlink_metadata(&source)?;
        seen += 1;
        if seen > MOST {
            return Err(io::Error::other(
                "what waits for a decision of the repository is too much; decide on it first",
            ));
        }
        if found.is_dir() {
            fs::create_dir_all(&place)?;
            fs::set_permissions(&place, fs::Permissions::from_mode(found.mode() & 0o7777))?;
            if open_folder(&source).is_some_and(hides_lower) {
                open_folder(&place).map(hide_lower).transpose()?;
            }
            let entries = fs::read_dir(source)?;
            waiting.extend(entries.filter_map(|entry| Some(path.join(entry.ok()?.file_name()))));
        } else if found.is_file() {
            fs::copy(source, place)?;
        } else if is_whiteout(&found) {
            let name = CString::new(place.as_os_str().as_bytes()).map_err(io::Error::other)?;
            rustix::fs::mknodat(CWD, &*name, FileType::CharacterDevice, Mode::empty(), 0)?;
        }
    }
    Ok(())
}
