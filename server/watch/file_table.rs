//! The listed files, and their changes since listeners last got some.
//!
//! A file may have several names: the kernel reports a change by the name through which it was made, and not by the
//! others.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use super::batch::ChangeWindow;
use super::snapshot::FileSnapshot;
use super::stamp::StatStamp;

/// Files with several names that are looked at before each answer. Where there are more, none is: what changes through
/// a name outside of the watched folders is seen when something else leads there.
pub(super) const LINKED: usize = 1_000;

/// The listed files, with the changes that listeners did not get yet.
pub(super) struct FileTable {
    pub(super) snapshot: Arc<FileSnapshot>,
    pub(super) window: ChangeWindow,
    /// Files with other names too, through which they may change unseen.
    pub(super) linked: BTreeSet<Arc<str>>,
    /// Inodes of files whose other names are not known yet.
    pub(super) other_names: HashSet<u64>,
    /// Files that are listed at most.
    max: usize,
    /// True if there are more.
    pub(super) cut: bool,
}

impl FileTable {
    /// Creates an empty table that lists so many files at most.
    pub(super) fn new(max: usize) -> Self {
        Self {
            snapshot: Arc::default(),
            window: ChangeWindow::default(),
            linked: BTreeSet::new(),
            other_names: HashSet::new(),
            max,
            cut: false,
        }
    }

    /// A file is this now. With `touched` it changed even if its stamp is the same.
    pub(super) fn put_file(&mut self, path: &Arc<str>, stamp: StatStamp, touched: bool) {
        let path = match self.snapshot.get(path) {
            Some(entry) if entry.stamp == stamp && !touched => return,
            Some(entry) => entry.path.clone(),
            None if self.snapshot.len() >= self.max => {
                self.cut = true;
                return;
            }
            None => path.clone(),
        };
        let was = Arc::make_mut(&mut self.snapshot).put_file(&path, stamp);
        self.window.note_change(&path, was);
    }

    /// A file is gone, or no longer listed.
    pub(super) fn take_file(&mut self, path: &str) {
        let Some(path) = self.snapshot.get(path).map(|entry| entry.path.clone()) else { return };
        let was = Arc::make_mut(&mut self.snapshot).take_file(&path);
        self.window.note_change(&path, was);
        self.linked.remove(&path);
    }

    /// The paths of the files beneath a folder; all if it is empty.
    pub(super) fn paths_under(&self, folder: &str) -> Vec<Arc<str>> {
        self.snapshot.files_under(folder).map(|entry| entry.path.clone()).collect()
    }

    /// Puts the first files in, which are sorted: nothing changed by that.
    pub(super) fn fill_files(&mut self, files: Vec<(Arc<str>, StatStamp)>) {
        Arc::make_mut(&mut self.snapshot).fill_files(files);
    }

    /// Leaves out of sorted files what is too much to list.
    pub(super) fn cut_files(&mut self, files: &mut Vec<(Arc<str>, StatStamp)>) {
        if files.len() > self.max {
            files.truncate(self.max);
            self.cut = true;
        }
    }

    /// Notes that a file has several names. With `search` its other ones are looked for: it may be new that it has any.
    pub(super) fn note_link(&mut self, path: &Arc<str>, search: bool) {
        if self.linked.insert(path.clone())
            && search
            && let Some(entry) = self.snapshot.get(path)
        {
            self.other_names.insert(entry.stamp.inode);
        }
    }

    /// Takes the other names of files of which it is new that they have any.
    pub(super) fn take_other_names(&mut self) -> Vec<Arc<str>> {
        let inodes = std::mem::take(&mut self.other_names);
        if inodes.is_empty() {
            return Vec::new();
        }
        self.snapshot
            .iter()
            .filter(|entry| inodes.contains(&entry.stamp.inode) && !self.linked.contains(&entry.path))
            .map(|entry| entry.path.clone())
            .collect()
    }

    /// The files that may have changed through another name and are few enough to be looked at.
    pub(super) fn changeable_unseen(&self) -> Vec<Arc<str>> {
        if self.linked.len() > LINKED {
            return Vec::new();
        }
        self.linked.iter().cloned().collect()
    }
}
