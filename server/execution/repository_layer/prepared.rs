//! The changes of commands in a repository, prepared for a decision: the new objects are packed and checked, the commits counted,
//! and the texts in them compared with the workspace's.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::SystemTime;

use sha1::Sha1;
use sha2::{Digest, Sha256};

use super::super::CommandExecutor;
use super::super::git::GitError;
use super::changes::{RepositoryChanges, WorkingRepository};
use super::refs::is_hash;
use super::stage::{ObjectStage, SeenObjects};
use super::summary::{self, NewCommits};
use crate::base::WorkspacePath;
use crate::protocol::{PathAccess, RepositoryChange};
use crate::rules::PathRuling;
use crate::session::CallScope;

/// The most references whose commits are examined; more are too many for one decision.
const MOST_REFS: usize = 50;
/// The most commits that are examined.
const MOST_COMMITS: usize = 2_000;
/// The modes of a submodule's entry and of a symlink's.
const SUBMODULE: u32 = 0o160_000;
const SYMLINK: u32 = 0o120_000;

/// A change of a repository, prepared for a decision.
#[derive(Debug)]
pub(super) struct PreparedRepository<'s> {
    pub(super) repository: WorkingRepository,
    pub(super) changes: RepositoryChanges,
    pub(super) stage: ObjectStage<'s>,
    /// The description of the change for the person and the agent.
    pub(super) told: RepositoryChange,
}

/// A file as a commit or the index has it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct CommittedFile {
    path: Vec<u8>,
    mode: u32,
    /// None if the file is removed.
    hash: Option<String>,
    /// True if a reference, or the index, is to hold this version of the file.
    is_last: bool,
}

/// Prepares the changes of commands in `repository` since `began`; none if there are none.
///
/// # Errors
/// Fails if git cannot be run, or refuses the objects.
pub(super) async fn prepare<'s>(
    executor: &'s CommandExecutor,
    scope: &'s CallScope,
    repository: WorkingRepository,
    (began, base): (SystemTime, Option<&[u8]>),
) -> Result<Option<PreparedRepository<'s>>, GitError> {
    let changes = repository.changes(began, base);
    if changes.is_empty() {
        return Ok(None);
    }
    let stage = ObjectStage::make(executor, scope, &repository)?;
    let root = Path::new(scope.files().paths().root().real_path());
    let place = repository.tree.strip_prefix(root).unwrap_or(Path::new("")).display().to_string();
    let mut told = RepositoryChange {
        left_out: changes.left_out.clone(),
        obstacles: changes.conflicts.clone(),
        ..RepositoryChange::default()
    };
    let branch = changes.head.as_ref().map(|(_, new)| new.clone()).or_else(|| repository.head());
    let is_of_head = |name: &str| branch.as_deref().and_then(|head| head.strip_prefix("ref: ")) == Some(name);
    if let Some(gone) = changes.refs.iter().find(|change| change.new.is_none() && is_of_head(&change.name)) {
        told.obstacles.push(format!("{} is checked out, and would be gone", gone.name));
    }
    let mut commits = HashMap::new();
    let look = async {
        pack(&stage, &changes).await?;
        let files = look_at_commits(&stage, &changes, &mut commits).await?;
        judge(scope, &stage, &repository, &changes, files, &mut told).await
    };
    if let Err(error) = look.await {
        told.obstacles.push(error.to_string());
    }
    told.obstacles.dedup();
    let of = |name: &str| commits.get(name).cloned().unwrap_or_default();
    told.summary = summary::words(&changes, &of, &place);
    Ok(Some(PreparedRepository { repository, changes, stage, told }))
}

/// Returns the hashes that the change leads to: those of objects that must exist, and those that only logs name.
fn roots(changes: &RepositoryChanges) -> (BTreeSet<String>, BTreeSet<String>) {
    let of_refs = changes.refs.iter().filter_map(|change| change.new.clone());
    let of_head = changes.head.iter().map(|(_, new)| new.clone());
    let of_index = changes.index.values().flatten().filter(|(mode, ..)| *mode != SUBMODULE);
    let of_states = changes.states.iter().filter_map(|state| state.bytes.as_deref()).flat_map(|bytes| {
        String::from_utf8_lossy(bytes).lines().map(|line| line.trim().to_owned()).collect::<Vec<_>>()
    });
    let needed = of_refs.chain(of_head).chain(of_index.map(|(_, hash, _)| hex(hash))).chain(of_states);
    let named = changes.logs.iter().flat_map(|(log, _)| log.hashes().map(str::to_owned));
    let is_root = |hash: &String| is_hash(hash) && hash.bytes().any(|digit| digit != b'0');
    (needed.filter(is_root).collect(), named.filter(is_root).collect())
}

