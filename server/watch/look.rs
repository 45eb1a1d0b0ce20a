//! Looks at what events name. An event says where to look; what counts is what stands there now.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rustix::fs::inotify::ReadFlags;
use rustix::fs::{AtFlags, FileType, Stat, statat};

use super::inotify::Raw;
use super::list::{join, open, split};
use super::rules::{Rules, is_rule};
use super::stamp::Stamp;
use super::tree::{Place, Tree};
use crate::protocol::RescanReason;

/// Events after which a file's content may be another though its stamp is the same.
const CONTENT: ReadFlags = ReadFlags::MODIFY.union(ReadFlags::CLOSE_WRITE);

impl Tree {
    /// Looks at all that these events name.
    pub(super) fn handle(&mut self, raws: Vec<Raw>) {
        let mut paths: BTreeMap<Arc<str>, bool> = BTreeMap::new();
        let mut ruled: BTreeSet<Arc<str>> = BTreeSet::new();
        for raw in raws {
            if raw.flags.contains(ReadFlags::QUEUE_OVERFLOW) {
                self.rescan = Some(RescanReason::Overflow);
            } else if raw.flags.contains(ReadFlags::UNMOUNT) {
                self.rescan = Some(RescanReason::Unmounted);
            }
            match (self.places.get(&raw.watch).cloned(), raw.name) {
                (Some(Place::Folder(folder)), Some(name)) => {
                    if is_rule(&name) && !is_inner(&name, raw.flags) {
                        ruled.insert(folder.clone());
                    }
                    *paths.entry(join(&folder, &name)).or_default() |= raw.flags.intersects(CONTENT);
                }
                (Some(Place::Excludes(folder)), Some(name)) if name == "exclude" => {
                    ruled.insert(folder);
                }
                (Some(place), None) if raw.flags.contains(ReadFlags::IGNORED) => {
                    // The kernel ended the watch with its folder; another may stand there.
                    self.places.remove(&raw.watch);
                    match place {
                        Place::Folder(folder) => {
                            paths.entry(folder).or_default();
                        }
                        Place::Excludes(folder) => {
                            ruled.insert(folder);
                        }
                    }
                }
                _ => {}
            }
        }
        // The folders above come first: what is gone with one of them is not looked at any more.
        for (path, touched) in paths {
            self.look(&path, touched);
        }
        let mut done: Option<Arc<str>> = None;
        for folder in ruled {
            let inside = done.as_ref().is_some_and(|done| is_beneath(&folder, done));
            if !inside && self.folders.contains_key(&folder) {
                self.reread_rules(&folder);
                done = Some(folder);
            }
        }
        self.look_at_other_names();
    }

    /// Looks at a path in a known folder. With `touched` a file there counts as changed.
    pub(super) fn look(&mut self, path: &Arc<str>, touched: bool) {
        let (folder, name) = split(path);
        let Some(rules) = self.folders.get(folder).map(|parent| parent.rules.clone()) else { return };
        let Some(top) = self.top.as_ref().filter(|_| !path.is_empty()) else { return };
        let found = statat(&top.descriptor, path.as_ref(), AtFlags::SYMLINK_NOFOLLOW).ok();
        let kind = found.as_ref().map(|stat| FileType::from_raw_mode(stat.st_mode));
        if kind != Some(FileType::Directory) && self.folders.contains_key(path) {
            self.drop_folder(path);
        }
        match (kind, found) {
            (Some(FileType::RegularFile), Some(stat)) => self.look_at_file(path, &rules, &stat, touched),
            (Some(FileType::Directory), _) => {
                self.take(path);
                self.look_at_folder(path, name, &rules);
            }
            _ => self.take(path),
        }
    }

    fn look_at_file(&mut self, path: &Arc<str>, rules: &Rules, stat: &Stat, touched: bool) {
        let several = stat.st_nlink > 1;
        if !self.lists(rules, path, split(path).1, false) {
            self.take(path);
            if several {
                // A name that is not listed may be one of a file that is.
                self.other_names.insert(stat.st_ino);
            }
            return;
        }
        self.put(path, Stamp::of(stat), touched);
        if several {
            self.note_link(path, true);
        } else {
            self.linked.remove(path);
        }
    }

    fn lists(&self, rules: &Rules, path: &str, name: &str, is_folder: bool) -> bool {
        let full = self.top.as_ref().map(|top| top.real.join(path));
        full.is_some_and(|full| rules.lists(&full, name, is_folder, &self.options.hidden))
    }

    fn look_at_folder(&mut self, path: &Arc<str>, name: &str, above: &Arc<Rules>) {
        let opened = match &self.top {
            Some(top) if self.lists(above, path, name, true) => open(&top.descriptor, path).ok(),
            _ => None,
        };
        let Some(opened) = opened else { return self.drop_folder(path) };
        let watch =
            self.reading().and_then(|reading| reading.watch(&opened).ok()).and_then(|(watch, _)| watch);
        let known = self.folders.get(path).is_some_and(|known| match (known.watch, watch) {
            // The watch lives, so this is the folder that was listed, and whatever changed in it is told.
            (Some(old), Some(new)) => {
                old == new && self.places.get(&new).is_some_and(|place| *place == Place::Folder(path.clone()))
            }
            (None, None) => rustix::fs::fstat(&opened).is_ok_and(|stat| stat.st_ino == known.stamp.inode),
            _ => false,
        });
        if !known {
            self.rescan_under(path, above.clone());
        }
    }
}

/// Whether an event is about what a repository's folder is, not about whether it is there.
fn is_inner(name: &str, flags: ReadFlags) -> bool {
    matches!(name, ".git" | ".jj") && flags.intersects(ReadFlags::ATTRIB) && flags.contains(ReadFlags::ISDIR)
}

/// Whether a folder is that other one or in it.
fn is_beneath(folder: &str, other: &str) -> bool {
    other.is_empty()
        || folder == other
        || folder.strip_prefix(other).is_some_and(|rest| rest.starts_with('/'))
}
