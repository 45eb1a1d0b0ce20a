//! The list of files at one moment: sorted, shared between its readers, cheap to take and to change.

use std::cmp::Ordering;
use std::sync::Arc;

use super::stamp::StatStamp;

/// A file of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEntry {
    /// Its path in the root, with `/` between the parts.
    pub path: Arc<str>,
    /// Its state when it was last examined.
    pub stamp: StatStamp,
    /// The generation in which it last changed. Where this is the same in two snapshots, so is the file.
    pub changed: u64,
}

/// Files in one piece of a snapshot at most: what one change copies.
const PIECE: usize = 256;

/// All files of the root that are not ignored, in the order of their paths' bytes.
#[derive(Clone, Debug, Default)]
pub struct FileSnapshot {
    generation: u64,
    len: usize,
    /// The pieces, none of which is empty.
    pieces: Vec<Arc<Vec<FileEntry>>>,
}

impl FileSnapshot {
    /// Returns the number of changes: two snapshots with equal numbers have equal lists.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Returns the number of files.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no files.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns all files, in order.
    pub fn iter(&self) -> impl Iterator<Item = &FileEntry> {
        self.pieces.iter().flat_map(|piece| piece.iter())
    }

    /// The file at a path.
    pub fn get(&self, path: &str) -> Option<&FileEntry> {
        let piece = self.pieces.get(self.piece_of(path)?)?;
        piece.get(piece.binary_search_by(|entry| entry.path.as_ref().cmp(path)).ok()?)
    }

    /// The files beneath a folder, in order; all if it is empty.
    pub fn files_under<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = &'a FileEntry> {
        let first = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let before = |entry: &FileEntry| entry.path.as_ref().cmp(first.as_str()) == Ordering::Less;
        let piece = self.piece_of(&first).unwrap_or(0);
        let inside = self.pieces.get(piece).map_or(0, |piece| piece.partition_point(before));
        let pieces = self.pieces.get(piece..).unwrap_or_default().iter();
        pieces
            .flat_map(|piece| piece.iter())
            .skip(inside)
            .take_while(move |entry| entry.path.starts_with(&first))
    }

    /// Adds or changes a file, as a new generation. Returns its earlier state.
    pub(super) fn put_file(&mut self, path: &Arc<str>, stamp: StatStamp) -> Option<StatStamp> {
        self.generation += 1;
        let entry = FileEntry { path: path.clone(), stamp, changed: self.generation };
        let Some(at) = self.piece_of(path) else {
            self.pieces.push(Arc::new(vec![entry]));
            self.len = 1;
            return None;
        };
        let piece = Arc::make_mut(self.pieces.get_mut(at)?);
        match piece.binary_search_by(|entry| entry.path.cmp(path)) {
            Ok(found) => piece.get_mut(found).map(|old| std::mem::replace(old, entry).stamp),
            Err(place) => {
                piece.insert(place, entry);
                self.len += 1;
                if piece.len() > PIECE {
                    let half = piece.split_off(PIECE / 2);
                    self.pieces.insert(at + 1, Arc::new(half));
                }
                None
            }
        }
    }

    /// Removes a file, as a new generation. Returns its earlier state; if it is not in the list, nothing changes.
    pub(super) fn take_file(&mut self, path: &str) -> Option<StatStamp> {
        let at = self.piece_of(path)?;
        let shared = self.pieces.get_mut(at)?;
        let found = shared.binary_search_by(|entry| entry.path.as_ref().cmp(path)).ok()?;
        let piece = Arc::make_mut(shared);
        let old = piece.remove(found);
        let emptied = piece.is_empty();
        if emptied {
            self.pieces.remove(at);
        }
        self.len -= 1;
        self.generation += 1;
        Some(old.stamp)
    }

    /// Puts all files in at once, as one generation. They are sorted and differ.
    pub(super) fn fill_files(&mut self, files: Vec<(Arc<str>, StatStamp)>) {
        self.generation += 1;
        self.len = files.len();
        self.pieces.clear();
        let generation = self.generation;
        let mut files =
            files.into_iter().map(|(path, stamp)| FileEntry { path, stamp, changed: generation }).peekable();
        while files.peek().is_some() {
            // Half full, as after a split: the next file put in does not split it.
            self.pieces.push(Arc::new(files.by_ref().take(PIECE / 2).collect()));
        }
    }

    /// The piece that holds a path or would: the last one that does not begin after it.
    fn piece_of(&self, path: &str) -> Option<usize> {
        let begins =
            |piece: &Arc<Vec<FileEntry>>| piece.first().is_some_and(|first| first.path.as_ref() <= path);
        match self.pieces.partition_point(begins) {
            0 if self.pieces.is_empty() => None,
            after => Some(after.saturating_sub(1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn stamp(size: u64) -> StatStamp {
        StatStamp { size, ..StatStamp::default() }
    }

    proptest! {
        #[test]
        fn it_is_a_sorted_map(changes in prop::collection::vec(("[ab]{1,4}(/[ab]{1,3})?", 0_u64..50), 1..1_500)) {
            let mut snapshot = FileSnapshot::default();
            let mut expected: BTreeMap<String, u64> = BTreeMap::new();
            for (path, size) in changes {
                if size < 15 {
                    let old = snapshot.take_file(&path).map(|stamp| stamp.size);
                    prop_assert_eq!(old, expected.remove(&path));
                } else {
                    let old = snapshot.put_file(&Arc::from(path.as_str()), stamp(size)).map(|stamp| stamp.size);
                    prop_assert_eq!(old, expected.insert(path.clone(), size));
                    prop_assert_eq!(snapshot.get(&path).map(|entry| entry.changed), Some(snapshot.generation()));
                }
                prop_assert_eq!(snapshot.len(), expected.len());
            }
            let listed: Vec<_> = snapshot.iter().map(|entry| (entry.path.to_string(), entry.stamp.size)).collect();
            prop_assert_eq!(&listed, &expected.clone().into_iter().collect::<Vec<_>>());
            for folder in ["", "a", "ab", "b", "zz"] {
                let under: Vec<_> = snapshot.files_under(folder).map(|entry| entry.path.to_string()).collect();
                let inside = |path: &&String| folder.is_empty() || path.starts_with(&format!("{folder}/"));
                prop_assert_eq!(under, expected.keys().filter(inside).cloned().collect::<Vec<_>>());
            }
            let mut filled = FileSnapshot::default();
            filled.fill_files(expected.iter().map(|(path, size)| (Arc::from(path.as_str()), stamp(*size))).collect());
            prop_assert_eq!(filled.len(), expected.len());
            prop_assert!(expected.keys().all(|path| filled.get(path).is_some()));
        }
    }
}
