//! The hunks of proposals follow the texts that they stand in, whoever changes those.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::apply;
use super::item::{Item, ReviewEffect, ReviewEvent, TextMove, View};
use super::queue::ProposalQueue;
use crate::base::{HunkId, ProposalId, WorkspacePath};
use crate::patch::Moves;
use crate::protocol::{Code, Fault, Hunk, HunkState, Notice, ProposedFile};
use crate::rules::Opener;
use crate::workspace::FileKind;

impl ProposalQueue {
    /// Whether a file changes because a decision is carried out just now.
    pub fn is_placing(&self, path: &WorkspacePath) -> bool {
        self.placing.lock().contains(path)
    }

    /// Marks a file as changed by us until what it returns is dropped.
    pub(super) fn placing(&self, path: &WorkspacePath) -> Placing<'_> {
        self.placing.lock().insert(path.clone());
        Placing { queue: self, path: path.clone() }
    }

    /// Whether hunks stand in a file.
    pub fn follows(&self, path: &WorkspacePath) -> bool {
        !self.items().on(path).is_empty()
    }

    /// The text of a document changed: its hunks move along, and those that no longer fit go stale.
    pub fn text_changed(&self, path: &WorkspacePath, text: &str) {
        if !self.is_placing(path) {
            self.place_anew(path, Some(text), true);
        }
    }

    /// The files with hunks that follow a text: those that wait, and those that were applied and nobody has looked at.
    pub(super) fn followed_paths(&self) -> BTreeSet<WorkspacePath> {
        let items = self.items();
        let files = items.all().filter(|item| item.is_up()).flat_map(|item| &item.proposal().files);
        files.filter(|file| is_followed(file)).map(|file| file.path.clone()).collect()
    }

    /// Whether a file is one of those.
    pub(super) fn is_followed(&self, path: &WorkspacePath) -> bool {
        let items = self.items();
        let on: Vec<Arc<Item>> = items.on(path).iter().filter_map(|id| items.get(id)).collect();
        let mut files = on.iter().filter(|item| item.is_up()).flat_map(|item| &item.proposal().files);
        files.any(|file| file.path == *path && is_followed(file))
    }

    /// Looks once at every file that hunks of earlier processes stand in. The log is opened by whoever does something, not
    /// by whoever opens a folder: it gets what was found with the next decision.
    pub(super) fn look_at_opening(&self) {
        for path in self.followed_paths() {
            if let Ok(now) = self.session.files().text(&path) {
                let text = now.as_ref().map(|now| now.text.as_str());
                for (item, effects) in self.text_moved(&path, text, false) {
                    self.publish_later(&item, effects);
                }
            }
        }
    }

    /// Looks at the files of one proposal, for whoever had an editor change some of them.
    pub fn look_at_proposal(&self, id: &str) {
        let Some(item) = self.get(id) else { return };
        let paths: BTreeSet<&WorkspacePath> = item.proposal().files.iter().map(|file| &file.path).collect();
        for path in paths {
            self.look_again(path);
        }
    }

    /// Re-places the hunks of one file in the text as it is now. Where a decision is carried out in it, that does so, and
    /// the answer is no.
    pub(super) fn look_again(&self, path: &WorkspacePath) -> bool {
        let Some(_turn) = self.turns.file_now(path) else { return false };
        // An editor that shows the file as it was tells of the text once it reads it again.
        let is_behind = self.session.files().document(path).is_some_and(|document| !document.dirty);
        if let Ok(now) = self.session.files().text(path)
            && !(is_behind && now.as_ref().is_some_and(|now| now.unsaved))
        {
            self.replace(path, now.as_ref().map(|snapshot| snapshot.text.as_str()));
        }
        true
    }

    /// Re-places the hunks of one file in `now`, the text as it is.
    pub(super) fn replace(&self, path: &WorkspacePath, now: Option<&str>) {
        self.place_anew(path, now, false);
    }

    /// The same; `typed` where somebody changed the text in an editor.
    fn place_anew(&self, path: &WorkspacePath, now: Option<&str>, typed: bool) {
        for (item, effects) in self.text_moved(path, now, typed) {
            let replaced = effects.iter().find_map(|effect| match effect {
                ReviewEffect::Checkpoint(was, encoding) => Some((was, *encoding)),
                _ => None,
            });
            if let Some(((was, encoding), now)) = replaced.zip(now) {
                // What cannot be kept can still be taken back hunk by hunk.
                let put = |hunk: &&Hunk| hunk.state == HunkState::Accepted && is_told(&effects, &hunk.id);
                let of = |file: &&ProposedFile| file.path == *path;
                let files = item.proposal().files.iter().filter(of);
                let hunks: Vec<&Hunk> = files.flat_map(|file| &file.hunks).filter(put).collect();
                let _ = apply::record(&self.session, item.behalf(), path, (was, now), encoding, &hunks);
            }
            // What the log does not take now it takes with the next decision, and what cannot be stored stands in memory.
            let _ = self.publish(item, effects);
        }
    }

    /// Has the text of a path be another in each proposal where it is. Gives those, and what that asks for.
    fn text_moved(
        &self,
        path: &WorkspacePath,
        now: Option<&str>,
        typed: bool,
    ) -> Vec<(Arc<Item>, Vec<ReviewEffect>)> {
        let version = self.session.files().document(path).map(|document| document.version);
        let mut items = self.items();
        let there: Vec<Arc<Item>> = items.on(path).iter().filter_map(|id| items.get(id)).collect();
        let texts = texts(&there, path, now);
        let shown = shown(&there, now);
        let other = |(file, view): (&ProposedFile, &View)| {
            follows(file, path) && (view.text.as_deref() != now || file.version != version)
        };
        let others = there.iter().filter(|item| item.proposal().files.iter().zip(item.views()).any(other));
        let others: Vec<ProposalId> = others.map(|item| item.proposal().id.clone()).collect();
        // One that is looked at elsewhere would be copied to be changed.
        drop(there);
        // How each text differs from the one now is worked out once, and not before it is asked.
        let moves: Vec<Moves<'_>> = texts.iter().filter_map(|was| Some(Moves::new(was, now?))).collect();
        let known = |was: &Arc<str>| moves.get(texts.iter().position(|text| text == was)?);
        let moved = TextMove { path, version, now: shown.as_ref(), moves: &known, typed };
        others.iter().filter_map(|id| items.happen(id, ReviewEvent::TextMoved(&moved))).collect()
    }

    /// Tells the editor where the hunks of a proposal stand in the text as it is now, if it shows any of them: one that
    /// was ahead of us goes by its own marks until it hears of the version that it has.
    pub(super) fn tell_places(&self, id: &str) {
        let shown = |hunk: &Hunk| hunk.state == HunkState::Pending || hunk.is_unreviewed();
        let items = self.items();
        let item = items.get(id).filter(|item| item.is_up() && item.proposal().hunks().any(shown));
        // Before anybody else changes it: what is told last is how it stands.
        if let Some(item) = item {
            self.session.editor().tell(Notice::Changed(item.proposal().clone()));
        }
    }

    /// A file has another path: the hunks of its text, its mode and its bytes go with it, in every proposal.
    pub(super) fn renamed(&self, from: &WorkspacePath, to: &WorkspacePath) {
        let uri = self.session.workspace().uri(to);
        let ids = self.items().on(from);
        for id in ids {
            // What cannot be stored stands in memory; the next decision stores it again.
            let _ = self.happen(&id, ReviewEvent::Renamed(from, to, &uri));
        }
    }

    /// Whether nothing stands at a path on the disk, where an editor may show a file still.
    ///
    /// # Errors
    /// STALE where something else than a file stands there: a symlink would have another file written or removed.
    /// PERMISSION_DENIED by a rule or where it leads outside.
    pub(super) fn is_gone(&self, path: &WorkspacePath) -> Result<bool, Fault> {
        let entry = self.session.files().opened_by(Opener::Person).entry_at(path)?;
        match entry.map(|entry| entry.kind) {
            None => Ok(true),
            Some(FileKind::File) => Ok(false),
            Some(kind) => {
                let message = format!("{path} is {} by now; it is left as it stands", kind.noun());
                Err(Fault::new(Code::Stale, message)
                    .suggest("move it out of the way, or leave the file as it is")
                    .detail(serde_json::json!({ "path": path })))
            }
        }
    }
}

