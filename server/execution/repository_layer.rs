//! The commands' changes of a workspace's repository: objects, references, index and logs. A command writes them to a layer
//! over the repository's folder; they stay in the session's layer until all of them are taken over or dropped. Settings,
//! hooks and all else that makes git run a program stay as they are.
//!
//! Invariants: nothing of a layer gets into the repository but objects whose names were computed again, references that git
//! updated from their old values, entries of the index that git accepted, and texts of known names; no file of it is executed.
//!
//! # Invariants
//!
//! - Nothing gets from a command into the repository but what was accepted, nothing there makes git run a program later,
//!   and no interruption leaves the repository torn.
//!   Test: `a_commit_is_taken_over_whole_and_moved_back`, `what_waits_is_seen_by_later_commands_and_decided_as_one`,
//!   `a_commit_contains_only_what_was_accepted`, `nothing_of_a_commands_makes_git_run_a_program_later`,
//!   `git_goes_as_outside_in_a_workspace_a_linked_tree_and_a_submodule`,
//!   `the_repository_stays_whole_whenever_a_taking_over_breaks_off`, `what_the_person_did_meanwhile_is_not_undone`

mod changes;
mod logs;
mod prepared;
mod refs;
mod session;
mod stage;
mod states;
mod summary;
mod take;
mod view;

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::CommandExecutor;
use super::closures::Closures;
use super::git::{GitError, LinkedPlaces, places};
use super::index_copy::{IndexCopy, marked_index};
use super::tracked_files::IndexStamp;
use crate::base::run_blocking;
use crate::protocol::{CommitDecision, RepositoryChange};
use crate::registry::RepositoryDesk;
use crate::sandbox::{RunReport, SandboxPlan};
use crate::session::CallScope;
use changes::WorkingRepository;
use futures::FutureExt;
use futures::future::BoxFuture;
use session::SessionRepository;
pub(crate) use session::TakenRepository;

/// Entries at the top of a repository's folder that stay as they are, and what is said of them.
const CLOSED: [(&str, &str); 7] = [
    ("objects/info/alternates", "objects stand in the repository itself"),
    ("config", "settings of a repository name programs that git runs; the person changes them"),
    ("config.worktree", "settings of a repository name programs that git runs; the person changes them"),
    ("hooks", "git runs them; the person changes them"),
    ("info", "attributes and patterns of a repository are the person's"),
    ("shallow", "a history that is cut short stays the person's"),
    ("worktrees", "a further working tree is made by the person"),
];
/// Further files whose changes are dropped without a message, since none of them is a change by anyone.
const DROPPED: [&str; 6] = ["description", "branches", "gc.pid", "gc.log", "gitk.cache", "index.lock"];

/// The layer of one command over a repository's folder.
#[derive(Debug)]
pub(super) struct RepositoryLayer {
    places: LinkedPlaces,
    upper: PathBuf,
    session: SessionRepository,
    /// The session's layer at the start of the command.
    before: Option<u64>,
    began: SystemTime,
    /// The index on the disk.
    index: Option<Arc<[u8]>>,
    /// The stamp of the index that was placed in the layer.
    placed: Option<IndexStamp>,
}

impl RepositoryLayer {
    /// Makes the command of `plan` write to a layer over the repository's folder. None if the person's settings or the
    /// repository's form do not allow it.
    ///
    /// # Errors
    /// Fails if the layer cannot be written.
    pub(super) fn place(
        plan: &mut SandboxPlan,
        scope: &CallScope,
        (folder, closures): (&Path, &Closures),
        copies: &IndexCopy,
    ) -> io::Result<Option<Self>> {
        let root = Path::new(scope.files().paths().root().real_path());
        let state = SessionRepository::of(scope.files().state());
        let is_open = scope.settings().git.commit != CommitDecision::Deny;
        let (true, Some(places), Some(session)) = (is_open, places(root), state) else { return Ok(None) };
        if closures.masked.contains(&places.shared) {
            return Ok(None);
        }
        let began = SystemTime::now();
        let upper = folder.join(plan.writable.len().to_string()).join("upper");
        fs::create_dir_all(&upper)?;
        let before = session.copy_to(&upper)?;
        let below = places.own.strip_prefix(&places.shared).unwrap_or(Path::new("")).to_owned();
        let pair = copies.pair(&places.own, root, &closures.masked);
        let waiting = view::read_file(&upper.join(&below).join("index"));
        let is_waiting = waiting.is_some();
        let shown = match waiting {
            Some(bytes) => marked_index(&bytes, root, &closures.masked).map(Into::into),
            None => pair.marked,
        };
        let placed = match shown {
            Some(bytes) => {
                let mode = fs::symlink_metadata(places.own.join("index")).map_or(0o644, |found| found.mode());
                write_index(&places, &upper, &below, &bytes, mode)?;
                IndexStamp::of_repository(&upper.join(&below)).filter(|_| !is_waiting)
            }
            None => None,
        };
        let is_of_it = |path: &PathBuf| path.starts_with(&places.shared);
        plan.read_only.retain(|path| !is_of_it(path));
        plan.protected.retain(|path| !is_of_it(path));
        plan.replaced.retain(|shown| !is_of_it(&shown.path));
        plan.writable.push(places.shared.clone());
        plan.open.push(places.shared.clone());
        Ok(Some(Self { places, upper, session, before, began, index: pair.whole, placed }))
    }

