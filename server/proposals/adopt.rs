//! A change that another program has made already becomes a proposal. Its hunks count as accepted by the
//! policy and as not reviewed, and a checkpoint keeps what they replaced.
//!
//! # Invariants
//!
//! - No change that is made already is written once more, and none of it is lost by taking it back.
//!   Test: `a_change_that_stands_is_reviewed_and_taken_back_hunk_by_hunk`,
//!   `every_kind_of_change_that_stands_is_undone_byte_for_byte`

use std::collections::BTreeSet;
use std::sync::Arc;

use super::deliveries::OutcomeDeliveries;
use super::follow_disk::DiskFollower;
use super::follow_texts::TextFollower;
use super::new_proposal::DraftIntake;
use super::proposal_report::proposal_answer;
use super::store::ProposalStore;
use super::write_file::{CallRef, LineAttribution};
use crate::base::{HunkId, WorkspacePath};
use crate::protocol::{
    Act, ChangeAnswer, ChangeKind, Code, DecidedBy, Door, Fault, PathContent, Policy, ProposedFile,
};
use crate::registry::{CallDraft, ChangeContent, CheckedCall, PathChange};
use crate::review::{ReviewDecision, ReviewEvent};
use crate::rules::FileOpener;
use crate::session::{KnownContent, WorkspaceSession, unencodable_error};
use crate::workspace::{CheckpointStep, Permissions};

/// A change of one path that is already in the workspace.
struct ExternalChange {
    /// The step of the change, with the bytes kept; its path and its hunks are those of the proposal.
    step: CheckpointStep,
    /// The text after the change; the inner none where no file is left, the outer none where it has no text.
    text: Option<Option<Arc<str>>>,
}

/// The intake of changes that are in the workspace already.
#[derive(Debug)]
pub struct ChangeAdopter {
    session: Arc<WorkspaceSession>,
    store: Arc<ProposalStore>,
    texts: Arc<TextFollower>,
    disk: Arc<DiskFollower>,
    intake: Arc<DraftIntake>,
    deliveries: Arc<OutcomeDeliveries>,
}

impl ChangeAdopter {
    /// Takes in changes as proposals of a store.
    pub(super) fn new(
        session: Arc<WorkspaceSession>,
        store: Arc<ProposalStore>,
        texts: Arc<TextFollower>,
        disk: Arc<DiskFollower>,
        intake: Arc<DraftIntake>,
        deliveries: Arc<OutcomeDeliveries>,
    ) -> Self {
        Self { session, store, texts, disk, intake, deliveries }
    }

    /// Takes in a change that is already in the workspace, and answers as to a call that made it: nothing is written
    /// there.
    ///
    /// # Errors
    /// The error that keeps it from being a proposal; or that kept a part of it from being kept or logged, where the
    /// fault states `applied`.
    pub(crate) fn adopt_change(&self, call: &CheckedCall, draft: CallDraft) -> Result<ChangeAnswer, Fault> {
        let kept: Result<Vec<_>, _> =
            draft.changes.iter().map(|change| self.external_change(change)).collect();
        let kept = kept?;
        let open = self.intake.submit_draft(call, draft, Policy::Auto)?;
        let id = open.id();
        let gone = || Fault::internal(format!("proposal {id} is gone"));
        let files = self.store.get(id).ok_or_else(gone)?.proposal().files.clone();
        let hunks = files.iter().flat_map(|file| &file.hunks).map(|hunk| hunk.id.clone()).collect();
        let decision = ReviewDecision { by: DecidedBy::Policy, act: Act::Accept, reason: None, hunks };
        // The hunks that this decision would place are already in the files.
        self.store.change_item(id, ReviewEvent::Decided(decision));
        let mut faults = Vec::new();
        for (at, (file, change)) in files.iter().zip(kept).enumerate() {
            faults.extend(self.adopt_file(id, at, final_path(&files, file), change).err());
        }
        let concluded = self.store.change_item(id, ReviewEvent::Concluded);
        if let Some((item, effects)) = concluded {
            faults.extend(self.store.publish_effects(item, effects));
        }
        self.deliveries.keep_for_review(id);
        // Other proposals may wait in these files, and an editor may show another text.
        self.disk
            .look_soon(files.iter().map(|file| final_path(&files, file).clone()).collect::<BTreeSet<_>>());
        let item = self.store.get(id).ok_or_else(gone)?;
        match faults.into_iter().next() {
            Some(fault) => Err(Fault { applied: Some(true), ..fault }),
            None => proposal_answer(&self.session, &self.session.files().unasked_files(), &item),
        }
    }

