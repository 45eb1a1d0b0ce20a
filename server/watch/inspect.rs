//! Examines the paths that events name. An event only names the path; the result is the current state of the file.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::os::fd::OwnedFd;
use std::sync::Arc;

use rustix::fs::{AtFlags, FileType, Stat, statat};

use super::event_source::{RawEvent, RawEventKind};
use super::folder_table::WatchTarget;
use super::list::{is_absent, is_beneath, is_searchable, join_path, open_folder, open_in, split_path};
use super::rules::{FolderRules, is_rule};
use super::stamp::StatStamp;
use super::tree::WatchedTree;
use crate::protocol::RescanReason;

impl WatchedTree {
    /// Looks at all that these events name.
    pub(super) fn handle_events(&mut self, raws: Vec<RawEvent>) {
        let mut paths: BTreeMap<Arc<str>, bool> = BTreeMap::new();
        let mut ruled: BTreeSet<Arc<str>> = BTreeSet::new();
        for raw in raws {
            match raw.kind {
                RawEventKind::Overflow => self.rescans.due = Some(RescanReason::Overflow),
                RawEventKind::Unmounted => self.rescans.due = Some(RescanReason::Unmounted),
                _ => {}
            }
            match (self.known.folders.places.get(&raw.watch).cloned(), raw.name) {
                (Some(WatchTarget::Folder(folder)), Some(name)) => {
                    if is_rule(&name) && !is_inner(&name, raw.kind) {
                        ruled.insert(folder.clone());
                    }
                    *paths.entry(join_path(&folder, &name)).or_default() |= raw.kind == RawEventKind::Content;
                }
                (Some(WatchTarget::Excludes(folder)), Some(name)) if name == "exclude" => {
                    ruled.insert(folder);
                }
                (Some(WatchTarget::Folder(folder)), None)
                    if matches!(raw.kind, RawEventKind::Attributes { .. }) && folder.is_empty() =>
                {
                    self.look_at_root();
                }
                (Some(WatchTarget::Excludes(folder)), None) if raw.kind == RawEventKind::Moved => {
                    ruled.insert(folder);
                }
                (Some(place), None) if raw.kind == RawEventKind::WatchEnded => {
                    // The kernel ended the watch with its folder; another may stand there.
                    self.known.folders.places.remove(&raw.watch);
                    match place {
                        // No folder above the root is known in which it could be looked at: all is read again, and watched.
                        WatchTarget::Folder(folder) if folder.is_empty() => {
                            self.rescans.due = Some(RescanReason::RootReplaced);
                        }
                        WatchTarget::Folder(folder) => {
                            paths.entry(folder).or_default();
                        }
                        WatchTarget::Excludes(folder) => {
                            ruled.insert(folder);
                        }
                    }
                }
                _ => {}
            }
        }
        self.inspect_paths(paths, ruled);
    }

    /// Looks at paths, each with whether its content changed, then at the folders whose rules did.
    pub(super) fn inspect_paths(&mut self, paths: BTreeMap<Arc<str>, bool>, ruled: BTreeSet<Arc<str>>) {
        // The folders above come first: what is gone with one of them is not looked at any more.
        for (path, touched) in paths {
            self.inspect_path(&path, touched, false);
        }
        let mut done: Option<Arc<str>> = None;
        for folder in ruled {
            let inside = done.as_ref().is_some_and(|done| is_beneath(&folder, done));
            if !inside && self.known.folders.folders.contains_key(&folder) {
                self.reread_rules(&folder);
                done = Some(folder);
            }
        }
        self.look_at_other_names();
    }

