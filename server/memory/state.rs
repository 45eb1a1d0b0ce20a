//! The memory of a workspace: the touches, the waiting hunks, the files on the disk; and the working set made of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::watch;

use super::heat::{FileHeat, HeatTouch, TouchCause};
use super::hotness::{self, FileStanding};
use super::notes::{NoteFiles, WorkingSetNotes};
use super::roles;
use crate::base::OWN_DIR;
use crate::base::clock::Clock;
use crate::protocol::{HunkState, Proposal, WorkingFile};
use crate::workspace::WorkspaceStore;

/// Files of a working set.
const MOST: usize = 500;
/// The hotness below which a file is forgotten that nothing but touches holds.
const COOL: f64 = 0.02;

/// The state of a file in the session now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenState {
    /// True where the editor has it open.
    pub open: bool,
    /// True where that text is not saved.
    pub unsaved: bool,
}

/// The memory of a workspace. Taking a touch in is cheap; the rest is worked out when somebody asks.
#[derive(Debug)]
pub struct WorkspaceMemory {
    clock: Arc<dyn Clock>,
    heat: Mutex<FileHeat>,
    /// Hunks that wait, by proposal: files with how many.
    pending: Mutex<PendingHunks>,
    notes: NoteFiles,
    changes: watch::Sender<u64>,
}

/// The hunks that wait.
#[derive(Debug, Default)]
struct PendingHunks {
    /// By file, then by proposal.
    files: BTreeMap<String, BTreeMap<String, u32>>,
    /// The files of each proposal.
    proposals: BTreeMap<String, Vec<String>>,
}

impl PendingHunks {
    /// So many hunks of a proposal wait now in these files.
    fn set_pending(&mut self, proposal: &str, waiting: Vec<(String, u32)>) {
        for path in self.proposals.remove(proposal).unwrap_or_default() {
            if let Some(of_file) = self.files.get_mut(&path) {
                of_file.remove(proposal);
                if of_file.is_empty() {
                    self.files.remove(&path);
                }
            }
        }
        for (path, hunks) in &waiting {
            *self.files.entry(path.clone()).or_default().entry(proposal.to_owned()).or_default() += hunks;
        }
        if !waiting.is_empty() {
            let paths = waiting.into_iter().map(|(path, _)| path).collect();
            self.proposals.insert(proposal.to_owned(), paths);
        }
    }
}

impl WorkspaceMemory {
    /// Makes the memory of the workspace that `store` belongs to.
    pub fn new(store: Arc<WorkspaceStore>, clock: Arc<dyn Clock>, half_life_min: u32) -> Self {
        Self {
            clock,
            heat: Mutex::new(FileHeat::new(half_life_min)),
            pending: Mutex::default(),
            notes: NoteFiles::new(store),
            changes: watch::Sender::new(0),
        }
    }

