//! Reads a part of the root, or all of it, and makes what is known agree with that.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::batch::ChangeWindow;
use super::event_source::RawEvent;
use super::list::split_path;
use super::rules::FolderRules;
use super::tree::WatchedTree;
use super::walk::{walk_here, walk_in_threads};
use crate::protocol::RescanReason;

/// Events that are taken at once while all is read.
const STEP: u64 = 4_096;
/// The number of repetitions in one turn.
const TURNS: usize = 16;

impl WatchedTree {
    /// Reads all again. Events that come meanwhile are looked at after that.
    pub(super) fn rescan_all(&mut self, reason: RescanReason) {
        let Some(rules) = self.top.as_ref().map(|top| top.outer.rules.clone()) else { return };
        let Some(reading) = self.folder_reader() else { return };
        let begun = Instant::now();
        let mut raws: Vec<RawEvent> = Vec::new();
        let mut seen = HashSet::new();
        let source = self.known.folders.source.clone();
        let found = walk_in_threads(&reading, (Arc::from(""), rules, None), || {
            let Some(source) = &source else { return };
            let mut events = Vec::new();
            for _ in 0..TURNS {
                if source.take_events(STEP, &mut events) < STEP {
                    break;
                }
            }
            // A file may have any number of equal events; it is examined once.
            raws.extend(
                events.into_iter().filter(|raw| seen.insert((raw.watch, raw.kind, raw.name.clone()))),
            );
        });
        if self.stop.load(Ordering::Relaxed) {
            return;
        }
        self.known.unnamed = found.unnamed;
        self.known.folders.limited = false;
        self.known.files.cut = false;
        // A change whose event was lost may have been the second within a tick of the clock.
        let missed = reason == RescanReason::Overflow;
        self.known.settle_found("", found, missed, self.rescans.last.is_none());
        if reason == RescanReason::Started {
            // Nothing changed: it was not known before.
            self.known.files.window = ChangeWindow::default();
        }
        self.rescans.record_rescan(reason, begun);
        self.known.files.window.note_rescan(reason);
        // The polled folders have been read with the rest.
        self.polled_at = Some((begun, begun.elapsed()));
        self.handle_events(raws);
    }

    /// Reads a folder and all beneath it again. With `missed` changes in it may have gone unseen.
    pub(super) fn rescan_under(&mut self, path: &str, missed: bool) {
        let (Some(reading), Some(above)) = (self.folder_reader(), self.rules_above(path)) else { return };
        let parent = self.known.folders.folders.get(split_path(path).0).filter(|_| !path.is_empty());
        let found = walk_here(&reading, (Arc::from(path), above, parent.map(|parent| parent.identity)));
        if !self.stop.load(Ordering::Relaxed) {
            self.known.settle_found(path, found, missed, self.rescans.last.is_none());
        }
    }

    /// Reads a folder again, and all beneath it, since rules that count in it changed.
    pub(super) fn reread_rules(&mut self, path: &str) {
        if self.rules_above(path).is_none() {
            return;
        }
        let begun = Instant::now();
        self.rescan_under(path, false);
        self.rescans.record_rescan(RescanReason::RulesChanged, begun);
    }

    /// The rules that count in a folder's parent.
    pub(super) fn rules_above(&self, path: &str) -> Option<Arc<FolderRules>> {
        self.known.folders.rules_above(path, &self.top.as_ref()?.outer)
    }
}
