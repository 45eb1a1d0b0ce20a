//! A linked working tree of git: a folder whose `.git` is a file that names a repository elsewhere.
//!
//! # Invariants
//!
//! - No linked working tree is another workspace's part, and none is left unguarded at its first call.
//!   Test: `a_tree_that_claude_code_makes_at_its_start_is_guarded`, `a_tree_that_claude_code_enters_is_guarded`,
//!   `a_tree_that_git_made_elsewhere_is_guarded`

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

const DOT_GIT: &str = ".git";
/// Bytes of the longest file that names a folder.
const LINE: u64 = 4 << 10;

/// A linked working tree, which its repository names as its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LinkedTree {
    own: PathBuf,
    shared: PathBuf,
}

impl LinkedTree {
    /// Returns the linked working tree at a folder. The folder's own file is not enough: the repository has to name the
    /// folder too.
    pub(crate) fn at_folder(root: &Path) -> Option<Self> {
        let dot = root.join(DOT_GIT);
        if !fs::symlink_metadata(&dot).ok()?.is_file() {
            return None;
        }
        let text = read_line(&dot)?;
        let own = fs::canonicalize(root.join(text.strip_prefix("gitdir:")?.trim())).ok()?;
        let named = |name: &str| fs::canonicalize(own.join(read_line(&own.join(name))?)).ok();
        let shared = named("commondir")?;
        let is_listed = own.parent() == Some(&shared.join("worktrees"));
        let leads_back = named("gitdir")? == fs::canonicalize(&dot).ok()?;
        (is_listed && leads_back).then_some(Self { own, shared })
    }

    /// The linked working tree that a folder lies in: the nearest folder that holds a `.git` is one.
    pub(crate) fn tree_around(folder: &Path) -> Option<&Path> {
        let tree = folder.ancestors().find(|above| above.join(DOT_GIT).symlink_metadata().is_ok())?;
        Self::at_folder(tree).map(|_| tree)
    }

    /// The folder of the repository for this working tree alone: its index and its head.
    pub(crate) fn own_folder(&self) -> &Path {
        &self.own
    }

    /// The folder of the repository for all of its working trees: its objects and its references.
    pub(crate) fn shared_folder(&self) -> &Path {
        &self.shared
    }

    /// The main working tree, where the repository has one.
    pub(crate) fn main_tree(&self) -> Option<&Path> {
        self.shared.parent().filter(|_| self.shared.ends_with(DOT_GIT))
    }
}

/// The text of a short file, without the space around it; nothing where it is longer.
fn read_line(path: &Path) -> Option<String> {
    let mut text = String::new();
    File::open(path).ok()?.take(LINE + 1).read_to_string(&mut text).ok()?;
    (text.len() as u64 <= LINE).then(|| text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    fn git(folder: &Path, args: &[&str]) {
        let who = ["-c", "user.name=n", "-c", "user.email=e@example.org"];
        let done = Command::new("git").arg("-C").arg(folder).args(who).args(args).status().unwrap();
        assert!(done.success(), "{args:?}");
    }

    #[test]
    fn a_tree_is_one_where_its_repository_says_so_too() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().canonicalize().unwrap();
        git(&at, &["init", "-q", "main"]);
        let main = at.join("main");
        git(&main, &["commit", "-q", "--allow-empty", "-m", "One"]);
        git(&main, &["worktree", "add", "-q", "inner/tree"]);
        let tree = main.join("inner/tree");
        let linked = LinkedTree::at_folder(&tree).unwrap();
        assert_eq!(
            (linked.main_tree(), linked.shared_folder()),
            (Some(main.as_path()), main.join(".git").as_path())
        );
        assert_eq!(linked.own_folder(), main.join(".git/worktrees/tree"));
        fs::create_dir(tree.join("sub")).unwrap();
        assert_eq!(LinkedTree::tree_around(&tree.join("sub")), Some(tree.as_path()));
        assert_eq!(LinkedTree::tree_around(&main.join("inner")), None);
        let stranger = at.join("stranger");
        fs::create_dir(&stranger).unwrap();
        fs::copy(tree.join(".git"), stranger.join(".git")).unwrap();
        assert_eq!(LinkedTree::at_folder(&stranger), None);
    }
}
