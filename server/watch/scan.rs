//! Reads a part of the root, or all of it, and makes what is known agree with that.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use super::batch::Window;
use super::inotify::Raw;
use super::list::split;
use super::rules::Rules;
use super::tree::{Place, Tree};
use super::walk::{Found, everywhere, here};
use crate::protocol::{Rescan, RescanReason};

/// Events that are taken at once while all is read.
const STEP: u64 = 4_096;
/// How often that is done in one turn.
const TURNS: usize = 16;

impl Tree {
    /// Reads all again. Events that come meanwhile are looked at after that.
    pub(super) fn rescan_all(&mut self, reason: RescanReason) {
        let Some(rules) = self.top.as_ref().map(|top| top.outer.rules.clone()) else { return };
        let Some(reading) = self.reading() else { return };
        let begun = Instant::now();
        let mut raws: Vec<Raw> = Vec::new();
        let mut seen = HashSet::new();
        let source = self.source.clone();
        let found = everywhere(&reading, (Arc::from(""), rules), || {
            let Some(source) = &source else { return };
            let mut events = Vec::new();
            for _ in 0..TURNS {
                if source.take(STEP, &mut events) < STEP {
                    break;
                }
            }
            // The same thing may befall the same file any number of times; once is enough to look.
            raws.extend(
                events.into_iter().filter(|raw| seen.insert((raw.watch, raw.flags.bits(), raw.name.clone()))),
            );
        });
        if self.stop.load(Ordering::Relaxed) {
            return;
        }
        self.troubles.unnamed = found.unnamed;
        self.troubles.unreadable = found.unreadable;
        self.troubles.limited = false;
        self.troubles.cut = false;
        self.settle("", found);
        if reason == RescanReason::Started {
            // Nothing changed: it was not known before.
            self.window = Window::default();
        }
        self.note_rescan(reason, begun);
        self.window.note_rescan(reason);
        // What is polled has been read with the rest.
        self.polled_at = Some((begun, begun.elapsed()));
        self.handle(raws);
    }

    /// Reads a folder and all beneath it again; `above` are the rules that count in its parent.
    pub(super) fn rescan_under(&mut self, path: &str, above: Arc<Rules>) {
        let Some(reading) = self.reading() else { return };
        let found = here(&reading, (Arc::from(path), above));
        if !self.stop.load(Ordering::Relaxed) {
            self.settle(path, found);
        }
    }

    /// Reads a folder again, and all beneath it, since rules that count in it changed.
    pub(super) fn reread_rules(&mut self, path: &str) {
        let Some(above) = self.rules_above(path) else { return };
        let begun = Instant::now();
        self.rescan_under(path, above);
        self.note_rescan(RescanReason::RulesChanged, begun);
    }

    /// Looks at the excludes of repositories that are not watched: made after their repository, or beyond the limit.
    pub(super) fn look_at_excludes(&mut self) {
        let stale = |path: &&Arc<str>| self.folders.get(*path).is_some_and(|folder| folder.rules.stale());
        let changed: Vec<_> = self.excludes_unwatched.iter().filter(stale).cloned().collect();
        changed.iter().for_each(|path| self.reread_rules(path));
    }

    /// The rules that count in a folder's parent.
    pub(super) fn rules_above(&self, path: &str) -> Option<Arc<Rules>> {
        if path.is_empty() {
            return self.top.as_ref().map(|top| top.outer.rules.clone());
        }
        self.folders.get(split(path).0).map(|parent| parent.rules.clone())
    }

    fn note_rescan(&mut self, reason: RescanReason, begun: Instant) {
        let took = begun.elapsed();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let took_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        self.last_rescan = Some(Rescan { reason, at: now.saturating_sub(took).as_secs(), took_ms });
    }

    /// Makes what is known beneath a path what was found there.
    pub(super) fn settle(&mut self, path: &str, mut found: Found) {
        self.troubles.limited |= found.limited;
        let fresh: HashSet<Arc<str>> = found.folders.iter().map(|(path, _)| path.clone()).collect();
        let mut watches = HashSet::new();
        for (path, folder) in &mut found.folders {
            // The same folder at two places, as a bind mount makes it: the kernel tells of both as of one.
            folder.watch = folder.watch.filter(|watch| watches.insert(*watch));
            // Before any watch is ended: one that moved with its folder is not its old place's any more.
            self.places.extend(folder.watch.map(|watch| (watch, Place::Folder(path.clone()))));
        }
        for (path, folder) in found.folders {
            self.put_folder(&path, folder);
        }
        for gone in self.folders_under(path).into_iter().filter(|old| !fresh.contains(old)) {
            self.drop_one(&gone);
        }
        found.files.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        if found.files.len() > self.options.max_files {
            found.files.truncate(self.options.max_files);
            self.troubles.cut = true;
        }
        if self.files.is_empty() && self.last_rescan.is_none() {
            let files = Arc::make_mut(&mut self.files);
            files.fill(found.files);
        } else {
            let gone: Vec<_> = self
                .files
                .under(path)
                .filter(|old| found.files.binary_search_by(|(new, _)| new.cmp(&old.path)).is_err())
                .map(|old| old.path.clone())
                .collect();
            gone.iter().for_each(|path| self.take(path));
            for (path, stamp) in found.files {
                self.put(&path, stamp, false);
            }
        }
        for linked in found.linked {
            self.note_link(&linked, !path.is_empty());
        }
    }
}