/// Packs and checks the new objects.
async fn pack(stage: &ObjectStage<'_>, changes: &RepositoryChanges) -> Result<(), GitError> {
    let (needed, named) = roots(changes);
    let all: BTreeSet<String> = needed.union(&named).cloned().collect();
    let before = changes.before.values().filter(|value| is_hash(value)).cloned();
    let asked: BTreeSet<String> = all.iter().cloned().chain(before).collect();
    let known = stage.kinds(SeenObjects::Known, &asked).await?;
    let unknown: BTreeSet<String> = all.iter().filter(|hash| !known.contains_key(*hash)).cloned().collect();
    if unknown.is_empty() {
        return Ok(());
    }
    let there = stage.kinds(SeenObjects::All, &unknown).await?;
    let lost = |hash: &&String| !known.contains_key(*hash) && !there.contains_key(*hash);
    if let Some(lost) = needed.iter().find(lost) {
        return Err(GitError::Failed(format!("object {lost} is not there")));
    }
    let new: BTreeSet<String> = there.into_keys().collect();
    let known = changes.before.values().filter(|hash| known.contains_key(*hash)).collect();
    if !new.is_empty() {
        stage.pack(&new, &known).await?;
    }
    let checked = stage.kinds(SeenObjects::Checked, &needed).await?;
    if let Some(forged) = needed.iter().find(|hash| !checked.contains_key(*hash)) {
        return Err(GitError::Failed(format!("object {forged} does not hold what its name says")));
    }
    let no_commit = changes.refs.iter().find(|change| {
        let new = change.new.as_ref().and_then(|new| checked.get(new));
        change.name.starts_with("refs/heads/") && new.is_some_and(|kind| kind != "commit")
    });
    no_commit.map_or(Ok(()), |change| Err(GitError::Failed(format!("{} is no commit", change.name))))
}

/// Returns the files that new commits or the index change, and counts the commits of each reference.
async fn look_at_commits(
    stage: &ObjectStage<'_>,
    changes: &RepositoryChanges,
    commits: &mut HashMap<String, NewCommits>,
) -> Result<Vec<CommittedFile>, GitError> {
    let mut moved: Vec<_> =
        changes.refs.iter().filter_map(|change| Some((change, change.new.as_ref()?))).collect();
    // A commit is counted for one reference: for an existing one before a new one, and for a branch before a tag.
    moved.sort_by_key(|(change, _)| (change.old.is_none(), !change.name.starts_with("refs/heads/")));
    let mut counted = String::new();
    if moved.len() > MOST_REFS {
        return Err(GitError::TooMuch);
    }
    let mut files: Vec<CommittedFile> = Vec::new();
    let before: String =
        changes.before.values().filter(|value| is_hash(value)).map(|hash| format!("^{hash}\n")).collect();
    for (change, new) in moved {
        let subject = ["log", "-1", "--format=%s", new, "--"];
        let subject = stage.run(SeenObjects::Checked, &subject, Vec::new()).await.unwrap_or_default();
        let mut found = NewCommits {
            subject: String::from_utf8_lossy(&subject).trim().to_owned(),
            ..NewCommits::default()
        };
        if change.name != "refs/stash" {
            let most = format!("--max-count={}", MOST_COMMITS + 1);
            let list = ["rev-list", "--topo-order", "--ignore-missing", &most, "--stdin"];
            let asked = format!("{new}\n{before}{counted}").into_bytes();
            counted.extend(["^", new.as_str(), "\n"]);
            let listed = stage.run(SeenObjects::Checked, &list, asked).await?;
            found.count = String::from_utf8_lossy(&listed).lines().count();
            if found.count > MOST_COMMITS {
                return Err(GitError::TooMuch);
            }
            let of_ref = if found.count == 0 { Vec::new() } else { changed_files(stage, listed).await? };
            let paths: HashSet<&[u8]> = of_ref.iter().map(|file| &*file.path).collect();
            found.files = paths.len();
            files.extend(of_ref);
        }
        commits.insert(change.name.clone(), found);
    }
    for (path, sides) in &changes.index {
        let staged = sides.iter().filter(|(_, _, stage)| *stage == 0);
        files.extend(staged.map(|(mode, hash, _)| CommittedFile {
            path: path.clone(),
            mode: *mode,
            hash: Some(hex(hash)),
            is_last: true,
        }));
    }
    Ok(files)
}

