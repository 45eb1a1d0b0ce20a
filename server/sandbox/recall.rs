//! What was seen in folders when they were looked into last: the next run looks only into those that changed since.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use rustix::io::Errno;

use crate::look::{Look, changed};

/// Folders below one that was looked through, by path.
pub(crate) type Folders = HashMap<OsString, Arc<Look>>;

/// With fewer folders below it, one is looked through as fast anew.
const FEWEST: usize = 16;
/// How many folders are kept together: about 20 MB.
const MOST: usize = 1 << 16;
/// How many folders one thread is given at least.
const SHARE: usize = 500;
/// The most threads at once.
const THREADS: usize = 4;

/// What was seen below each folder that was looked through, the latest last.
#[derive(Debug, Default)]
pub(crate) struct Recall(Mutex<Vec<(PathBuf, Arc<Folders>)>>);

impl Recall {
    /// What was seen below `root` last.
    pub(crate) fn below(&self, root: &Path) -> Arc<Folders> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|(known, _)| known == root).map(|(_, folders)| folders.clone()).unwrap_or_default()
    }

    /// Keeps what was seen below `root`, in place of what was seen before. What was not asked for the longest goes.
    pub(crate) fn keep(&self, root: &Path, folders: &Arc<Folders>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(known, _)| known != root);
        if (FEWEST..=MOST).contains(&folders.len()) {
            kept.push((root.to_owned(), folders.clone()));
        }
        let mut all: usize = kept.iter().map(|(_, folders)| folders.len()).sum();
        let too_many = kept.iter().take_while(|(_, folders)| {
            let is_too_many = all > MOST;
            all -= folders.len();
            is_too_many
        });
        let too_many = too_many.count();
        kept.drain(..too_many);
    }
}

/// Those of `folders` that changed since they were looked into, or of which nothing was known then. Each is asked of the
/// system, by several threads where there are many.
pub(crate) fn stale(folders: &Folders) -> Vec<&OsStr> {
    let all: Vec<(&OsStr, &Look)> =
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

fn stale_ones<'f>(folders: &[(&'f OsStr, &Look)]) -> Vec<&'f OsStr> {
    let stale = folders.iter().filter(|(folder, look)| is_stale(Path::new(folder), look));
    stale.map(|(folder, _)| *folder).collect()
}

/// Whether a folder is another one now, or holds something else, or nothing is known of it.
fn is_stale(folder: &Path, before: &Look) -> bool {
    match rustix::fs::lstat(folder) {
        Ok(now) => before.at.is_none() || changed(&now) != before.at,
        // One on the way was closed; it is opened before this one's turn. What is gone holds nothing.
        Err(error) => error == Errno::ACCESS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_asked_for_the_longest_is_forgotten_first() {
        let recall = Recall::default();
        let folders = |count: usize| {
            let paths = (0..count).map(|number| (OsString::from(number.to_string()), Arc::default()));
            Arc::new(paths.collect::<Folders>())
        };
        let kept = |root: &str| recall.below(Path::new(root)).len();
        recall.keep(Path::new("few"), &folders(FEWEST - 1));
        recall.keep(Path::new("one"), &folders(MOST / 2));
        recall.keep(Path::new("two"), &folders(MOST / 2));
        assert_eq!((kept("few"), kept("one"), kept("two")), (0, MOST / 2, MOST / 2));
        recall.keep(Path::new("one"), &folders(MOST / 2));
        recall.keep(Path::new("three"), &folders(FEWEST));
        assert_eq!((kept("one"), kept("two"), kept("three")), (MOST / 2, 0, FEWEST));
        recall.keep(Path::new("one"), &folders(MOST + 1));
        assert_eq!((kept("one"), kept("three")), (0, FEWEST));
    }
}
