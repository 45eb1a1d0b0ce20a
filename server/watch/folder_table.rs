//! The known folders and what watches them: the kernel, by a watch on each, or we ourselves by looking.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use rustix::fs::{AtFlags, fstat, statat};

use super::event_source::EventSource;
use super::list::{FolderReader, WatchedFolder, identity_of, is_searchable, split_path};
use super::outer::OuterRules;
use super::rules::FolderRules;
use super::watch_root::WatchRoot;

/// The subject of a watch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum WatchTarget {
    /// A folder that is listed.
    Folder(Arc<str>),
    /// The file with the excludes of the repository in this folder.
    Excludes(Arc<str>),
}

/// The known folders, by their paths, with their watches.
#[derive(Default)]
pub(super) struct FolderTable {
    pub(super) folders: BTreeMap<Arc<str>, WatchedFolder>,
    /// `None` if the system watches no folder at all.
    pub(super) source: Option<Arc<EventSource>>,
    /// The reason why it watches none.
    pub(super) no_source: Option<String>,
    /// True if the limit of watches was reached.
    pub(super) limited: bool,
    pub(super) places: HashMap<i32, WatchTarget>,
    /// Folders that the kernel does not watch for us.
    pub(super) polled: BTreeSet<Arc<str>>,
    /// True if those are others since [`Self::take_polled`] was called.
    polled_changed: bool,
    /// Folders on another file system than the one that they are in, where no event reports an unmount.
    mounts: BTreeSet<Arc<str>>,
    /// Folders whose repository's excludes the kernel does not watch for us.
    excludes_unwatched: BTreeSet<Arc<str>>,
}

impl FolderTable {
    /// Creates a table without folders. They are watched by `source`, or the system gave none for a reason.
    pub(super) fn new(source: Option<Result<EventSource, String>>) -> Self {
        match source {
            Some(Ok(source)) => Self { source: Some(Arc::new(source)), ..Self::default() },
            Some(Err(reason)) => Self { no_source: Some(reason), ..Self::default() },
            None => Self::default(),
        }
    }

    /// Puts a folder in that was listed, in place of what was known of it.
    pub(super) fn put_folder(&mut self, path: &Arc<str>, folder: WatchedFolder) {
        let (watch, excludes) = (folder.watch, folder.excludes);
        let outside =
            self.folders.get(split_path(path).0).is_some_and(|above| above.identity.0 != folder.identity.0);
        match outside && self.source.as_ref().is_some_and(|source| source.misses_unmounts()) {
            true => self.mounts.insert(path.clone()),
            false => self.mounts.remove(path),
        };
        match folder.excludes_unwatched {
            true => self.excludes_unwatched.insert(path.clone()),
            false => self.excludes_unwatched.remove(path),
        };
        let old = self.folders.insert(path.clone(), folder);
        if let Some(watch) = watch {
            // A folder that was moved keeps its watch, which then is on its new place.
            self.places.insert(watch, WatchTarget::Folder(path.clone()));
        }
        if let Some(excludes) = excludes {
            self.places.insert(excludes, WatchTarget::Excludes(path.clone()));
        }
        self.polled_changed |= match watch {
            Some(_) => self.polled.remove(path),
            None => self.polled.insert(path.clone()),
        };
        if let Some(old) = old {
            let still = [watch, excludes];
            for gone in
                [old.watch, old.excludes].into_iter().flatten().filter(|old| !still.contains(&Some(*old)))
            {
                self.end_folder_watch(gone, path);
            }
        }
    }

    /// Forgets a folder alone.
    pub(super) fn drop_one(&mut self, path: &Arc<str>) {
        self.polled_changed |= self.polled.remove(path);
        self.mounts.remove(path);
        self.excludes_unwatched.remove(path);
        if let Some(old) = self.folders.remove(path) {
            for watch in [old.watch, old.excludes].into_iter().flatten() {
                self.end_folder_watch(watch, path);
            }
        }
    }

