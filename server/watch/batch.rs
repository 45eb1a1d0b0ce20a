//! What listeners hear: the net change of each file since they heard last, so that a save in several steps is one.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::snapshot::Snapshot;
use super::stamp::Stamp;
use crate::protocol::RescanReason;

/// What befell a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// It is new.
    Created,
    /// It has another content, or other attributes.
    Modified,
    /// It is gone.
    Removed,
    /// It stood at another path, where it no longer is. What stood at this path is gone.
    Renamed {
        /// That path.
        from: Arc<str>,
    },
}

/// The change of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its path in the root.
    pub path: Arc<str>,
    /// What befell it.
    pub kind: ChangeKind,
}

/// Changes that belong together, as far as time tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// The generation of the list after them.
    pub generation: u64,
    /// One a file, in the order of their paths.
    pub changes: Vec<Change>,
    /// Set where files were read again. After `Started`, `TooManyChanges` and `Lagged`, `changes` does not tell all:
    /// a listener compares the snapshot.
    pub rescan: Option<RescanReason>,
}

/// Files that are told one by one at most.
const MOST: usize = 50_000;

/// What changed since listeners heard last.
#[derive(Debug, Default)]
pub(super) struct Window {
    /// What each file was; none where it was not there.
    before: BTreeMap<Arc<str>, Option<Stamp>>,
    rescan: Option<RescanReason>,
    too_many: bool,
    /// When the first and the last change came.
    times: Option<(Instant, Instant)>,
}

impl Window {
    /// Notes that a file was this until now.
    pub(super) fn note(&mut self, path: &Arc<str>, was: Option<Stamp>) {
        self.touch();
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
        self.touch();
        self.rescan = Some(reason);
    }

    fn touch(&mut self) {
        let now = Instant::now();
        self.times = Some((self.times.map_or(now, |(first, _)| first), now));
    }

    /// How many files have changed.
    pub(super) fn len(&self) -> usize {
        self.before.len()
    }

    /// When listeners are to hear of it; none where there is nothing.
    pub(super) fn due(&self, quiet: Duration, longest: Duration) -> Option<Instant> {
        self.times.map(|(first, last)| (last + quiet).min(first + longest))
    }

    /// The net changes up to the list as it is now; none where all was taken back. The window begins anew.
    pub(super) fn close(&mut self, now: &Snapshot) -> Option<Batch> {
        let window = std::mem::take(self);
        let changes = net(&window.before, now);
        let rescan = if window.too_many { Some(RescanReason::TooManyChanges) } else { window.rescan };
        let something = rescan.is_some() || !changes.is_empty();
        something.then(|| Batch { generation: now.generation(), changes, rescan })
    }
}

fn net(before: &BTreeMap<Arc<str>, Option<Stamp>>, now: &Snapshot) -> Vec<Change> {
    // Files that stood at a path and no longer do, by inode.
    let mut gone: HashMap<u64, Vec<(&Arc<str>, &Stamp)>> = HashMap::new();
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
                ChangeKind::Renamed { from: from.clone() }
            }
            (None, None) => ChangeKind::Created,
            (None, Some(_)) => ChangeKind::Modified,
        };
        changes.push(Change { path: path.clone(), kind });
    }
    moved.sort_unstable();
    let removed = before
        .iter()
        .filter(|(path, was)| was.is_some() && now.get(path).is_none() && moved.binary_search(path).is_err());
    changes.extend(removed.map(|(path, _)| Change { path: path.clone(), kind: ChangeKind::Removed }));
    changes.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(inode: u64, mtime_ns: i64) -> Stamp {
        Stamp { size: 1, mtime_ns, ctime_ns: 0, inode }
    }

    fn told(files: &[(&str, Stamp)], steps: &[(&str, Option<Stamp>)]) -> Vec<String> {
        let mut snapshot = Snapshot::default();
        for (path, stamp) in files {
            snapshot.put(&Arc::from(*path), *stamp);
        }
        let mut window = Window::default();
        for (path, step) in steps {
            let path: Arc<str> = Arc::from(*path);
            let was = match step {
                Some(stamp) => snapshot.put(&path, *stamp),
                None => snapshot.take(&path),
            };
            window.note(&path, was);
        }
        let changes = window.close(&snapshot).map(|batch| batch.changes).unwrap_or_default();
        let shown = |change: &Change| match &change.kind {
            ChangeKind::Created => format!("+{}", change.path),
            ChangeKind::Modified => format!("~{}", change.path),
            ChangeKind::Removed => format!("-{}", change.path),
            ChangeKind::Renamed { from } => format!("{from}>{}", change.path),
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
