//! The order in which a command's changes are made.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::base::WorkspacePath;
use crate::protocol::ChangeKind;
use crate::registry::PathChange;

/// The changes, by when they are made.
#[derive(Default)]
pub(super) struct ChangeParts {
    /// Files that have another path and the same content: the new path, with the old one.
    pub(super) renamed: BTreeMap<WorkspacePath, WorkspacePath>,
    /// The old paths of those.
    pub(super) moved: HashSet<WorkspacePath>,
    pub(super) removed: BTreeMap<WorkspacePath, PathChange>,
    pub(super) folders_removed: BTreeSet<WorkspacePath>,
    pub(super) edited: Vec<PathChange>,
    pub(super) folders_made: Vec<PathChange>,
    pub(super) made: Vec<NewEntry>,
}

pub(super) struct NewEntry {
    pub(super) change: PathChange,
    pub(super) executable: bool,
}

impl ChangeParts {
    /// The number of changes.
    pub(super) fn len(&self) -> usize {
        self.renamed.len()
            + self.removed.len()
            + self.edited.len()
            + self.made.len()
            + self.folders_made.len()
            + self.folders_removed.len()
    }

    /// Removals, renames, folders that are empty then, edits, and what is new. A new folder is made together with its first
    /// entry.
    pub(super) fn into_ordered(mut self) -> Vec<PathChange> {
        let made = self.renamed.keys().chain(self.made.iter().map(|made| &made.change.path));
        let made = made.chain(self.folders_made.iter().map(|made| &made.path));
        let mut filled = HashSet::new();
        for path in made {
            let mut above = path.parent();
            while let Some(folder) = above.take_if(|folder| filled.insert(folder.clone())) {
                above = folder.parent();
            }
        }
        self.folders_made.retain(|folder| !filled.contains(&folder.path));
        self.into_standing()
    }

    /// The same, of changes that are made already: each new folder is one of them.
    pub(super) fn into_standing(self) -> Vec<PathChange> {
        let renamed = self.renamed.into_iter();
        let renames =
            renamed.map(|(new, old)| PathChange::without_content(new, ChangeKind::Rename, Some(old)));
        let mut changes: Vec<PathChange> = self.removed.into_values().collect();
        changes.extend(renames);
        // The deepest first.
        let emptied = self.folders_removed.into_iter().rev();
        changes.extend(emptied.map(|path| PathChange::without_content(path, ChangeKind::Rmdir, None)));
        changes.extend(self.folders_made);
        changes.extend(self.edited);
        changes.extend(self.made.into_iter().map(|made| match made.executable {
            true => PathChange { executable: Some(true), ..made.change },
            false => made.change,
        }));
        changes
    }
}
