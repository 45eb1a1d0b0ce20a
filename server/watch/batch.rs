//! Batches for listeners: the net change of each file since the last batch, so that a save in several steps is one.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::snapshot::FileSnapshot;
use super::stamp::StatStamp;
use crate::protocol::RescanReason;

/// The kinds of changes of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileChangeKind {
    /// It is new.
    Created,
    /// It has another content, or other attributes.
    Modified,
    /// It is gone.
    Removed,
    /// It was at another path, which no longer exists. The file that was at this path is gone.
    Renamed {
        /// The earlier path.
        from: Arc<str>,
    },
}

/// The change of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// Its path in the root.
    pub path: Arc<str>,
    /// The kind of the change.
    pub kind: FileChangeKind,
}

/// Changes that belong together, judged by their times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeBatch {
    /// The generation of the list after them.
    pub generation: u64,
    /// The changes in the order of their paths, one for each file.
    pub changes: Vec<FileChange>,
    /// Set if files were read again. After `Started`, `TooManyChanges` and `Lagged`, `changes` does not tell all:
    /// a listener compares the snapshot.
    pub rescan: Option<RescanReason>,
}

/// The most files that are listed one by one.
const MOST: usize = 50_000;

/// The changes since the last batch.
#[derive(Debug, Default)]
pub(super) struct ChangeWindow {
    /// The earlier state of each file; `None` if it did not exist.
    before: BTreeMap<Arc<str>, Option<StatStamp>>,
    rescan: Option<RescanReason>,
    too_many: bool,
    /// When the first and the last change came.
    times: Option<(Instant, Instant)>,
}

impl ChangeWindow {
    /// Notes that a file was this until now.
    pub(super) fn note_change(&mut self, path: &Arc<str>, was: Option<StatStamp>) {
        self.touch_times();
        if self.too_many {
            return;
        }
        self.before.entry(path.clone()).or_insert(was);
        if self.before.len() > MOST {
            self.before.clear();
            self.too_many = true;
        }
    }

    /// Notes that files were read again.
    pub(super) fn note_rescan(&mut self, reason: RescanReason) {
        self.touch_times();
        self.rescan = Some(reason);
    }

    fn touch_times(&mut self) {
        let now = Instant::now();
        self.times = Some((self.times.map_or(now, |(first, _)| first), now));
    }

    /// Returns the number of changed files.
    pub(super) fn len(&self) -> usize {
        self.before.len()
    }

    /// Returns the time at which the next batch is due, or `None` if nothing changed.
    pub(super) fn due_at(&self, quiet: Duration, longest: Duration) -> Option<Instant> {
        self.times.map(|(first, last)| (last + quiet).min(first + longest))
    }

    /// Returns the net changes up to the current list, or `None` if all were reverted, and starts a new window.
    pub(super) fn close_window(&mut self, now: &FileSnapshot) -> Option<ChangeBatch> {
        let window = std::mem::take(self);
        let changes = net_changes(&window.before, now);
        let rescan = if window.too_many { Some(RescanReason::TooManyChanges) } else { window.rescan };
        let something = rescan.is_some() || !changes.is_empty();
        something.then(|| ChangeBatch { generation: now.generation(), changes, rescan })
    }
}

