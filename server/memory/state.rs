//! The memory of a workspace: what was touched, what waits, what stands on the disk; and the working set made of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::watch;

use super::heat::{Cause, Heat, HeatTouch};
use super::hotness::{self, FileStanding};
use super::notes::{NoteFiles, Notes};
use super::roles;
use crate::base::OURS;
use crate::base::clock::Clock;
use crate::protocol::{HunkState, Proposal, WorkingFile};
use crate::workspace::Store;

/// Files of a working set.
const MOST: usize = 500;
/// The hotness below which a file is forgotten that nothing but touches holds.
const COOL: f64 = 0.02;

/// What the session knows of a file just now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Whether the editor has it open.
    pub open: bool,
    /// Whether that text is not saved.
    pub unsaved: bool,
}

/// The memory of a workspace. Taking a touch in is cheap; the rest is worked out when somebody asks.
#[derive(Debug)]
pub struct Memory {
    clock: Arc<dyn Clock>,
    heat: Mutex<Heat>,
    /// Hunks that wait, by proposal: files with how many.
    pending: Mutex<Pending>,
    notes: NoteFiles,
    changes: watch::Sender<u64>,
}

/// The hunks that wait.
#[derive(Debug, Default)]
struct Pending {
    /// By file, then by proposal.
    files: BTreeMap<String, BTreeMap<String, u32>>,
    /// The files of each proposal.
    proposals: BTreeMap<String, Vec<String>>,
}

impl Pending {
    /// So many hunks of a proposal wait now in these files.
    fn set(&mut self, proposal: &str, waiting: Vec<(String, u32)>) {
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

impl Memory {
    /// The memory of the workspace of a store.
    pub fn new(store: Arc<Store>, clock: Arc<dyn Clock>, half_life_min: u32) -> Self {
        Self {
            clock,
            heat: Mutex::new(Heat::new(half_life_min)),
            pending: Mutex::default(),
            notes: NoteFiles::new(store),
            changes: watch::Sender::new(0),
        }
    }

    fn heat(&self) -> MutexGuard<'_, Heat> {
        self.heat.lock()
    }

    fn now_ms(&self) -> i64 {
        self.clock.now().as_millisecond()
    }

    /// Lets touches count half after so many minutes of activity.
    pub fn set_half_life(&self, minutes: u32) {
        self.heat().set_half_life(minutes);
    }

    /// A file was touched by somebody.
    pub fn touch(&self, path: &str, touch: HeatTouch, cause: Cause<'_>) {
        // What is looked at in our own folder is no work on the project.
        if path.split('/').next() == Some(OURS) {
            return;
        }
        self.touch_at(path, touch, cause, self.now_ms());
    }

    /// A file was touched at that time, in milliseconds since 1970.
    pub fn touch_at(&self, path: &str, touch: HeatTouch, cause: Cause<'_>, at_ms: i64) {
        self.heat().touch(path, touch, cause, at_ms);
        self.changed();
    }

    /// A file stands at another path now.
    pub fn renamed(&self, from: &str, to: &str) {
        let moved = self.heat().follow(from, to);
        if moved {
            self.changed();
        }
    }

    /// A proposal stands as it does now.
    pub fn stands(&self, proposal: &Proposal) {
        let waiting: Vec<(String, u32)> = proposal
            .files
            .iter()
            .map(|file| {
                let waits = file.hunks.iter().filter(|hunk| hunk.state == HunkState::Pending).count();
                (file.path.to_string(), u32::try_from(waits).unwrap_or(u32::MAX))
            })
            .filter(|(_, hunks)| *hunks > 0)
            .collect();
        self.pending.lock().set(&proposal.id, waiting);
        self.changed();
    }

    /// Something is other than it was.
    pub fn changed(&self) {
        self.changes.send_modify(|count| *count = count.wrapping_add(1));
    }

    /// Marks every change from now on.
    pub fn watch(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// The files on the disk.
    pub fn files(&self) -> &NoteFiles {
        &self.notes
    }

    /// What is true of a file now.
    pub fn standing(&self, path: &str, seen: Seen, notes: &Notes) -> FileStanding {
        let pending = self.pending.lock();
        let waiting = pending.files.get(path).into_iter().flatten();
        let waiting = waiting.map(|(proposal, hunks)| (proposal.clone(), *hunks));
        let rule = notes.manifest.of(path);
        FileStanding {
            open: seen.open,
            unsaved: seen.unsaved,
            pending: waiting.collect(),
            pinned: rule.is_some_and(|rule| rule.pinned),
            pin_why: rule.map_or_else(String::new, |rule| rule.why.clone()),
            hint: notes.hint(path),
        }
    }

    /// What the touches on a file sum up to, and how many reads and writes they were, as a phrase.
    pub fn touched(&self, path: &str) -> (f64, String) {
        let (heat, now) = (self.heat(), self.now_ms());
        let reasons = hotness::reasons(&FileStanding::default(), heat.traces(path), now);
        (heat.sum(path, now), reasons.join("; "))
    }

    /// What was done to files counts no longer.
    pub fn forget<'a>(&self, paths: impl IntoIterator<Item = &'a str>) {
        let mut heat = self.heat();
        paths.into_iter().for_each(|path| heat.forget(path));
        drop(heat);
        self.changed();
    }

    /// The files that matter now, the hottest first. `seen` holds those that the editor has open, `tokens` tells about how
    /// many tokens a file holds, and nothing where there is no such file.
    pub fn working_set(
        &self,
        seen: &BTreeMap<String, Seen>,
        tokens: impl Fn(&str) -> Option<u64>,
    ) -> Vec<WorkingFile> {
        let notes = self.notes.now();
        let mut files: Vec<WorkingFile> = Vec::new();
        for path in self.paths(seen, &notes) {
            let standing = self.standing(&path, seen.get(&path).copied().unwrap_or_default(), &notes);
            let tokens = tokens(&path);
            let noted = standing.keeps() || standing.hint.is_some() || notes.manifest.of(&path).is_some();
            // Its touches stay: it may have been renamed just now, or come back with the next checkout.
            if tokens.is_none() && !noted {
                continue;
            }
            let (heat, now) = (self.heat(), self.now_ms());
            let touched = heat.sum(&path, now);
            let hotness = hotness::score(&standing, touched);
            if hotness < COOL && !noted {
                continue;
            }
            let mut reasons = hotness::reasons(&standing, heat.traces(&path), now);
            drop(heat);
            if tokens.is_none() && !standing.open && standing.pending.is_empty() {
                reasons.push("there is no such file, or it is closed by a rule".to_owned());
            }
            let rule = notes.manifest.of(&path);
            let role = rule.and_then(|rule| rule.role).unwrap_or_else(|| roles::of(&path));
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
                    .unwrap_or_else(|| roles::truncate(role, &path)),
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
    fn paths(&self, seen: &BTreeMap<String, Seen>, notes: &Notes) -> BTreeSet<String> {
        let mut paths: BTreeSet<String> = self.heat().paths().map(str::to_owned).collect();
        paths.extend(seen.keys().cloned());
        let pending = self.pending.lock();
        paths.extend(pending.files.keys().cloned());
        let hints = notes.hot.entries.iter().chain(&notes.cold.entries);
        paths.extend(hints.map(|entry| entry.path.clone()));
        paths.extend(notes.manifest.files.iter().map(|rule| rule.path.clone()));
        paths
    }
}
