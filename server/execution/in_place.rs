//! Commands whose changes cannot be kept in a layer: they write in place. What one may change is kept before it begins, and what
//! it changed is found when it has ended, as a change that stands and is reviewed afterwards.
//!
//! # Invariants
//!
//! - Nothing that a command changed in place is left out in silence: it is in the review, counted as ignored by git, or
//!   named, also where the command or its server is killed.
//!   Test: `what_a_command_changes_in_place_is_reviewed_and_taken_back`, `what_cannot_be_kept_is_named`,
//!   `what_a_killed_server_left_is_taken_in_by_the_next`
//! - No command writes in place what the rules close, what a person is asked about before it is written, or a file that has
//!   names elsewhere.
//!   Test: `a_command_in_place_writes_nothing_that_is_closed`
//! - No change of one command is told as another's.
//!   Test: `commands_at_one_time_say_so`

mod before_store;
mod broken_off;
mod clean_files;
mod entries;
mod files_before;
mod found_changes;
mod run_folder;
mod walls;

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use parking_lot::Mutex;

use super::apart_layer::count_file;
use super::closures::Closures;
use super::error::ExecutionError;
use super::ignored_paths::IGNORE_FILE;
use super::{CommandExecutor, direct};
use crate::base::hidden::shorten_to_line;
use crate::base::{CallId, WorkspacePath, run_blocking};
use crate::ports::AttachedReport;
use crate::protocol::{DirectWrites, IgnoredEffects};
use crate::registry::{CallDraft, CheckedCall};
use crate::sandbox::{PathGuard, SandboxLevel};
use crate::session::{CallScope, DirectWriter};
use before_store::BeforeStore;
use broken_off::BrokenOffChannel;
pub(crate) use broken_off::BrokenOffCommand;
use entries::{EntryKind, WorkspaceEntries};
use files_before::FilesBefore;
use found_changes::{ChangeFinder, FoundChanges};
use run_folder::{RunFolder, RunRecord};
pub(super) use walls::InPlaceWalls;

/// Characters of a command in a sentence.
const SHOWN_CHARS: usize = 200;
/// The time by which the file system's clock may be late.
const LATE: Duration = Duration::from_millis(20);

/// The commands that write in place now.
#[derive(Debug, Default)]
pub(crate) struct InPlaceRuns {
    running: Mutex<Vec<Arc<RunningInPlace>>>,
    /// Held while the workspace is looked at.
    turn: Arc<tokio::sync::Mutex<()>>,
    store: BeforeStore,
    /// The commands whose changes are found and not taken in yet, by their calls.
    settling: Mutex<HashMap<CallId, Arc<RunningInPlace>>>,
    /// Told when a command broke off whose changes nobody takes in.
    broken: BrokenOffChannel,
}

/// A command that writes in place now.
#[derive(Debug)]
struct RunningInPlace {
    folder: RunFolder,
    record: Mutex<RunRecord>,
    /// The commands that ran at the same time.
    beside: Mutex<BTreeSet<String>>,
}

/// A command that writes in place, from before it begins until its changes are found.
#[derive(Debug)]
pub(crate) struct InPlaceRun {
    runs: Arc<InPlaceRuns>,
    running: Arc<RunningInPlace>,
    /// The paths that are closed to it.
    pub(super) closures: Closures,
    pub(super) walls: InPlaceWalls,
    call: CallId,
    began: Instant,
    _writing: DirectWriter,
    is_over: bool,
}

/// The changes of a command that wrote in place.
#[derive(Debug, Default)]
pub(super) struct InPlaceOutcome {
    /// The changes, which stand already.
    pub(super) draft: CallDraft,
    /// A sentence for each change that is not among them, and for each act that the walls kept the command from.
    pub(super) left_out: Vec<String>,
    /// The files that it wrote and git ignores.
    pub(super) written: Vec<DirectWrites>,
}

