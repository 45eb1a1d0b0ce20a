//! The changes of commands in one repository, read from its folder and the layer over it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::super::git::LinkedPlaces;
use super::super::index_file::{IndexContents, index_contents};
use super::logs::{self, LogChange};
use super::refs::{self, RefChange, Refs};
use super::states::{self, StateChange};
use super::view::{RepositoryView, ViewTime};

/// The folder of a repository that contains the repositories of its submodules.
const MODULES: &str = "modules";
/// The depth to which that folder is searched.
const DEEPEST: usize = 8;

/// A repository with a working tree in the workspace, together with the layer over its folders.
#[derive(Clone, Debug)]
pub(super) struct WorkingRepository {
    /// The folder that all working trees share.
    pub(super) shared: RepositoryView,
    /// The folder of this working tree.
    pub(super) own: RepositoryView,
    /// The working tree.
    pub(super) tree: PathBuf,
}

/// The changed entries of the index by path: the new entries, one for each side of a conflict.
pub(super) type IndexChange = BTreeMap<Vec<u8>, Vec<IndexSide>>;

/// A mode, a hash and the side of a conflict.
pub(super) type IndexSide = (u32, Vec<u8>, u8);

/// The changes of commands in one repository.
#[derive(Clone, Debug, Default)]
pub(super) struct RepositoryChanges {
    pub(super) refs: Vec<RefChange>,
    /// The old and the new value of HEAD.
    pub(super) head: Option<(String, String)>,
    pub(super) index: IndexChange,
    /// The changed logs; the flag is true for a log of this working tree alone.
    pub(super) logs: Vec<(LogChange, bool)>,
    pub(super) states: Vec<StateChange>,
    /// The references on the disk.
    pub(super) before: Refs,
    /// A sentence for each change that is not taken over.
    pub(super) left_out: Vec<String>,
    /// A sentence for each change by someone else since then; with any, nothing can be taken over.
    pub(super) conflicts: Vec<String>,
}

impl WorkingRepository {
    /// Finds the repository of the working tree `tree`, and those of its submodules in which the layer `upper` has changes.
    pub(super) fn all(places: &LinkedPlaces, tree: &Path, upper: &Path) -> Vec<Self> {
        let shared = RepositoryView::new(&places.shared, upper);
        let below = places.own.strip_prefix(&places.shared).unwrap_or(Path::new("")).to_owned();
        let main = Self { own: shared.below(&below), shared: shared.clone(), tree: tree.to_owned() };
        let mut all = vec![main];
        let mut waiting = vec![(PathBuf::from(MODULES), 0)];
        while let Some((path, depth)) = waiting.pop() {
            let folder = shared.upper().join(&path);
            let is_real = folder.symlink_metadata().is_ok_and(|found| found.is_dir());
            let listed = is_real.then(|| std::fs::read_dir(folder).ok()).flatten();
            let names = listed.into_iter().flatten().flatten();
            for name in names.map(|entry| path.join(entry.file_name())) {
                let view = shared.below(&name);
                let is_folder = view.upper().symlink_metadata().is_ok_and(|found| found.is_dir());
                match submodule_tree(&view) {
                    Some(tree) if is_folder => {
                        waiting.push((name.join(MODULES), depth + 1));
                        all.push(Self { shared: view.clone(), own: view, tree });
                    }
                    _ if is_folder && depth < DEEPEST => waiting.push((name, depth + 1)),
                    _ => {}
                }
            }
        }
        all
    }

    /// Returns the changes of commands since `began`, when its index was `base`.
    pub(super) fn changes(&self, began: SystemTime, base: Option<&[u8]>) -> RepositoryChanges {
        let mut found = RepositoryChanges::default();
        let speaks_of_refs =
            |view: &RepositoryView| ["refs", "packed-refs"].iter().any(|name| view.touches(Path::new(name)));
        if speaks_of_refs(&self.shared) || speaks_of_refs(&self.own) {
            self.find_refs(&mut found, began);
        } else {
            found.before = refs::read(&self.shared, &self.own, ViewTime::Before);
        }
        self.find_head(&mut found, began);
        self.find_index(&mut found, base);
        let is_linked = self.own.lower() != self.shared.lower();
        for (view, is_own) in [(&self.own, true), (&self.shared, false)] {
            if is_own || is_linked {
                let logs = logs::changes(view).into_iter();
                // Git adds its own line to a log that someone else wrote to meanwhile.
                let is_ours = |log: &LogChange| !view.changed_since(&log.path, began);
                found.logs.extend(logs.filter(is_ours).map(|log| (log, is_own)));
            }
        }
        let (states, left_out) = states::changes(&self.own);
        found.states = states;
        found.left_out.extend(left_out);
        found
    }

