//! Tests of the whole: a real folder, a watch on it, and a fresh walk to compare with.

mod events;
mod limits;
mod promise;
mod random;
mod renames;
mod rules;
mod storms;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ignore::WalkBuilder;
use tempfile::TempDir;

use super::{
    ChangeBatch, FileChangeKind, FileSnapshot, FolderWatch, SettleError, StatStamp, WatchOptions, WatchStatus,
};
use crate::protocol::WatchBackend;

/// A folder with a watch on it.
struct Lab {
    folder: TempDir,
    watch: FolderWatch,
}

fn far() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

thread_local! {
    /// The back end that the test of this thread uses.
    static BACKEND: Cell<WatchBackend> = const { Cell::new(WatchBackend::Auto) };
}

/// Rules from outside of the folder depend on the machine.
fn options() -> WatchOptions {
    WatchOptions { outer_rules: false, backend: BACKEND.get(), ..WatchOptions::default() }
}

/// Returns a number of repetitions: all with the default back end, a tenth with the others.
fn rounds(all: u64) -> u64 {
    if BACKEND.get() == WatchBackend::Auto { all } else { all.div_ceil(10) }
}

/// Runs a test with a back end.
fn run_with(backend: WatchBackend, test: impl FnOnce()) {
    BACKEND.set(backend);
    test();
}

/// Makes each of these tests run with the other back ends too, as `notify::NAME` and `poll::NAME`.
macro_rules! with_other_backends {
    ($($test:ident),* $(,)?) => {
        mod notify {
            $(#[test] fn $test() { $crate::tests::run_with(crate::protocol::WatchBackend::Notify, super::$test); })*
        }
        mod poll {
            $(#[test] fn $test() { $crate::tests::run_with(crate::protocol::WatchBackend::Poll, super::$test); })*
        }
    };
}
use with_other_backends;

impl Lab {
    fn new() -> Self {
        Self::with(options(), |_| {})
    }

    fn with(options: WatchOptions, make: impl FnOnce(&Path)) -> Self {
        let folder = TempDir::new().unwrap();
        make(folder.path());
        let watch = FolderWatch::start(folder.path(), options).unwrap();
        watch.current_snapshot(far()).unwrap();
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
        paths(&self.watch.current_snapshot(far()).unwrap())
    }

    fn status(&self) -> WatchStatus {
        self.watch.status()
    }

    /// Returns the number of folders that are watched or polled.
    fn folder_count(&self) -> usize {
        let status = self.status();
        status.folders_watched + status.folders_polled
    }

    /// Compares with a fresh walk.
    #[track_caller]
    fn check(&self) {
        let listed = self.watch.current_snapshot(far()).unwrap();
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

fn paths(snapshot: &FileSnapshot) -> Vec<String> {
    snapshot.iter().map(|entry| entry.path.to_string()).collect()
}

/// Returns the files that a walk with ripgrep's rules finds.
fn fresh(root: &Path) -> BTreeMap<String, StatStamp> {
    let mut walk = WalkBuilder::new(root);
    walk.parents(false).git_global(false).follow_links(false);
    walk.add_custom_ignore_filename(".rgignore").add_custom_ignore_filename(".whereforeignore");
    let mut files = BTreeMap::new();
    for entry in walk.build().flatten() {
        let Ok(about) = fs::symlink_metadata(entry.path()) else { continue };
        if about.is_file() {
            let path = entry.path().strip_prefix(root).unwrap().to_str();
            let nanoseconds = |seconds: i64, rest: i64| seconds * 1_000_000_000 + rest;
            let stamp = StatStamp {
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

/// Waits for something, and fails if it does not come.
#[track_caller]
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = far();
    while !is_so() {
        assert!(Instant::now() < end, "{what} did not come");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Changes as text: `+new ~modified -removed from>to`.
fn shown(batch: &ChangeBatch) -> Vec<String> {
    let show = |change: &super::batch::FileChange| match &change.kind {
        FileChangeKind::Created => format!("+{}", change.path),
        FileChangeKind::Modified => format!("~{}", change.path),
        FileChangeKind::Removed => format!("-{}", change.path),
        FileChangeKind::Renamed { from } => format!("{from}>{}", change.path),
    };
    batch.changes.iter().map(show).collect()
}

/// Returns the next batch of a listener.
#[track_caller]
fn next(listener: &mut super::ChangeListener) -> Arc<ChangeBatch> {
    let mut heard = None;
    until("a batch", || {
        heard = listener.ready();
        heard.is_some()
    });
    heard.unwrap()
}

/// A test that is listed for no other back end would not notice that one of them fails it.
#[test]
fn each_test_runs_with_each_backend() {
    for text in [
        include_str!("tests/events.rs"),
        include_str!("tests/limits.rs"),
        include_str!("tests/promise.rs"),
        include_str!("tests/random.rs"),
        include_str!("tests/renames.rs"),
        include_str!("tests/rules.rs"),
        include_str!("tests/storms.rs"),
    ] {
        let (_, listed) = text.rsplit_once("with_other_backends!(").unwrap();
        let names = text
            .split("#[test]\n")
            .skip(1)
            .map(|rest| rest.trim_start().trim_start_matches("fn ").split('(').next().unwrap().to_owned());
        for name in names {
            assert!(listed.contains(&format!("{name},")), "{name} runs with one back end only");
        }
    }
}
