//! A change that stands already, because another program made it, becomes a proposal. Its hunks count as accepted by the
//! policy and as not reviewed, and a checkpoint keeps what they replaced.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use super::apply::LineNote;
use super::item::{ReviewDecision, ReviewEvent};
use super::queue::ProposalQueue;
use super::report::answer;
use crate::base::{HunkId, WorkspacePath};
use crate::protocol::{Act, ChangeKind, Code, DecidedBy, Door, Fault, PathContent, Policy, ProposedFile};
use crate::registry::{Call, Change, Content, Draft};
use crate::rules::Opener;
use crate::session::{KnownContent, unencodable};
use crate::workspace::{Permissions, Step};

/// A change of one path that stands already.
struct StandingChange {
    /// What it did, with the bytes kept; its path and its hunks are those of the proposal.
    step: Step,
    /// The text that stands there afterwards; the inner none where no file is left, the outer none where it has no text.
    text: Option<Option<Arc<str>>>,
}

impl ProposalQueue {
    /// Takes in a change that stands already, and answers as to a call that made it: nothing is written to the workspace.
    ///
    /// # Errors
    /// What keeps it from being a proposal; and what of it could not be kept or logged, where the fault says `applied`.
    pub(crate) fn adopt(&self, call: &Call, draft: Draft) -> Result<Value, Fault> {
        let kept: Result<Vec<_>, _> =
            draft.changes.iter().map(|change| self.standing_change(change)).collect();
        let kept = kept?;
        let open = self.submit(call, draft, Policy::Auto)?;
        let id = open.id();
        let gone = || Fault::internal(format!("proposal {id} is gone"));
        let files = self.get(id).ok_or_else(gone)?.proposal().files.clone();
        let hunks = files.iter().flat_map(|file| &file.hunks).map(|hunk| hunk.id.clone()).collect();
        let decision = ReviewDecision { by: DecidedBy::Policy, act: Act::Accept, reason: None, hunks };
        // What it asks to be put in place stands there.
        self.items().happen(id, ReviewEvent::Decided(decision));
        let mut faults = Vec::new();
        for (at, (file, change)) in files.iter().zip(kept).enumerate() {
            faults.extend(self.adopt_file(id, at, named_last(&files, file), change).err());
        }
        let concluded = self.items().happen(id, ReviewEvent::Concluded);
        if let Some((item, effects)) = concluded {
            faults.extend(self.publish(item, effects));
        }
        self.told(id)?;
        // Other proposals may wait in these files, and an editor may show another text.
        self.look_soon(files.iter().map(|file| named_last(&files, file).clone()).collect::<BTreeSet<_>>());
        let item = self.get(id).ok_or_else(gone)?;
        match faults.into_iter().next() {
            Some(fault) => Err(Fault { applied: Some(true), ..fault }),
            None => Ok(answer(self, &self.session.files().unasked(), &item)?.value()),
        }
    }

    /// Marks the hunks of one file as put in place, and keeps the step that put them there.
    fn adopt_file(
        &self,
        id: &str,
        at: usize,
        path: &WorkspacePath,
        change: StandingChange,
    ) -> Result<(), Fault> {
        let Some(item) = self.get(id) else { return Ok(()) };
        let Some(file) = item.proposal().files.get(at) else { return Ok(()) };
        let hunks: Vec<HunkId> = file.hunks.iter().map(|hunk| hunk.id.clone()).collect();
        let from = file.from.clone();
        let step = Step { path: path.clone(), from, hunks: hunks.clone(), ..change.step };
        let note = LineNote { outside: item.proposal().origin.door == Door::Outside, ..LineNote::default() };
        let recorded = item.behalf().record_as(&self.session, step.clone(), note);
        if let (Some(now), Some(_)) = (&step.after, &change.text) {
            let was = step.before.as_deref();
            self.session.files().shown().advance(&item.proposal().origin, path, was, now);
        }
        drop(item);
        self.note_adopted(&step);
        let placed = ReviewEvent::Placed { file: at, hunks: &hunks, back: false, text: change.text };
        self.items().happen(id, placed);
        self.followed(&step);
        recorded
    }

    /// Notes what the files hold as the change left them: what somebody wrote since is another change.
    fn note_adopted(&self, step: &Step) {
        let (files, known) = (self.session.files(), self.session.files().known());
        for path in [Some(&step.path), step.from.as_ref()].into_iter().flatten() {
            known.expect_no_more(path);
            files.note_known(path);
        }
        let kept = |blob: &String| self.session.workspace().state().get(blob).ok().flatten();
        if let Some(bytes) = step.after.as_ref().filter(|_| step.encoding.is_some()).and_then(kept) {
            known.note(&step.path, KnownContent::Bytes(bytes.into()));
        }
    }

    /// Keeps what a change replaced and what it put there.
    ///
    /// # Errors
    /// UNSUPPORTED for a copy: its new file says the same.
    fn standing_change(&self, change: &Change) -> Result<StandingChange, Fault> {
        if change.kind == ChangeKind::Copy {
            let message = format!("{} is a copy; tell it as a new file", change.path);
            return Err(Fault::new(Code::Unsupported, message));
        }
        let before = change.before.as_ref().map(|content| self.keep_content(change, content)).transpose()?;
        let after = change.after.as_ref().map(|content| self.keep_content(change, content)).transpose()?;
        let gives = change.executable.map(Permissions::of_new);
        let encoding = [&change.before, &change.after].into_iter().flatten().find_map(Content::encoding);
        let step = Step {
            before,
            after,
            encoding: encoding.filter(|_| change.kind.has_text()),
            bits: self.bits_before(change),
            gives: gives.filter(|_| change.kind != ChangeKind::Delete),
            ..Step::new(&change.path, change.kind)
        };
        let text = || change.after.as_ref().and_then(Content::text).map(Arc::from);
        Ok(StandingChange { step, text: change.kind.has_text().then(text) })
    }

    fn keep_content(&self, change: &Change, content: &Content) -> Result<String, Fault> {
        let state = self.session.workspace().state();
        Ok(match content {
            Content::Text { text, encoding } => {
                let bytes = encoding.encode(text).map_err(|c| unencodable(&change.path, *encoding, c))?;
                state.put(&bytes)?
            }
            Content::Other(PathContent::Symlink(target)) => state.put(target.as_bytes())?,
            Content::Other(PathContent::Bytes { hash, .. }) => hash.clone(),
        })
    }

    /// The permission bits that the file had before: as it has them now, but for what the change says of them.
    fn bits_before(&self, change: &Change) -> Option<u32> {
        let now = || {
            let entry = self.session.files().opened_by(Opener::Person).entry_at(&change.path);
            entry.ok().flatten().map(|entry| entry.bits)
        };
        match change.kind {
            ChangeKind::Delete => change.executable.map(|was| if was { 0o755 } else { 0o644 }),
            ChangeKind::Edit => now(),
            ChangeKind::Binary if change.before.is_some() && change.after.is_some() => now(),
            ChangeKind::Mode => {
                now().map(|bits| Permissions::of_new(change.executable != Some(true)).on(bits))
            }
            _ => None,
        }
    }
}

/// Where a file stands once all of the proposal does: its other hunks stand at the old path until its rename is accepted.
fn named_last<'f>(files: &'f [ProposedFile], file: &'f ProposedFile) -> &'f WorkspacePath {
    let renames = |other: &&ProposedFile| {
        other.kind == ChangeKind::Rename && other.from.as_ref() == Some(&file.path) && file.follows_a_rename()
    };
    files.iter().find(renames).map_or(&file.path, |rename| &rename.path)
}
