//! Bounds the kept state of a workspace: by age and size it removes changes that can be undone, bytes that nothing
//! needs any more, files that were set aside, and session logs that no process writes.
//!
//! The data of a waiting proposal stays, and so do changes of the last day, and every log that a process has open.
//!
//! # Invariants
//!
//! - Nothing is swept that a waiting proposal or an undo of the last day needs.
//!   Test: `what_is_old_goes_and_what_is_recent_or_needed_stays`

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::io::ErrorKind;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::checkpoints::{Checkpoint, Checkpoints};
use super::error::{CheckpointError, WorkspaceError};
use super::private_dir::{PrivateDir, PrivateDirEntry};
use super::state::{ASIDE, OBJECTS, TEMPORARY, WorkspaceState};
use super::state_folder::{NAMED, ROOTS, folder_name};
use super::store::{SESSIONS, WorkspaceStore};
use crate::base::{CallId, WorkspacePath};
use crate::protocol::{Code, StorageSettings};

/// The interval at which it is looked at what can go, and how young is never swept.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// The time that bytes stay which no change needs: the process that just kept them is about to record why.
const GRACE: Duration = Duration::from_secs(60 * 60);
/// The file with the report of the last sweep, whose time is that of the last look.
const REPORT: &str = "swept";
/// Bytes of that file.
const LONGEST: usize = 64 << 10;

/// The report of a sweep.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SweepReport {
    /// Changes that cannot be undone any more.
    pub changes: usize,
    /// Contents that nothing needed.
    pub contents: usize,
    /// Session logs, by name.
    pub logs: Vec<String>,
    /// Workspaces that are gone, by path: what was kept of them.
    pub gone: Vec<String>,
    /// The bytes of all.
    pub bytes: u64,
}

/// The options of a sweep, and the state that has to stay.
pub(crate) struct StateSweep<'a> {
    /// The folder of the session logs, next to the state.
    pub store: &'a WorkspaceStore,
    /// The limits of the kept state.
    pub settings: &'a StorageSettings,
    /// Calls whose proposals wait: their session and id.
    pub needed: &'a BTreeSet<(String, CallId)>,
    /// The contents that those proposals are to put in place.
    pub contents: &'a BTreeSet<String>,
    /// Called before contents are removed, for a part that reads them.
    pub keep: &'a dyn Fn(),
    /// The time of day.
    pub now: SystemTime,
}

