//! The results of the last scan of each folder: the next run scans only folders that changed since.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use rustix::io::Errno;

use crate::folder_scan::{FolderScan, folder_stamp};
use crate::guard::PathGuard;

/// Folders below one that was looked through, by path.
pub(crate) type FolderScans = HashMap<OsString, Arc<FolderScan>>;

/// If there are fewer folders below it, a new scan is just as fast.
const FEWEST: usize = 16;
/// The highest number of folders in all kept results: about 20 MB.
const MOST: usize = 1 << 16;
/// The least number of folders for each thread.
const SHARE: usize = 500;
/// The most threads at once.
const THREADS: usize = 4;

/// The results of the last scan below each root, the latest last.
#[derive(Debug, Default)]
pub(crate) struct SurveyCache(Mutex<Vec<CachedSurvey>>);

/// The results of the scan below a root, and the guard that was used.
#[derive(Debug)]
struct CachedSurvey {
    root: PathBuf,
    guard: PathGuard,
    folders: Arc<FolderScans>,
}

impl SurveyCache {
    /// Returns the results of the last scan below `root`. Those of another guard are not returned.
    pub(crate) fn cached_below(&self, root: &Path, guard: &PathGuard) -> Arc<FolderScans> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of_root = kept.iter().find(|kept| kept.root == root && kept.guard == *guard);
        of_root.map(|kept| kept.folders.clone()).unwrap_or_default()
    }

    /// Keeps what was seen below `root`, in place of what was seen before. What was not asked for the longest goes.
    pub(crate) fn store_below(&self, root: &Path, guard: &PathGuard, folders: &Arc<FolderScans>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|known| known.root != root);
        if (FEWEST..=MOST).contains(&folders.len()) {
            kept.push(CachedSurvey { root: root.to_owned(), guard: guard.clone(), folders: folders.clone() });
        }
        let mut all: usize = kept.iter().map(|kept| kept.folders.len()).sum();
        let too_many = kept.iter().take_while(|kept| {
            let is_too_many = all > MOST;
            all -= kept.folders.len();
            is_too_many
        });
        let too_many = too_many.count();
        kept.drain(..too_many);
    }
}

/// Returns the `folders` that changed since they were scanned, or whose state was unknown then. Each takes a system
/// call, by several threads if there are many.
pub(crate) fn stale_folders(folders: &FolderScans) -> Vec<&OsStr> {
    let all: Vec<(&OsStr, &FolderScan)> =
        folders.iter().map(|(folder, look)| (folder.as_os_str(), &**look)).collect();
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(THREADS);
    let share = all.len().div_ceil(threads).max(SHARE);
    if all.len() <= share {
        return stale_ones(&all);
    }
    thread::scope(|scope| {
        let shares: Vec<_> =
            all.chunks(share).map(|share| (share, scope.spawn(move || stale_ones(share)))).collect();
        // A thread that ended early is of no use to anybody; its share is looked at here.
        let ended = shares
            .into_iter()
            .flat_map(|(share, thread)| thread.join().unwrap_or_else(|_| stale_ones(share)));
        ended.collect()
    })
}

fn stale_ones<'f>(folders: &[(&'f OsStr, &FolderScan)]) -> Vec<&'f OsStr> {
    let stale = folders.iter().filter(|(folder, look)| is_stale(Path::new(folder), look));
    stale.map(|(folder, _)| *folder).collect()
}

/// Returns whether a folder was replaced, holds other entries, or has an unknown state.
fn is_stale(folder: &Path, before: &FolderScan) -> bool {
    match rustix::fs::lstat(folder) {
        Ok(now) => before.at.is_none() || folder_stamp(&now) != before.at,
        // A folder on the way was closed; it is opened before this one's turn. A folder that is gone holds nothing.
        Err(error) => error == Errno::ACCESS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_asked_for_the_longest_is_forgotten_first() {
        let (recall, guard) = (SurveyCache::default(), PathGuard::of_names([".git"]));
        let folders = |count: usize| {
            let paths = (0..count).map(|number| (OsString::from(number.to_string()), Arc::default()));
            Arc::new(paths.collect::<FolderScans>())
        };
        let kept = |root: &str| recall.cached_below(Path::new(root), &guard).len();
        recall.store_below(Path::new("few"), &guard, &folders(FEWEST - 1));
        recall.store_below(Path::new("one"), &guard, &folders(MOST / 2));
        recall.store_below(Path::new("two"), &guard, &folders(MOST / 2));
        assert_eq!((kept("few"), kept("one"), kept("two")), (0, MOST / 2, MOST / 2));
        recall.store_below(Path::new("one"), &guard, &folders(MOST / 2));
        recall.store_below(Path::new("three"), &guard, &folders(FEWEST));
        assert_eq!((kept("one"), kept("two"), kept("three")), (MOST / 2, 0, FEWEST));
        recall.store_below(Path::new("one"), &guard, &folders(MOST + 1));
        assert_eq!((kept("one"), kept("three")), (0, FEWEST));
        let other = recall.cached_below(Path::new("three"), &PathGuard::of_names([".git"]));
        assert_eq!(other.len(), 0, "another guard sees for itself");
    }
}
