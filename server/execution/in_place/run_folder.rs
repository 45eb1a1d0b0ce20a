//! The record of a command that writes in place, on the disk while it runs: a server that is killed leaves it to the next.

use std::fs;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};

use super::super::layer::{lock_folder, remove_folder};
use super::files_before::FilesBefore;
use crate::protocol::Origin;
use crate::workspace::WorkspaceState;

/// The folder of the records, below a workspace's state.
const RUNS: &str = "in-place";
/// The record itself.
const RECORD: &str = "record.json";
/// The number of times that a folder is made again after another process took it before it was locked.
const TRIES: usize = 8;

/// A command that writes in place.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct RunRecord {
    pub(super) origin: Origin,
    pub(super) why: String,
    /// The command, in words.
    pub(super) command: String,
    pub(super) began: SystemTime,
    /// The folders that git ignores and that it writes without a review.
    pub(super) direct: Vec<PathBuf>,
    pub(super) files: FilesBefore,
}

/// The folder of a record. It is locked for as long as its process lives.
#[derive(Debug)]
pub(super) struct RunFolder {
    path: PathBuf,
    lock: OwnedFd,
}

impl RunFolder {
    /// Makes an empty one.
    ///
    /// # Errors
    /// Fails where there is no state folder, or the system refuses to make one.
    pub(super) fn make(state: &WorkspaceState) -> std::io::Result<Self> {
        let above = state.folder().state_path().ok_or(std::io::ErrorKind::NotFound)?.join(RUNS);
        fs::create_dir_all(&above)?;
        for _ in 0..TRIES {
            let path = tempfile::Builder::new().prefix("run-").tempdir_in(&above)?.keep();
            if let Some(lock) = lock_folder(&path) {
                return Ok(Self { path, lock });
            }
        }
        Err(std::io::ErrorKind::ResourceBusy.into())
    }

    /// The folders that dead processes left, with their records, the oldest first.
    pub(super) fn left_over(state: &WorkspaceState) -> Vec<(Self, RunRecord)> {
        let above = state.folder().state_path().map(|path| path.join(RUNS));
        let all = above.and_then(|above| fs::read_dir(above).ok()).into_iter().flatten().flatten();
        let mut left: Vec<(Self, RunRecord)> = all
            .filter_map(|entry| {
                let path = entry.path();
                let folder = Self { lock: lock_folder(&path)?, path };
                match folder.read_record() {
                    Some(record) => Some((folder, record)),
                    // Its process died before the command began.
                    None => {
                        folder.remove();
                        None
                    }
                }
            })
            .collect();
        left.sort_by_key(|(_, record)| record.began);
        left
    }

    /// Returns whether no process has a record.
    pub(super) fn are_none(state: &WorkspaceState) -> bool {
        let above = state.folder().state_path().map(|path| path.join(RUNS));
        above.and_then(|above| fs::read_dir(above).ok()).is_none_or(|mut all| all.next().is_none())
    }

    /// Writes the record.
    ///
    /// # Errors
    /// The error that keeps it from being written.
    pub(super) fn write_record(&self, record: &RunRecord) -> std::io::Result<()> {
        let record = RunRecord { files: record.files.to_record(), ..record.clone() };
        let new = self.path.join("new");
        fs::write(&new, serde_json::to_vec(&record)?)?;
        fs::rename(new, self.path.join(RECORD))
    }

    fn read_record(&self) -> Option<RunRecord> {
        let record: RunRecord = serde_json::from_slice(&fs::read(self.path.join(RECORD)).ok()?).ok()?;
        Some(RunRecord { files: record.files.index_entries(), ..record })
    }

    /// Leaves it to whoever looks for what broken off commands left.
    pub(super) fn leave(&self) {
        if let Err(error) = flock(&self.lock, FlockOperation::Unlock) {
            tracing::warn!("{} stays locked: {error}", self.path.display());
        }
    }

    /// Removes it: what its command changed is taken in.
    pub(super) fn remove(&self) {
        if let Err(error) = remove_folder(Path::new(&self.path)) {
            tracing::warn!("{} cannot be removed: {error}", self.path.display());
        }
    }
}
