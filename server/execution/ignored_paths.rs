//! Judges single paths of a workspace: whether git ignores them.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustix::fs::{Mode, OFlags};

use crate::base::WorkspacePath;

/// The file whose patterns git takes in each folder.
pub(super) const IGNORE_FILE: &str = ".gitignore";
/// The other file whose patterns git takes at the root of a repository.
const EXCLUDE: &str = ".git/info/exclude";
/// Bytes of the longest ignore file that is read.
const LONGEST: u64 = 1 << 20;
/// Patterns that match every entry of a folder.
const CATCH_ALL: [&str; 8] = ["*", "**", "/*", "/**", "*/", "**/", "**/*", "/**/*"];

/// The ignore files of a workspace, each read when a path below it is asked for first.
#[derive(Debug)]
pub(crate) struct IgnoredPaths {
    root: PathBuf,
    /// The texts that count in place of those of the disk, by the folder of the ignore file.
    overrides: HashMap<WorkspacePath, String>,
    folders: HashMap<WorkspacePath, FolderIgnoreRules>,
    /// The folders above the root up to that of the repository, the nearest first; none where it is the root itself.
    above: Vec<(PathBuf, Gitignore)>,
    /// Folders that were asked for, and whether git ignores them or one above.
    folder_states: HashMap<WorkspacePath, bool>,
}

/// The pattern by which git ignores a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct IgnoreRule {
    /// The folder of its ignore file.
    pub(super) folder: WorkspacePath,
    /// True where it matches every entry of that folder.
    pub(super) is_catch_all: bool,
}

/// The ignore files with patterns for the entries of a folder, the nearest first: its own and those above that have
/// any.
type FolderIgnoreRules = Arc<[Arc<FolderPatterns>]>;

/// The patterns of the ignore file of a folder.
#[derive(Debug)]
struct FolderPatterns {
    folder: WorkspacePath,
    patterns: Gitignore,
}

impl IgnoredPaths {
    /// Returns the ignored paths of the workspace at `root`.
    pub(crate) fn at_root(root: impl Into<PathBuf>) -> Self {
        Self::with_texts(root, HashMap::new())
    }

    /// The same, with other texts for the ignore files of some folders.
    pub(super) fn with_texts(root: impl Into<PathBuf>, instead: HashMap<WorkspacePath, String>) -> Self {
        let root = root.into();
        let above = folders_above(&root)
            .into_iter()
            .map(|folder| (folder.clone(), read_patterns(&folder, None, true)))
            .collect();
        Self { root, overrides: instead, folders: HashMap::new(), above, folder_states: HashMap::new() }
    }

    /// Returns whether git ignores a path, by itself or by a folder above it.
    pub(crate) fn is_ignored(&mut self, path: &WorkspacePath, is_folder: bool) -> bool {
        let Some(folder) = path.parent() else { return false };
        self.is_folder_ignored(&folder) || self.has_own_rule(path, is_folder)
    }

    /// Returns whether git ignores a folder, by itself or by one above it; the results of those above are remembered.
    fn is_folder_ignored(&mut self, folder: &WorkspacePath) -> bool {
        let (mut unknown, mut at) = (Vec::new(), Some(folder.clone()));
        let mut is_held = false;
        while let Some(folder) = at.filter(|folder| !folder.is_root()) {
            if let Some(known) = self.folder_states.get(&folder) {
                is_held = *known;
                break;
            }
            at = folder.parent();
            unknown.push(folder);
        }
        for folder in unknown.into_iter().rev() {
            is_held = is_held || self.has_own_rule(&folder, true);
            self.folder_states.insert(folder, is_held);
        }
        is_held
    }

    /// Returns whether git ignores a path by itself, whatever is above it: the nearest ignore file with a matching
    /// pattern decides.
    pub(crate) fn has_own_rule(&mut self, path: &WorkspacePath, is_folder: bool) -> bool {
        self.find_rule(path, is_folder).is_some()
    }

    /// The pattern by which git ignores a path by itself.
    pub(super) fn find_rule(&mut self, path: &WorkspacePath, is_folder: bool) -> Option<IgnoreRule> {
        let rules = self.rules_for(&path.parent()?);
        let absolute = self.root.join(path.as_str());
        let is_catch_all = |pattern: &str| CATCH_ALL.contains(&pattern);
        for own in rules.iter() {
            match own.patterns.matched(&absolute, is_folder) {
                Match::Ignore(glob) => {
                    let (folder, is_catch_all) = (own.folder.clone(), is_catch_all(glob.original()));
                    return Some(IgnoreRule { folder, is_catch_all });
                }
                Match::Whitelist(_) => return None,
                Match::None => {}
            }
        }
        let matched = |(_, rules): &(PathBuf, Gitignore)| match rules.matched(&absolute, is_folder) {
            Match::Ignore(glob) => Some(Some(is_catch_all(glob.original()))),
            Match::Whitelist(_) => Some(None),
            Match::None => None,
        };
        let is_catch_all = self.above.iter().find_map(matched).flatten()?;
        Some(IgnoreRule { folder: WorkspacePath::root(), is_catch_all })
    }

    /// The folders whose ignore files were asked for so far, whether they are there or not.
    pub(super) fn asked_folders(&self) -> impl Iterator<Item = &WorkspacePath> {
        self.folders.keys()
    }

