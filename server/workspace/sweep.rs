//! What is kept of a workspace does not grow for ever: by age and size go changes that can be undone, the bytes that
//! nothing needs any more, what was set aside, and session logs that nobody writes.
//!
//! What a waiting proposal needs stays, what changed within a day, and every log that a process has open.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::io::ErrorKind;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::checkpoints::{Checkpoint, Checkpoints};
use super::error::{CheckpointError, WorkspaceError};
use super::shelf::{Shelf, ShelfEntry};
use super::state::{ASIDE, NAMED, OBJECTS, ROOTS, State, TEMPORARY, folder_name};
use super::store::{SESSIONS, Store};
use crate::base::{CallId, WorkspacePath};
use crate::protocol::{Code, StorageSettings};

/// How often it is looked at what can go, and how young is never swept.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// How long bytes stay that no change needs: whoever just kept them is about to say what for.
const GRACE: Duration = Duration::from_secs(60 * 60);
/// The file that says what went, and when it was looked at last.
const REPORT: &str = "swept";
/// Bytes of that file.
const LONGEST: usize = 64 << 10;

/// What went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Swept {
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

/// What is swept, and what has to stay.
pub(crate) struct Sweep<'a> {
    /// The folder of the session logs, with the state beside it.
    pub store: &'a Store,
    /// How much stays.
    pub settings: &'a StorageSettings,
    /// Calls whose proposals wait: their session and id.
    pub needed: &'a BTreeSet<(String, CallId)>,
    /// The contents that those proposals are to put in place.
    pub contents: &'a BTreeSet<String>,
    /// Called before contents go, for whoever knows something by them.
    pub keep: &'a dyn Fn(),
    /// The time of day.
    pub now: SystemTime,
}

