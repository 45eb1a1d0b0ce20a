//! Copies of files as they were before a command that writes in place: in the workspace's state folder, by their hashes.
//! A file that did not change since an earlier copy is not read again.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use parking_lot::Mutex;

use super::entries::EntryState;
use crate::base::hash;
use crate::workspace::WorkspaceState;

/// The folder of the copies, below a workspace's state.
const BEFORE: &str = "before";

/// The copies of one workspace.
#[derive(Debug, Default)]
pub(super) struct BeforeStore {
    /// The hash of a file's copy, by the file as it stood then.
    known: Mutex<HashMap<FileIdentity, String>>,
}

/// A file at one time: device, inode, size, and the times at which its content and its entry changed last.
type FileIdentity = (u64, u64, u64, (i64, i64), (i64, i64));

fn identity(state: &EntryState) -> FileIdentity {
    (state.device, state.inode, state.size, state.modified, state.changed)
}

fn folder(state: &WorkspaceState) -> Option<PathBuf> {
    Some(state.folder().state_path()?.join(BEFORE))
}

impl BeforeStore {
    /// The hash of the copy that was made of a file as it stands; none where there is no such copy.
    pub(super) fn known_copy(&self, state: &WorkspaceState, file: &EntryState) -> Option<String> {
        let hash = self.known.lock().get(&identity(file)).cloned()?;
        folder(state)?.join(&hash).is_file().then_some(hash)
    }

    /// Keeps the bytes of a file as it stands, and gives their hash. They are safe from the end of this process, not from a
    /// power cut.
    ///
    /// # Errors
    /// The error that keeps them from being written.
    pub(super) fn keep_bytes(
        &self,
        state: &WorkspaceState,
        file: &EntryState,
        bytes: &[u8],
    ) -> io::Result<String> {
        let hash = hash::short_hash(bytes);
        let folder = folder(state).ok_or_else(|| io::Error::other("there is no state folder"))?;
        fs::create_dir_all(&folder)?;
        let at = folder.join(&hash);
        if fs::metadata(&at).map_or(true, |found| found.len() != bytes.len() as u64) {
            let mut copy = tempfile::NamedTempFile::new_in(&folder)?;
            copy.write_all(bytes)?;
            copy.persist(at)?;
        }
        self.known.lock().insert(identity(file), hash.clone());
        Ok(hash)
    }

    /// Removes the copies that are not `needed`.
    pub(super) fn drop_others(&self, state: &WorkspaceState, needed: &BTreeSet<String>) {
        self.known.lock().retain(|_, hash| needed.contains(hash));
        let kept = folder(state).and_then(|folder| fs::read_dir(folder).ok()).into_iter().flatten().flatten();
        for entry in kept {
            if entry.file_name().to_str().is_none_or(|name| !needed.contains(name)) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// The bytes of a copy; none where it is gone or damaged.
pub(super) fn copied_bytes(state: &WorkspaceState, hash: &str) -> Option<Vec<u8>> {
    let bytes = fs::read(folder(state)?.join(hash)).ok()?;
    (hash::short_hash(&bytes) == hash).then_some(bytes)
}
