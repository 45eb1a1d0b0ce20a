//! The folder that holds the segments of one workspace, and the lock of the one process that writes there.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::segment::Segment;

/// What a segment's file is called, after its number.
pub(super) const ENDING: &str = "segment";
/// What one is called that is being written.
pub(super) const UNFINISHED: &str = "part";
/// The file that whoever writes holds a lock on. It was changed when somebody last began to.
pub(super) const LOCK: &str = "lock";

/// A workspace's segments on the disk.
#[derive(Debug)]
pub(super) struct Store {
    folder: PathBuf,
    root: String,
    /// Held by the one that writes.
    lock: Option<File>,
}

impl Store {
    /// The store of the folder `root` below the cache folder `cache`, made where there is none.
    ///
    /// # Errors
    /// Where the folder cannot be made.
    pub(super) fn open(cache: &Path, root: &str) -> io::Result<Self> {
        let store = Self::new(cache, root);
        store.make()?;
        Ok(store)
    }

    /// The same, to be read: it may be that there is none.
    pub(super) fn new(cache: &Path, root: &str) -> Self {
        let name = blake3::hash(root.as_bytes()).to_hex();
        let folder = below(cache).join(name.get(..NAME).unwrap_or_default());
        Self { folder, root: root.to_owned(), lock: None }
    }

    fn make(&self) -> io::Result<()> {
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

    /// Whether this process may write: it does, or no other one does. What a writer before it left unfinished goes.
    ///
    /// # Errors
    /// Where the lock's file cannot be made.
    pub(super) fn may_write(&mut self) -> io::Result<bool> {
        if self.lock.is_some() {
            return Ok(true);
        }
        // It may have been swept away since it was opened.
        self.make()?;
        let mut options = OpenOptions::new();
        let lock =
            options.write(true).create(true).truncate(false).mode(0o600).open(self.folder.join(LOCK))?;
        if !hold(&lock, &self.folder) {
            return Ok(false);
        }
        // Where the time of use cannot be set, that of the last change counts.
        let _ = lock.set_modified(SystemTime::now());
        self.lock = Some(lock);
        for path in self.files(UNFINISHED) {
            self.remove(&path);
        }
        Ok(true)
    }

    /// The segments, the newest first. Those in `known` are not opened again. One that is damaged is left out, and goes
    /// where this process writes.
    pub(super) fn segments(&self, known: &[Arc<Segment>]) -> Vec<Arc<Segment>> {
        let mut found: Vec<(u64, PathBuf)> =
            self.files(ENDING).into_iter().filter_map(|path| Some((number(&path)?, path))).collect();
        found.sort_unstable_by(|one, other| other.cmp(one));
        let mut segments = Vec::new();
        for (_, path) in found {
            if let Some(segment) = known.iter().find(|segment| segment.path() == path) {
                segments.push(Arc::clone(segment));
                continue;
            }
            match Segment::open(&path, &self.root) {
                Ok(segment) => segments.push(Arc::new(segment)),
                Err(_) => self.remove(&path),
            }
        }
        segments
    }

    /// The name of the next segment to be written.
    pub(super) fn next(&self) -> PathBuf {
        let last = self.files(ENDING).iter().filter_map(|path| number(path)).max().unwrap_or_default();
        self.folder.join(format!("{:08}.{ENDING}", last.saturating_add(1)))
    }

    /// Removes a segment, where this process writes. Whoever has it open still reads it.
    pub(super) fn remove(&self, path: &Path) {
        if self.lock.is_some() {
            // What stays is opened again next time, and is no more wrong than before.
            let _ = fs::remove_file(path);
        }
    }

    fn files(&self, ending: &str) -> Vec<PathBuf> {
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
pub fn below(cache: &Path) -> PathBuf {
    cache.join("index")
}

/// Takes the lock of a workspace's folder, where nobody else has it and it still is the one there.
pub(super) fn hold(lock: &File, folder: &Path) -> bool {
    let is_there =
        |held: fs::Metadata| fs::metadata(folder.join(LOCK)).is_ok_and(|there| there.ino() == held.ino());
    lock.try_lock().is_ok() && lock.metadata().is_ok_and(is_there)
}

pub(super) fn number(path: &Path) -> Option<u64> {
    path.file_stem()?.to_str()?.parse().ok()
}
