//! The walls around a command that writes in place, in addition to what is closed to every command: what a person is asked
//! about before it is written, and files that have names elsewhere, are only read.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::super::closures::Closures;
use super::super::direct::BackgroundFolders;
use super::super::ignored_paths::{IGNORE_FILE, ignore_text};
use super::entries::WorkspaceEntries;
use super::files_before::files_with_names_elsewhere;
use crate::base::WorkspacePath;
use crate::base::numbers::format_count;
use crate::protocol::{IgnoredEffects, PathAccess};
use crate::rules::{PathRuling, WorkspaceRules};
use crate::sandbox::{PathGuard, SandboxLevel, SandboxPlan};
use crate::session::CallScope;

/// Folders that a sentence names.
const NAMED: usize = 3;

/// The walls of one command.
#[derive(Clone, Debug)]
pub(in crate::execution) struct InPlaceWalls {
    pub(super) guard: PathGuard,
    /// Paths that it only reads.
    protected: Vec<PathBuf>,
    /// The folders that git ignores and that it writes without a review.
    pub(super) direct: Vec<PathBuf>,
    /// The number of files among the protected ones that have names elsewhere.
    linked: usize,
    root: PathBuf,
}

impl InPlaceWalls {
    /// Finds the walls from what the rules close, and the workspace as it stands. The answer has the entries that the command
    /// may change.
    pub(super) fn find(
        scope: &CallScope,
        closures: &Closures,
        folders: BackgroundFolders,
    ) -> (Self, WorkspaceEntries) {
        let root = PathBuf::from(scope.files().paths().root().real_path());
        let is_direct = scope.settings().sandbox.ignored == IgnoredEffects::Write;
        let (direct, shared) = match is_direct {
            true => (folders.direct, folders.shared),
            false => (Vec::new(), Vec::new()),
        };
        let guard =
            strict_guard(closures.guard.clone(), scope.files().paths().rules().clone(), &root, &direct);
        let protected = [&closures.masked[..], &closures.hidden, &closures.protected, &shared].concat();
        let left_out = [&protected[..], &direct].concat();
        let entries = WorkspaceEntries::look(&root, &left_out, &guard);
        let linked = files_with_names_elsewhere(&root, &entries);
        let walls = Self {
            guard,
            linked: linked.len() + shared.len(),
            protected: [protected, linked].concat(),
            direct,
            root,
        };
        (walls, entries)
    }

    /// The entries that stand now, and that the command may have changed.
    pub(super) fn look_again(&self) -> WorkspaceEntries {
        WorkspaceEntries::look(&self.root, &[&self.protected[..], &self.direct].concat(), &self.guard)
    }

    /// Puts them into the plan of a command, which may run without namespaces then.
    pub(in crate::execution) fn apply(&self, plan: &mut SandboxPlan) {
        plan.guard = self.guard.clone();
        plan.protected.extend(self.protected.iter().filter(|path| path.exists()).cloned());
        plan.lowest = SandboxLevel::Landlock;
    }

    /// Describes what the walls kept a command from that failed, a sentence each.
    pub(super) fn describe(&self, level: SandboxLevel) -> Vec<String> {
        let mut sentences = Vec::new();
        // What is closed as a whole is none of them.
        let closed: HashSet<&Path> = self.protected.iter().map(PathBuf::as_path).collect();
        let is_open = |folder: &&Path| !folder.ancestors().any(|above| closed.contains(above));
        let folders: BTreeSet<&Path> = self
            .protected
            .iter()
            .filter(|path| path.symlink_metadata().is_ok())
            .flat_map(|path| path.ancestors().skip(1))
            .filter(|folder| folder.starts_with(&self.root))
            .filter(is_open)
            .collect();
        // Mounts close a single entry; Landlock closes the whole folder.
        if level == SandboxLevel::Landlock && !folders.is_empty() {
            let name = |folder: &&Path| match folder.strip_prefix(&self.root) {
                Ok(below) if !below.as_os_str().is_empty() => format!("`{}`", below.display()),
                _ => "the workspace's own folder".to_owned(),
            };
            let named: Vec<String> = folders.iter().take(NAMED).map(name).collect();
            let more = folders.len().saturating_sub(NAMED);
            let more = if more == 0 {
                String::new()
            } else {
                format!(" and {}", format_count(more as u64, "more folder"))
            };
            sentences.push(format!(
                "in {}{more} no command can make, rename or remove an entry here, since something in there stays closed, such as \
                 `.git`; a file that is there can be written. Other tools, as `fs.write`, make files there",
                named.join(", ")
            ));
        }
        if self.linked > 0 {
            sentences.push(format!(
                "{} of the workspace cannot be written by commands here, since hard links name the same files outside of what commands may write",
                format_count(self.linked as u64, "path")
            ));
        }
        sentences
    }
}

/// Closes what `base` closes, and what a person is asked about before it is written or read, but in folders that git
/// ignores.
fn strict_guard(base: PathGuard, rules: Arc<WorkspaceRules>, root: &Path, direct: &[PathBuf]) -> PathGuard {
    let (root, direct, ignored) = (root.to_owned(), direct.to_owned(), root_patterns(root));
    PathGuard::new(move |path| {
        if base.closes(path) {
            return true;
        }
        let Ok(below) = path.strip_prefix(&root) else { return false };
        let Some(below) = WorkspacePath::from_relative(&below.to_string_lossy()) else { return false };
        if below.is_root() || rules.paths().is_silent_on(&below) {
            return false;
        }
        let is_ignored = || {
            direct.iter().any(|folder| path.starts_with(folder))
                || path.parent().is_some_and(|folder| {
                    folder != root && ignored.matched_path_or_any_parents(folder, true).is_ignore()
                })
        };
        let is_asked = matches!(rules.paths().check_direct_write(&below), PathRuling::Ask { .. })
            || rules.paths().check_access(PathAccess::Read, &below) != PathRuling::Allow;
        is_asked && !is_ignored()
    })
}

/// The patterns of the ignore file at the root, as they stand: a command may write others.
fn root_patterns(root: &Path) -> Gitignore {
    let mut patterns = GitignoreBuilder::new(root);
    for line in ignore_text(&root.join(IGNORE_FILE)).unwrap_or_default().lines() {
        // A line that is no pattern ignores nothing.
        let _ = patterns.add_line(None, line);
    }
    patterns.build().unwrap_or_else(|_| Gitignore::empty())
}