/// Returns the files that commits change in comparison with all of their parents, the newest commits first.
async fn changed_files(stage: &ObjectStage<'_>, commits: Vec<u8>) -> Result<Vec<CommittedFile>, GitError> {
    let arguments =
        ["diff-tree", "--stdin", "-r", "-c", "-z", "--root", "--raw", "--no-renames", "--no-abbrev"];
    let output = stage.run(SeenObjects::Checked, &arguments, commits).await?;
    let (mut files, mut seen) = (Vec::new(), HashSet::new());
    let mut parts = output.split(|byte| *byte == 0);
    while let Some(part) = parts.next() {
        let Some(words) = part.starts_with(b":").then(|| String::from_utf8_lossy(part).into_owned()) else {
            continue;
        };
        let parents = words.bytes().take_while(|byte| *byte == b':').count();
        let words: Vec<&str> = words.trim_start_matches(':').split(' ').collect();
        let (Some(mode), Some(hash), Some(path)) =
            (words.get(parents), words.get(2 * parents + 1), parts.next())
        else {
            break;
        };
        let hash = hash.bytes().any(|digit| digit != b'0').then(|| (*hash).to_owned());
        let mode = u32::from_str_radix(mode, 8).unwrap_or_default();
        let is_last = seen.insert(path.to_vec());
        files.push(CommittedFile { path: path.to_vec(), mode, hash, is_last });
    }
    Ok(files)
}

/// Adds to `told` the files whose texts differ from the workspace's, and those that no command may change so.
async fn judge(
    scope: &CallScope,
    stage: &ObjectStage<'_>,
    repository: &WorkingRepository,
    changes: &RepositoryChanges,
    files: Vec<CommittedFile>,
    told: &mut RepositoryChange,
) -> Result<(), GitError> {
    let hashes: BTreeSet<String> = files.iter().filter_map(|file| file.hash.clone()).collect();
    let known = stage.kinds(SeenObjects::Known, &hashes).await?;
    let root = Path::new(scope.files().paths().root().real_path());
    let mut not_accepted: BTreeMap<String, bool> = BTreeMap::new();
    for file in files.iter().filter(|file| file.mode != SUBMODULE) {
        let at = repository.tree.join(std::ffi::OsStr::from_bytes(&file.path));
        let path = at.strip_prefix(root).ok();
        let path = path.and_then(|path| WorkspacePath::from_relative(&path.to_string_lossy()));
        let Some(path) = path else {
            told.obstacles.push(format!("{}: no command may change it", at.display()));
            continue;
        };
        let stands = stands(&at, file);
        let is_open =
            scope.files().paths().rules().paths().check_access(PathAccess::Write, &path) == PathRuling::Allow;
        if !is_open && !stands && !is_of_history(stage, changes, file).await? {
            told.obstacles
                .push(format!("{path}: it is committed otherwise than it stands, and a rule speaks of it"));
        }
        let is_new = file.hash.as_ref().is_some_and(|hash| !known.contains_key(hash));
        if is_new && !stands {
            *not_accepted.entry(path.to_string()).or_default() |= file.is_last;
        }
    }
    let (last, earlier): (Vec<_>, Vec<_>) = not_accepted.into_iter().partition(|(_, is_last)| *is_last);
    told.not_accepted = last.into_iter().map(|(path, _)| path).collect();
    told.passing = earlier.into_iter().map(|(path, _)| path).collect();
    Ok(())
}

/// Returns whether the workspace holds a file as it is committed.
fn stands(at: &Path, file: &CommittedFile) -> bool {
    let found = std::fs::symlink_metadata(at);
    let Some(hash) = &file.hash else { return found.is_err() };
    let bytes = match found {
        Ok(found) if found.is_symlink() && file.mode == SYMLINK => {
            std::fs::read_link(at).ok().map(|target| target.as_os_str().as_bytes().to_vec())
        }
        Ok(found) if found.is_file() && file.mode != SYMLINK => super::view::read_file(at),
        _ => None,
    };
    bytes.is_some_and(|bytes| {
        let plain = String::from_utf8_lossy(&bytes).replace("\r\n", "\n").into_bytes();
        blob_hash(&bytes, hash.len()) == *hash || blob_hash(&plain, hash.len()) == *hash
    })
}

fn blob_hash(bytes: &[u8], length: usize) -> String {
    let header = format!("blob {}\0", bytes.len()).into_bytes();
    match length {
        40 => hex(&Sha1::digest([&header, bytes].concat())),
        _ => hex(&Sha256::digest([&header, bytes].concat())),
    }
}

/// Returns whether an earlier commit holds this version of the file at the same path.
async fn is_of_history(
    stage: &ObjectStage<'_>,
    changes: &RepositoryChanges,
    file: &CommittedFile,
) -> Result<bool, GitError> {
    let (Some(hash), Ok(path)) = (&file.hash, std::str::from_utf8(&file.path)) else { return Ok(false) };
    let (find, path) = (format!("--find-object={hash}"), format!(":(top,literal){path}"));
    let before: String =
        changes.before.values().filter(|value| is_hash(value)).map(|hash| format!("{hash}\n")).collect();
    let arguments =
        ["log", "--max-count=1", "--format=%H", "--ignore-missing", &find, "--stdin", "--", &path];
    let found = stage.run(SeenObjects::Known, &arguments, before.into_bytes()).await;
    // Git fails for an object that it does not know.
    Ok(found.is_ok_and(|output| !output.is_empty()))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