    /// Looks at a path in a known folder. With `touched` a file there counts as changed; with `missed` changes in a
    /// folder there may have gone unseen.
    pub(super) fn inspect_path(&mut self, path: &Arc<str>, touched: bool, missed: bool) {
        let (folder, name) = split_path(path);
        let parent = self.known.folders.folders.get(folder);
        let Some((rules, identity)) = parent.map(|parent| (parent.rules.clone(), parent.identity)) else {
            return;
        };
        let (false, Some(top)) = (path.is_empty(), &mut self.top) else { return };
        let Some(opened) = top.open_known(folder, identity) else {
            // A folder above is gone, or was replaced: nothing follows from that for the contents of the known one.
            self.known.missed.insert(path.clone());
            return;
        };
        let found = match statat(&opened, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) => Some(found),
            Err(error) if is_absent(error) => None,
            Err(_) => return self.look_at_closed(folder),
        };
        let kind = found.as_ref().map(|stat| FileType::from_raw_mode(stat.st_mode));
        if kind != Some(FileType::Directory) && self.known.folders.folders.contains_key(path) {
            self.known.drop_folder(path);
        }
        match (kind, found) {
            (Some(FileType::RegularFile), Some(stat)) => self.look_at_file(path, &rules, &stat, touched),
            (Some(FileType::Directory), _) => {
                self.known.files.take_file(path);
                self.look_at_folder(path, (&opened, name), &rules, missed);
            }
            _ => self.known.files.take_file(path),
        }
    }

    /// Reads a folder again in which names cannot be looked up any more.
    fn look_at_closed(&mut self, folder: &str) {
        if !self.known.unreadable.contains(folder) {
            self.rescan_under(folder, true);
        }
    }

    /// Looks again at what was looked at while a folder above it was away, or another.
    pub(super) fn look_at_missed(&mut self) {
        let mut standing: HashSet<Arc<str>> = HashSet::new();
        let missed = std::mem::take(&mut self.known.missed);
        if missed.is_empty() {
            return;
        }
        for path in missed {
            let Some(top) = &mut self.top else { break };
            let mut moved = None;
            for (end, _) in path.match_indices('/') {
                let above = path.get(..end).unwrap_or_default();
                if standing.contains(above) {
                    continue;
                }
                let Some((above, known)) = self.known.folders.folders.get_key_value(above) else { break };
                if top.open_if(above, known.identity).is_none() {
                    moved = Some(above.clone());
                    break;
                }
                standing.insert(above.clone());
            }
            // Folders above the one that moved stand, so what is found in them is so.
            top.close_opened();
            self.inspect_path(moved.as_ref().unwrap_or(&path), true, true);
        }
        self.known.folders.end_stray_watches();
    }

    fn look_at_file(&mut self, path: &Arc<str>, rules: &FolderRules, stat: &Stat, touched: bool) {
        let several = stat.st_nlink > 1;
        let (name, shown) = (split_path(path).1, &self.options.hidden);
        if !self.top.as_ref().is_some_and(|top| top.is_listed(rules, (path, name), false, shown)) {
            self.known.files.take_file(path);
            if several {
                // A name that is not listed may be one of a file that is.
                self.known.files.other_names.insert(stat.st_ino);
            }
            return;
        }
        self.known.files.put_file(path, StatStamp::from_stat(stat), touched);
        if several {
            self.known.files.note_link(path, true);
        } else {
            self.known.files.linked.remove(path);
        }
    }

    fn look_at_folder(
        &mut self,
        path: &Arc<str>,
        (folder, name): (&OwnedFd, &str),
        above: &FolderRules,
        missed: bool,
    ) {
        let shown = &self.options.hidden;
        if !self.top.as_ref().is_some_and(|top| top.is_listed(above, (path, name), true, shown)) {
            return self.known.drop_folder(path);
        }
        let opened = match open_in(folder, name) {
            Ok(opened) => opened,
            Err(error) => {
                self.known.drop_folder(path);
                if !is_absent(error) {
                    self.known.unreadable.insert(path.clone());
                }
                return;
            }
        };
        if missed || !self.known.folders.is_known(path, &opened, self.folder_reader()) {
            self.rescan_under(path, missed);
        }
    }

    /// Looks at the other names of files of which it is new that they have any.
    pub(super) fn look_at_other_names(&mut self) {
        for path in self.known.files.take_other_names() {
            self.inspect_path(&path, false, false);
        }
        // The files found now have names that were examined just before.
        self.known.files.other_names.clear();
    }

    /// Looks at files that may have changed through another name.
    pub(super) fn look_at_linked(&mut self) {
        let linked = self.known.files.changeable_unseen();
        if linked.is_empty() {
            return;
        }
        linked.iter().for_each(|path| self.inspect_path(path, false, false));
        self.known.files.other_names.clear();
    }

    /// Looks whether the root can be read.
    pub(super) fn look_at_root(&mut self) {
        let Some(top) = &self.top else { return };
        if !open_folder(&top.descriptor, "").is_ok_and(|opened| is_searchable(&opened)) {
            self.look_at_closed("");
        }
    }
}

/// Returns whether an event is about the contents of a repository's folder, not about its existence.
fn is_inner(name: &str, kind: RawEventKind) -> bool {
    matches!(name, ".git" | ".jj") && kind == RawEventKind::Attributes { is_folder: true }
}
