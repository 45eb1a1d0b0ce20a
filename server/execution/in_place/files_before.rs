//! The files of a workspace as they were before a command that writes in place, with where the bytes of each are.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::before_store::BeforeStore;
use super::clean_files::CleanFiles;
use super::entries::{EntryKind, EntryState, WorkspaceEntries};
use crate::base::WorkspacePath;
use crate::session::CallScope;

/// Bytes and files that are copied for one command; git has those that are clean.
const MOST_BYTES: u64 = 256 << 20;
const MOST_FILES: usize = 10_000;

/// The place of the bytes that a file held.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum KeptBytes {
    /// No bytes are needed: it is no file.
    None,
    /// Git has them under this hash.
    Git(String),
    /// They are copied under this hash.
    Copy(String),
    /// They are not kept, for this reason.
    Lost(String),
}

/// An entry before a command.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct EntryBefore {
    pub(super) state: EntryState,
    pub(super) bytes: KeptBytes,
}

/// The entries of a workspace before a command.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct FilesBefore {
    entries: Vec<(WorkspacePath, EntryBefore)>,
    /// The entries by path, which `entries` holds in a record.
    #[serde(skip)]
    found: BTreeMap<WorkspacePath, EntryBefore>,
    /// The time at which they were looked at.
    looked: Option<SystemTime>,
    /// True where there were more entries than are looked at.
    pub(super) is_cut: bool,
}

/// Copies files within the bounds of one command.
struct FileKeeper<'k> {
    scope: &'k CallScope,
    store: &'k BeforeStore,
    root: PathBuf,
    bytes: u64,
    files: usize,
}

impl FilesBefore {
    /// Keeps what `entries` hold: the smallest files first.
    pub(super) fn keep(scope: &CallScope, store: &BeforeStore, entries: WorkspaceEntries) -> Self {
        let looked = SystemTime::now();
        let root = PathBuf::from(scope.files().paths().root().real_path());
        let clean = CleanFiles::at_root(&root, &entries);
        let WorkspaceEntries { found, is_cut, .. } = entries;
        let mut all: Vec<(WorkspacePath, EntryState)> = found.into_iter().collect();
        all.sort_by_key(|(_, state)| state.size);
        let mut keeper = FileKeeper { scope, store, root, bytes: MOST_BYTES, files: MOST_FILES };
        let kept = all.into_iter().map(|(path, state)| {
            let entry = match clean.find_blob(&path, &state) {
                Some(hash) => EntryBefore { bytes: KeptBytes::Git(hash.to_owned()), state },
                None => keeper.keep_entry(&path, state),
            };
            (path, entry)
        });
        Self { entries: Vec::new(), found: kept.collect(), looked: Some(looked), is_cut }
    }

    /// The same, once it is read from a record: its entries are found by their paths.
    pub(super) fn index_entries(mut self) -> Self {
        self.found = std::mem::take(&mut self.entries).into_iter().collect();
        self
    }

    /// The same, as a record holds it.
    pub(super) fn to_record(&self) -> Self {
        let entries = self.found.iter().map(|(path, entry)| (path.clone(), entry.clone())).collect();
        Self { entries, found: BTreeMap::new(), ..self.clone() }
    }

    /// The entry at a path.
    pub(super) fn get(&self, path: &WorkspacePath) -> Option<&EntryBefore> {
        self.found.get(path)
    }

    /// The hashes of the copies.
    pub(super) fn copies(&self) -> BTreeSet<String> {
        let copy = |entry: &EntryBefore| match &entry.bytes {
            KeptBytes::Copy(hash) => Some(hash.clone()),
            _ => None,
        };
        self.found.values().filter_map(copy).collect()
    }

