//! A repository outside of the workspace that names the workspace as a working tree of its own: a linked one, or a
//! submodule's. A file of the workspace alone is not trusted to name a repository.
//!
//! # Invariants
//!
//! - No repository outside of the workspace that does not name the workspace as its own is read for the origin of lines.
//!   Test: `linked_working_trees_write_and_read_notes`, `a_repository_outside_of_the_workspace_is_not_read`

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::super::ignored_paths::folders_above;
use super::config;
use super::error::GitError;
use super::repository::{
    DOT_GIT, LINE, OWN, SETTINGS, SHARED_ENTRIES, head_of, mirror_error, read_line, settings_of, write_text,
};
use crate::base::WorkspacePath;
use crate::workspace::{FileKind, LinkedTree, WorkspaceFiles};

/// A folder that git takes for the repository's own, and the folders outside that it leads to.
#[derive(Debug)]
pub(super) struct LinkedMirror {
    pub(super) own: PathBuf,
    pub(super) outside: Vec<PathBuf>,
}

/// The folders of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::execution) struct LinkedPlaces {
    /// The folder of the working tree's own files.
    pub(in crate::execution) own: PathBuf,
    /// The folder that all working trees share; equal to `own` except in a linked working tree.
    pub(in crate::execution) shared: PathBuf,
}

/// Finds the repository of the working tree at `root`: inside of it, or at the place that the repository confirms. None if
/// its references are kept in a form that only git reads, or if its format is not known.
pub(in crate::execution) fn places(root: &Path) -> Option<LinkedPlaces> {
    let dot = root.join(DOT_GIT);
    let found = fs::symlink_metadata(&dot).ok()?;
    let places = match found.is_dir() {
        true => LinkedPlaces { own: dot.clone(), shared: dot },
        false if found.is_file() => find_from(root, &read_bounded(&dot, LINE).ok()?).ok()?,
        false => return None,
    };
    let settings = read_bounded(&places.shared.join("config"), SETTINGS).ok()?;
    let is_plain = !config::has_reftable(&settings) && config::kept_settings(&settings).is_ok();
    (is_plain && places.shared.join("objects").is_dir()).then_some(places)
}

/// Makes a folder below `folder` that git takes for the one of the repository, which is outside.
///
/// # Errors
/// Fails where the repository does not state that the workspace is its own, or cannot be read.
pub(super) fn mirror_linked(files: &WorkspaceFiles, folder: &Path) -> Result<LinkedMirror, GitError> {
    mirror_of(find_linked(files)?, folder)
}

fn mirror_of(places: LinkedPlaces, folder: &Path) -> Result<LinkedMirror, GitError> {
    let LinkedPlaces { own: from, shared } = places;
    let own = folder.join("own");
    fs::create_dir(&own).map_err(mirror_error)?;
    write_text(&own.join("HEAD"), &head_of(&read_bounded(&from.join("HEAD"), LINE)?, ".git/HEAD")?)?;
    link_names(&from, &own, &OWN)?;
    // A split index names the file with its larger part.
    let names = fs::read_dir(&from)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let parts: Vec<String> = names.filter(|name| name.starts_with("sharedindex.")).collect();
    link_names(&from, &own, &parts.iter().map(String::as_str).collect::<Vec<_>>())?;
    let target = if from == shared { own.clone() } else { folder.join("shared") };
    if from != shared {
        fs::create_dir(&target).map_err(mirror_error)?;
        write_text(&own.join("commondir"), "../shared\n")?;
    }
    link_names(&shared, &target, &SHARED_ENTRIES)?;
    write_text(&target.join("config"), &settings_of(&read_bounded(&shared.join("config"), SETTINGS)?)?)?;
    let outside = if from == shared { vec![shared] } else { vec![from, shared] };
    Ok(LinkedMirror { own, outside })
}

/// Mirrors a repository whose working tree is a folder above the workspace. Returns the path from there to the
/// workspace too.
///
/// # Errors
/// Fails where there is none, or it cannot be read.
pub(super) fn mirror_above(
    files: &WorkspaceFiles,
    folder: &Path,
) -> Result<(LinkedMirror, WorkspacePath), GitError> {
    let root = Path::new(files.paths().root().real_path());
    let tree = folders_above(root).pop().ok_or(GitError::NoRepository)?;
    let below = root.strip_prefix(&tree).ok().and_then(Path::to_str).and_then(WorkspacePath::from_relative);
    let below = below.ok_or(GitError::NoRepository)?;
    let dot = tree.join(DOT_GIT);
    let places = match fs::symlink_metadata(&dot).map_err(mirror_error)?.is_dir() {
        true => LinkedPlaces { own: dot.clone(), shared: dot },
        false => find_from(&tree, &read_bounded(&dot, LINE)?)?,
    };
    Ok((mirror_of(places, folder)?, below))
}

fn find_linked(files: &WorkspaceFiles) -> Result<LinkedPlaces, GitError> {
    let dot = WorkspacePath::root().join(DOT_GIT).ok_or(GitError::NoRepository)?;
    if files.stat(&dot)?.is_none_or(|stat| stat.kind != FileKind::File) {
        return Err(GitError::NoRepository);
    }
    find_from(Path::new(files.paths().root().real_path()), &read_line(files, &dot)?)
}

/// Finds the repository of the working tree at `root`, by the text of its `.git`.
fn find_from(root: &Path, text: &str) -> Result<LinkedPlaces, GitError> {
    if let Some(tree) = LinkedTree::at_folder(root) {
        return Ok(LinkedPlaces {
            own: tree.own_folder().to_owned(),
            shared: tree.shared_folder().to_owned(),
        });
    }
    let target = text.strip_prefix("gitdir:").map(str::trim).ok_or(GitError::NoRepository)?;
    let outside = || GitError::Outside(format!("{target:?}"));
    let own = fs::canonicalize(root.join(target)).map_err(|_| outside())?;
    let is = |path: PathBuf, meant: &Path| fs::canonicalize(path).is_ok_and(|path| path == meant);
    // A submodule's repository is its own alone.
    if own.join("commondir").exists() {
        return Err(outside());
    }
    let settings = read_bounded(&own.join("config"), SETTINGS)?;
    let leads_back = config::named_worktree(&settings).is_some_and(|worktree| is(own.join(worktree), root));
    if leads_back { Ok(LinkedPlaces { own: own.clone(), shared: own }) } else { Err(outside()) }
}

/// The text of a file, of which at most `longest` bytes are read; none where it is longer.
fn read_bounded(path: &Path, longest: u64) -> Result<String, GitError> {
    let mut bytes = Vec::new();
    fs::File::open(path)
        .and_then(|file| file.take(longest + 1).read_to_end(&mut bytes))
        .map_err(mirror_error)?;
    if bytes.len() as u64 > longest {
        return Err(GitError::Malformed {
            path: path.display().to_string(),
            expected: "text of that length",
        });
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Links each of `names` that exists in `from` and not in `to`.
fn link_names(from: &Path, to: &Path, names: &[&str]) -> Result<(), GitError> {
    for name in names {
        let (target, link) = (from.join(name), to.join(name));
        if target.exists() && link.symlink_metadata().is_err() {
            std::os::unix::fs::symlink(target, link).map_err(mirror_error)?;
        }
    }
    Ok(())
}