    /// Keeps the command's changes of the repository, if there are any, in the session's layer. Returns a sentence for each
    /// change that is not kept.
    ///
    /// # Errors
    /// Fails if the layer cannot be read or moved.
    pub(super) fn keep(&self, root: &Path, report: &RunReport) -> io::Result<Vec<String>> {
        if !report.overlays.iter().any(|overlay| overlay.upper == self.upper) {
            return Ok(Vec::new());
        }
        let below = self.places.own.strip_prefix(&self.places.shared).unwrap_or(Path::new("")).to_owned();
        let own = self.upper.join(&below);
        if self.placed.is_some() && IndexStamp::of_repository(&own) == self.placed {
            remove(&self.upper, &below.join("index"))?;
        }
        let left_out = self.drop_closed(&below)?;
        let all = WorkingRepository::all(&self.places, root, &self.upper);
        let began = self.session.began().filter(|_| self.before.is_some()).unwrap_or(self.began);
        let base =
            self.session.index().filter(|_| self.before.is_some()).map(Into::into).or(self.index.clone());
        let is_same = |repository: &WorkingRepository| {
            let base = base.as_deref().filter(|_| repository.tree == root);
            repository.changes(began, base).is_empty()
        };
        if all.iter().all(is_same) {
            if self.before.is_some() && self.before == self.session.inode() {
                self.session.remove()?;
            }
            return Ok(left_out);
        }
        if self.session.inode() != self.before {
            let words = "another command changed the repository meanwhile, so what this one did to it is dropped: run it once more";
            return Ok([left_out, vec![words.to_owned()]].concat());
        }
        self.session.put(&self.upper, began, base.as_deref())?;
        Ok(left_out)
    }

    /// Removes from the layer the files that are never taken over.
    fn drop_closed(&self, own: &Path) -> io::Result<Vec<String>> {
        let mut left_out = Vec::new();
        // Git lists references there for servers that do not know its protocol.
        remove(&self.upper, Path::new("info/refs"))?;
        for (name, why) in CLOSED {
            let at = self.upper.join(name);
            if name == "worktrees" && own.starts_with(name) || at.symlink_metadata().is_err() {
                continue;
            }
            let lower = self.places.shared.join(name);
            let is_folder = at.symlink_metadata()?.is_dir();
            let is_same = view::read_file(&at).is_some_and(|bytes| view::read_file(&lower) == Some(bytes))
                || is_folder && fs::read_dir(&at)?.next().is_none();
            remove(&self.upper, Path::new(name))?;
            if !is_same {
                left_out.push(format!(".git/{name} stays as it was: {why}"));
            }
        }
        for name in DROPPED.iter().chain(&["objects/info"]) {
            remove(&self.upper, Path::new(name))?;
        }
        Ok(left_out)
    }
}

/// The decision on the changes that commands made of the repositories of a workspace, and that wait.
pub(crate) struct RepositoryDecision<'a> {
    executor: &'a CommandExecutor,
    scope: &'a CallScope,
}

impl<'a> RepositoryDecision<'a> {
    /// The decision of the caller whose scope it is.
    pub(crate) fn new(executor: &'a CommandExecutor, scope: &'a CallScope) -> Self {
        Self { executor, scope }
    }

    /// Returns the changes by commands that wait for a decision, of each repository of the workspace.
    pub(crate) async fn waiting_changes(&self) -> Vec<RepositoryChange> {
        match self.prepare_all().await {
            Ok(prepared) => prepared.into_iter().map(|prepared| prepared.told).collect(),
            Err(error) => vec![RepositoryChange {
                summary: "what commands did to the repository".to_owned(),
                obstacles: vec![error.to_string()],
                ..RepositoryChange::default()
            }],
        }
    }

