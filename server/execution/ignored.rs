//! Which paths of a workspace git ignores, asked for single paths.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::base::WorkspacePath;

/// The ignore files of a workspace, each read when a path below it is asked for first.
#[derive(Debug)]
pub(crate) struct IgnoredPaths {
    root: PathBuf,
    folders: HashMap<WorkspacePath, Gitignore>,
}

impl IgnoredPaths {
    /// Those of the workspace at `root`.
    pub(crate) fn of(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), folders: HashMap::new() }
    }

    /// Whether git ignores a path, by itself or by a folder above it.
    pub(crate) fn holds(&mut self, path: &WorkspacePath, is_folder: bool) -> bool {
        let mut at = WorkspacePath::root();
        let names: Vec<&str> = path.parts().collect();
        for (depth, name) in names.iter().enumerate() {
            let Some(next) = at.join(name) else { return false };
            if self.ignores(&next, is_folder || depth + 1 < names.len()) {
                return true;
            }
            at = next;
        }
        false
    }

    /// Whether git ignores a path by itself, whatever stands above it: the ignore file that is nearest to it and speaks of it decides.
    pub(crate) fn ignores(&mut self, path: &WorkspacePath, is_folder: bool) -> bool {
        let mut above = path.parent();
        while let Some(folder) = above {
            let absolute = self.root.join(path.as_str());
            match self.rules(&folder).matched(absolute, is_folder) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => above = folder.parent(),
            }
        }
        false
    }

    /// The ignore files that were asked for so far, whether they are there or not.
    pub(crate) fn files(&self) -> impl Iterator<Item = PathBuf> {
        self.folders.keys().flat_map(|folder| ignore_files(&self.root, folder))
    }

    fn rules(&mut self, folder: &WorkspacePath) -> &Gitignore {
        let root = &self.root;
        self.folders.entry(folder.clone()).or_insert_with(|| read(root, folder))
    }
}

/// The rules that stand in a folder. A file that cannot be read says nothing.
fn read(root: &Path, folder: &WorkspacePath) -> Gitignore {
    let mut builder = GitignoreBuilder::new(place(root, folder));
    for file in ignore_files(root, folder) {
        let _ = builder.add(file);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// The ignore files of a folder; at the root `.git/info/exclude` too, which counts less.
fn ignore_files(root: &Path, folder: &WorkspacePath) -> impl Iterator<Item = PathBuf> {
    let exclude = folder.is_root().then(|| root.join(".git/info/exclude"));
    exclude.into_iter().chain([place(root, folder).join(".gitignore")])
}

fn place(root: &Path, folder: &WorkspacePath) -> PathBuf {
    if folder.is_root() { root.to_owned() } else { root.join(folder.as_str()) }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn ignored_is_what_git_ignores() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        fs::create_dir_all(at.join("a/b")).unwrap();
        fs::create_dir_all(at.join(".git/info")).unwrap();
        fs::write(at.join(".git/info/exclude"), "local\n").unwrap();
        fs::write(at.join(".gitignore"), "target/\n*.log\n/only\n").unwrap();
        fs::write(at.join("a/.gitignore"), "!keep.log\nb/gen\n").unwrap();
        let mut ignored = IgnoredPaths::of(at);
        let mut holds =
            |path: &str, is_folder| ignored.holds(&WorkspacePath::clean(path).unwrap(), is_folder);
        assert!(holds("target", true) && holds("target/debug/x", false) && holds("a/target/x", false));
        assert!(!holds("target", false), "a file of that name is not a folder");
        assert!(holds("x.log", false) && holds("a/x.log", false) && !holds("a/keep.log", false));
        assert!(holds("only", false) && !holds("a/only", false) && holds("local", false));
        assert!(holds("a/b/gen/x", false) && !holds("a/b/x", false) && !holds("src/main.rs", false));
    }
}