/// Whether hunks of a file follow its text, and somebody may still look at them.
fn is_followed(file: &ProposedFile) -> bool {
    let is_shown = |hunk: &Hunk| hunk.state == HunkState::Pending || hunk.is_unreviewed();
    file.kind.has_text() && file.hunks.iter().any(is_shown)
}

/// Whether the hunks of a file follow the text at a path.
fn follows(file: &ProposedFile, path: &WorkspacePath) -> bool {
    file.path == *path && file.kind.has_text()
}

/// The text that is there now, shared with proposals that stand in it already.
fn shown(items: &[Arc<Item>], now: Option<&str>) -> Option<Arc<str>> {
    let same = |view: &View| view.text.clone().filter(|text| Some(&**text) == now);
    items.iter().flat_map(|item| item.views()).find_map(same).or_else(|| now.map(Arc::from))
}

/// The texts that hunks at a path stand in, each once, but for the one that is there now.
fn texts(items: &[Arc<Item>], path: &WorkspacePath, now: Option<&str>) -> Vec<Arc<str>> {
    let mut texts: Vec<Arc<str>> = Vec::new();
    let views = items.iter().flat_map(|item| item.proposal().files.iter().zip(item.views()));
    for (_, view) in views.filter(|(file, _)| follows(file, path)) {
        let Some(text) = view.text.as_ref().filter(|text| Some(&***text) != now) else { continue };
        if !texts.iter().any(|known| Arc::ptr_eq(known, text) || known == text) {
            texts.push(text.clone());
        }
    }
    texts
}

/// See [`ProposalQueue::placing`].
pub(super) struct Placing<'a> {
    queue: &'a ProposalQueue,
    path: WorkspacePath,
}

impl Drop for Placing<'_> {
    fn drop(&mut self) {
        self.queue.placing.lock().remove(&self.path);
    }
}

/// Whether the log is told of a hunk.
fn is_told(effects: &[ReviewEffect], hunk: &HunkId) -> bool {
    effects.iter().any(|effect| matches!(effect, ReviewEffect::Log(_, hunks) if hunks.contains(hunk)))
}
