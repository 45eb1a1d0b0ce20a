//! Unused indexes are removed from a cache, and nothing else is.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::life::Place;
use crate::lexical::index::LexicalIndex;
use crate::lexical::store::{LOCK, take_lock};
use crate::lexical::sweep::{CacheSize, measure_cache, sweep_cache};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A cache with the indexes of several workspaces.
struct Cache {
    cache: tempfile::TempDir,
}

impl Cache {
    fn new() -> Self {
        Self { cache: tempfile::tempdir().unwrap() }
    }

    fn path(&self) -> &Path {
        self.cache.path()
    }

    /// An index of a workspace, and the folder that it is in.
    fn index(&self, place: &Place) -> (LexicalIndex, PathBuf) {
        let before = self.folders();
        let index = LexicalIndex::open(self.path(), place.root().to_str().unwrap()).unwrap();
        place.update(&index);
        let made = self.folders().into_iter().find(|folder| !before.contains(folder)).unwrap();
        (index, made)
    }

    fn folders(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.path().join("index")).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
    }

    /// Closes an index. A process that a concurrent test just started has the files open too, until it runs its program.
    fn close(index: LexicalIndex, folder: &Path) {
        drop(index);
        let lock = File::options().write(true).open(folder.join(LOCK)).unwrap();
        let tries = (0..500).find(|_| {
            std::thread::sleep(Duration::from_millis(2));
            take_lock(&lock, folder)
        });
        assert!(tries.is_some(), "nobody has the lock");
    }

    fn sweep(&self, days: u32) -> usize {
        sweep_cache(self.path(), SystemTime::now() + DAY * days).unwrap().indexes
    }
}

#[test]
fn the_index_of_a_folder_that_is_gone_goes_and_another_stays() {
    let (cache, stays) = (Cache::new(), Place::new(3));
    let gone = Place::new(3);
    let (_, kept) = cache.index(&stays);
    let (index, folder) = cache.index(&gone);
    Cache::close(index, &folder);
    drop(gone);
    let size = measure_cache(cache.path());
    assert!(size.indexes == 2 && size.bytes > 96, "{size:?}");
    // It may be away for a moment only.
    assert_eq!((cache.sweep(0), cache.folders().len()), (0, 2));
    let swept = sweep_cache(cache.path(), SystemTime::now() + DAY * 2).unwrap();
    assert_eq!((swept.indexes, swept.bytes > 48, folder.exists()), (1, true, false));
    assert_eq!(cache.folders(), [kept]);
    assert_eq!(measure_cache(cache.path()), CacheSize { indexes: 1, bytes: size.bytes - swept.bytes });
}

#[test]
fn the_index_that_nobody_opened_for_a_month_goes() {
    let (cache, place) = (Cache::new(), Place::new(3));
    let (index, folder) = cache.index(&place);
    Cache::close(index, &folder);
    assert_eq!((cache.sweep(29), folder.exists()), (0, true));
    assert_eq!((cache.sweep(31), folder.exists()), (1, false));
    // It is made again if somebody opens it; and one that was opened before it went is none the worse.
    let opened = LexicalIndex::open(cache.path(), place.root().to_str().unwrap()).unwrap();
    fs::remove_dir_all(&folder).unwrap();
    assert_eq!(place.update(&opened), 3);
    assert!(folder.exists());
}

#[test]
fn to_open_an_index_is_to_use_it() {
    let (cache, place) = (Cache::new(), Place::new(3));
    let (index, folder) = cache.index(&place);
    Cache::close(index, &folder);
    let long_ago = SystemTime::now() - DAY * 90;
    for entry in fs::read_dir(&folder).unwrap() {
        File::options().write(true).open(entry.unwrap().path()).unwrap().set_modified(long_ago).unwrap();
    }
    let index = LexicalIndex::open(cache.path(), place.root().to_str().unwrap()).unwrap();
    place.update(&index);
    Cache::close(index, &folder);
    assert_eq!((cache.sweep(0), folder.exists()), (0, true));
}

#[test]
fn it_is_done_once_a_day() {
    let (cache, place) = (Cache::new(), Place::new(3));
    assert_eq!((cache.sweep(0), cache.path().join("index").exists()), (0, false));
    let (index, folder) = cache.index(&place);
    Cache::close(index, &folder);
    assert_eq!(cache.sweep(29), 0);
    let later = SystemTime::now() + DAY * 29 + DAY / 2;
    fs::remove_dir_all(place.root()).unwrap();
    assert_eq!((sweep_cache(cache.path(), later).unwrap().indexes, folder.exists()), (0, true));
    assert_eq!((cache.sweep(30), folder.exists()), (1, false));
}

#[test]
fn what_a_process_holds_stays() {
    let (cache, place) = (Cache::new(), Place::new(3));
    let (index, folder) = cache.index(&place);
    assert_eq!((cache.sweep(31), folder.exists()), (0, true));
    Cache::close(index, &folder);
    assert_eq!((cache.sweep(33), folder.exists()), (1, false));
}

#[test]
fn what_is_not_ours_stays() {
    let cache = Cache::new();
    let all = cache.path().join("index");
    let name = "0123456789abcdef0123456789abcdef";
    let make = |folder: &str, file: &str, text: &[u8]| {
        fs::create_dir_all(all.join(folder)).unwrap();
        fs::write(all.join(folder).join(file), text).unwrap();
    };
    make("notes", "00000001.segment", b"wfindex\x01");
    make(name, "00000001.segment", b"somebody's own");
    make(&name.replace('0', "1"), "00000001.segment", b"wfindex\x01 of another version");
    make(&name.replace('0', "1"), "thesis.txt", b"four years of work");
    make(&name.replace('0', "2"), "lock", b"");
    let (outside, place) = (tempfile::tempdir().unwrap(), Place::new(3));
    let (index, folder) = cache.index(&place);
    Cache::close(index, &folder);
    let moved = outside.path().join("moved");
    fs::rename(&folder, &moved).unwrap();
    std::os::unix::fs::symlink(&moved, &folder).unwrap();
    assert_eq!(cache.sweep(400), 0);
    assert_eq!((cache.folders().len(), fs::read_dir(&moved).unwrap().count()), (5, 2));
    // An index of another version is recognized, and is removed after its time.
    fs::remove_file(all.join(name.replace('0', "1")).join("thesis.txt")).unwrap();
    make(&name.replace('0', "1"), "lock", b"");
    assert_eq!(cache.sweep(402), 1);
}
