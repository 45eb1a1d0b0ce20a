//! Records that are not needed any more are dropped, so that the kept ones grow with the files and not with the
//! calls.

use std::collections::{HashMap, HashSet};

use wherefore_base::WorkspacePath;

use crate::calls::CallKey;
use crate::lines::{LineProvenance, WorkspaceTexts};
use crate::mark::{LineMark, LineOrigin};

/// Calls that are kept though no line is known to come from them: a decision is recorded before its step or after it, and a
/// person asks about what was done just now.
const CALLS: usize = 2_048;
/// Bytes of the texts of files that are kept; others are read again from where they are kept by their hashes.
const TEXTS: usize = 16 << 20;
/// The most missing files of which records are kept: one may be undone, or come back under another name.
const GONE: usize = 512;

/// When it is looked for what may be forgotten: not before twice as much is there as was kept the last time.
#[derive(Debug)]
pub(crate) struct ForgetBounds {
    calls: usize,
    origins: usize,
    files: usize,
    steps: usize,
}

impl Default for ForgetBounds {
    fn default() -> Self {
        Self { calls: 2 * CALLS, origins: 2 * CALLS, files: 2 * GONE, steps: 0 }
    }
}

impl LineProvenance {
    /// Forgets what is not needed any more, once there is much. While records are read that steps wait for, nothing is.
    pub(crate) fn forget_unneeded(&mut self, ground: &dyn WorkspaceTexts) {
        if self.waits_for() > CALLS / 2 {
            return;
        }
        if self.files.len() > self.bounds.files {
            self.forget_files(ground);
            self.bounds.files = 2 * self.files.len().max(GONE);
        }
        if self.origins.len() > self.bounds.origins || self.calls.len() > self.bounds.calls {
            self.forget_origins();
            let named: HashSet<CallKey> =
                self.origins.iter().map(|origin| (origin.session.clone(), origin.call.clone())).collect();
            self.calls.forget_old(CALLS, |key| named.contains(key));
            self.bounds.calls = 2 * self.calls.len().max(CALLS);
            self.bounds.origins = 2 * self.origins.len().max(CALLS);
        }
        self.bounds.steps += 1;
        // Sums are not taken at each step.
        if self.bounds.steps.is_multiple_of(64) {
            self.forget_texts();
        }
    }

    /// Forgets texts if they are too many: they are found by their hashes.
    fn forget_texts(&mut self) {
        let texts = || self.files.values().filter_map(|file| file.now.as_ref()?.text.as_ref());
        if texts().map(String::len).sum::<usize>() > TEXTS {
            for file in self.files.values_mut().filter(|file| file.hash.is_some()) {
                file.now.iter_mut().for_each(|now| now.text = None);
            }
        }
    }

    /// Reads the text of a file again if it was forgotten.
    pub(crate) fn recall_text(&mut self, path: &WorkspacePath, ground: &dyn WorkspaceTexts) {
        let Some(file) = self.files.get_mut(path).filter(|file| !file.is_torn) else { return };
        if let (Some(now), Some(hash)) = (&mut file.now, &file.hash)
            && now.text.is_none()
        {
            now.text = ground.text_of(hash);
        }
    }

    /// Forgets files that are gone, but for some.
    fn forget_files(&mut self, ground: &dyn WorkspaceTexts) {
        let gone: Vec<WorkspacePath> =
            self.files.keys().filter(|path| !ground.file_exists(path)).cloned().collect();
        for path in gone.iter().skip(GONE) {
            self.files.remove(path);
        }
    }

    /// Drops the origins that no mark names, and numbers the rest again.
    fn forget_origins(&mut self) {
        let mut numbers: HashMap<u32, u32> = HashMap::new();
        let mut origins: Vec<LineOrigin> = Vec::new();
        let known = std::mem::take(&mut self.origins);
        let mut renumber = |mark: &mut LineMark| {
            let Some(old) = mark.origin else { return };
            mark.origin = known.get(old as usize).map(|origin| {
                *numbers.entry(old).or_insert_with(|| {
                    origins.push(origin.clone());
                    u32::try_from(origins.len() - 1).unwrap_or(u32::MAX)
                })
            });
        };
        for file in self.files.values_mut() {
            file.now.iter_mut().flat_map(|now| &mut now.marks).for_each(&mut renumber);
            file.before.iter_mut().flat_map(|(_, marks)| marks).for_each(&mut renumber);
            file.history.marks().for_each(&mut renumber);
        }
        self.known = { origins.iter().enumerate() }
            .map(|(at, origin)| (origin.clone(), u32::try_from(at).unwrap_or(u32::MAX)))
            .collect();
        self.origins = origins;
    }
}
