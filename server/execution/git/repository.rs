//! Mirrors a repository for git: its objects, refs and index where they are, and wherefore's settings in place of its
//! own.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::super::error::ExecutionError;
use super::config;
use super::error::GitError;
use crate::base::WorkspacePath;
use crate::workspace::{FileKind, WorkspaceError, WorkspaceFiles};

/// The folder, or the file that leads to it.
pub(super) const DOT_GIT: &str = ".git";
/// The entries that belong to one working tree.
pub(super) const OWN: [&str; 4] = ["index", "logs", "refs", "reftable"];
/// The entries that all working trees of a repository share.
pub(super) const SHARED_ENTRIES: [&str; 7] =
    ["objects", "refs", "packed-refs", "info", "logs", "shallow", "reftable"];
/// Bytes of the longest file of one line.
pub(super) const LINE: u64 = 8 << 10;
/// Bytes of the longest settings file.
pub(super) const SETTINGS: u64 = 1 << 20;

/// The location of a repository in the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
struct RepositoryPlaces {
    /// The folder that belongs to the working tree at the workspace's root.
    own: WorkspacePath,
    /// The folder that all working trees share; the same as `own` except in a linked one.
    shared: WorkspacePath,
}

/// Makes a folder below `folder` that git takes for the one of the repository at the workspace's root, and returns it.
///
/// # Errors
/// Fails where there is no repository, it is outside of the workspace, or the rules close it.
pub(super) fn mirror_repository(files: &WorkspaceFiles, folder: &Path) -> Result<PathBuf, GitError> {
    let places = find_repository(files)?;
    let own = folder.join("own");
    fs::create_dir(&own).map_err(mirror_error)?;
    write_text(&own.join("HEAD"), &read_head(files, &places.own)?)?;
    link_names(files, &places.own, &own, &OWN)?;
    link_shared_indexes(files, &places.own, &own)?;
    let is_linked = places.own != places.shared;
    let shared = if is_linked { folder.join("shared") } else { own.clone() };
    if is_linked {
        fs::create_dir(&shared).map_err(mirror_error)?;
        write_text(&own.join("commondir"), "../shared\n")?;
    }
    link_names(files, &places.shared, &shared, &SHARED_ENTRIES)?;
    write_text(&shared.join("config"), &read_settings(files, &places.shared)?)?;
    Ok(own)
}

pub(super) fn mirror_error(error: std::io::Error) -> GitError {
    GitError::Execution(ExecutionError::while_doing("preparing what git is shown")(error))
}

pub(super) fn write_text(path: &Path, text: &str) -> Result<(), GitError> {
    fs::write(path, text).map_err(mirror_error)
}

fn find_repository(files: &WorkspaceFiles) -> Result<RepositoryPlaces, GitError> {
    let dot = WorkspacePath::root().join(DOT_GIT).ok_or(GitError::NoRepository)?;
    let stat = match files.stat(&dot) {
        Err(WorkspaceError::LeadsOutside { link, .. }) => return Err(GitError::Outside(format!("{link:?}"))),
        other => other?.ok_or(GitError::NoRepository)?,
    };
    let own = match stat.kind {
        FileKind::Folder => stat.path,
        FileKind::File => {
            let text = read_line(files, &dot)?;
            let target = text.strip_prefix("gitdir:").map(str::trim).filter(|target| !target.is_empty());
            let target = target.ok_or_else(|| malformed_error(&dot, "`gitdir:` line"))?;
            named_folder(files, &WorkspacePath::root(), target)?
        }
        _ => return Err(GitError::NoRepository),
    };
    if files.stat(&join_name(&own, "HEAD")?)?.is_none() {
        return Err(GitError::NoRepository);
    }
    let commondir = join_name(&own, "commondir")?;
    let shared = match files.stat(&commondir)? {
        Some(_) => named_folder(files, &own, &read_line(files, &commondir)?)?,
        None => own.clone(),
    };
    Ok(RepositoryPlaces { own, shared })
}