impl Sweep<'_> {
    /// Sweeps, once a day at most; what went, or nothing where it was done lately.
    ///
    /// # Errors
    /// What keeps the folder from being read.
    pub(crate) fn run(&self, go_on: &dyn Fn() -> bool) -> Result<Option<Swept>, CheckpointError> {
        let state = self.state();
        let Some(shelf) = state.opened(false)? else { return Ok(None) };
        let before = shelf.entry(REPORT).and_then(|report| self.now.duration_since(report.changed).ok());
        if before.is_some_and(|since| since < DAY) {
            return Ok(None);
        }
        let report = state.read(REPORT)?.unwrap_or_default();
        // Said before it is begun, so that no other process begins too.
        state.write(REPORT, &report)?;
        (self.keep)();
        let mut swept = Swept::default();
        let used = self.changes(&shelf, go_on, &mut swept)?;
        if let Some(used) = used {
            self.contents(&shelf, &used, go_on, &mut swept)?;
        }
        self.aside(&shelf, &mut swept)?;
        self.logs(go_on, &mut swept)?;
        self.gone(&shelf, &mut swept)?;
        if swept != Swept::default() {
            state.write(REPORT, self.report(&report, &swept).as_bytes())?;
        }
        Ok(Some(swept))
    }

    fn state(&self) -> &State {
        self.store.state()
    }

    fn age(&self, time: SystemTime) -> Duration {
        self.now.duration_since(time).unwrap_or_default()
    }

    /// Removes what is too old or too much; the contents that the rest needs. Nothing where it was stopped.
    fn changes(
        &self,
        shelf: &Shelf,
        go_on: &dyn Fn() -> bool,
        swept: &mut Swept,
    ) -> Result<Option<BTreeSet<String>>, CheckpointError> {
        let kept = Checkpoints::new(self.state());
        let mut all: Vec<(Checkpoint, u64)> = Vec::new();
        for session in shelf.list(Checkpoints::FOLDER)? {
            for name in shelf.list(&format!("{}/{session}", Checkpoints::FOLDER))? {
                if !go_on() {
                    return Ok(None);
                }
                let file = format!("{}/{session}/{name}", Checkpoints::FOLDER);
                let call = name.strip_suffix(".json");
                match call.map(|call| kept.find(&format!("{session}/{call}"))) {
                    Some(Ok(checkpoint)) => {
                        let bytes = shelf.entry(&file).map_or(0, |entry| entry.bytes);
                        all.push((checkpoint, bytes));
                    }
                    // What it needs is not known: nothing is swept that it may need.
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
            let new = blobs.difference(&used).filter_map(|blob| shelf.entry(&format!("{OBJECTS}/{blob}")));
            let size = bytes + new.map(|entry| entry.bytes).sum::<u64>();
            let age =
                self.age(UNIX_EPOCH + Duration::from_nanos(u64::try_from(checkpoint.time).unwrap_or(0)));
            let call = (checkpoint.session.clone(), checkpoint.call.clone());
            let too_old = age > self.settings.undo_age();
            let too_much = total.saturating_add(size) > self.settings.undo_bytes();
            if age > DAY && (too_old || too_much) && !self.needed.contains(&call) {
                shelf.remove(&format!("{}/{}/{}.json", Checkpoints::FOLDER, call.0, call.1))?;
                swept.changes += 1;
                swept.bytes += bytes;
            } else {
                total = total.saturating_add(size);
                used.extend(blobs);
            }
        }
        for session in shelf.list(Checkpoints::FOLDER)? {
            let folder = format!("{}/{session}", Checkpoints::FOLDER);
            // Into a young one another process is about to put something. One that is not empty stays.
            if shelf.entry(&folder).is_some_and(|entry| self.age(entry.changed) > DAY) {
                let _ = shelf.remove_folder(&folder);
            }
        }
        Ok(Some(used))
    }

    /// Removes contents that no change needs and nobody has just kept.
    fn contents(
        &self,
        shelf: &Shelf,
        used: &BTreeSet<String>,
        go_on: &dyn Fn() -> bool,
        swept: &mut Swept,
    ) -> Result<(), WorkspaceError> {
        // What lies out of the way is not taken for a writer's that died.
        let _writing = self.state().writing()?;
        for name in shelf.list(OBJECTS)?.into_iter().filter(|name| !used.contains(name)) {
            if !go_on() {
                return Ok(());
            }
            let path = format!("{OBJECTS}/{name}");
            let is_old = |entry: &ShelfEntry| self.age(entry.changed) > GRACE;
            if !shelf.entry(&path).as_ref().is_some_and(is_old) {
                continue;
            }
            // Out of the way first: whoever keeps the same now keeps it anew, and who did so just before has made it
            // young.
            let away = format!("{TEMPORARY}/{name}");
            shelf.rename(&path, &away)?;
            match shelf.entry(&away) {
                Some(entry) if is_old(&entry) => {
                    shelf.remove(&away)?;
                    swept.contents += 1;
                    swept.bytes += entry.bytes;
                }
                _ => shelf.rename(&away, &path)?,
            }
        }
        Ok(())
    }

    /// Removes what was set aside long ago.
    fn aside(&self, shelf: &Shelf, swept: &mut Swept) -> Result<(), WorkspaceError> {
        for name in shelf.list(ASIDE)? {
            let path = format!("{ASIDE}/{name}");
            let old = |entry: &ShelfEntry| self.age(entry.changed) > self.settings.undo_age().max(DAY);
            if let Some(entry) = shelf.entry(&path).filter(old)
                && shelf.remove(&path).is_ok_and(|removed| removed)
            {
                swept.bytes += entry.bytes;
            }
        }
        Ok(())
    }

    /// Removes session logs that are too old or too many, from the oldest on.
    fn logs(&self, go_on: &dyn Fn() -> bool, swept: &mut Swept) -> Result<(), WorkspaceError> {
        let shelf = self.store.shelf();
        let mut logs: BTreeMap<(std::cmp::Reverse<SystemTime>, String), u64> = BTreeMap::new();
        for session in shelf.list(SESSIONS)? {
            if let Some((changed, bytes)) = log(shelf, &session) {
                logs.insert((std::cmp::Reverse(changed), session), bytes);
            }
        }
        let mut total = 0_u64;
        for ((changed, session), bytes) in logs {
            total = total.saturating_add(bytes);
            let age = self.age(changed.0);
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
    fn gone(&self, shelf: &Shelf, swept: &mut Swept) -> Result<(), WorkspaceError> {
        let base = Shelf::new(shelf.root().clone(), WorkspacePath::root());
        for name in base.list(ROOTS)? {
            let folder = format!("{ROOTS}/{name}");
            let Ok(Some(root)) = base.read(&format!("{folder}/{NAMED}"), LONGEST as u64) else { continue };
            let root = String::from_utf8_lossy(&root).trim_end_matches('\n').to_owned();
            let error = std::fs::symlink_metadata(&root).err().map(|error| error.kind());
            let entries =
                base.list(&folder)?.into_iter().filter_map(|name| base.entry(&format!("{folder}/{name}")));
            let used = entries.map(|entry| entry.changed).max().unwrap_or(self.now);
            // The folder's name is made from the path: so a path that was damaged does not count.
            let is_gone = error == Some(ErrorKind::NotFound) && folder_name(&root) == name;
            if is_gone && self.age(used) > self.settings.undo_age().max(DAY) {
                let bytes = base.size(&folder);
                base.remove_tree(&folder)?;
                swept.bytes += bytes;
                swept.gone.push(root);
            }
        }
        Ok(())
    }

    fn report(&self, before: &[u8], swept: &Swept) -> String {
        let mut report = String::from_utf8_lossy(before).into_owned();
        let now = jiff::Timestamp::try_from(self.now).unwrap_or_default();
        let Swept { changes, contents, logs, gone, bytes } = swept;
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

/// When a session log was last written, and its bytes; nothing for a folder that holds anything else.
fn log(shelf: &Shelf, session: &str) -> Option<(SystemTime, u64)> {
    let folder = format!("{SESSIONS}/{session}");
    let (mut changed, mut bytes) = (UNIX_EPOCH, 0);
    let mut is_log = false;
    for name in shelf.list(&folder).ok()? {
        let entry = shelf.entry(&format!("{folder}/{name}"))?;
        if name == "results" && entry.is_folder {
            for value in shelf.list(&format!("{folder}/results")).ok()? {
                bytes +=
                    shelf.entry(&format!("{folder}/results/{value}")).filter(|value| !value.is_folder)?.bytes;
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
