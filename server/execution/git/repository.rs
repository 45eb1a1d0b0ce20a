//! A repository as git is shown it: its objects, refs and index where they are, and settings of ours in place of its own.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::super::error::ExecutionError;
use super::config;
use super::error::GitError;
use crate::base::WorkspacePath;
use crate::workspace::{FileKind, Files, WorkspaceError};

/// The folder, or the file that leads to it.
pub(super) const DOT_GIT: &str = ".git";
/// What belongs to one working tree.
pub(super) const OWN: [&str; 4] = ["index", "logs", "refs", "reftable"];
/// What all working trees of a repository share.
pub(super) const SHARED: [&str; 7] =
    ["objects", "refs", "packed-refs", "info", "logs", "shallow", "reftable"];
/// Bytes of the longest file of one line.
pub(super) const LINE: u64 = 8 << 10;
/// Bytes of the longest settings file.
pub(super) const SETTINGS: u64 = 1 << 20;

/// Where a repository stands in the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Places {
    /// What belongs to the working tree at the workspace's root.
    own: WorkspacePath,
    /// What all working trees share; the same but in a linked one.
    shared: WorkspacePath,
}

/// Makes a folder below `folder` that git takes for the one of the repository at the workspace's root, and gives it.
///
/// # Errors
/// Where there is no repository, it stands outside of the workspace, or the rules close it.
pub(super) fn mirror(files: &Files, folder: &Path) -> Result<PathBuf, GitError> {
    let places = find(files)?;
    let own = folder.join("own");
    fs::create_dir(&own).map_err(failed)?;
    write(&own.join("HEAD"), &head(files, &places.own)?)?;
    link(files, &places.own, &own, &OWN)?;
    link_shared_indexes(files, &places.own, &own)?;
    let is_linked = places.own != places.shared;
    let shared = if is_linked { folder.join("shared") } else { own.clone() };
    if is_linked {
        fs::create_dir(&shared).map_err(failed)?;
        write(&own.join("commondir"), "../shared\n")?;
    }
    link(files, &places.shared, &shared, &SHARED)?;
    write(&shared.join("config"), &settings(files, &places.shared)?)?;
    Ok(own)
}

pub(super) fn failed(error: std::io::Error) -> GitError {
    GitError::Execution(ExecutionError::doing("preparing what git is shown")(error))
}

pub(super) fn write(path: &Path, text: &str) -> Result<(), GitError> {
    fs::write(path, text).map_err(failed)
}

fn find(files: &Files) -> Result<Places, GitError> {
    let dot = WorkspacePath::root().join(DOT_GIT).ok_or(GitError::NoRepository)?;
    let stat = match files.stat(&dot) {
        Err(WorkspaceError::LeadsOutside { link, .. }) => return Err(GitError::Outside(format!("{link:?}"))),
        other => other?.ok_or(GitError::NoRepository)?,
    };
    let own = match stat.kind {
        FileKind::Folder => stat.path,
        FileKind::File => {
            let text = line(files, &dot)?;
            let target = text.strip_prefix("gitdir:").map(str::trim).filter(|target| !target.is_empty());
            let target = target.ok_or_else(|| malformed(&dot, "`gitdir:` line"))?;
            folder(files, &WorkspacePath::root(), target)?
        }
        _ => return Err(GitError::NoRepository),
    };
    if files.stat(&below(&own, "HEAD")?)?.is_none() {
        return Err(GitError::NoRepository);
    }
    let commondir = below(&own, "commondir")?;
    let shared = match files.stat(&commondir)? {
        Some(_) => folder(files, &own, &line(files, &commondir)?)?,
        None => own.clone(),
    };
    Ok(Places { own, shared })
}

/// The folder that a file of the repository names, from the folder `base`.
fn folder(files: &Files, base: &WorkspacePath, target: &str) -> Result<WorkspacePath, GitError> {
    let outside = || GitError::Outside(format!("{target:?}"));
    let root = files.root();
    let whole = match target.starts_with('/') {
        true => target.to_owned(),
        false => format!("{}/{}/{target}", root.real(), base.as_str()),
    };
    let path = root.parse(&whole).map_err(|_| outside())?;
    match files.stat(&path) {
        Ok(Some(stat)) if stat.kind == FileKind::Folder => Ok(stat.path),
        Ok(_) => Err(malformed(&path, "repository")),
        Err(WorkspaceError::LeadsOutside { .. }) => Err(outside()),
        Err(error) => Err(error.into()),
    }
}

fn below(folder: &WorkspacePath, name: &str) -> Result<WorkspacePath, GitError> {
    folder.join(name).ok_or(GitError::NoRepository)
}

fn malformed(path: &WorkspacePath, expected: &'static str) -> GitError {
    GitError::Malformed { path: path.as_str().to_owned(), expected }
}

pub(super) fn line(files: &Files, path: &WorkspacePath) -> Result<String, GitError> {
    let (bytes, _) = files.read(path, LINE)?;
    let text = String::from_utf8(bytes).map_err(|_| malformed(path, "text"))?;
    Ok(text.trim_end().to_owned())
}

fn head(files: &Files, own: &WorkspacePath) -> Result<String, GitError> {
    let path = below(own, "HEAD")?;
    head_of(&line(files, &path)?, path.as_str())
}

/// What is checked out, by the text of the file at `path`: a ref by name, or a commit by hash.
pub(super) fn head_of(text: &str, path: &str) -> Result<String, GitError> {
    let text = text.trim_end();
    let is_ref = text.strip_prefix("ref:").is_some_and(|name| name.trim_start().starts_with("refs/"));
    match (is_ref || super::is_hash(text.as_bytes())) && !text.contains('\n') {
        true => Ok(format!("{text}\n")),
        false => Err(GitError::Malformed { path: path.to_owned(), expected: "branch and no commit" }),
    }
}

fn settings(files: &Files, shared: &WorkspacePath) -> Result<String, GitError> {
    let path = below(shared, "config")?;
    let bytes = match files.stat(&path)? {
        Some(_) => files.read(&path, SETTINGS)?.0,
        None => Vec::new(),
    };
    settings_of(&String::from_utf8_lossy(&bytes))
}

/// What of a repository's settings git is given.
pub(super) fn settings_of(text: &str) -> Result<String, GitError> {
    config::kept(text).map_err(GitError::Extension)
}

/// Links each of `names` that stands in `from`, where none stands in `to`.
fn link(files: &Files, from: &WorkspacePath, to: &Path, names: &[&str]) -> Result<(), GitError> {
    for name in names {
        let (path, link) = (below(from, name)?, to.join(name));
        // One that leads outside is not there in the sandbox either.
        let is_there = matches!(files.stat(&path), Ok(Some(_)));
        if is_there && link.symlink_metadata().is_err() {
            symlink(Path::new(files.root().real()).join(path.as_str()), link).map_err(failed)?;
        }
    }
    Ok(())
}

/// A split index names the file with its larger part.
fn link_shared_indexes(files: &Files, own: &WorkspacePath, to: &Path) -> Result<(), GitError> {
    let listed = fs::read_dir(Path::new(files.root().real()).join(own.as_str()));
    let names = listed.into_iter().flatten().filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let names: Vec<String> = names.filter(|name| name.starts_with("sharedindex.")).collect();
    link(files, own, to, &names.iter().map(String::as_str).collect::<Vec<_>>())
}
