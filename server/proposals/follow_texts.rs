//! Moves the hunks of proposals along with the texts that they are in, no matter who changes those.

use std::collections::BTreeSet;
use std::sync::Arc;

use parking_lot::Mutex;

use super::decision_turns::DecisionTurns;
use super::store::ProposalStore;
use super::write_file;
use crate::base::{HunkId, ProposalId, WorkspacePath};
use crate::patch::LineMoves;
use crate::protocol::{ChangeKind, Hunk, HunkState, PathAccess, ProposedFile};
use crate::review::{HunkBase, QueuedProposal, ReviewEffect, ReviewEvent, TextMove};
use crate::session::{TextSnapshot, WorkspaceSession};
use crate::workspace::CheckpointStep;

/// A file as a decision finds it.
#[derive(Debug)]
pub(super) struct FileLook {
    /// The file.
    pub path: WorkspacePath,
    /// Its text; none where there is no file.
    pub text: Option<TextSnapshot>,
}

/// The texts that hunks stand in, and the decisions that change them just now: hunks move along with them.
#[derive(Debug)]
pub struct TextFollower {
    session: Arc<WorkspaceSession>,
    store: Arc<ProposalStore>,
    turns: Arc<DecisionTurns>,
    /// Files whose text changes because a decision is carried out, not because a person types.
    placing: Mutex<BTreeSet<WorkspacePath>>,
}

impl TextFollower {
    /// Follows the texts of a session for the proposals of a store. Every file with hunks of earlier processes is checked
    /// once.
    pub(super) fn open(
        session: Arc<WorkspaceSession>,
        store: Arc<ProposalStore>,
        turns: Arc<DecisionTurns>,
    ) -> Self {
        let texts = Self { session, store, turns, placing: Mutex::default() };
        texts.look_at_opening();
        texts
    }

    /// Returns whether a file changes because a decision is carried out just now.
    pub fn is_placing(&self, path: &WorkspacePath) -> bool {
        self.placing.lock().contains(path)
    }