    /// Marks the hunks of one file as put in place, and keeps the step that put them there.
    fn adopt_file(
        &self,
        id: &str,
        at: usize,
        path: &WorkspacePath,
        change: ExternalChange,
    ) -> Result<(), Fault> {
        let Some(item) = self.store.get(id) else { return Ok(()) };
        let Some(file) = item.proposal().files.get(at) else { return Ok(()) };
        let hunks: Vec<HunkId> = file.hunks.iter().map(|hunk| hunk.id.clone()).collect();
        let from = file.from.clone();
        let step = CheckpointStep { path: path.clone(), from, hunks: hunks.clone(), ..change.step };
        let note = LineAttribution {
            outside: item.proposal().origin.door == Door::Outside,
            ..LineAttribution::default()
        };
        let recorded =
            CallRef::of_proposal(item.proposal()).record_step_with(&self.session, step.clone(), note);
        if let (Some(now), Some(_)) = (&step.after, &change.text) {
            let was = step.before.as_deref();
            self.session.files().shown_files().advance_shown(&item.proposal().origin, path, was, now);
        }
        drop(item);
        self.note_adopted(&step);
        let placed = ReviewEvent::Placed { file: at, hunks: &hunks, back: false, text: change.text };
        self.store.change_item(id, placed);
        self.texts.follow_step_rename(&step);
        recorded
    }

    /// Notes what the files hold as the change left them: what somebody wrote since is another change.
    fn note_adopted(&self, step: &CheckpointStep) {
        let (files, known) = (self.session.files(), self.session.files().known_files());
        for path in [Some(&step.path), step.from.as_ref()].into_iter().flatten() {
            known.expect_no_more(path);
            files.note_known(path);
        }
        let kept = |blob: &String| self.session.workspace().state().get_object(blob).ok().flatten();
        if let Some(bytes) = step.after.as_ref().filter(|_| step.encoding.is_some()).and_then(kept) {
            known.note_content(&step.path, KnownContent::Bytes(bytes.into()));
        }
    }

    /// Keeps the content that a change replaced and the content that it wrote.
    ///
    /// # Errors
    /// UNSUPPORTED for a copy: draft a new file instead.
    fn external_change(&self, change: &PathChange) -> Result<ExternalChange, Fault> {
        if change.kind == ChangeKind::Copy {
            let message = format!("{} is a copy; tell it as a new file", change.path);
            return Err(Fault::new(Code::Unsupported, message));
        }
        let before = change.before.as_ref().map(|content| self.keep_content(change, content)).transpose()?;
        let after = change.after.as_ref().map(|content| self.keep_content(change, content)).transpose()?;
        let gives = change.executable.map(Permissions::of_new);
        let encoding =
            [&change.before, &change.after].into_iter().flatten().find_map(ChangeContent::encoding);
        let step = CheckpointStep {
            before,
            after,
            encoding: encoding.filter(|_| change.kind.has_text()),
            bits: self.bits_before(change),
            gives: gives.filter(|_| change.kind != ChangeKind::Delete),
            ..CheckpointStep::new(&change.path, change.kind)
        };
        let text = || change.after.as_ref().and_then(ChangeContent::text).map(Arc::from);
        Ok(ExternalChange { step, text: change.kind.has_text().then(text) })
    }

    fn keep_content(&self, change: &PathChange, content: &ChangeContent) -> Result<String, Fault> {
        let state = self.session.workspace().state();
        Ok(match content {
            ChangeContent::Text { text, encoding } => {
                let bytes =
                    encoding.encode_text(text).map_err(|c| unencodable_error(&change.path, *encoding, c))?;
                state.put_object(&bytes)?
            }
            ChangeContent::Other(PathContent::Symlink(target)) => state.put_object(target.as_bytes())?,
            ChangeContent::Other(PathContent::Bytes { hash, .. }) => hash.clone(),
        })
    }

    /// Returns the permission bits that the file had before: its current ones, except for those that the change states.
    fn bits_before(&self, change: &PathChange) -> Option<u32> {
        let now = || {
            let entry = self.session.files().opened_by(FileOpener::Person).entry_at(&change.path);
            entry.ok().flatten().map(|entry| entry.bits)
        };
        match change.kind {
            ChangeKind::Delete => change.executable.map(|was| if was { 0o755 } else { 0o644 }),
            ChangeKind::Edit => now(),
            ChangeKind::Binary if change.before.is_some() && change.after.is_some() => now(),
            ChangeKind::Mode => {
                now().map(|bits| Permissions::of_new(change.executable != Some(true)).apply_to(bits))
            }
            _ => None,
        }
    }
}

/// The path of a file once the whole proposal is accepted: until its rename is accepted, its other hunks are at the old
/// path.
fn final_path<'f>(files: &'f [ProposedFile], file: &'f ProposedFile) -> &'f WorkspacePath {
    let renames = |other: &&ProposedFile| {
        other.kind == ChangeKind::Rename && other.from.as_ref() == Some(&file.path) && file.follows_a_rename()
    };
    files.iter().find(renames).map_or(&file.path, |rename| &rename.path)
}