/// The folder that a file of the repository names, from the folder `base`.
fn named_folder(
    files: &WorkspaceFiles,
    base: &WorkspacePath,
    target: &str,
) -> Result<WorkspacePath, GitError> {
    let outside = || GitError::Outside(format!("{target:?}"));
    let root = files.paths().root();
    let whole = match target.starts_with('/') {
        true => target.to_owned(),
        false => format!("{}/{}/{target}", root.real_path(), base.as_str()),
    };
    let path = root.parse_path(&whole).map_err(|_| outside())?;
    match files.stat(&path) {
        Ok(Some(stat)) if stat.kind == FileKind::Folder => Ok(stat.path),
        Ok(_) => Err(malformed_error(&path, "repository")),
        Err(WorkspaceError::LeadsOutside { .. }) => Err(outside()),
        Err(error) => Err(error.into()),
    }
}

fn join_name(folder: &WorkspacePath, name: &str) -> Result<WorkspacePath, GitError> {
    folder.join(name).ok_or(GitError::NoRepository)
}

fn malformed_error(path: &WorkspacePath, expected: &'static str) -> GitError {
    GitError::Malformed { path: path.as_str().to_owned(), expected }
}

pub(super) fn read_line(files: &WorkspaceFiles, path: &WorkspacePath) -> Result<String, GitError> {
    let (bytes, _) = files.read_bytes(path, LINE)?;
    let text = String::from_utf8(bytes).map_err(|_| malformed_error(path, "text"))?;
    Ok(text.trim_end().to_owned())
}

fn read_head(files: &WorkspaceFiles, own: &WorkspacePath) -> Result<String, GitError> {
    let path = join_name(own, "HEAD")?;
    head_of(&read_line(files, &path)?, path.as_str())
}

/// Returns the checked-out ref or commit, by the text of the file at `path`: a ref by name, or a commit by hash.
pub(super) fn head_of(text: &str, path: &str) -> Result<String, GitError> {
    let text = text.trim_end();
    let is_ref = text.strip_prefix("ref:").is_some_and(|name| name.trim_start().starts_with("refs/"));
    match (is_ref || super::is_hash(text.as_bytes())) && !text.contains('\n') {
        true => Ok(format!("{text}\n")),
        false => Err(GitError::Malformed { path: path.to_owned(), expected: "branch and no commit" }),
    }
}

fn read_settings(files: &WorkspaceFiles, shared: &WorkspacePath) -> Result<String, GitError> {
    let path = join_name(shared, "config")?;
    let bytes = match files.stat(&path)? {
        Some(_) => files.read_bytes(&path, SETTINGS)?.0,
        None => Vec::new(),
    };
    settings_of(&String::from_utf8_lossy(&bytes))
}

/// Returns the repository's settings that git is given.
pub(in crate::execution) fn settings_of(text: &str) -> Result<String, GitError> {
    config::kept_settings(text).map_err(GitError::Extension)
}

/// Links each of `names` that exists in `from` and not in `to`.
fn link_names(
    files: &WorkspaceFiles,
    from: &WorkspacePath,
    to: &Path,
    names: &[&str],
) -> Result<(), GitError> {
    for name in names {
        let (path, link) = (join_name(from, name)?, to.join(name));
        // An entry that leads outside is not in the sandbox either.
        let is_there = matches!(files.stat(&path), Ok(Some(_)));
        if is_there && link.symlink_metadata().is_err() {
            symlink(Path::new(files.paths().root().real_path()).join(path.as_str()), link)
                .map_err(mirror_error)?;
        }
    }
    Ok(())
}

/// A split index names the file with its larger part.
fn link_shared_indexes(files: &WorkspaceFiles, own: &WorkspacePath, to: &Path) -> Result<(), GitError> {
    let listed = fs::read_dir(Path::new(files.paths().root().real_path()).join(own.as_str()));
    let names = listed.into_iter().flatten().filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let names: Vec<String> = names.filter(|name| name.starts_with("sharedindex.")).collect();
    link_names(files, own, to, &names.iter().map(String::as_str).collect::<Vec<_>>())
}
