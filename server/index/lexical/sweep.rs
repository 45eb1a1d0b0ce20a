//! Removes unused indexes: of folders that are gone, and those that were not opened for a month.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::segment::IndexSegment;
pub use super::store::index_folder;
use super::store::{ENDING, LOCK, NAME, SegmentStore, UNFINISHED, segment_number, take_lock};

/// A day: how often indexes are looked at, and how long the one of a folder stays that is gone. It may be on a disk that
/// is only away for a while.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// The time for which an unused index is kept.
const UNUSED: Duration = DAY.saturating_mul(30);
/// The file that was changed when indexes were last looked at.
const STAMP: &str = "swept";

/// Indexes, and what they take up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheSize {
    /// The number of indexes.
    pub indexes: usize,
    /// Their bytes.
    pub bytes: u64,
}

/// The indexes that the cache folder `cache` holds.
pub fn measure_cache(cache: &Path) -> CacheSize {
    let files = index_folders(cache).filter_map(|folder| index_files(&folder));
    files.fold(CacheSize::default(), |size, files| CacheSize {
        indexes: size.indexes + 1,
        bytes: size.bytes + files.iter().map(|(_, file)| file.len()).sum::<u64>(),
    })
}

/// Removes unused indexes from the cache folder `cache`, once a day at most. An index that a process writes stays,
/// and so does everything that is not known as an index of this program. Returns the removed size.
///
/// # Errors
/// Fails if the time of this check cannot be recorded.
pub fn sweep_cache(cache: &Path, now: SystemTime) -> io::Result<CacheSize> {
    let all = index_folder(cache);
    if !all.is_dir() {
        return Ok(CacheSize::default());
    }
    let is_before = |last: SystemTime| now.duration_since(last).is_ok_and(|since| since < DAY);
    if fs::metadata(all.join(STAMP)).and_then(|stamp| stamp.modified()).is_ok_and(is_before) {
        return Ok(CacheSize::default());
    }
    File::create(all.join(STAMP))?.set_modified(now)?;
    let mut gone = CacheSize::default();
    for folder in index_folders(cache) {
        if let Some(bytes) = remove_expired(&folder, cache, now) {
            gone = CacheSize { indexes: gone.indexes + 1, bytes: gone.bytes + bytes };
        }
    }
    Ok(gone)
}

/// The folders that may hold an index.
fn index_folders(cache: &Path) -> impl Iterator<Item = PathBuf> {
    let is_name = |name: &str| name.len() == NAME && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    let entries = fs::read_dir(index_folder(cache)).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter(move |entry| entry.file_name().to_str().is_some_and(is_name))
        .map(|entry| entry.path())
}

/// The files of an index; `None` if there is any other among them, or no segment.
fn index_files(folder: &Path) -> Option<Vec<(PathBuf, Metadata)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).ok()? {
        let path = entry.ok()?.path();
        let file = fs::symlink_metadata(&path).ok()?;
        let ending = path.extension().and_then(|ending| ending.to_str());
        let is_ours = match ending {
            Some(ENDING) => segment_number(&path).is_some() && IndexSegment::is_one(&path),
            Some(UNFINISHED) => segment_number(&path).is_some(),
            _ => path.ends_with(LOCK),
        };
        if !file.is_file() || !is_ours {
            return None;
        }
        files.push((path, file));
    }
    files.iter().any(|(path, _)| is_segment(path)).then_some(files)
}

fn is_segment(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == ENDING)
}

/// Removes an index if it is unused; returns the bytes that it took up.
fn remove_expired(folder: &Path, cache: &Path, now: SystemTime) -> Option<u64> {
    is_expired(&index_files(folder)?, folder, cache, now).then_some(())?;
    let lock = File::options().write(true).open(folder.join(LOCK)).ok()?;
    take_lock(&lock, folder).then_some(())?;
    // Somebody may have used it in between.
    let files = index_files(folder)?;
    is_expired(&files, folder, cache, now).then_some(())?;
    // The lock goes last: a process that comes meanwhile finds it taken, or the folder gone.
    let (segments, others): (Vec<_>, Vec<_>) = files.iter().partition(|(path, _)| !path.ends_with(LOCK));
    for (path, _) in segments.into_iter().chain(others) {
        fs::remove_file(path).ok()?;
    }
    // A folder that is in use again is not empty, and stays.
    let _ = fs::remove_dir(folder);
    Some(files.iter().map(|(_, file)| file.len()).sum())
}

fn is_expired(files: &[(PathBuf, Metadata)], folder: &Path, cache: &Path, now: SystemTime) -> bool {
    let used = files.iter().filter_map(|(_, file)| file.modified().ok()).max();
    let unused = used.and_then(|used| now.duration_since(used).ok()).unwrap_or_default();
    unused >= UNUSED || (unused >= DAY && is_gone(files, folder, cache))
}

/// Returns whether the workspace of an index is gone.
fn is_gone(files: &[(PathBuf, Metadata)], folder: &Path, cache: &Path) -> bool {
    let segments = files.iter().filter(|(path, _)| is_segment(path));
    let root = segments.filter_map(|(path, _)| IndexSegment::root_of(path).ok()).next();
    // The folder's name is made from the path: so a path that was damaged does not count.
    let root = root.filter(|root| SegmentStore::new(cache, root).folder() == folder);
    let error = root.and_then(|root| fs::symlink_metadata(root).err());
    error.is_some_and(|error| matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory))
}