    /// Marks a file as changed by us until what it returns is dropped.
    pub(super) fn mark_placing(&self, path: &WorkspacePath) -> PlacingGuard<'_> {
        self.placing.lock().insert(path.clone());
        PlacingGuard { texts: self, path: path.clone() }
    }

    /// Returns whether hunks stand in a file.
    pub fn has_hunks_in(&self, path: &WorkspacePath) -> bool {
        self.store.items().items_at(path).next().is_some()
    }

    /// The text of a document changed: its hunks move along, and those that no longer fit go stale.
    pub fn text_changed(&self, path: &WorkspacePath, text: &str) {
        if !self.is_placing(path) {
            self.reposition_hunks_as(path, Some(text), true);
        }
    }

    /// Returns the files with hunks that follow a text.
    pub(super) fn followed_paths(&self) -> BTreeSet<WorkspacePath> {
        let items = self.store.items();
        let files = items.all().filter(|item| item.is_up()).flat_map(|item| item.followed_files());
        files.map(|file| file.path.clone()).collect()
    }

    /// Returns whether a file is one of those.
    pub(super) fn is_followed(&self, path: &WorkspacePath) -> bool {
        let items = self.store.items();
        let mut files =
            items.items_at(path).filter(|item| item.is_up()).flat_map(|item| item.followed_files());
        files.any(|file| file.path == *path)
    }

    /// Checks every file with hunks of earlier processes once. Opening a folder must not create a log: the log gets the
    /// results with the next decision.
    fn look_at_opening(&self) {
        for path in self.followed_paths() {
            if let Ok(now) = self.session.files().read_text(&path) {
                let text = now.as_ref().map(|now| now.text.as_str());
                for (item, effects) in self.apply_text_move(&path, text, false) {
                    self.store.publish_later(&item, effects);
                }
            }
        }
    }

    /// Checks the files of one proposal after an editor changed some of them.
    pub fn look_at_proposal(&self, id: &str) {
        let Some(item) = self.store.get(id) else { return };
        let paths: BTreeSet<&WorkspacePath> = item.proposal().files.iter().map(|file| &file.path).collect();
        for path in paths {
            self.look_again(path);
        }
    }

    /// Re-places the hunks of one file in the text as it is now. Where a decision is carried out in it, that does so, and
    /// the answer is no.
    pub(super) fn look_again(&self, path: &WorkspacePath) -> bool {
        let Some(_turn) = self.turns.try_file(path) else { return false };
        self.look_at_file(path);
        true
    }

    /// Re-places the hunks of one file, whose turn the caller has, in the text as it is now. Returns that text; nothing
    /// where it cannot be read.
    pub(super) fn look_at_file(&self, path: &WorkspacePath) -> Option<FileLook> {
        // An editor that still shows the earlier text reports the new one once it has read the file again.
        let is_behind = self.session.files().document_at(path).is_some_and(|document| !document.dirty);
        let text = self.session.files().read_text(path).ok()?;
        // The report of what was typed may come after this look.
        let typed = text.as_ref().is_some_and(|now| now.unsaved);
        if !(is_behind && typed) {
            self.reposition_hunks_as(path, text.as_ref().map(|now| now.text.as_str()), typed);
        }
        Some(FileLook { path: path.clone(), text })
    }

    /// Re-places the hunks of one file in `now`, the text as it is.
    pub(super) fn reposition_hunks(&self, path: &WorkspacePath, now: Option<&str>) {
        self.reposition_hunks_as(path, now, false);
    }

    /// The same; `typed` where somebody changed the text in an editor.
    fn reposition_hunks_as(&self, path: &WorkspacePath, now: Option<&str>, typed: bool) {
        for (item, effects) in self.apply_text_move(path, now, typed) {
            let replaced = effects.iter().find_map(|effect| match effect {
                ReviewEffect::Checkpoint(was, encoding) => Some((was, *encoding)),
                _ => None,
            });
            if let Some(((was, encoding), now)) = replaced.zip(now) {
                // A change whose bytes cannot be kept can still be taken back hunk by hunk.
                let put = |hunk: &&Hunk| hunk.state == HunkState::Accepted && is_logged(&effects, &hunk.id);
                let of = |file: &&ProposedFile| file.path == *path;
                let files = item.proposal().files.iter().filter(of);
                let hunks: Vec<&Hunk> = files.flat_map(|file| &file.hunks).filter(put).collect();
                let _ = write_file::record_text_change(
                    &self.session,
                    write_file::CallRef::of_proposal(item.proposal()),
                    path,
                    (was, now),
                    encoding,
                    &hunks,
                );
            }
            // Effects that the log refuses are written with the next decision; those that cannot be stored stay in
            // memory.
            let _ = self.store.publish_effects(item, effects);
        }
    }

    /// Applies a new text of a path to each proposal that has hunks there. Returns those proposals with their effects.
    fn apply_text_move(
        &self,
        path: &WorkspacePath,
        now: Option<&str>,
        typed: bool,
    ) -> Vec<(Arc<QueuedProposal>, Vec<ReviewEffect>)> {
        let version = self.session.files().document_at(path).map(|document| document.version);
        let mut items = self.store.items();
        let there: Vec<Arc<QueuedProposal>> = items.items_at(path).cloned().collect();
        let texts = earlier_texts(&there, path, now);
        let shown = shared_text(&there, now);
        let other = |(file, view): (&ProposedFile, &HunkBase)| {
            has_text_at(file, path) && (view.text.as_deref() != now || file.version != version)
        };
        let others = there.iter().filter(|item| item.proposal().files.iter().zip(item.views()).any(other));
        let others: Vec<ProposalId> = others.map(|item| item.proposal().id.clone()).collect();
        // Drop our `Arc` first: `Arc::make_mut` would clone the item.
        drop(there);
        // The differences between each earlier text and the current one are computed once, on demand.
        let moves: Vec<LineMoves<'_>> =
            texts.iter().filter_map(|was| Some(LineMoves::new(was, now?))).collect();
        let known = |was: &Arc<str>| moves.get(texts.iter().position(|text| text == was)?);
        let moved = TextMove { path, version, now: shown.as_ref(), moves: &known, typed };
        others.iter().filter_map(|id| items.apply_event(id, ReviewEvent::TextMoved(&moved))).collect()
    }

    /// A file has another path: the hunks of its text, its mode and its bytes go with it, in every proposal.
    fn follow_rename(&self, from: &WorkspacePath, to: &WorkspacePath) {
        let uri = self.session.workspace().uri(to);
        let ids = self.store.items().ids_at(from);
        for id in ids {
            // Effects that cannot be stored stay in memory; the next decision stores them again.
            let _ = self.store.apply_event(&id, ReviewEvent::Renamed(from, to, &uri));
        }
    }

    /// Moves the hunks of a file along with one that another program moved, as `git mv` does; not to a path that the rules
    /// close. Where a decision is carried out in it, that finds the file gone.
    pub(super) fn follow_move(&self, from: &WorkspacePath, to: &WorkspacePath) {
        let Some(_turn) = self.turns.try_file(from) else { return };
        let files = self.session.files().unasked_files();
        let is_open = |access| files.paths().admit_path(access, to).is_ok();
        if self.is_followed(from) && is_open(PathAccess::Read) && is_open(PathAccess::Write) {
            self.follow_rename(from, to);
        }
    }

    /// Moves the hunks of a file along with the rename that a step made, and the files' texts with it.
    pub(super) fn follow_step_rename(&self, step: &CheckpointStep) {
        let Some(from) = step.from.as_ref().filter(|_| step.kind == ChangeKind::Rename) else { return };
        let to = &step.path;
        self.follow_rename(from, to);
        if let Ok(now) = self.session.files().read_text(to) {
            self.reposition_hunks(to, now.as_ref().map(|now| now.text.as_str()));
        }
    }
}