fn net_changes(before: &BTreeMap<Arc<str>, Option<StatStamp>>, now: &FileSnapshot) -> Vec<FileChange> {
    // Files that stood at a path and no longer do, by inode.
    let mut gone: HashMap<u64, Vec<(&Arc<str>, &StatStamp)>> = HashMap::new();
    for (path, was) in before {
        if let Some(was) = was
            && now.get(path).is_none()
        {
            gone.entry(was.inode).or_default().push((path, was));
        }
    }
    let mut changes = Vec::new();
    let mut moved: Vec<&Arc<str>> = Vec::new();
    for (path, was) in before {
        let Some(is) = now.get(path).map(|entry| entry.stamp) else { continue };
        let another = was.is_none_or(|was| was.inode != is.inode);
        let old = gone.get_mut(&is.inode).filter(|_| another).and_then(|old| {
            let found = old.iter().position(|(_, was)| was.same_content(&is))?;
            Some(old.swap_remove(found).0)
        });
        let kind = match (old, was) {
            (Some(from), _) => {
                moved.push(from);
                FileChangeKind::Renamed { from: from.clone() }
            }
            (None, None) => FileChangeKind::Created,
            (None, Some(_)) => FileChangeKind::Modified,
        };
        changes.push(FileChange { path: path.clone(), kind });
    }
    moved.sort_unstable();
    let removed = before
        .iter()
        .filter(|(path, was)| was.is_some() && now.get(path).is_none() && moved.binary_search(path).is_err());
    changes.extend(removed.map(|(path, _)| FileChange { path: path.clone(), kind: FileChangeKind::Removed }));
    changes.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(inode: u64, mtime_ns: i64) -> StatStamp {
        StatStamp { size: 1, mtime_ns, ctime_ns: 0, inode }
    }

    fn told(files: &[(&str, StatStamp)], steps: &[(&str, Option<StatStamp>)]) -> Vec<String> {
        let mut snapshot = FileSnapshot::default();
        for (path, stamp) in files {
            snapshot.put_file(&Arc::from(*path), *stamp);
        }
        let mut window = ChangeWindow::default();
        for (path, step) in steps {
            let path: Arc<str> = Arc::from(*path);
            let was = match step {
                Some(stamp) => snapshot.put_file(&path, *stamp),
                None => snapshot.take_file(&path),
            };
            window.note_change(&path, was);
        }
        let changes = window.close_window(&snapshot).map(|batch| batch.changes).unwrap_or_default();
        let shown = |change: &FileChange| match &change.kind {
            FileChangeKind::Created => format!("+{}", change.path),
            FileChangeKind::Modified => format!("~{}", change.path),
            FileChangeKind::Removed => format!("-{}", change.path),
            FileChangeKind::Renamed { from } => format!("{from}>{}", change.path),
        };
        changes.iter().map(shown).collect()
    }

    #[test]
    fn saves_in_several_steps_are_one_change() {
        let (old, new) = (stamp(1, 1), stamp(2, 2));
        // A temporary file renamed over; a backup, a new file, the backup removed; the same with the backup kept.
        assert_eq!(told(&[("f", old)], &[("f.tmp", Some(new)), ("f.tmp", None), ("f", Some(new))]), ["~f"]);
        let steps = [("f", None), ("f~", Some(old)), ("f", Some(new)), ("f~", None)];
        assert_eq!(told(&[("f", old)], &steps), ["~f"]);
        assert_eq!(told(&[("f", old)], &steps[..3]), ["~f", "+f~"]);
    }

    #[test]
    fn renames_are_one_change_and_chains_too() {
        let (one, two) = (stamp(1, 1), stamp(2, 2));
        assert_eq!(told(&[("a", one)], &[("a", None), ("b", Some(one))]), ["a>b"]);
        assert_eq!(
            told(&[("a", one)], &[("b", Some(one)), ("a", None), ("c", Some(one)), ("b", None)]),
            ["a>c"]
        );
        assert_eq!(told(&[("a", one), ("b", two)], &[("b", Some(one)), ("a", None)]), ["a>b"]);
        assert_eq!(told(&[("a", one)], &[("a", None), ("A", Some(one))]), ["a>A"]);
        // Swapped: neither is gone, both have another content.
        assert_eq!(told(&[("a", one), ("b", two)], &[("a", Some(two)), ("b", Some(one))]), ["~a", "~b"]);
        // An inode given to another file is no rename.
        assert_eq!(told(&[("a", one)], &[("a", None), ("b", Some(stamp(1, 9)))]), ["-a", "+b"]);
    }

    #[test]
    fn what_was_taken_back_is_not_told() {
        assert_eq!(told(&[], &[("a", Some(stamp(1, 1))), ("a", None)]), Vec::<String>::new());
    }
}
