//! The layer that keeps the changes of ignored paths by commands apart (`[sandbox] ignored = "session"`): later
//! commands see it over the workspace, and no other program does, until the person takes it over or drops it.

use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::layer;
use super::run_later::run_later;
use crate::base::WorkspacePath;
use crate::protocol::DirectWrites;
use crate::sandbox::EarlierLayer;
use crate::workspace::WorkspaceState;

/// The folder of the layer, below a workspace's state.
const APART: &str = "apart";
/// Entries of the layer that are counted.
const MOST_COUNTED: usize = 200_000;
/// Files that something runs later and that are named.
const NAMED_FILES: usize = 10;

/// The layer of one workspace. It outlives its server: changes without a decision are not lost.
#[derive(Clone, Debug)]
pub(super) struct ApartLayer {
    folder: PathBuf,
}

impl ApartLayer {
    /// The layer of a workspace; none where it has no state folder.
    pub(super) fn in_state(state: &WorkspaceState) -> Option<Self> {
        Some(Self { folder: state.folder().state_path()?.join(APART) })
    }

    /// The folder of the layer, whether it is there or not.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Makes the folder where it does not exist.
    ///
    /// # Errors
    /// The error that keeps it from being made.
    pub(super) fn make(&self) -> io::Result<()> {
        fs::create_dir_all(&self.folder)
    }

    /// The layer over the workspace at `root`, for a command's sandbox; none where nothing is kept apart.
    pub(super) fn over_root(&self, root: &Path) -> Option<EarlierLayer> {
        let is_there = self.folder.symlink_metadata().is_ok_and(|found| found.is_dir());
        is_there.then(|| EarlierLayer { over: root.to_owned(), folder: self.folder.clone() })
    }

    /// Returns the time when it was begun: a later change of the person's on the disk stays as it is there.
    pub(super) fn began_at(&self) -> SystemTime {
        let found = fs::metadata(&self.folder);
        found.and_then(|found| found.created()).unwrap_or_else(|_| SystemTime::now())
    }

    /// Counts what is kept apart below `path`, which the layer has.
    pub(super) fn count_below(&self, path: &WorkspacePath) -> DirectWrites {
        let mut writes =
            DirectWrites { path: path.as_str().to_owned(), apart: true, ..DirectWrites::default() };
        let (mut waiting, mut seen) = (vec![path.clone()], 0);
        while let Some(path) = waiting.pop() {
            seen += 1;
            let at = self.folder.join(path.as_str());
            let Ok(found) = at.symlink_metadata() else { continue };
            if seen > MOST_COUNTED {
                break;
            }
            match found.file_type() {
                kind if kind.is_dir() => {
                    let entries = fs::read_dir(at).into_iter().flatten().flatten();
                    waiting.extend(entries.filter_map(|entry| path.join(entry.file_name().to_str()?)));
                }
                kind if kind.is_char_device() && found.rdev() == 0 => writes.removed += 1,
                _ => count_file(&mut writes, &path),
            }
        }
        writes.run_by.sort_unstable();
        writes
    }

    /// Removes it with all changes that are kept apart.
    ///
    /// # Errors
    /// The error that keeps it from being removed.
    pub(super) fn remove(&self) -> io::Result<()> {
        match layer::remove_folder(&self.folder) {
            Ok(()) | Err(rustix::io::Errno::NOENT) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// Counts one written file, and names it where something runs it later.
pub(super) fn count_file(writes: &mut DirectWrites, path: &WorkspacePath) {
    writes.files += 1;
    let Some(run) = run_later(path) else { return };
    writes.run_later += 1;
    if !writes.run_by.iter().any(|by| by == run.by) {
        writes.run_by.push(run.by.to_owned());
    }
    if writes.named.len() < NAMED_FILES {
        writes.named.push(path.as_str().to_owned());
    }
}