/// Returns whether the hunks of a file follow the text at a path.
fn has_text_at(file: &ProposedFile, path: &WorkspacePath) -> bool {
    file.path == *path && file.kind.has_text()
}

/// The text that is there now, shared with proposals that stand in it already.
fn shared_text(items: &[Arc<QueuedProposal>], now: Option<&str>) -> Option<Arc<str>> {
    let same = |view: &HunkBase| view.text.clone().filter(|text| Some(&**text) == now);
    items.iter().flat_map(|item| item.views()).find_map(same).or_else(|| now.map(Arc::from))
}

/// The texts that hunks at a path stand in, each once, but for the one that is there now.
fn earlier_texts(items: &[Arc<QueuedProposal>], path: &WorkspacePath, now: Option<&str>) -> Vec<Arc<str>> {
    let mut texts: Vec<Arc<str>> = Vec::new();
    let views = items.iter().flat_map(|item| item.proposal().files.iter().zip(item.views()));
    for (_, view) in views.filter(|(file, _)| has_text_at(file, path)) {
        let Some(text) = view.text.as_ref().filter(|text| Some(&***text) != now) else { continue };
        if !texts.iter().any(|known| Arc::ptr_eq(known, text) || known == text) {
            texts.push(text.clone());
        }
    }
    texts
}

/// See [`TextFollower::mark_placing`].
pub(super) struct PlacingGuard<'a> {
    texts: &'a TextFollower,
    path: WorkspacePath,
}

impl Drop for PlacingGuard<'_> {
    fn drop(&mut self) {
        self.texts.placing.lock().remove(&self.path);
    }
}

/// Returns whether the effects log a hunk.
fn is_logged(effects: &[ReviewEffect], hunk: &HunkId) -> bool {
    effects.iter().any(|effect| matches!(effect, ReviewEffect::Log(_, hunks) if hunks.contains(hunk)))
}
