//! The hunks of a proposal and the texts that they stand in: their states, their lines and their places.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::apply_event::{HunkStep, state_after};
use super::lost_hunks::LostHunks;
use super::typed_hunks::TypedHunks;
use crate::base::text::TextEncoding;
use crate::base::{HunkId, WorkspacePath};
use crate::hunk_moves;
use crate::protocol::{Hunk, HunkState, Proposal, ProposedFile};

/// The text that a file's hunks are placed in.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct HunkBase {
    /// The text; none where there is no file, or no text to show.
    pub text: Option<Arc<str>>,
    /// The encoding of its bytes.
    pub encoding: Option<TextEncoding>,
}

/// The hunks of a proposal, each in its state and at its place in the text of its file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct PlacedHunks {
    proposal: Proposal,
    views: Vec<HunkBase>,
    #[serde(skip)]
    lost: LostHunks,
    #[serde(skip)]
    typed: TypedHunks,
}

impl PlacedHunks {
    /// The hunks of a proposal, with the text of each of its files.
    pub(super) fn new(proposal: Proposal, views: Vec<HunkBase>) -> Self {
        Self { proposal, views, lost: LostHunks::default(), typed: TypedHunks::default() }
    }

    /// The proposal that has them.
    pub(super) fn proposal(&self) -> &Proposal {
        &self.proposal
    }

    /// The text of each file, in the proposal's order.
    pub(super) fn views(&self) -> &[HunkBase] {
        &self.views
    }

    /// Returns whether some of them were put in place and no person has looked at them.
    pub(super) fn is_unreviewed(&self) -> bool {
        self.proposal.hunks().any(Hunk::is_unreviewed)
    }

    /// Returns whether a hunk follows its text.
    pub(super) fn is_followed(&self, hunk: &Hunk) -> bool {
        hunk.state == HunkState::Pending || hunk.is_unreviewed() || self.lost.has_hunk(hunk)
    }

    /// Computes again what follows from the paths of the files: their URIs, and the description of each change.
    pub(super) fn refresh_locations(&mut self, uri: impl Fn(&WorkspacePath) -> String) {
        for file in &mut self.proposal.files {
            (file.uri, file.version) = (uri(&file.path), None);
            file.what = file.change_sentence();
        }
    }

    /// All hunks, in order.
    pub(super) fn hunks_mut(&mut self) -> impl Iterator<Item = &mut Hunk> {
        self.proposal.files.iter_mut().flat_map(|file| &mut file.hunks)
    }

    /// The files, each with the text that its hunks stand in.
    pub(super) fn files_mut(&mut self) -> impl Iterator<Item = (&mut ProposedFile, &mut HunkBase)> {
        self.proposal.files.iter_mut().zip(&mut self.views)
    }

    /// The same, with the hunks that come back with their text, and those that a person typed into.
    pub(super) fn split_mut(
        &mut self,
    ) -> (impl Iterator<Item = (&mut ProposedFile, &mut HunkBase)>, &mut LostHunks, &mut TypedHunks) {
        (self.proposal.files.iter_mut().zip(&mut self.views), &mut self.lost, &mut self.typed)
    }

    /// Notes that somebody rejected hunks: those among them that are stale do not come back. Nor does any where none waits
    /// after that.
    pub(super) fn forget_rejected(&mut self, rejected: &BTreeSet<HunkId>) {
        let is_over = self.proposal.hunks().all(|hunk| hunk.state != HunkState::Pending);
        self.lost.forget(|hunk| is_over || rejected.contains(hunk));
    }

    /// Notes that no stale hunk of a file comes back any more.
    pub(super) fn forget_lost_in(&mut self, path: &WorkspacePath) {
        let files = self.proposal.files.iter().filter(|file| file.path == *path);
        let hunks: BTreeSet<&HunkId> = files.flat_map(|file| &file.hunks).map(|hunk| &hunk.id).collect();
        self.lost.forget(|hunk| hunks.contains(hunk));
    }

    /// Notes that no stale hunk comes back any more.
    pub(super) fn forget_lost(&mut self) {
        self.lost.forget(|_| true);
    }

    /// Applies a step to the hunks that `wanted` selects; returns those that it changed.
    pub(super) fn step_hunks(&mut self, step: HunkStep, wanted: impl Fn(&Hunk) -> bool) -> Vec<HunkId> {
        let mut changed = Vec::new();
        for hunk in self.hunks_mut().filter(|hunk| wanted(hunk)) {
            let now = state_after(hunk.state, step);
            if now != hunk.state {
                hunk.state = now;
                changed.push(hunk.id.clone());
            }
        }
        changed
    }

    /// Gives hunks other lines to add. Only those that wait take them.
    pub(super) fn replace_lines(&mut self, mut lines: BTreeMap<HunkId, Vec<String>>) {
        for hunk in self.hunks_mut().filter(|hunk| hunk.state == HunkState::Pending) {
            if let Some(new) = lines.remove(&hunk.id).filter(|new| *new != hunk.new) {
                (hunk.new, hunk.edited) = (new, true);
            }
        }
    }

    /// Notes that the person who takes the call back has reviewed it.
    pub(super) fn mark_reviewed(&mut self) {
        self.hunks_mut().filter(|hunk| hunk.is_unreviewed()).for_each(|hunk| hunk.reviewed = true);
    }

    /// Notes that hunks of a file were put in place, or taken out (`back`), and the text that they stand in. Returns
    /// those that this changes.
    pub(super) fn settle_hunks(
        &mut self,
        file: usize,
        hunks: &[HunkId],
        back: bool,
        text: Option<Option<Arc<str>>>,
    ) -> Vec<HunkId> {
        let Some((proposed, view)) = self.files_mut().nth(file) else { return Vec::new() };
        if let Some(text) = text {
            hunk_moves::shift_all(proposed, hunks, back);
            view.text = text;
        }
        let step = if back { HunkStep::TakenOut } else { HunkStep::PutInPlace };
        self.step_hunks(step, |hunk| hunks.contains(&hunk.id))
    }

    /// Moves the files at a path to another one, with that URI: the hunks of a file's text, its mode and its bytes go
    /// with it. Returns whether there are any.
    pub(super) fn rename_files(&mut self, from: &WorkspacePath, to: &WorkspacePath, uri: &str) -> bool {
        let mut is_any = false;
        let files = self.proposal.files.iter_mut().filter(|file| file.path == *from);
        for file in files.filter(|file| file.follows_a_rename()) {
            (file.path, file.uri) = (to.clone(), uri.to_owned());
            file.what = file.change_sentence();
            is_any = true;
        }
        is_any
    }
}
