//! The changes that the watch reported and that were not looked at yet.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::WorkspacePath;
use crate::protocol::RescanReason;
use crate::watch::{ChangeBatch, FileChangeKind};

/// The number of times that git may be found at work before its lock counts as left behind.
const TRIES: u32 = 25;

/// Changes that the watch reported.
#[derive(Debug, Default)]
pub(super) struct GatheredChanges {
    /// The files.
    pub(super) paths: BTreeSet<WorkspacePath>,
    /// Files that stood at another path before: the new path, and the old one.
    pub(super) renamed: BTreeMap<WorkspacePath, WorkspacePath>,
    /// The generation of the list up to which some may be missing here.
    missed: Option<u64>,
    /// The number of times that git was found at work meanwhile.
    tries: u32,
}

impl GatheredChanges {
    /// Returns whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.paths.is_empty() && self.missed.is_none()
    }

    /// Adds the changes of a batch.
    pub(super) fn add_batch(&mut self, batch: &ChangeBatch) {
        match batch.rescan {
            // The files are known from after the start, and those that went with the root are reported one by one.
            None | Some(RescanReason::Started | RescanReason::RootMissing) => {}
            // It does not say of which time it is.
            Some(RescanReason::Lagged) => self.missed = Some(u64::MAX),
            Some(_) => self.missed = self.missed.max(Some(batch.generation)),
        }
        for change in &batch.changes {
            let Some(path) = WorkspacePath::from_relative(&change.path) else { continue };
            if let FileChangeKind::Renamed { from } = &change.kind
                && let Some(from) = WorkspacePath::from_relative(from)
            {
                self.paths.insert(from.clone());
                self.renamed.insert(path.clone(), from);
            }
            self.paths.insert(path);
        }
    }

    /// Returns whether changes since the list of `generation` may be missing.
    pub(super) fn has_missed(&self, generation: u64) -> bool {
        self.missed.is_some_and(|missed| missed > generation)
    }

    /// Returns whether it is too early to look, since git works just now.
    pub(super) fn waits_for_git(&mut self) -> bool {
        self.tries += 1;
        self.tries < TRIES
    }

    /// Takes out the changes to look at now; those that are `told_later` stay.
    pub(super) fn take_ready(&mut self, told_later: impl Fn(&WorkspacePath) -> bool) -> Self {
        let later: BTreeSet<WorkspacePath> =
            self.paths.iter().filter(|path| told_later(path)).cloned().collect();
        let paths = self.paths.difference(&later).cloned().collect();
        let taken = std::mem::take(self);
        self.paths = later;
        Self { paths, ..taken }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::watch::FileChange;

    fn path(name: &str) -> WorkspacePath {
        WorkspacePath::from_relative(name).unwrap()
    }

    #[test]
    fn what_is_told_later_stays_and_what_was_missed_is_said_once() {
        let mut heard = GatheredChanges::default();
        let renamed = FileChange { path: "b".into(), kind: FileChangeKind::Renamed { from: Arc::from("a") } };
        let made = FileChange { path: "c".into(), kind: FileChangeKind::Created };
        let rescan = Some(RescanReason::Overflow);
        heard.add_batch(&ChangeBatch { generation: 5, changes: vec![renamed, made], rescan });
        assert!(heard.has_missed(4) && !heard.has_missed(5));
        let taken = heard.take_ready(|path| path.as_str() == "c");
        assert_eq!(taken.paths, [path("a"), path("b")].into());
        assert_eq!(taken.renamed.get(&path("b")), Some(&path("a")));
        assert_eq!((heard.paths.clone(), heard.has_missed(0)), ([path("c")].into(), false));
        assert!(!heard.take_ready(|_| false).is_empty() && heard.is_empty());
    }
}
