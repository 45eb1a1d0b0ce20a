//! The folder that holds the segments of one workspace, and the lock of the one process that writes there.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::segment::IndexSegment;

/// The extension of a segment's file, after its number.
pub(super) const ENDING: &str = "segment";
/// The extension of a segment that is being written.
pub(super) const UNFINISHED: &str = "part";
/// The file that the writing process holds a lock on. Its time of change is the start of the last writing.
pub(super) const LOCK: &str = "lock";

/// A workspace's segments on the disk.
#[derive(Debug)]
pub(super) struct SegmentStore {
    folder: PathBuf,
    root: String,
    /// Held by the one that writes.
    lock: Option<File>,
}

impl SegmentStore {
    /// The store of the folder `root` below the cache folder `cache`, made if there is none.
    ///
    /// # Errors
    /// Fails if the folder cannot be made.
    pub(super) fn open(cache: &Path, root: &str) -> io::Result<Self> {
        let store = Self::new(cache, root);
        store.make_folder()?;
        Ok(store)
    }

    /// The same, to be read: it may be that there is none.
    pub(super) fn new(cache: &Path, root: &str) -> Self {
        let name = blake3::hash(root.as_bytes()).to_hex();
        let folder = index_folder(cache).join(name.get(..NAME).unwrap_or_default());
        Self { folder, root: root.to_owned(), lock: None }
    }

    fn make_folder(&self) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)
    }

    /// The folder.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The workspace.
    pub(super) fn root(&self) -> &str {
        &self.root
    }

    /// Returns whether this process may write: it does already, or no other one does. Unfinished files of an earlier
    /// writer are removed.
    ///
    /// # Errors
    /// Fails if the lock's file cannot be made.
    pub(super) fn may_write(&mut self) -> io::Result<bool> {
        if self.lock.is_some() {
            return Ok(true);
        }
        // It may have been swept away since it was opened.
        self.make_folder()?;
        let mut options = OpenOptions::new();
        let lock =
            options.write(true).create(true).truncate(false).mode(0o600).open(self.folder.join(LOCK))?;
        if !take_lock(&lock, &self.folder) {
            return Ok(false);
        }
        // If the time of use cannot be set, that of the last change counts.
        let _ = lock.set_modified(SystemTime::now());
        self.lock = Some(lock);
        for path in self.list_files(UNFINISHED) {
            self.remove_segment(&path);
        }
        Ok(true)
    }

    /// The segments, the newest first. Those in `known` are not opened again. One that is damaged is left out, and goes
    /// if this process writes.
    pub(super) fn open_segments(&self, known: &[Arc<IndexSegment>]) -> Vec<Arc<IndexSegment>> {
        let mut found: Vec<(u64, PathBuf)> = self
            .list_files(ENDING)
            .into_iter()
            .filter_map(|path| Some((segment_number(&path)?, path)))
            .collect();
        found.sort_unstable_by(|one, other| other.cmp(one));
        let mut segments = Vec::new();
        for (_, path) in found {
            if let Some(segment) = known.iter().find(|segment| segment.path() == path) {
                segments.push(Arc::clone(segment));
                continue;
            }
            match IndexSegment::open(&path, &self.root) {
                Ok(segment) => segments.push(Arc::new(segment)),
                Err(_) => self.remove_segment(&path),
            }
        }
        segments
    }

    /// The name of the next segment to be written.
    pub(super) fn next_path(&self) -> PathBuf {
        let last =
            self.list_files(ENDING).iter().filter_map(|path| segment_number(path)).max().unwrap_or_default();
        self.folder.join(format!("{:08}.{ENDING}", last.saturating_add(1)))
    }

    /// Removes a segment, if this process writes. A process that has it open can still read it.
    pub(super) fn remove_segment(&self, path: &Path) {
        if self.lock.is_some() {
            // A file that stays is opened again next time, and is no more wrong than before.
            let _ = fs::remove_file(path);
        }
    }

    fn list_files(&self, ending: &str) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        entries
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|end| end == ending))
            .collect()
    }
}

/// Characters of the name of a workspace's folder.
pub(super) const NAME: usize = 32;

/// The folder below the cache folder `cache` that those of all workspaces are in.
pub fn index_folder(cache: &Path) -> PathBuf {
    cache.join("index")
}

/// Takes the lock of a workspace's folder, if it is free and the file is still the one in the folder.
pub(super) fn take_lock(lock: &File, folder: &Path) -> bool {
    let is_there =
        |held: fs::Metadata| fs::metadata(folder.join(LOCK)).is_ok_and(|there| there.ino() == held.ino());
    lock.try_lock().is_ok() && lock.metadata().is_ok_and(is_there)
}

pub(super) fn segment_number(path: &Path) -> Option<u64> {
    path.file_stem()?.to_str()?.parse().ok()
}