    fn lock_heat(&self) -> MutexGuard<'_, FileHeat> {
        self.heat.lock()
    }

    fn now_ms(&self) -> i64 {
        self.clock.now().as_millisecond()
    }

    /// Lets touches count half after so many minutes of activity.
    pub fn set_half_life(&self, minutes: u32) {
        self.lock_heat().set_half_life(minutes);
    }

    /// A file was touched by somebody.
    pub fn touch_file(&self, path: &str, touch: HeatTouch, cause: TouchCause<'_>) {
        // A look at our own folder is no work on the project.
        if path.split('/').next() == Some(OWN_DIR) {
            return;
        }
        self.touch_at(path, touch, cause, self.now_ms());
    }

    /// A file was touched at that time, in milliseconds since 1970.
    pub fn touch_at(&self, path: &str, touch: HeatTouch, cause: TouchCause<'_>, at_ms: i64) {
        self.lock_heat().add_touch(path, touch, cause, at_ms);
        self.notify_changed();
    }

    /// Moves the touches of a file to its new path.
    pub fn follow_rename(&self, from: &str, to: &str) {
        let moved = self.lock_heat().follow_rename(from, to);
        if moved {
            self.notify_changed();
        }
    }

    /// Updates the waiting hunks of a proposal.
    pub fn update_proposal(&self, proposal: &Proposal) {
        let waiting: Vec<(String, u32)> = proposal
            .files
            .iter()
            .map(|file| {
                let waits = file.hunks.iter().filter(|hunk| hunk.state == HunkState::Pending).count();
                (file.path.to_string(), u32::try_from(waits).unwrap_or(u32::MAX))
            })
            .filter(|(_, hunks)| *hunks > 0)
            .collect();
        self.pending.lock().set_pending(&proposal.id, waiting);
        self.notify_changed();
    }

    /// Counts a change, which wakes the subscribers that wait for one.
    pub fn notify_changed(&self) {
        self.changes.send_modify(|count| *count = count.wrapping_add(1));
    }

    /// Marks every change from now on.
    pub fn watch_changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// The files on the disk.
    pub fn note_files(&self) -> &NoteFiles {
        &self.notes
    }

    /// Returns the standing of a file now.
    pub fn file_standing(&self, path: &str, seen: OpenState, notes: &WorkingSetNotes) -> FileStanding {
        let pending = self.pending.lock();
        let waiting = pending.files.get(path).into_iter().flatten();
        let waiting = waiting.map(|(proposal, hunks)| (proposal.clone(), *hunks));
        let rule = notes.manifest.rule_for(path);
        FileStanding {
            open: seen.open,
            unsaved: seen.unsaved,
            pending: waiting.collect(),
            pinned: rule.is_some_and(|rule| rule.pinned),
            pin_why: rule.map_or_else(String::new, |rule| rule.why.clone()),
            hint: notes.hint_for(path),
        }
    }

    /// Returns the sum of the touches on a file, and the number of reads and writes as a phrase.
    pub fn touch_summary(&self, path: &str) -> (f64, String) {
        let (heat, now) = (self.lock_heat(), self.now_ms());
        let reasons = hotness::hotness_reasons(&FileStanding::default(), heat.touch_traces(path), now);
        (heat.touch_sum(path, now), reasons.join("; "))
    }

    /// Forgets the touches of files.
    pub fn forget_files<'a>(&self, paths: impl IntoIterator<Item = &'a str>) {
        let mut heat = self.lock_heat();
        paths.into_iter().for_each(|path| heat.forget_file(path));
        drop(heat);
        self.notify_changed();
    }

    /// Returns the files that matter now, the hottest first. `seen` holds those that the editor has open, `tokens`
    /// returns about how many tokens a file holds, and nothing where there is no such file.
    pub fn working_set(
        &self,
        seen: &BTreeMap<String, OpenState>,
        tokens: impl Fn(&str) -> Option<u64>,
    ) -> Vec<WorkingFile> {
        let notes = self.notes.current_notes();
        let mut files: Vec<WorkingFile> = Vec::new();
        for path in self.relevant_paths(seen, &notes) {
            let standing = self.file_standing(&path, seen.get(&path).copied().unwrap_or_default(), &notes);
            let tokens = tokens(&path);
            let noted =
                standing.is_kept() || standing.hint.is_some() || notes.manifest.rule_for(&path).is_some();
            // Its touches stay: it may have been renamed just now, or come back with the next checkout.
            if tokens.is_none() && !noted {
                continue;
            }
            let (heat, now) = (self.lock_heat(), self.now_ms());
            let touched = heat.touch_sum(&path, now);
            let hotness = hotness::hotness_score(&standing, touched);
            if hotness < COOL && !noted {
                continue;
            }
            let mut reasons = hotness::hotness_reasons(&standing, heat.touch_traces(&path), now);
            drop(heat);
            if tokens.is_none() && !standing.open && standing.pending.is_empty() {
                reasons.push("there is no such file, or it is closed by a rule".to_owned());
            }
            let rule = notes.manifest.rule_for(&path);
            let role = rule.and_then(|rule| rule.role).unwrap_or_else(|| roles::role_of(&path));
            if reasons.is_empty() && rule.is_some() {
                reasons.push("named in working-set.yml".to_owned());
            }
            files.push(WorkingFile {
                hotness,
                reasons,
                pinned: standing.pinned,
                advice: standing.hint.as_ref().map(|hint| hint.advice),
                role,
                priority: rule.and_then(|rule| rule.priority),
                truncate_strategy: rule
                    .and_then(|rule| rule.truncate)
                    .unwrap_or_else(|| roles::default_truncate(role, &path)),
                open: standing.open,
                unsaved: standing.unsaved,
                pending_hunks: standing.pending_hunks(),
                tokens,
                path,
            });
        }
        files.sort_by(|a, b| b.hotness.total_cmp(&a.hotness).then_with(|| a.path.cmp(&b.path)));
        files.truncate(MOST);
        files
    }

    /// Every file that may matter.
    fn relevant_paths(
        &self,
        seen: &BTreeMap<String, OpenState>,
        notes: &WorkingSetNotes,
    ) -> BTreeSet<String> {
        let mut paths: BTreeSet<String> = self.lock_heat().touched_paths().map(str::to_owned).collect();
        paths.extend(seen.keys().cloned());
        let pending = self.pending.lock();
        paths.extend(pending.files.keys().cloned());
        let hints = notes.hot.entries.iter().chain(&notes.cold.entries);
        paths.extend(hints.map(|entry| entry.path.clone()));
        paths.extend(notes.manifest.files.iter().map(|rule| rule.path.clone()));
        paths
    }
}
