//! The folder that holds the segments of one workspace, and the lock of the one process that writes there.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::segment::Segment;

/// What a segment's file is called, after its number.
const ENDING: &str = "segment";

/// A workspace's segments on the disk.
#[derive(Debug)]
pub struct Store {
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
    pub fn open(cache: &Path, root: &str) -> io::Result<Self> {
        let store = Self::new(cache, root);
        DirBuilder::new().recursive(true).mode(0o700).create(&store.folder)?;
        Ok(store)
    }

    /// The same, to be read: it may be that there is none.
    pub fn new(cache: &Path, root: &str) -> Self {
        let name = blake3::hash(root.as_bytes()).to_hex();
        let folder = cache.join("index").join(name.get(..32).unwrap_or_default());
        Self { folder, root: root.to_owned(), lock: None }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The workspace.
    pub fn root(&self) -> &str {
        &self.root
    }

    /// Whether this process may write: it does, or no other one does. What a writer before it left unfinished goes.
    ///
    /// # Errors
    /// Where the lock's file cannot be made.
    pub fn may_write(&mut self) -> io::Result<bool> {
        if self.lock.is_some() {
            return Ok(true);
        }
        let mut options = OpenOptions::new();
        let lock =
            options.write(true).create(true).truncate(false).mode(0o600).open(self.folder.join("lock"))?;
        if lock.try_lock().is_err() {
            return Ok(false);
        }
        self.lock = Some(lock);
        for path in self.files("part") {
            self.remove(&path);
        }
        Ok(true)
    }

    /// The segments, the newest first. Those in `known` are not opened again. One that is damaged is left out, and goes
    /// where this process writes.
    pub fn segments(&self, known: &[Arc<Segment>]) -> Vec<Arc<Segment>> {
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
    pub fn next(&self) -> PathBuf {
        let last = self.files(ENDING).iter().filter_map(|path| number(path)).max().unwrap_or_default();
        self.folder.join(format!("{:08}.{ENDING}", last.saturating_add(1)))
    }

    /// Removes a segment, where this process writes. Whoever has it open still reads it.
    pub fn remove(&self, path: &Path) {
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

fn number(path: &Path) -> Option<u64> {
    path.file_stem()?.to_str()?.parse().ok()
}
