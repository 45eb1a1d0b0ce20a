//! Reads again the folders that the kernel does not watch for us.

use std::sync::Arc;
use std::time::Instant;

use rustix::fs::{AtFlags, FileType, statat};

use super::list::{Listed, split};
use super::stamp::Stamp;
use super::tree::Tree;

impl Tree {
    /// Reads the folders that are not watched: lists those that changed, and looks at the files of all.
    pub(super) fn poll(&mut self) {
        let begun = Instant::now();
        let folders: Vec<_> = self.polled.iter().cloned().collect();
        for path in &folders {
            self.poll_folder(path);
        }
        // In the order of their paths, files of one folder mostly follow each other.
        let mut changed: Vec<Arc<str>> = Vec::new();
        if let Some(top) = self.top.as_ref().filter(|_| !self.polled.is_empty()) {
            let mut last = ("", self.polled.contains(""));
            for entry in self.files.iter() {
                let folder = split(&entry.path).0;
                if folder != last.0 {
                    last = (folder, self.polled.contains(folder));
                }
                if last.1 {
                    let found = statat(&top.descriptor, entry.path.as_ref(), AtFlags::SYMLINK_NOFOLLOW);
                    if found.map_or(true, |stat| Stamp::of(&stat) != entry.stamp) {
                        changed.push(entry.path.clone());
                    }
                }
            }
        }
        changed.iter().for_each(|path| self.look(path, false));
        self.look_at_other_names();
        self.polled_at = Some((begun, begun.elapsed()));
    }

    /// Lists a folder again where it may have changed.
    fn poll_folder(&mut self, path: &Arc<str>) {
        let Some(top) = &self.top else { return };
        let Some(known) = self.folders.get(path) else { return };
        let place = if path.is_empty() { "." } else { path.as_ref() };
        let found = statat(&top.descriptor, place, AtFlags::SYMLINK_NOFOLLOW).ok();
        let found = found.filter(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Directory);
        let Some(stat) = found else { return self.drop_folder(path) };
        let Some(above) = self.rules_above(path) else { return };
        let own_rules = !Arc::ptr_eq(&above, &known.rules);
        if stat.st_ino != known.stamp.inode {
            // Another folder: so may be those in it that bear the same names.
            return self.rescan_under(path, above);
        }
        if Stamp::of(&stat) == known.stamp && !known.fresh && !(own_rules && known.rules.stale()) {
            return;
        }
        let Some(listed) = self.reading().map(|reading| reading.list(path, &above)) else { return };
        let Ok(mut listed) = listed else { return self.drop_folder(path) };
        let known = self.folders.get(path);
        let same_rules = known.is_some_and(|known| known.rules.same_sources(&listed.folder.rules));
        if !same_rules {
            return self.reread_rules(path);
        }
        // Folders beneath keep the rules that they know, so what is new is read with the same.
        if let Some(known) = known {
            listed.folder.rules = known.rules.clone();
        }
        self.take_over(path, listed);
    }

    /// Takes over what a folder holds now, in place of what it held before.
    fn take_over(&mut self, path: &Arc<str>, mut listed: Listed) {
        let rules = listed.folder.rules.clone();
        let prefix = if path.is_empty() { 0 } else { path.len() + 1 };
        let direct = |inner: &Arc<str>| {
            inner.get(prefix..).is_some_and(|rest| !rest.is_empty() && !rest.contains('/'))
        };
        listed.files.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let gone_files: Vec<_> =
            self.files.under(path).map(|entry| entry.path.clone()).filter(direct).collect();
        let gone_folders =
            self.folders_under(path).into_iter().filter(|inner| inner != path && direct(inner));
        for folder in gone_folders.filter(|old| !listed.folders.contains(old)).collect::<Vec<_>>() {
            self.drop_folder(&folder);
        }
        for file in gone_files {
            if listed.files.binary_search_by(|(new, _)| new.cmp(&file)).is_err() {
                self.take(&file);
            }
        }
        for (file, stamp) in listed.files {
            self.put(&file, stamp, false);
        }
        for linked in listed.linked {
            self.note_link(&linked, true);
        }
        self.put_folder(path, listed.folder);
        for folder in listed.folders {
            if self.folders.contains_key(&folder) {
                // Another one may bear its name now.
                self.look(&folder, false);
            } else {
                self.rescan_under(&folder, rules.clone());
            }
        }
    }
}
