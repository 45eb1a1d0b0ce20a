//! Takes over the commands' changes of a repository: the objects first, the references by git with their expected old values,
//! then logs, HEAD, the index and work in progress. A failure between two of these steps leaves the repository whole.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::super::error::ExecutionError;
use super::super::git::GitError;
use super::super::tracked_files::IndexStamp;
use super::changes::WorkingRepository;
use super::prepared::PreparedRepository;
use super::refs::RefChange;
use super::stage::{ObjectStage, SeenObjects};
use super::view::RepositoryView;

/// The digit of the hash that git writes for no object.
const NOTHING: char = '0';

/// A record of changes that were taken over, so that they can be moved back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TakenChange {
    /// The summary of the changes.
    pub(super) summary: String,
    /// The working tree, the repository's folder for it, and the folder that all working trees share.
    tree: PathBuf,
    own: PathBuf,
    shared: PathBuf,
    /// The references by name, with their old and new values.
    refs: Vec<(String, Option<String>, Option<String>)>,
    head: Option<(String, String)>,
}

/// Takes the changes over.
///
/// # Errors
/// Fails if a reference holds another value by now, another program holds a lock, or the disk cannot be written.
pub(super) async fn take(prepared: &PreparedRepository<'_>) -> Result<TakenChange, GitError> {
    let PreparedRepository { repository, changes, stage, told } = prepared;
    let index = new_index(prepared).await?;
    place_packs(stage, repository.shared.lower())?;
    update_refs(stage, repository, &changes.refs).await?;
    if let Some((old, new)) = &changes.head {
        move_head(stage, repository, old, new).await?;
    }
    write_logs(prepared).await?;
    if let Some((index, stamp)) = index {
        write_index(repository.own.lower(), &index, stamp)?;
    }
    for state in &changes.states {
        let at = repository.own.lower().join(&state.path);
        match &state.bytes {
            Some(bytes) => write_whole(&at, bytes).map_err(writing)?,
            None => remove(&at).map_err(writing)?,
        }
    }
    let refs =
        changes.refs.iter().map(|change| (change.name.clone(), change.old.clone(), change.new.clone()));
    Ok(TakenChange {
        summary: told.summary.clone(),
        tree: repository.tree.clone(),
        own: repository.own.lower().to_owned(),
        shared: repository.shared.lower().to_owned(),
        refs: refs.collect(),
        head: changes.head.clone(),
    })
}

/// Moves the references back to their old values.
///
/// # Errors
/// Fails if a reference holds another value by now, or git cannot be run.
pub(super) async fn undo(
    stage: &ObjectStage<'_>,
    repository: &WorkingRepository,
    taken: &TakenChange,
) -> Result<(), GitError> {
    let back = taken.refs.iter().map(|(name, old, new)| RefChange {
        name: name.clone(),
        old: new.clone(),
        new: old.clone(),
    });
    update_refs(stage, repository, &back.collect::<Vec<_>>()).await?;
    match &taken.head {
        Some((old, new)) => move_head(stage, repository, new, old).await,
        None => Ok(()),
    }
}

impl TakenChange {
    /// Returns the repository of these changes, with the layer `upper` over it.
    pub(super) fn repository(&self, upper: &Path) -> WorkingRepository {
        let of = |folder: &Path| RepositoryView::new(folder, upper);
        WorkingRepository { shared: of(&self.shared), own: of(&self.own), tree: self.tree.clone() }
    }
}

/// Makes the index with the changed entries. Returns it with the stamp of the index that it was made from; none if none changed.
async fn new_index(
    prepared: &PreparedRepository<'_>,
) -> Result<Option<(Vec<u8>, Option<IndexStamp>)>, GitError> {
    let PreparedRepository { repository, changes, stage, .. } = prepared;
    if changes.index.is_empty() {
        return Ok(None);
    }
    let place = stage.place("index");
    let lower = repository.own.lower().join("index");
    let stamp = IndexStamp::of_repository(repository.own.lower());
    if lower.exists() {
        fs::copy(lower, &place).map_err(writing)?;
    }
    let mut input = Vec::new();
    for (path, sides) in &changes.index {
        let length = sides.first().map_or(20, |(_, hash, _)| hash.len());
        let zeros = NOTHING.to_string().repeat(2 * length);
        let gone = (0, zeros, 0);
        let held = sides.iter().map(|(mode, hash, stage)| {
            (*mode, hash.iter().map(|byte| format!("{byte:02x}")).collect::<String>(), *stage)
        });
        for (mode, hash, stage) in std::iter::once(gone).chain(held) {
            input.extend_from_slice(format!("{mode:o} {hash} {stage}\t").as_bytes());
            input.extend_from_slice(path);
            input.push(0);
        }
    }
    let arguments = ["update-index", "-z", "--index-info"];
    stage.run_in_place(repository, &arguments, Some(&place), input).await?;
    Ok(Some((fs::read(place).map_err(writing)?, stamp)))
}