    /// The ignore files that were asked for so far, whether they are there or not.
    pub(crate) fn ignore_files(&self) -> impl Iterator<Item = PathBuf> {
        let inside = self.folders.keys().map(|folder| absolute_place(&self.root, folder).join(IGNORE_FILE));
        let roots = std::iter::once(&self.root).chain(self.above.iter().map(|(folder, _)| folder));
        inside.chain(roots.flat_map(|folder| [folder.join(EXCLUDE), folder.join(IGNORE_FILE)]))
    }

    fn rules_for(&mut self, folder: &WorkspacePath) -> FolderIgnoreRules {
        let (mut unknown, mut at) = (Vec::new(), Some(folder.clone()));
        let mut rules = FolderIgnoreRules::default();
        while let Some(folder) = at {
            if let Some(known) = self.folders.get(&folder) {
                rules = known.clone();
                break;
            }
            at = folder.parent();
            unknown.push(folder);
        }
        for folder in unknown.into_iter().rev() {
            let patterns = read_patterns(
                &absolute_place(&self.root, &folder),
                self.overrides.get(&folder),
                folder.is_root(),
            );
            if !patterns.is_empty() {
                let own = Arc::new(FolderPatterns { folder: folder.clone(), patterns });
                rules = std::iter::once(own).chain(rules.iter().cloned()).collect();
            }
            self.folders.insert(folder, rules.clone());
        }
        rules
    }
}

/// The folders above a workspace, up to the one that holds its repository, the nearest first. None where the workspace holds one
/// itself, there is none, or it is somebody else's.
pub(super) fn folders_above(root: &Path) -> Vec<PathBuf> {
    let holds = |folder: &Path| std::fs::symlink_metadata(folder.join(".git"));
    if holds(root).is_ok() {
        return Vec::new();
    }
    let mut folders = Vec::new();
    for folder in root.ancestors().skip(1) {
        folders.push(folder.to_owned());
        if let Ok(found) = holds(folder) {
            let is_own = found.uid() == rustix::process::geteuid().as_raw();
            return if is_own { folders } else { Vec::new() };
        }
    }
    Vec::new()
}

/// Reads the ignore patterns of a folder. A file that cannot be read has none. The patterns of `.git/info/exclude`
/// count less.
fn read_patterns(at: &Path, instead: Option<&String>, has_exclude: bool) -> Gitignore {
    let mut builder = GitignoreBuilder::new(at);
    let exclude = has_exclude.then(|| ignore_text(&at.join(EXCLUDE))).flatten();
    let own = instead.cloned().or_else(|| ignore_text(&at.join(IGNORE_FILE)));
    for text in exclude.into_iter().chain(own) {
        for line in text.trim_start_matches('\u{feff}').lines() {
            let _ = builder.add_line(None, line);
        }
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// The text of an ignore file, where it is a regular file of that length. Git follows no symlink either: it may lead to a file
/// that anybody writes.
pub(super) fn ignore_text(file: &Path) -> Option<String> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(file, flags, Mode::empty()).ok()?);
    let is_regular = file.metadata().is_ok_and(|meta| meta.is_file() && meta.len() <= LONGEST);
    let mut bytes = Vec::new();
    (is_regular && file.take(LONGEST).read_to_end(&mut bytes).is_ok())
        .then(|| String::from_utf8_lossy(&bytes).into_owned())
}

fn absolute_place(root: &Path, folder: &WorkspacePath) -> PathBuf {
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
        let mut ignored = IgnoredPaths::at_root(at);
        let mut holds = |path: &str, is_folder| {
            ignored.is_ignored(&WorkspacePath::from_relative(path).unwrap(), is_folder)
        };
        assert!(holds("target", true) && holds("target/debug/x", false) && holds("a/target/x", false));
        assert!(!holds("target", false), "a file of that name is not a folder");
        assert!(holds("x.log", false) && holds("a/x.log", false) && !holds("a/keep.log", false));
        assert!(holds("only", false) && !holds("a/only", false) && holds("local", false));
        let deep = vec!["d"; 1_500].join("/");
        assert!(
            !holds(&deep, true)
                && holds(&format!("{deep}/x.log"), false)
                && holds(&format!("a/{deep}/target/x"), false)
        );
        assert!(holds("a/b/gen/x", false) && !holds("a/b/x", false) && !holds("src/main.rs", false));
    }

    #[test]
    fn no_other_ignore_file_counts_and_none_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        for name in [".ignore", ".rgignore", "patterns"] {
            fs::write(at.join(name), "src/\n").unwrap();
        }
        for below in ["linked", "piped", "plain"] {
            fs::create_dir(at.join(below)).unwrap();
        }
        std::os::unix::fs::symlink("../patterns", at.join("linked/.gitignore")).unwrap();
        let pipe = at.join("piped/.gitignore");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, Mode::RUSR, 0).unwrap();
        fs::write(at.join("plain/.gitignore"), "\u{feff}src/\r\n*\n").unwrap();
        let mut ignored = IgnoredPaths::at_root(at);
        let path = |path: &str| WorkspacePath::from_relative(path).unwrap();
        for other in ["src", "linked/src", "piped/src"] {
            assert!(!ignored.is_ignored(&path(other), true), "{other}");
        }
        let rule = |is_catch_all| Some(IgnoreRule { folder: path("plain"), is_catch_all });
        assert_eq!(ignored.find_rule(&path("plain/src"), true), rule(true), "the last pattern counts");
        let mut other = IgnoredPaths::with_texts(at, [(path("plain"), "src/\n".to_owned())].into());
        assert_eq!(other.find_rule(&path("plain/src"), true), rule(false));
        assert!(!other.has_own_rule(&path("plain/x"), false));
    }
}
