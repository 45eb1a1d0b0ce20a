//! Hunks whose lines went from their text: they wait again where those come back, as after an undo in the editor, or a branch
//! that is switched to and back.

use std::sync::Arc;

use super::typed_hunks::TypedHunks;
use crate::base::HunkId;
use crate::hunk_moves::hunk_cut;
use crate::patch::{ChangedLines, LineMoves};
use crate::protocol::{ChangeKind, Hunk, HunkState, ProposedFile};

/// A stale hunk, with its last text and its place in that.
#[derive(Clone, Debug)]
struct LostHunk {
    id: HunkId,
    text: Arc<str>,
    start: u32,
}

/// The hunks of a proposal that come back with their text. This process alone knows them.
#[derive(Clone, Debug, Default)]
pub(super) struct LostHunks(Vec<LostHunk>);

impl LostHunks {
    /// Keeps hunks of a file that went stale when the text `was` changed.
    pub(super) fn add_stale(&mut self, file: &ProposedFile, stale: &[HunkId], was: Option<&Arc<str>>) {
        let Some(was) = was.filter(|_| file.kind == ChangeKind::Edit) else { return };
        for hunk in file.hunks.iter().filter(|hunk| stale.contains(&hunk.id)) {
            self.0.push(LostHunk { id: hunk.id.clone(), text: was.clone(), start: hunk.start });
        }
    }

    /// Returns whether a hunk comes back with its text.
    pub(super) fn has_hunk(&self, hunk: &Hunk) -> bool {
        hunk.state == HunkState::Stale && self.0.iter().any(|lost| lost.id == hunk.id)
    }

    /// Forgets hunks that are not to come back.
    pub(super) fn forget(&mut self, is_over: impl Fn(&HunkId) -> bool) {
        self.0.retain(|lost| !is_over(&lost.id));
    }

    /// Places the hunks of a file that fit the text `now` again, and returns their ids. Where it `merges`, what was typed
    /// into their lines becomes part of them.
    pub(super) fn take_returning(
        &mut self,
        (file, typed): (&mut ProposedFile, &mut TypedHunks),
        now: &str,
        merges: bool,
    ) -> Vec<HunkId> {
        let mut returned = Vec::new();
        for hunk in file.hunks.iter_mut().filter(|hunk| hunk.state == HunkState::Stale) {
            let Some(at) = self.0.iter().position(|lost| lost.id == hunk.id) else { continue };
            if place_again((hunk, typed), &self.0[at], now, merges) {
                self.0.swap_remove(at);
                returned.push(hunk.id.clone());
            }
        }
        returned
    }
}

/// Places a hunk in the text `now`, if it fits there.
fn place_again(
    (hunk, typed): (&mut Hunk, &mut TypedHunks),
    lost: &LostHunk,
    now: &str,
    merges: bool,
) -> bool {
    let cut = ChangedLines { old_start: lost.start as usize, ..hunk_cut(hunk, false) };
    let is_there = now.contains(&hunk.old.concat());
    if !is_there && !merges {
        return false;
    }
    let moves = LineMoves::new(&lost.text, now);
    if let Some(start) = moves.relocate(&cut) {
        hunk.start = u32::try_from(start).unwrap_or(u32::MAX);
        return true;
    }
    let Some(retyped) = merges.then(|| moves.merge_retyped(&cut)).flatten() else { return false };
    typed.retype_hunk(hunk, retyped);
    true
}
