//! Reads again the folders that the kernel does not watch for us.

use std::sync::Arc;
use std::time::Instant;

use rustix::fs::{AtFlags, FileType, statat};

use super::list::{identity_of, is_absent};
use super::stamp::StatStamp;
use super::tree::WatchedTree;

impl WatchedTree {
    /// Reads the folders that are not watched: lists those that changed, and looks at the files of all.
    pub(super) fn poll_folders(&mut self) {
        let begun = Instant::now();
        let folders: Vec<_> = self.known.folders.polled.iter().cloned().collect();
        for path in &folders {
            self.poll_folder(path);
        }
        let changed = self.top.as_ref().map(|top| self.known.changed_in_polled(top)).unwrap_or_default();
        changed.iter().for_each(|path| self.inspect_path(path, false, false));
        self.look_at_other_names();
        self.polled_at = Some((begun, begun.elapsed()));
    }

    /// Lists a folder again if it may have changed.
    fn poll_folder(&mut self, path: &Arc<str>) {
        let Some(top) = &self.top else { return };
        let Some(known) = self.known.folders.folders.get(path) else { return };
        let place = if path.is_empty() { "." } else { path.as_ref() };
        let found = statat(&top.descriptor, place, AtFlags::SYMLINK_NOFOLLOW).ok();
        let found = found.filter(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Directory);
        let Some(stat) = found else {
            // It is gone, or one above is, which may be for a moment.
            match path.is_empty() {
                true => self.look_at_root(),
                false => drop(self.known.missed.insert(path.clone())),
            }
            return;
        };
        let Some(above) = self.rules_above(path) else { return };
        let own_rules = !Arc::ptr_eq(&above, &known.rules);
        if identity_of(&stat) != known.identity {
            // Another folder: so may be those in it that bear the same names.
            return self.rescan_under(path, false);
        }
        if StatStamp::from_stat(&stat) == known.stamp
            && !known.fresh
            && !(own_rules && known.rules.is_stale())
        {
            return;
        }
        let Some(listed) = self.folder_reader().map(|reading| reading.list_folder(path, &above, None)) else {
            return;
        };
        let mut listed = match listed {
            Ok(listed) if listed.folder.identity == known.identity => listed,
            Err(error) if !is_absent(error) => {
                self.known.drop_folder(path);
                self.known.unreadable.insert(path.clone());
                return;
            }
            _ => {
                self.known.missed.insert(path.clone());
                return;
            }
        };
        if listed.closed {
            self.known.unreadable.insert(path.clone());
        }
        let known = self.known.folders.folders.get(path);
        let same_rules = known.is_some_and(|known| known.rules.same_sources(&listed.folder.rules));
        if !same_rules {
            return self.reread_rules(path);
        }
        // Folders beneath keep the rules that they know, so what is new is read with the same.
        if let Some(known) = known {
            listed.folder.rules = known.rules.clone();
        }
        for folder in self.known.settle_listed(path, listed) {
            if self.known.folders.folders.contains_key(&folder) {
                // Another one may bear its name now.
                self.inspect_path(&folder, false, false);
            } else {
                self.rescan_under(&folder, false);
            }
        }
    }
}