impl StateSweep<'_> {
    /// Sweeps, once a day at most; returns the report, or nothing where it was done lately.
    ///
    /// # Errors
    /// The error that keeps the folder from being read.
    pub(crate) fn run_sweep(&self, go_on: &dyn Fn() -> bool) -> Result<Option<SweepReport>, CheckpointError> {
        let state = self.state();
        let Some(shelf) = state.folder().open_dir(false)? else { return Ok(None) };
        let before = shelf.entry_at(REPORT).and_then(|report| self.now.duration_since(report.changed).ok());
        if before.is_some_and(|since| since < DAY) {
            return Ok(None);
        }
        let report = state.read_file(REPORT)?.unwrap_or_default();
        // Said before it is begun, so that no other process begins too.
        state.write_file(REPORT, &report)?;
        (self.keep)();
        let mut swept = SweepReport::default();
        let used = self.sweep_changes(&shelf, go_on, &mut swept)?;
        if let Some(used) = used {
            self.sweep_contents(&shelf, &used, go_on, &mut swept)?;
        }
        self.sweep_aside(&shelf, &mut swept)?;
        self.sweep_logs(go_on, &mut swept)?;
        self.sweep_gone(&shelf, &mut swept)?;
        if swept != SweepReport::default() {
            state.write_file(REPORT, self.report_text(&report, &swept).as_bytes())?;
        }
        Ok(Some(swept))
    }

    fn state(&self) -> &WorkspaceState {
        self.store.state()
    }

    fn age_of(&self, time: SystemTime) -> Duration {
        self.now.duration_since(time).unwrap_or_default()
    }

    /// Removes what is too old or too much; the contents that the rest needs. Nothing where it was stopped.
    fn sweep_changes(
        &self,
        shelf: &PrivateDir,
        go_on: &dyn Fn() -> bool,
        swept: &mut SweepReport,
    ) -> Result<Option<BTreeSet<String>>, CheckpointError> {
        let kept = Checkpoints::new(self.state());
        let mut all: Vec<(Checkpoint, u64)> = Vec::new();
        for session in shelf.list_dir(Checkpoints::FOLDER)? {
            for name in shelf.list_dir(&format!("{}/{session}", Checkpoints::FOLDER))? {
                if !go_on() {
                    return Ok(None);
                }
                let file = format!("{}/{session}/{name}", Checkpoints::FOLDER);
                let call = name.strip_suffix(".json");
                match call.map(|call| kept.find_checkpoint(&format!("{session}/{call}"))) {
                    Some(Ok(checkpoint)) => {
                        let bytes = shelf.entry_at(&file).map_or(0, |entry| entry.bytes);
                        all.push((checkpoint, bytes));
                    }
                    // The needs of this checkpoint are not known: nothing is swept that it may need.
                    Some(Err(error)) if error.code() != Code::NotFound => return Err(error),
                    _ => {}
                }
            }
        }
        all.sort_by_key(|(checkpoint, _)| std::cmp::Reverse(checkpoint.time));
        let (mut used, mut total) = (self.contents.clone(), 0_u64);
        for (checkpoint, bytes) in all {
            let steps = checkpoint.steps.iter();
            let blobs: BTreeSet<String> =
                steps.flat_map(|step| [&step.before, &step.after]).flatten().cloned().collect();
            let new = blobs.difference(&used).filter_map(|blob| shelf.entry_at(&format!("{OBJECTS}/{blob}")));
            let size = bytes + new.map(|entry| entry.bytes).sum::<u64>();
            let age =
                self.age_of(UNIX_EPOCH + Duration::from_nanos(u64::try_from(checkpoint.time).unwrap_or(0)));
            let call = (checkpoint.session.clone(), checkpoint.call.clone());
            let too_old = age > self.settings.undo_age();
            let too_much = total.saturating_add(size) > self.settings.undo_bytes();
            if age > DAY && (too_old || too_much) && !self.needed.contains(&call) {
                shelf.remove_file(&format!("{}/{}/{}.json", Checkpoints::FOLDER, call.0, call.1))?;
                swept.changes += 1;
                swept.bytes += bytes;
            } else {
                total = total.saturating_add(size);
                used.extend(blobs);
            }
        }
        for session in shelf.list_dir(Checkpoints::FOLDER)? {
            let folder = format!("{}/{session}", Checkpoints::FOLDER);
            // Into a young one another process is about to put something. One that is not empty stays.
            if shelf.entry_at(&folder).is_some_and(|entry| self.age_of(entry.changed) > DAY) {
                let _ = shelf.remove_folder(&folder);
            }
        }
        Ok(Some(used))
    }

    /// Removes contents that no change needs and that were not kept just now.
    fn sweep_contents(
        &self,
        shelf: &PrivateDir,
        used: &BTreeSet<String>,
        go_on: &dyn Fn() -> bool,
        swept: &mut SweepReport,
    ) -> Result<(), WorkspaceError> {
        // A moved file is never taken for one of a writer that died.
        let _writing = self.state().lock_temporary()?;
        for name in shelf.list_dir(OBJECTS)?.into_iter().filter(|name| !used.contains(name)) {
            if !go_on() {
                return Ok(());
            }
            let path = format!("{OBJECTS}/{name}");
            let is_old = |entry: &PrivateDirEntry| self.age_of(entry.changed) > GRACE;
            if !shelf.entry_at(&path).as_ref().is_some_and(is_old) {
                continue;
            }
            // The content is moved away first: a writer of the same content writes it again, and one that did so just
            // before has refreshed its time.
            let away = format!("{TEMPORARY}/{name}");
            shelf.rename_entry(&path, &away)?;
            match shelf.entry_at(&away) {
                Some(entry) if is_old(&entry) => {
                    shelf.remove_file(&away)?;
                    swept.contents += 1;
                    swept.bytes += entry.bytes;
                }
                _ => shelf.rename_entry(&away, &path)?,
            }
        }
        Ok(())
    }

    /// Removes what was set aside long ago.
    fn sweep_aside(&self, shelf: &PrivateDir, swept: &mut SweepReport) -> Result<(), WorkspaceError> {
        for name in shelf.list_dir(ASIDE)? {
            let path = format!("{ASIDE}/{name}");
            let old =
                |entry: &PrivateDirEntry| self.age_of(entry.changed) > self.settings.undo_age().max(DAY);
            if let Some(entry) = shelf.entry_at(&path).filter(old)
                && shelf.remove_file(&path).is_ok_and(|removed| removed)
            {
                swept.bytes += entry.bytes;
            }
        }
        Ok(())
    }

    /// Removes session logs that are too old or too many, from the oldest on.
    fn sweep_logs(&self, go_on: &dyn Fn() -> bool, swept: &mut SweepReport) -> Result<(), WorkspaceError> {
        let shelf = self.store.private_dir();
        let mut logs: BTreeMap<(std::cmp::Reverse<SystemTime>, String), u64> = BTreeMap::new();
        for session in shelf.list_dir(SESSIONS)? {
            if let Some((changed, bytes)) = log_size(shelf, &session) {
                logs.insert((std::cmp::Reverse(changed), session), bytes);
            }
        }
        let mut total = 0_u64;
        for ((changed, session), bytes) in logs {
            total = total.saturating_add(bytes);
            let age = self.age_of(changed.0);
            let goes = age > self.settings.log_age() || total > self.settings.log_bytes();
            if goes && age > DAY && go_on() && shelf.remove_unlocked(&format!("{SESSIONS}/{session}"))? {
                swept.bytes += bytes;
                total = total.saturating_sub(bytes);
                swept.logs.push(session);
            }
        }
        Ok(())
    }

    /// Removes the state of workspaces that are gone for as long as a change can be undone.
    fn sweep_gone(&self, shelf: &PrivateDir, swept: &mut SweepReport) -> Result<(), WorkspaceError> {
        let base = PrivateDir::new(shelf.root().clone(), WorkspacePath::root());
        for name in base.list_dir(ROOTS)? {
            let folder = format!("{ROOTS}/{name}");
            let Ok(Some(root)) = base.read_file(&format!("{folder}/{NAMED}"), LONGEST as u64) else {
                continue;
            };
            let root = String::from_utf8_lossy(&root).trim_end_matches('\n').to_owned();
            let error = std::fs::symlink_metadata(&root).err().map(|error| error.kind());
            let entries = base
                .list_dir(&folder)?
                .into_iter()
                .filter_map(|name| base.entry_at(&format!("{folder}/{name}")));
            let used = entries.map(|entry| entry.changed).max().unwrap_or(self.now);
            // The folder's name is made from the path: so a path that was damaged does not count.
            let is_gone = error == Some(ErrorKind::NotFound) && folder_name(&root) == name;
            if is_gone && self.age_of(used) > self.settings.undo_age().max(DAY) {
                let bytes = base.total_size(&folder);
                base.remove_tree(&folder)?;
                swept.bytes += bytes;
                swept.gone.push(root);
            }
        }
        Ok(())
    }

    fn report_text(&self, before: &[u8], swept: &SweepReport) -> String {
        let mut report = String::from_utf8_lossy(before).into_owned();
        let now = jiff::Timestamp::try_from(self.now).unwrap_or_default();
        let SweepReport { changes, contents, logs, gone, bytes } = swept;
        // Writing to a string never fails.
        let _ = writeln!(
            report,
            "{now:.0}: {changes} changes that could be undone, {contents} contents, {} session logs ({}), {} workspaces that are gone ({}), {bytes} bytes",
            logs.len(),
            logs.join(", "),
            gone.len(),
            gone.join(", "),
        );
        let cut = report.len().saturating_sub(LONGEST);
        let from = report.char_indices().map(|(at, _)| at).find(|at| *at >= cut).unwrap_or(0);
        report.split_off(from)
    }
}

/// Returns the time when a session log was last written, and its bytes; nothing for a folder that holds anything else.
fn log_size(shelf: &PrivateDir, session: &str) -> Option<(SystemTime, u64)> {
    let folder = format!("{SESSIONS}/{session}");
    let (mut changed, mut bytes) = (UNIX_EPOCH, 0);
    let mut is_log = false;
    for name in shelf.list_dir(&folder).ok()? {
        let entry = shelf.entry_at(&format!("{folder}/{name}"))?;
        if name == "results" && entry.is_folder {
            for value in shelf.list_dir(&format!("{folder}/results")).ok()? {
                bytes += shelf
                    .entry_at(&format!("{folder}/results/{value}"))
                    .filter(|value| !value.is_folder)?
                    .bytes;
            }
            continue;
        }
        let part = name.starts_with("session-log");
        is_log |= part;
        if !part || entry.is_folder {
            return None;
        }
        changed = changed.max(entry.changed);
        bytes += entry.bytes;
    }
    is_log.then_some((changed, bytes))
}