    /// Returns the folders that the system does not watch, if they are others than before.
    pub(super) fn take_polled(&mut self) -> Option<&BTreeSet<Arc<str>>> {
        std::mem::take(&mut self.polled_changed).then_some(&self.polled)
    }

    /// Returns whether a file system was unmounted that no event reports.
    pub(super) fn has_lost_mount(&self, top: &WatchRoot) -> bool {
        let is_other = |path: &Arc<str>| {
            let found = statat(&top.descriptor, path.as_ref(), AtFlags::SYMLINK_NOFOLLOW).ok();
            let known = self.folders.get(path).map(|folder| folder.identity);
            found.map(|stat| identity_of(&stat)) != known
        };
        self.mounts.iter().any(is_other)
    }

    /// Gives up the source, which reports nothing any more.
    pub(super) fn give_up_source(&mut self, reason: &str) {
        self.source = None;
        self.places.clear();
        self.no_source = Some(reason.to_owned());
    }

    /// Ends the watches on folders that were away, watched, and not kept.
    pub(super) fn end_stray_watches(&self) {
        if let Some(source) = &self.source {
            source.keep_only(|watch| self.places.contains_key(&watch));
        }
    }

    /// Ends a watch, unless its folder was moved elsewhere.
    fn end_folder_watch(&mut self, watch: i32, path: &Arc<str>) {
        let ours = match self.places.get(&watch) {
            Some(WatchTarget::Folder(place) | WatchTarget::Excludes(place)) => place == path,
            None => false,
        };
        if ours {
            self.places.remove(&watch);
            if let Some(source) = &self.source {
                source.end_watch(watch);
            }
        }
    }

    /// The known folders at and beneath a path.
    pub(super) fn folders_under(&self, path: &str) -> Vec<Arc<str>> {
        if path.is_empty() {
            return self.folders.keys().cloned().collect();
        }
        // The byte after `/` is `0`.
        let (first, end) = (format!("{path}/"), format!("{path}0"));
        let range = (Bound::Included(first.as_str()), Bound::Excluded(end.as_str()));
        let inside = self.folders.range::<str, _>(range).map(|(path, _)| path.clone());
        self.folders.get_key_value(path).map(|(path, _)| path.clone()).into_iter().chain(inside).collect()
    }

    /// The rules that count in a folder's parent; above the root those of `outer`.
    pub(super) fn rules_above(&self, path: &str, outer: &OuterRules) -> Option<Arc<FolderRules>> {
        if path.is_empty() {
            return Some(outer.rules.clone());
        }
        self.folders.get(split_path(path).0).map(|parent| parent.rules.clone())
    }

    /// The folders in which excludes of a repository changed that are not watched: made after their repository, or
    /// beyond the limit.
    pub(super) fn stale_excludes(&self) -> Vec<Arc<str>> {
        let stale = |path: &&Arc<str>| self.folders.get(*path).is_some_and(|folder| folder.rules.is_stale());
        self.excludes_unwatched.iter().filter(stale).cloned().collect()
    }

    /// Returns whether an open folder is the one that was listed at that path, so that every change in it is
    /// reported.
    pub(super) fn is_known(&self, path: &str, opened: &OwnedFd, reading: Option<FolderReader<'_>>) -> bool {
        let watch = reading
            .and_then(|reading| reading.watch_folder(opened, &reading.real.join(path)).ok())
            .and_then(|(watch, _)| watch);
        self.folders.get(path).is_some_and(|known| match (known.watch, watch) {
            // The watch is still valid, so this is the folder. Paths that were examined while it was away are
            // missing, and are reported separately.
            (Some(old), Some(new)) => {
                let place = self.places.get(&new);
                old == new
                    && place
                        .is_some_and(|place| matches!(place, WatchTarget::Folder(at) if at.as_ref() == path))
                    && is_searchable(opened)
            }
            (None, None) => {
                fstat(opened).is_ok_and(|stat| identity_of(&stat) == known.identity) && is_searchable(opened)
            }
            _ => false,
        })
    }
}