    async fn prepare_all(&self) -> Result<Vec<prepared::PreparedRepository<'a>>, GitError> {
        let mut all = Vec::new();
        let root = Path::new(self.scope.files().paths().root().real_path());
        let session =
            SessionRepository::of(self.scope.files().state()).filter(|session| session.inode().is_some());
        let (Some(session), Some(places)) = (session, places(root)) else { return Ok(all) };
        let (began, base) = (session.began().unwrap_or(SystemTime::UNIX_EPOCH), session.index());
        for repository in WorkingRepository::all(&places, root, &session.upper()) {
            let base = base.as_deref().filter(|_| repository.tree == root);
            all.extend(
                prepared::prepare(self.executor, self.scope, repository.clone(), (began, base)).await?,
            );
        }
        Ok(all)
    }

    /// Takes over the waiting changes as a whole. If anything prevents it, the answer has the reasons, and nothing is taken over.
    pub(crate) async fn take_changes(&self) -> TakenRepository {
        let _one = self.executor.repository.lock().await;
        let mut taken = TakenRepository::default();
        let prepared = match self.prepare_all().await {
            Ok(prepared) => prepared,
            Err(error) => return TakenRepository { problems: vec![error.to_string()], ..taken },
        };
        let obstacles = prepared.iter().flat_map(|one| one.told.obstacles.clone());
        taken.problems.extend(obstacles);
        if !taken.problems.is_empty() {
            return taken;
        }
        let Some(session) = SessionRepository::of(self.scope.files().state()) else { return taken };
        let mut records = Vec::new();
        for one in &prepared {
            match take::take(one).await {
                Ok(record) => {
                    taken.changes.push(one.told.clone());
                    records.push(record);
                }
                Err(error) => taken.problems.push(format!("{}: {error}", one.told.summary)),
            }
        }
        let end = run_blocking(|| {
            session.remember(&records)?;
            if taken.problems.is_empty() { session.remove() } else { Ok(()) }
        });
        taken.problems.extend(end.err().map(|error| format!("the layer of the repository stays: {error}")));
        taken
    }

    /// Removes the waiting changes, and returns them.
    pub(crate) async fn drop_changes(&self) -> TakenRepository {
        let _one = self.executor.repository.lock().await;
        let changes = self.waiting_changes().await;
        let removed =
            SessionRepository::of(self.scope.files().state()).map_or(Ok(()), |session| session.remove());
        let problems = removed.err().map(|error| format!("it cannot be removed: {error}"));
        TakenRepository { changes, problems: problems.into_iter().collect() }
    }

    /// Moves the references back that were taken over last.
    pub(crate) async fn undo_last(&self) -> TakenRepository {
        let _one = self.executor.repository.lock().await;
        let mut undone = TakenRepository::default();
        let Some(session) = SessionRepository::of(self.scope.files().state()) else { return undone };
        let mut left = Vec::new();
        for record in session.remembered() {
            let back = async {
                let repository = record.repository(&session.upper());
                let stage = stage::ObjectStage::make(self.executor, self.scope, &repository)?;
                take::undo(&stage, &repository, &record).await
            };
            match back.await {
                Ok(()) => undone.changes.push(RepositoryChange {
                    summary: record.summary.clone(),
                    ..RepositoryChange::default()
                }),
                Err(error) => {
                    undone.problems.push(format!("{}: {error}", record.summary));
                    left.push(record);
                }
            }
        }
        if let Err(error) = session.remember(&left) {
            undone.problems.push(error.to_string());
        }
        undone
    }
}

impl RepositoryDesk for CommandExecutor {
    fn waiting<'a>(&'a self, scope: &'a CallScope) -> BoxFuture<'a, Vec<RepositoryChange>> {
        async { RepositoryDecision::new(self, scope).waiting_changes().await }.boxed()
    }

    fn take<'a>(&'a self, scope: &'a CallScope) -> BoxFuture<'a, Vec<String>> {
        async { RepositoryDecision::new(self, scope).take_changes().await.problems }.boxed()
    }

    fn discard<'a>(&'a self, scope: &'a CallScope) -> BoxFuture<'a, Vec<String>> {
        async { RepositoryDecision::new(self, scope).drop_changes().await.problems }.boxed()
    }
}

/// Writes the index that a command finds, and the folders above it with their modes in the repository.
fn write_index(places: &LinkedPlaces, upper: &Path, below: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let mut at = PathBuf::new();
    for part in below.components() {
        at.push(part);
        match fs::create_dir(upper.join(&at)) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            Err(_) => {}
            Ok(()) => {
                let mode = fs::symlink_metadata(places.shared.join(&at))?.permissions();
                fs::set_permissions(upper.join(&at), mode)?;
            }
        }
    }
    let at = upper.join(below).join("index");
    remove(upper, &below.join("index"))?;
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(mode & 0o777).open(at)?;
    io::Write::write_all(&mut file, bytes)
}

/// Removes the entry at a path of a layer, of any kind. A symlink on the way is not followed.
fn remove(upper: &Path, path: &Path) -> io::Result<()> {
    let mut above = path.ancestors().skip(1).map(|part| upper.join(part));
    if above.any(|folder| !folder.symlink_metadata().is_ok_and(|found| found.is_dir())) {
        return Ok(());
    }
    match super::layer::remove_folder(&upper.join(path)) {
        Ok(()) | Err(rustix::io::Errno::NOENT) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
