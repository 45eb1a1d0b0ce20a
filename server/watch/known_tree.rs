//! The folders and files that are known beneath the root, and the paths of which that is not certain.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use rustix::fs::{AtFlags, statat};

use super::file_table::FileTable;
use super::folder_table::{FolderTable, WatchTarget};
use super::list::{ListedFolder, is_beneath, is_searchable, open_folder, split_path};
use super::stamp::{StatStamp, now_ns};
use super::walk::WalkResult;
use super::watch_root::WatchRoot;

/// The known part of the tree beneath the root.
pub(super) struct KnownTree {
    pub(super) folders: FolderTable,
    pub(super) files: FileTable,
    /// Folders that cannot be read, or not all that is in them: whether they can be is looked at before each answer.
    pub(super) unreadable: BTreeSet<Arc<str>>,
    /// Paths that were looked at while a folder above them was away, or another: they are looked at again.
    pub(super) missed: BTreeSet<Arc<str>>,
    /// Names that are not UTF-8, when all was read last.
    pub(super) unnamed: usize,
}

impl KnownTree {
    /// Creates a tree of which nothing is known yet.
    pub(super) fn new(folders: FolderTable, files: FileTable) -> Self {
        Self { folders, files, unreadable: BTreeSet::new(), missed: BTreeSet::new(), unnamed: 0 }
    }

    /// Forgets a folder and all beneath it.
    pub(super) fn drop_folder(&mut self, path: &str) {
        self.unreadable.retain(|folder| !is_beneath(folder, path));
        for folder in self.folders.folders_under(path) {
            self.folders.drop_one(&folder);
        }
        for file in self.files.paths_under(path) {
            self.files.take_file(&file);
        }
    }

    /// Makes what is known beneath a path what was found there. With `missed` a file that changed lately counts as
    /// changed even if its stamp is the same: it may have changed twice in a tick of the clock. With `is_first` nothing
    /// was read before.
    pub(super) fn settle_found(&mut self, path: &str, mut found: WalkResult, missed: bool, is_first: bool) {
        self.folders.limited |= found.limited;
        self.unreadable.retain(|old| !is_beneath(old, path));
        self.unreadable.append(&mut found.unreadable.into_iter().collect());
        self.missed.append(&mut found.missed.into_iter().collect());
        let fresh: HashSet<Arc<str>> = found.folders.iter().map(|(path, _)| path.clone()).collect();
        let mut watches = HashSet::new();
        for (path, folder) in &mut found.folders {
            // A folder is at two places, by a bind mount: the kernel reports events of both as of one.
            folder.watch = folder.watch.filter(|watch| watches.insert(*watch));
            // Before any watch is ended: one that moved with its folder is not its old place's any more.
            let target = folder.watch.map(|watch| (watch, WatchTarget::Folder(path.clone())));
            self.folders.places.extend(target);
        }
        for (path, folder) in found.folders {
            self.folders.put_folder(&path, folder);
        }
        for gone in self.folders.folders_under(path).into_iter().filter(|old| !fresh.contains(old)) {
            self.folders.drop_one(&gone);
        }
        found.files.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        self.files.cut_files(&mut found.files);
        if is_first && self.files.snapshot.is_empty() {
            self.files.fill_files(found.files);
        } else {
            let is_gone = |old: &Arc<str>| found.files.binary_search_by(|(new, _)| new.cmp(old)).is_err();
            let gone: Vec<_> = self.files.paths_under(path).into_iter().filter(is_gone).collect();
            gone.iter().for_each(|path| self.files.take_file(path));
            let now = now_ns();
            for (path, stamp) in found.files {
                self.files.put_file(&path, stamp, missed && !stamp.is_settled(now));
            }
        }
        for linked in found.linked {
            self.files.note_link(&linked, !path.is_empty());
        }
    }

    /// Makes what is known directly in a folder what is listed there; returns the folders in it.
    pub(super) fn settle_listed(&mut self, path: &Arc<str>, mut listed: ListedFolder) -> Vec<Arc<str>> {
        let prefix = if path.is_empty() { 0 } else { path.len() + 1 };
        let direct = |inner: &Arc<str>| {
            inner.get(prefix..).is_some_and(|rest| !rest.is_empty() && !rest.contains('/'))
        };
        listed.files.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let gone_files: Vec<_> = self.files.paths_under(path).into_iter().filter(direct).collect();
        let gone_folders =
            self.folders.folders_under(path).into_iter().filter(|inner| inner != path && direct(inner));
        for folder in gone_folders.filter(|old| !listed.folders.contains(old)) {
            self.drop_folder(&folder);
        }
        for file in gone_files {
            if listed.files.binary_search_by(|(new, _)| new.cmp(&file)).is_err() {
                self.files.take_file(&file);
            }
        }
        for (file, stamp) in listed.files {
            self.files.put_file(&file, stamp, false);
        }
        for linked in listed.linked {
            self.files.note_link(&linked, true);
        }
        self.folders.put_folder(path, listed.folder);
        listed.folders
    }

    /// The files in folders that are polled whose stamps are not those that are known.
    pub(super) fn changed_in_polled(&self, top: &WatchRoot) -> Vec<Arc<str>> {
        let polled = &self.folders.polled;
        let mut changed: Vec<Arc<str>> = Vec::new();
        if polled.is_empty() {
            return changed;
        }
        // In the order of their paths, files of one folder mostly follow each other.
        let mut last = ("", polled.contains(""));
        for entry in self.files.snapshot.iter() {
            let folder = split_path(&entry.path).0;
            if folder != last.0 {
                last = (folder, polled.contains(folder));
            }
            if last.1 {
                let found = statat(&top.descriptor, entry.path.as_ref(), AtFlags::SYMLINK_NOFOLLOW);
                if found.map_or(true, |stat| StatStamp::from_stat(&stat) != entry.stamp) {
                    changed.push(entry.path.clone());
                }
            }
        }
        changed
    }

    /// The folders that could not be read and can be now.
    pub(super) fn readable_again(&self, top: &WatchRoot) -> Vec<Arc<str>> {
        let can_be_read =
            |path: &&Arc<str>| open_folder(&top.descriptor, path).is_ok_and(|open| is_searchable(&open));
        self.unreadable.iter().filter(can_be_read).cloned().collect()
    }
}