    /// The paths below `root` whose entries are others now, or may be.
    pub(super) fn changed_paths(&self, root: &Path, now: &WorkspaceEntries) -> BTreeSet<WorkspacePath> {
        let looked = self.looked.unwrap_or(SystemTime::UNIX_EPOCH);
        let is_same = |before: &EntryBefore, now: &EntryState| match before.state.kind {
            // What is in a folder is looked at by itself.
            EntryKind::Folder => before.state.kind == now.kind && before.state.bits == now.bits,
            _ => before.state == *now && !before.state.is_young(looked),
        };
        // One that is there and was not looked at did not go.
        let is_gone = |path: &&WorkspacePath| {
            !now.found.contains_key(*path) && EntryState::look(&root.join(path.as_str())).is_none()
        };
        let gone = self.found.keys().filter(is_gone);
        let other = now
            .found
            .iter()
            .filter(|(path, state)| !self.found.get(*path).is_some_and(|before| is_same(before, state)));
        gone.chain(other.map(|(path, _)| path)).cloned().collect()
    }

    /// Takes the entries at `paths` as they are now for those before: another command's changes are not this one's.
    pub(super) fn renew(
        &mut self,
        scope: &CallScope,
        store: &BeforeStore,
        paths: &BTreeSet<WorkspacePath>,
        now: &WorkspaceEntries,
    ) {
        let root = PathBuf::from(scope.files().paths().root().real_path());
        let mut keeper = FileKeeper { scope, store, root, bytes: MOST_BYTES, files: MOST_FILES };
        for path in paths {
            match now.found.get(path) {
                Some(state) => {
                    self.found.insert(path.clone(), keeper.keep_entry(path, state.clone()));
                }
                None => drop(self.found.remove(path)),
            }
        }
    }
}

impl FileKeeper<'_> {
    /// Copies a file. One that is written meanwhile is copied as it is then.
    fn keep_entry(&mut self, path: &WorkspacePath, state: EntryState) -> EntryBefore {
        if state.kind != EntryKind::File {
            return EntryBefore { state, bytes: KeptBytes::None };
        }
        let of_state = self.scope.files().state();
        if let Some(hash) = self.store.known_copy(of_state, &state) {
            return EntryBefore { state, bytes: KeptBytes::Copy(hash) };
        }
        let (state, bytes) = match self.copy_file(path, &state) {
            Ok((state, hash)) => (state, KeptBytes::Copy(hash)),
            Err(why) => (state, KeptBytes::Lost(why)),
        };
        EntryBefore { state, bytes }
    }

    fn copy_file(
        &mut self,
        path: &WorkspacePath,
        state: &EntryState,
    ) -> Result<(EntryState, String), String> {
        let most = self.scope.settings().limits.edit_bytes;
        if state.size > most {
            return Err(format!("its {} bytes were over limits.edit_bytes, {most}", state.size));
        }
        if self.files == 0 {
            return Err(format!("more than {MOST_FILES} files would have been copied before the command"));
        }
        let Some(left) = self.bytes.checked_sub(state.size) else {
            return Err(format!("more than {MOST_BYTES} bytes would have been copied before the command"));
        };
        let (bytes, _) = self
            .scope
            .files()
            .read_bytes(path, most)
            .map_err(|error| format!("it could not be read: {error}"))?;
        let now = EntryState::look(&self.root.join(path.as_str()));
        let Some(now) = now.filter(|now| now.kind == EntryKind::File && now.size == bytes.len() as u64)
        else {
            return Err("it changed while it was copied".to_owned());
        };
        let of_state = self.scope.files().state();
        let hash = self
            .store
            .keep_bytes(of_state, &now, &bytes)
            .map_err(|error| format!("its copy could not be written: {error}"))?;
        (self.bytes, self.files) = (left, self.files - 1);
        Ok((now, hash))
    }
}

/// The files with a name that `entries` do not show: to write one would write what lies elsewhere.
pub(super) fn files_with_names_elsewhere(root: &Path, entries: &WorkspaceEntries) -> Vec<PathBuf> {
    let linked =
        || entries.found.iter().filter(|(_, state)| state.kind == EntryKind::File && state.links > 1);
    let mut names: BTreeMap<(u64, u64), u64> = BTreeMap::new();
    for (_, state) in linked() {
        *names.entry((state.device, state.inode)).or_default() += 1;
    }
    let is_elsewhere = |state: &EntryState| names.get(&(state.device, state.inode)) < Some(&state.links);
    linked().filter(|(_, state)| is_elsewhere(state)).map(|(path, _)| root.join(path.as_str())).collect()
}
