//! Tests of the whole: a real folder, a watch on it, and a fresh walk to compare with.

mod events;
mod limits;
mod promise;
mod random;
mod rules;
mod storms;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ignore::WalkBuilder;
use tempfile::TempDir;

use super::{Batch, ChangeKind, Options, Snapshot, Stamp, Unsettled, Watch, WatchStatus};

/// A folder with a watch on it.
struct Lab {
    folder: TempDir,
    watch: Watch,
}

fn far() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

/// Rules from outside of the folder depend on the machine.
fn options() -> Options {
    Options { outer_rules: false, ..Options::default() }
}

impl Lab {
    fn new() -> Self {
        Self::with(options(), |_| {})
    }

    fn with(options: Options, make: impl FnOnce(&Path)) -> Self {
        let folder = TempDir::new().unwrap();
        make(folder.path());
        let watch = Watch::start(folder.path(), options).unwrap();
        watch.settled(far()).unwrap();
        Self { folder, watch }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        write(self.folder.path(), path, text);
    }

    fn rename(&self, from: &str, to: &str) {
        fs::rename(self.path(from), self.path(to)).unwrap();
    }

    fn files(&self) -> Vec<String> {
        paths(&self.watch.settled(far()).unwrap())
    }

    fn status(&self) -> WatchStatus {
        self.watch.status()
    }

    /// Compares with a fresh walk.
    #[track_caller]
    fn check(&self) {
        let listed = self.watch.settled(far()).unwrap();
        let listed: BTreeMap<_, _> =
            listed.iter().map(|entry| (entry.path.to_string(), entry.stamp)).collect();
        assert_eq!(listed, fresh(self.folder.path()));
    }
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn paths(snapshot: &Snapshot) -> Vec<String> {
    snapshot.iter().map(|entry| entry.path.to_string()).collect()
}

/// What a walk with ripgrep's rules finds.
fn fresh(root: &Path) -> BTreeMap<String, Stamp> {
    let mut walk = WalkBuilder::new(root);
    walk.parents(false).git_global(false).follow_links(false);
    walk.add_custom_ignore_filename(".rgignore").add_custom_ignore_filename(".whereforeignore");
    let mut files = BTreeMap::new();
    for entry in walk.build().flatten() {
        let Ok(about) = fs::symlink_metadata(entry.path()) else { continue };
        if about.is_file() {
            let path = entry.path().strip_prefix(root).unwrap().to_str();
            let nanoseconds = |seconds: i64, rest: i64| seconds * 1_000_000_000 + rest;
            let stamp = Stamp {
                size: about.size(),
                mtime_ns: nanoseconds(about.mtime(), about.mtime_nsec()),
                ctime_ns: nanoseconds(about.ctime(), about.ctime_nsec()),
                inode: about.ino(),
            };
            files.extend(path.map(|path| (path.to_owned(), stamp)));
        }
    }
    files
}

/// Waits for something, and fails where it does not come.
#[track_caller]
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = far();
    while !is_so() {
        assert!(Instant::now() < end, "{what} did not come");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Changes as text: `+new ~modified -removed from>to`.
fn shown(batch: &Batch) -> Vec<String> {
    let show = |change: &super::batch::Change| match &change.kind {
        ChangeKind::Created => format!("+{}", change.path),
        ChangeKind::Modified => format!("~{}", change.path),
        ChangeKind::Removed => format!("-{}", change.path),
        ChangeKind::Renamed { from } => format!("{from}>{}", change.path),
    };
    batch.changes.iter().map(show).collect()
}

/// The next batch that a listener hears.
#[track_caller]
fn next(listener: &mut super::Listener) -> Arc<Batch> {
    let mut heard = None;
    until("a batch", || {
        heard = listener.ready();
        heard.is_some()
    });
    heard.unwrap()
}
