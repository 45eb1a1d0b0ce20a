//! Files with several names: the kernel tells of a change by the name through which it was made, and not by the others.

use std::sync::Arc;

use super::tree::Tree;

/// Such files that are looked at before each answer. Where there are more, none is: what changes through a name outside
/// of the watched folders is seen when something else leads there.
pub(super) const LINKED: usize = 1_000;

impl Tree {
    /// Notes that a file has several names. With `search` its other ones are looked for: it may be new that it has any.
    pub(super) fn note_link(&mut self, path: &Arc<str>, search: bool) {
        if self.linked.insert(path.clone())
            && search
            && let Some(entry) = self.files.get(path)
        {
            self.other_names.insert(entry.stamp.inode);
        }
    }

    /// Looks at the other names of files of which it is new that they have any.
    pub(super) fn look_at_other_names(&mut self) {
        if self.other_names.is_empty() {
            return;
        }
        let inodes = std::mem::take(&mut self.other_names);
        let same: Vec<_> = self
            .files
            .iter()
            .filter(|entry| inodes.contains(&entry.stamp.inode) && !self.linked.contains(&entry.path))
            .map(|entry| entry.path.clone())
            .collect();
        same.iter().for_each(|path| self.look(path, false));
        // Those found now have names that were looked at just before.
        self.other_names.clear();
    }

    /// Looks at files that may have changed through another name.
    pub(super) fn look_at_linked(&mut self) {
        if self.linked.is_empty() || self.linked.len() > LINKED {
            return;
        }
        let linked: Vec<_> = self.linked.iter().cloned().collect();
        linked.iter().for_each(|path| self.look(path, false));
        self.other_names.clear();
    }
}
