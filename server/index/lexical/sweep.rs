//! Indexes that nobody needs any more: of folders that are gone, and of those that were not opened for a month.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::segment::Segment;
pub use super::store::below;
use super::store::{ENDING, LOCK, NAME, Store, UNFINISHED, hold, number};

/// A day: how often indexes are looked at, and how long the one of a folder stays that is gone. It may be on a disk that
/// is only away for a while.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// How long an index stays that nobody opens.
const UNUSED: Duration = DAY.saturating_mul(30);
/// The file that was changed when indexes were last looked at.
const STAMP: &str = "swept";

/// Indexes, and what they take up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// How many there are.
    pub indexes: usize,
    /// Their bytes.
    pub bytes: u64,
}

/// The indexes that the cache folder `cache` holds.
pub fn held(cache: &Path) -> Size {
    let files = folders(cache).filter_map(|folder| files(&folder));
    files.fold(Size::default(), |size, files| Size {
        indexes: size.indexes + 1,
        bytes: size.bytes + files.iter().map(|(_, file)| file.len()).sum::<u64>(),
    })
}

/// Removes the indexes from the cache folder `cache` that nobody needs any more, once a day at most. One that a process
/// writes stays, and so does all that is not known for an index of ours. What was removed.
///
/// # Errors
/// Where it cannot be kept that they were looked at.
pub fn sweep(cache: &Path, now: SystemTime) -> io::Result<Size> {
    let all = below(cache);
    if !all.is_dir() {
        return Ok(Size::default());
    }
    let is_before = |last: SystemTime| now.duration_since(last).is_ok_and(|since| since < DAY);
    if fs::metadata(all.join(STAMP)).and_then(|stamp| stamp.modified()).is_ok_and(is_before) {
        return Ok(Size::default());
    }
    File::create(all.join(STAMP))?.set_modified(now)?;
    let mut gone = Size::default();
    for folder in folders(cache) {
        if let Some(bytes) = expire(&folder, cache, now) {
            gone = Size { indexes: gone.indexes + 1, bytes: gone.bytes + bytes };
        }
    }
    Ok(gone)
}

/// The folders that may hold an index.
fn folders(cache: &Path) -> impl Iterator<Item = PathBuf> {
    let is_name = |name: &str| name.len() == NAME && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    let entries = fs::read_dir(below(cache)).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter(move |entry| entry.file_name().to_str().is_some_and(is_name))
        .map(|entry| entry.path())
}

/// The files of an index; nothing where there is any other among them, or no segment.
fn files(folder: &Path) -> Option<Vec<(PathBuf, Metadata)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).ok()? {
        let path = entry.ok()?.path();
        let file = fs::symlink_metadata(&path).ok()?;
        let ending = path.extension().and_then(|ending| ending.to_str());
        let is_ours = match ending {
            Some(ENDING) => number(&path).is_some() && Segment::is_one(&path),
            Some(UNFINISHED) => number(&path).is_some(),
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

/// Removes an index where nobody needs it any more; the bytes that it took up.
fn expire(folder: &Path, cache: &Path, now: SystemTime) -> Option<u64> {
    is_expired(&files(folder)?, folder, cache, now).then_some(())?;
    let lock = File::options().write(true).open(folder.join(LOCK)).ok()?;
    hold(&lock, folder).then_some(())?;
    // Somebody may have used it in between.
    let files = files(folder)?;
    is_expired(&files, folder, cache, now).then_some(())?;
    // The lock goes last: whoever comes meanwhile finds it taken, or the folder gone.
    let (segments, others): (Vec<_>, Vec<_>) = files.iter().partition(|(path, _)| !path.ends_with(LOCK));
    for (path, _) in segments.into_iter().chain(others) {
        fs::remove_file(path).ok()?;
    }
    // One that somebody uses again is not empty, and stays.
    let _ = fs::remove_dir(folder);
    Some(files.iter().map(|(_, file)| file.len()).sum())
}

fn is_expired(files: &[(PathBuf, Metadata)], folder: &Path, cache: &Path, now: SystemTime) -> bool {
    let used = files.iter().filter_map(|(_, file)| file.modified().ok()).max();
    let unused = used.and_then(|used| now.duration_since(used).ok()).unwrap_or_default();
    unused >= UNUSED || (unused >= DAY && is_gone(files, folder, cache))
}

/// Whether the workspace that an index is of is no more.
fn is_gone(files: &[(PathBuf, Metadata)], folder: &Path, cache: &Path) -> bool {
    let segments = files.iter().filter(|(path, _)| is_segment(path));
    let root = segments.filter_map(|(path, _)| Segment::root_of(path).ok()).next();
    // The folder's name is made from the path: so a path that was damaged does not count.
    let root = root.filter(|root| Store::new(cache, root).folder() == folder);
    let error = root.and_then(|root| fs::symlink_metadata(root).err());
    error.is_some_and(|error| matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory))
}