/// Finds the walls around a command that writes in place, with what is closed to it.
pub(super) async fn find_walls(
    executor: &CommandExecutor,
    scope: &CallScope,
) -> Result<(Closures, InPlaceWalls), ExecutionError> {
    walls_and_entries(executor, scope).await.map(|(closures, walls, _)| (closures, walls))
}

/// The same, with the entries that it may change.
async fn walls_and_entries(
    executor: &CommandExecutor,
    scope: &CallScope,
) -> Result<(Closures, InPlaceWalls, WorkspaceEntries), ExecutionError> {
    let closures = run_blocking(|| executor.closures.find_lasting(scope))?;
    let folders = direct::background_folders(executor, scope, closures.ignored.clone()).await;
    let (walls, entries) = run_blocking(|| InPlaceWalls::find(scope, &closures, folders));
    Ok((closures, walls, entries))
}

impl InPlaceRuns {
    /// Keeps what a command may change.
    ///
    /// # Errors
    /// Fails where the workspace cannot be listed, or the state folder cannot keep the record.
    pub(crate) async fn begin_run(
        self: &Arc<Self>,
        executor: &CommandExecutor,
        scope: &CallScope,
        call: &CheckedCall,
        argv: &[String],
    ) -> Result<InPlaceRun, ExecutionError> {
        let runs = self.clone();
        let doing = ExecutionError::while_doing("keeping what the command may change");
        let _turn = runs.turn.lock().await;
        // Changes from now on are never taken for those of an unknown program.
        let writing = scope.direct_writer();
        let began = Instant::now();
        let folder = RunFolder::make(scope.files().state()).map_err(&doing)?;
        let (closures, walls, entries) = walls_and_entries(executor, scope).await?;
        let record = run_blocking(|| {
            let record = RunRecord {
                origin: scope.origin().clone(),
                why: call.why().as_str().to_owned(),
                command: shorten_to_line(&argv.join(" "), SHOWN_CHARS),
                began: SystemTime::now(),
                direct: walls.direct.clone(),
                files: FilesBefore::keep(scope, &runs.store, entries),
            };
            folder.write_record(&record).map(|()| record)
        });
        let record = record.map_err(doing).inspect_err(|_| folder.remove())?;
        let running = RunningInPlace { folder, record: Mutex::new(record), beside: Mutex::default() };
        let running = Arc::new(running);
        let mut all = runs.running.lock();
        for other in all.iter() {
            let command = running.record.lock().command.clone();
            other.beside.lock().insert(command);
            running.beside.lock().insert(other.record.lock().command.clone());
        }
        all.push(running.clone());
        drop(all);
        let call = call.id().clone();
        Ok(InPlaceRun {
            runs: runs.clone(),
            running,
            closures,
            walls,
            call,
            began,
            _writing: writing,
            is_over: false,
        })
    }

    /// Forgets a command whose changes are taken in.
    pub(crate) fn forget_run(&self, call: &CallId) {
        if let Some(running) = self.settling.lock().remove(call) {
            running.folder.remove();
        }
    }
}

impl InPlaceRun {
    /// Forgets a command that did not begin.
    pub(super) fn forget(mut self) {
        self.is_over = true;
        self.running.folder.remove();
    }

    /// Finds what a command changed that ran at its caller's, and adds what its report is to say.
    pub(crate) async fn end_attached(
        self,
        executor: &CommandExecutor,
        scope: &CallScope,
        mut report: AttachedReport,
    ) -> (CallDraft, AttachedReport) {
        let failed = report.exit_code != Some(0);
        let level = executor.launcher.probe().level;
        let outcome = self.end(executor, scope, failed.then_some(level)).await;
        report.left_out.extend(outcome.left_out);
        report.written.extend(outcome.written);
        (outcome.draft, report)
    }