/// Writes the index while it holds git's own lock, if the index on the disk is still the one that the new one was made from.
fn write_index(own: &Path, bytes: &[u8], stamp: Option<IndexStamp>) -> Result<(), GitError> {
    let lock = own.join("index.lock");
    let made = fs::OpenOptions::new().write(true).create_new(true).mode(0o666).open(&lock);
    let mut file = made.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            GitError::Failed("git is at work in the repository (index.lock is there)".to_owned())
        }
        _ => writing(error),
    })?;
    let written = match IndexStamp::of_repository(own) == stamp {
        true => file.write_all(bytes).and_then(|()| fs::rename(&lock, own.join("index"))).map_err(writing),
        false => Err(GitError::Failed("the index was changed meanwhile".to_owned())),
    };
    if written.is_err() {
        let _ = fs::remove_file(&lock);
    }
    written
}

/// Copies the packs into the repository, whole or not at all: git sees a pack by its index.
fn place_packs(stage: &ObjectStage<'_>, shared: &Path) -> Result<(), GitError> {
    let folder = shared.join("objects/pack");
    fs::create_dir_all(&folder).map_err(writing)?;
    for pack in stage.packs() {
        let Some(name) = pack.file_name() else { continue };
        let bytes = fs::File::open(&pack).map_err(writing)?;
        let mut to = tempfile::Builder::new().prefix("tmp_pack_").tempfile_in(&folder).map_err(writing)?;
        io::copy(&mut &bytes, &mut to).map_err(writing)?;
        to.as_file().sync_all().map_err(writing)?;
        let read_only = <fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o444);
        to.as_file().set_permissions(read_only).map_err(writing)?;
        to.persist(folder.join(name)).map_err(|error| writing(error.error))?;
    }
    Ok(())
}

async fn update_refs(
    stage: &ObjectStage<'_>,
    repository: &WorkingRepository,
    refs: &[RefChange],
) -> Result<(), GitError> {
    if refs.is_empty() {
        return Ok(());
    }
    let zeros = |other: &str| NOTHING.to_string().repeat(other.len());
    let line = |change: &RefChange| {
        let RefChange { name, old, new } = change;
        match (old, new) {
            (Some(old), Some(new)) => format!("update {name} {new} {old}\n"),
            (None, Some(new)) => format!("update {name} {new} {}\n", zeros(new)),
            (Some(old), None) => format!("delete {name} {old}\n"),
            (None, None) => String::new(),
        }
    };
    let input: String = refs.iter().map(line).collect();
    let arguments = ["update-ref", "--no-deref", "--stdin"];
    stage.run_in_place(repository, &arguments, None, input.into_bytes()).await.map(drop)
}

async fn move_head(
    stage: &ObjectStage<'_>,
    repository: &WorkingRepository,
    old: &str,
    new: &str,
) -> Result<(), GitError> {
    if repository.head().as_deref() != Some(old) {
        return Err(GitError::Failed("HEAD was changed meanwhile".to_owned()));
    }
    let arguments = match new.strip_prefix("ref: ") {
        Some(branch) => vec!["symbolic-ref", "HEAD", branch],
        None => vec!["update-ref", "--no-deref", "HEAD", new],
    };
    stage.run_in_place(repository, &arguments, None, Vec::new()).await.map(drop)
}

/// Writes the logs as commands left them. A line that names a missing object is left out.
async fn write_logs(prepared: &PreparedRepository<'_>) -> Result<(), GitError> {
    let PreparedRepository { repository, changes, stage, .. } = prepared;
    let named = changes.logs.iter().flat_map(|(log, _)| log.hashes().map(str::to_owned)).collect();
    let there = stage.kinds(SeenObjects::Checked, &named).await?;
    let is_there = |hash: &str| hash.chars().all(|digit| digit == NOTHING) || there.contains_key(hash);
    for (log, is_own) in &changes.logs {
        let view: &RepositoryView = if *is_own { &repository.own } else { &repository.shared };
        let at = view.lower().join(&log.path);
        let Some(lines) = &log.lines else {
            remove(&at).map_err(writing)?;
            continue;
        };
        let kept = lines.iter().filter(|line| line.splitn(3, ' ').take(2).all(is_there));
        let text: String = kept.map(|line| format!("{line}\n")).collect();
        write_whole(&at, text.as_bytes()).map_err(writing)?;
    }
    Ok(())
}

/// Writes a file in place of the existing one, and makes the folders above it.
fn write_whole(at: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = at.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(folder)?;
    let mut file = tempfile::Builder::new()
        .prefix(".new-")
        .permissions(<fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o644))
        .tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.persist(at).map(drop).map_err(|error| error.error)
}

/// Removes a file, and the folders of work in progress above it that are empty then.
fn remove(at: &Path) -> io::Result<()> {
    match fs::remove_file(at) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let is_work =
        |name: &std::ffi::OsStr| name == "rebase-merge" || name == "rebase-apply" || name == "sequencer";
    let mut above = at.parent();
    while let Some(folder) =
        above.filter(|folder| folder.ancestors().any(|part| part.file_name().is_some_and(is_work)))
    {
        if fs::remove_dir(folder).is_err() {
            break;
        }
        above = folder.parent();
    }
    Ok(())
}

fn writing(error: io::Error) -> GitError {
    GitError::Execution(ExecutionError::while_doing("writing to the repository")(error))
}
