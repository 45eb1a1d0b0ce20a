//! A repository that stands outside of the workspace, and says itself that the workspace is a working tree of its own: a linked
//! one, or a submodule's. What a file of the workspace says alone leads nowhere.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::config;
use super::error::GitError;
use super::repository::{DOT_GIT, LINE, OWN, SETTINGS, SHARED, failed, head_of, line, settings_of, write};
use crate::base::WorkspacePath;
use crate::workspace::{FileKind, Files};

/// A folder that git takes for the repository's own, and the folders outside that it leads to.
#[derive(Debug)]
pub(super) struct LinkedMirror {
    pub(super) own: PathBuf,
    pub(super) outside: Vec<PathBuf>,
}

/// Where the repository stands.
#[derive(Debug)]
struct LinkedPlaces {
    own: PathBuf,
    shared: PathBuf,
}

/// Makes a folder below `folder` that git takes for the one of the repository, which stands outside.
///
/// # Errors
/// Where the repository does not say that the workspace is its own, and what keeps it from being read.
pub(super) fn mirror(files: &Files, folder: &Path) -> Result<LinkedMirror, GitError> {
    let LinkedPlaces { own: from, shared } = find(files)?;
    let own = folder.join("own");
    fs::create_dir(&own).map_err(failed)?;
    write(&own.join("HEAD"), &head_of(&read(&from.join("HEAD"), LINE)?, ".git/HEAD")?)?;
    link(&from, &own, &OWN)?;
    let target = if from == shared { own.clone() } else { folder.join("shared") };
    if from != shared {
        fs::create_dir(&target).map_err(failed)?;
        write(&own.join("commondir"), "../shared\n")?;
    }
    link(&shared, &target, &SHARED)?;
    write(&target.join("config"), &settings_of(&read(&shared.join("config"), SETTINGS)?)?)?;
    let outside = if from == shared { vec![shared] } else { vec![from, shared] };
    Ok(LinkedMirror { own, outside })
}

fn find(files: &Files) -> Result<LinkedPlaces, GitError> {
    let dot = WorkspacePath::root().join(DOT_GIT).ok_or(GitError::NoRepository)?;
    if files.stat(&dot)?.is_none_or(|stat| stat.kind != FileKind::File) {
        return Err(GitError::NoRepository);
    }
    let text = line(files, &dot)?;
    let target = text.strip_prefix("gitdir:").map(str::trim).ok_or(GitError::NoRepository)?;
    let outside = || GitError::Outside(format!("{target:?}"));
    let root = Path::new(files.root().real());
    let own = fs::canonicalize(root.join(target)).map_err(|_| outside())?;
    let is = |path: PathBuf, meant: &Path| fs::canonicalize(path).is_ok_and(|path| path == meant);
    let named = |name: &str| read(&own.join(name), LINE).ok().map(|text| own.join(text.trim_end()));
    let shared = match named("commondir") {
        Some(shared) => fs::canonicalize(shared).map_err(|_| outside())?,
        None => own.clone(),
    };
    let leads_back = if shared == own {
        let settings = read(&own.join("config"), SETTINGS)?;
        config::worktree(&settings).is_some_and(|worktree| is(own.join(worktree), root))
    } else {
        let is_listed = own.parent() == Some(&shared.join("worktrees"));
        is_listed && named("gitdir").is_some_and(|back| is(back, &root.join(DOT_GIT)))
    };
    if leads_back { Ok(LinkedPlaces { own, shared }) } else { Err(outside()) }
}

/// The text of a file, of which at most `longest` bytes are read; none where it is longer.
fn read(path: &Path, longest: u64) -> Result<String, GitError> {
    let mut bytes = Vec::new();
    fs::File::open(path).and_then(|file| file.take(longest + 1).read_to_end(&mut bytes)).map_err(failed)?;
    if bytes.len() as u64 > longest {
        return Err(GitError::Malformed {
            path: path.display().to_string(),
            expected: "text of that length",
        });
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Links each of `names` that stands in `from`, where none stands in `to`.
fn link(from: &Path, to: &Path, names: &[&str]) -> Result<(), GitError> {
    for name in names {
        let (target, link) = (from.join(name), to.join(name));
        if target.exists() && link.symlink_metadata().is_err() {
            std::os::unix::fs::symlink(target, link).map_err(failed)?;
        }
    }
    Ok(())
}