    /// Finds what the command changed, once none of its processes is left; `failed` in this level, it is said what the walls
    /// kept it from.
    pub(super) async fn end(
        mut self,
        executor: &CommandExecutor,
        scope: &CallScope,
        failed: Option<SandboxLevel>,
    ) -> InPlaceOutcome {
        let runs = self.runs.clone();
        let _turn = runs.turn.lock().await;
        let now = run_blocking(|| self.walls.look_again());
        let record = self.running.record.lock().clone();
        let root = Path::new(scope.files().paths().root().real_path());
        let paths = record.files.changed_paths(root, &now);
        let (now, new_folders) = self.without_ignored(executor, scope, &paths, now).await;
        let mut paths = paths;
        paths.retain(|path| now.found.contains_key(path) || record.files.get(path).is_some());
        let mut left_out = self.take_out_others(scope, &mut paths);
        let finder = ChangeFinder::read_blobs(executor, scope, (&record.files, &now), &paths).await;
        let FoundChanges { changes, lost, paths } = run_blocking(|| finder.find(&paths));
        left_out.extend(lost);
        left_out.extend(self.describe(&record, &now, failed));
        run_blocking(|| self.settle_others(scope, &paths, &now));
        self.is_over = true;
        let folders = [self.walls.direct.clone(), new_folders].concat();
        let written = run_blocking(|| written_since(scope, &folders, record.began));
        match changes.is_empty() {
            true => self.running.folder.remove(),
            // The record stays until the changes are taken in.
            false => drop(runs.settling.lock().insert(self.call.clone(), self.running.clone())),
        }
        InPlaceOutcome {
            draft: CallDraft { changes, stands: true, ..CallDraft::default() },
            left_out,
            written,
        }
    }

    /// The entries without those in folders that git ignores since the command made them, and these folders. Where it wrote
    /// an ignore file, nothing counts as ignored that did not before.
    async fn without_ignored(
        &self,
        executor: &CommandExecutor,
        scope: &CallScope,
        changed: &BTreeSet<WorkspacePath>,
        mut now: WorkspaceEntries,
    ) -> (WorkspaceEntries, Vec<PathBuf>) {
        let root = Path::new(scope.files().paths().root().real_path());
        let before = self.running.record.lock().files.clone();
        let is_new_folder = |path: &WorkspacePath| before.get(path).is_none() && changed.contains(path);
        let is_other =
            |path: &WorkspacePath| before.get(path).map(|entry| &entry.state) != now.found.get(path);
        if changed.iter().any(|path| path.name() == IGNORE_FILE && is_other(path)) {
            return (now, Vec::new());
        }
        let Ok(closures) = run_blocking(|| executor.closures.find_lasting(scope)) else {
            return (now, Vec::new());
        };
        let new: Vec<PathBuf> = closures
            .ignored
            .into_iter()
            .filter(|folder| {
                let below = folder.strip_prefix(root).ok().and_then(|below| below.to_str());
                below.and_then(WorkspacePath::from_relative).is_some_and(|path| is_new_folder(&path))
            })
            .collect();
        if new.is_empty() || scope.settings().sandbox.ignored != IgnoredEffects::Write {
            return (now, Vec::new());
        }
        let direct = direct::background_folders(executor, scope, new).await.direct;
        let paths: Vec<WorkspacePath> = direct
            .iter()
            .filter_map(|folder| WorkspacePath::from_relative(folder.strip_prefix(root).ok()?.to_str()?))
            .collect();
        now.found.retain(|path, _| !paths.iter().any(|folder| path == folder || path.is_in(folder)));
        (now, direct)
    }

    /// Takes out the paths that the person or another call wrote meanwhile, with a sentence for each.
    fn take_out_others(&self, scope: &CallScope, paths: &mut BTreeSet<WorkspacePath>) -> Vec<String> {
        let is_others = |path: &WorkspacePath| scope.was_written_meanwhile(path, self.began);
        let others: Vec<WorkspacePath> = paths.iter().filter(|path| is_others(path)).cloned().collect();
        paths.retain(|path| !others.contains(path));
        let sentence = |path: &WorkspacePath| {
            format!(
                "{path}: the person or another call wrote it while the command ran; what the command changed of it cannot be \
                 told apart, and is not in the review"
            )
        };
        others.iter().map(sentence).collect()
    }