    /// Returns the value of HEAD on the disk.
    pub(super) fn head(&self) -> Option<String> {
        refs::head_of(&self.own.read(Path::new("HEAD"), ViewTime::Before)?)
    }

    fn find_refs(&self, found: &mut RepositoryChanges, began: SystemTime) {
        let [before, after] =
            [ViewTime::Before, ViewTime::After].map(|at| refs::read(&self.shared, &self.own, at));
        let (open, closed) = refs::changes(&before, &after).into_iter().partition(refs::is_open);
        found.refs = open;
        let closed: Vec<RefChange> = closed;
        found.left_out.extend(closed.iter().map(|change| {
            format!("{}: a command may not change it, since it changes what others mean", change.name)
        }));
        for change in &found.refs {
            let view = if refs::is_own(&change.name) { &self.own } else { &self.shared };
            let file = Path::new(&change.name);
            let file = if view.lower().join(file).exists() { file } else { Path::new("packed-refs") };
            if change.old.is_some() && view.changed_since(file, began) {
                found.conflicts.push(format!("{} was changed meanwhile", change.name));
            }
        }
        found.before = before;
    }

    fn find_head(&self, found: &mut RepositoryChanges, began: SystemTime) {
        let file = Path::new("HEAD");
        if !self.own.differs(file) {
            return;
        }
        let [before, after] = [ViewTime::Before, ViewTime::After]
            .map(|at| self.own.read(file, at).and_then(|bytes| refs::head_of(&bytes)));
        match (before, after) {
            (Some(before), Some(after)) => {
                if self.own.changed_since(file, began) {
                    found.conflicts.push("HEAD was changed meanwhile".to_owned());
                }
                found.head = Some((before, after));
            }
            _ => found.left_out.push("HEAD: it holds neither a branch nor a commit".to_owned()),
        }
    }

    fn find_index(&self, found: &mut RepositoryChanges, base: Option<&[u8]>) {
        let file = Path::new("index");
        if !self.own.touches(file) {
            return;
        }
        let Some(after) = self.own.read(file, ViewTime::After) else { return };
        let now = self.own.read(file, ViewTime::Before);
        let contents = |bytes: Option<&[u8]>| match bytes {
            Some(bytes) => index_contents(bytes),
            None => Some(IndexContents::new()),
        };
        let (Some(before), Some(now), Some(after)) =
            (contents(base.or(now.as_deref())), contents(now.as_deref()), index_contents(&after))
        else {
            found.left_out.push("the index: it is split, and stays as it was".to_owned());
            return;
        };
        for path in differing(&before, &after) {
            let sides = |of: &IndexContents| sides(of, &path);
            match sides(&now) {
                now if now == sides(&after) => {}
                now if now == sides(&before) => drop(found.index.insert(path.clone(), sides(&after))),
                _ => found
                    .conflicts
                    .push(format!("{} was staged otherwise meanwhile", String::from_utf8_lossy(&path))),
            }
        }
    }
}

impl RepositoryChanges {
    /// Returns whether there is nothing to decide on.
    pub(super) fn is_empty(&self) -> bool {
        self.refs.is_empty()
            && self.head.is_none()
            && self.index.is_empty()
            && !self.states.iter().any(states::is_work)
            && !self.logs.iter().any(|(log, _)| log.path.ends_with("refs/stash"))
    }
}

/// Returns the paths whose entries differ.
fn differing(before: &IndexContents, after: &IndexContents) -> Vec<Vec<u8>> {
    let keys = before.keys().chain(after.keys()).filter(|key| before.get(*key) != after.get(*key));
    let mut paths: Vec<Vec<u8>> = keys.map(|(path, _)| path.clone()).collect();
    paths.sort();
    paths.dedup();
    paths
}

fn sides(of: &IndexContents, path: &[u8]) -> Vec<IndexSide> {
    let found = of.range((path.to_vec(), 0)..=(path.to_vec(), u8::MAX));
    found.map(|((_, stage), (mode, hash))| (*mode, hash.clone(), *stage)).collect()
}

/// Returns the working tree that a submodule's repository names as its own; none if `view` is no such repository.
fn submodule_tree(view: &RepositoryView) -> Option<PathBuf> {
    let is_repository = ["HEAD", "objects", "refs"].iter().all(|name| view.lower().join(name).exists());
    let settings = is_repository.then(|| view.read(Path::new("config"), ViewTime::Before)).flatten()?;
    let named = super::super::git::working_tree(&String::from_utf8_lossy(&settings))?;
    std::fs::canonicalize(view.lower().join(named)).ok()
}