    /// Lets the other commands that run take what this one changed for what was there before.
    fn settle_others(&self, scope: &CallScope, paths: &BTreeSet<WorkspacePath>, now: &WorkspaceEntries) {
        let others: Vec<Arc<RunningInPlace>> = {
            let mut all = self.runs.running.lock();
            all.retain(|one| !Arc::ptr_eq(one, &self.running));
            all.clone()
        };
        for other in &others {
            let mut record = other.record.lock();
            record.files.renew(scope, &self.runs.store, paths, now);
            if let Err(error) = other.folder.write_record(&record) {
                tracing::warn!("what a command may change is not recorded anew: {error}");
            }
        }
        // What broke off before waits for a server.
        let mut left = RunFolder::left_over(scope.files().state());
        for (folder, record) in &mut left {
            record.files.renew(scope, &self.runs.store, paths, now);
            if let Err(error) = folder.write_record(record) {
                tracing::warn!("what a command may change is not recorded anew: {error}");
            }
        }
        if others.is_empty() && left.is_empty() {
            let settling = self.runs.settling.lock();
            let all = settling.values().chain([&self.running]);
            let needed = all.flat_map(|one| one.record.lock().files.copies()).collect();
            self.runs.store.drop_others(scope.files().state(), &needed);
        }
    }

    /// Describes what an answer says in addition to the changes.
    fn describe(
        &self,
        record: &RunRecord,
        now: &WorkspaceEntries,
        failed: Option<SandboxLevel>,
    ) -> Vec<String> {
        let mut sentences = Vec::new();
        let beside = self.running.beside.lock();
        if !beside.is_empty() {
            let named: Vec<String> = beside.iter().map(|command| format!("`{command}`")).collect();
            sentences.push(format!(
                "{} wrote in place at the same time: a change that was made meanwhile may be of either",
                named.join(", ")
            ));
        }
        if now.unnamed > 0 {
            sentences.push(format!(
                "{} entries have names that are no text; what the command changed of them is not found",
                now.unnamed
            ));
        }
        if record.files.is_cut || now.is_cut {
            sentences.push(
                "the workspace has more entries than are looked at; not every change of the command is found"
                    .to_owned(),
            );
        }
        let root = |folder: &PathBuf| folder.file_name().map(|name| name.to_string_lossy().into_owned());
        let gone = record.direct.iter().filter(|folder| !folder.exists()).filter_map(root);
        sentences.extend(
            gone.map(|name| format!("{name}: git ignores it, so nothing of it was kept, and it is gone now")),
        );
        sentences.extend(failed.into_iter().flat_map(|level| self.walls.describe(level)));
        sentences
    }
}

impl Drop for InPlaceRun {
    /// A command that broke off leaves its record to whoever takes its changes in.
    fn drop(&mut self) {
        self.runs.running.lock().retain(|one| !Arc::ptr_eq(one, &self.running));
        if !self.is_over {
            self.running.folder.leave();
            self.runs.broken.tell();
        }
    }
}

/// Counts what was written since `began` in folders that git ignores.
fn written_since(scope: &CallScope, folders: &[PathBuf], began: SystemTime) -> Vec<DirectWrites> {
    let root = Path::new(scope.files().paths().root().real_path());
    let since = began.checked_sub(LATE).unwrap_or(began);
    let since = since.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let since = (i64::try_from(since.as_secs()).unwrap_or(i64::MAX), i64::from(since.subsec_nanos()));
    let counted = folders.iter().filter_map(|folder| {
        let path = folder.strip_prefix(root).ok()?.to_str()?;
        let mut writes = DirectWrites { path: path.to_owned(), ..DirectWrites::default() };
        let entries = WorkspaceEntries::look(folder, &[], &PathGuard::default());
        for (below, state) in &entries.found {
            if state.changed >= since && state.kind != EntryKind::Folder {
                WorkspacePath::from_relative(path)
                    .and_then(|path| path.join(below.as_str()))
                    .iter()
                    .for_each(|path| count_file(&mut writes, path));
            }
        }
        writes.run_by.sort_unstable();
        (writes.files > 0).then_some(writes)
    });
    counted.collect()
}
