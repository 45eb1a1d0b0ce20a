//! Hunks are put in their file's place, or taken back, and looked for in the text that is there afterwards.
//!
//! # Invariants
//!
//! - A dirty buffer is never written behind the editor's back.
//!   Test: `a_dirty_buffer_is_read_and_edited_through_the_editor`
//! - No edit counts as made because an editor reports so: it is read back.
//!   Test: `what_an_editor_claims_is_read_back`

use std::sync::Arc;

use super::follow_texts::{FileLook, TextFollower};
use super::place_whole::StepPlacer;
use super::store::ProposalStore;
use super::write_file::{CallRef, FileWrite, write_file};
use crate::base::text::TextEncoding;
use crate::base::{HunkId, WorkspacePath};
use crate::protocol::{ChangeKind, Code, Fault, Origin, ProposedFile};
use crate::review::{HunkPlacement, PlannedHunks, QueuedProposal, ReviewEvent, UnfitHunks, plan_placement};
use crate::session::{TextSnapshot, WorkspaceSession};
use crate::workspace::{CheckpointStep, Checkpoints, Permissions};

/// The number of times that a file that changes under a decision is read again before the decision gives up.
const TRIES: u32 = 5;

/// Hunks with lines on their way into their files, and out of them; the steps of those without lines.
#[derive(Debug)]
pub(super) struct HunkPlacer {
    session: Arc<WorkspaceSession>,
    store: Arc<ProposalStore>,
    texts: Arc<TextFollower>,
    steps: Arc<StepPlacer>,
}

impl HunkPlacer {
    /// Makes a placer for the hunks of the proposals in `store`.
    pub(super) fn new(
        session: Arc<WorkspaceSession>,
        store: Arc<ProposalStore>,
        texts: Arc<TextFollower>,
        steps: Arc<StepPlacer>,
    ) -> Self {
        Self { session, store, texts, steps }
    }

    /// Puts hunks of one file in place, or takes them back; the caller has the file's turn. `item` is their proposal as it
    /// is now, and `looks` the files that the caller looked at in its turn.
    pub(super) async fn place_hunks(
        &self,
        errand: HunkPlacement<'_>,
        item: Arc<QueuedProposal>,
        looks: &mut Vec<FileLook>,
    ) -> Result<(), Fault> {
        let Some(proposed) = item.proposal().files.get(errand.file) else { return Ok(()) };
        let (path, kind) = (proposed.path.clone(), proposed.kind);
        if let Some(first) = item.proposal().waits_for(errand.file).filter(|_| !errand.back) {
            let message = format!("{path} is not free: that waits for {}", first.id);
            return Err(
                Fault::new(Code::Stale, message).with_suggestion(format!("decide on {} first", first.id))
            );
        }
        if !kind.has_text() {
            return self.steps.place_whole(errand, item.proposal()).await;
        }
        let busy = self.texts.mark_placing(&path);
        let look = looks.iter().position(|look| look.path == path).map(|at| looks.swap_remove(at));
        let mut found = look.and_then(|look| FoundText::from_look(item, errand.file, look));
        let mut outcome = Ok(None);
        for _ in 0..TRIES {
            outcome = self.place_text(errand, (&path, kind), found.take()).await;
            // Someone wrote the file between the look and the write: look again.
            if !matches!(&outcome, Err(fault) if fault.code == Code::Stale && fault.applied.is_none()) {
                break;
            }
        }
        drop(busy);
        match outcome {
            Ok(Some(PlacedText(now))) => {
                self.texts.reposition_hunks(&path, now.as_deref());
                Ok(())
            }
            not_read => {
                if let Ok(now) = self.session.files().read_text(&path) {
                    self.texts.reposition_hunks(&path, now.as_ref().map(|now| now.text.as_str()));
                }
                not_read.map(drop)
            }
        }
    }

    /// Places hunks in the text that was found, or in that which is there now. Returns the text that was read back;
    /// nothing where there was nothing to write.
    async fn place_text(
        &self,
        errand: HunkPlacement<'_>,
        (path, kind): (&WorkspacePath, ChangeKind),
        found: Option<FoundText>,
    ) -> Result<Option<PlacedText>, Fault> {
        let HunkPlacement { id, file, hunks, back } = errand;
        // The disk shows whether a file that is to be removed exists, whatever an editor shows.
        let is_gone = kind == ChangeKind::Delete && self.session.files().is_gone(path)?;
        if is_gone && !back {
            let placed = ReviewEvent::Placed { file, hunks, back, text: Some(None) };
            self.store.change_item(id, placed);
            return Ok(None);
        }
        let FoundText { item, before } = match found.filter(|_| !is_gone) {
            Some(found) => found,
            None => {
                let before = if is_gone { None } else { self.session.files().read_text(path)? };
                self.texts.reposition_hunks(path, before.as_ref().map(|before| before.text.as_str()));
                let Some(item) = self.store.get(id) else { return Ok(None) };
                FoundText { item, before }
            }
        };
        let (Some(proposed), Some(view)) = (item.proposal().files.get(file), item.views().get(file)) else {
            return Ok(None);
        };
        let Some(wanted) =
            errand.remaining_hunks(proposed).map_err(|UnfitHunks| none_fits_fault(path, before.as_ref()))?
        else {
            return Ok(None);
        };
        let text = before.as_ref().map(|before| before.text.as_str());
        let plan = plan_placement(proposed, &wanted, text, back)?;
        let encoding =
            before.as_ref().map(|before| before.encoding).or(view.encoding).unwrap_or(TextEncoding::Utf8);
        let placed = PlannedHunks { file: proposed, hunks: &wanted, back, after: plan.after.as_deref() };
        let put = FileWrite {
            behalf: CallRef::of_proposal(item.proposal()),
            label: format!("wherefore: {}", item.proposal().why),
            path,
            before: before.as_ref(),
            after: plan.after.as_deref(),
            encoding,
            new_permissions: self.file_permissions(&item, proposed, back),
            edits: plan.edits,
            hunks: &wanted,
            back,
        };
        let (there, doubt) = self.write_and_confirm(put, &item.proposal().origin).await?;
        self.settle_placement(errand, &placed, text, there.as_deref())?;
        doubt.map(|()| Some(PlacedText(there)))
    }

    /// Puts a text in place; the text that is there afterwards, and what is not certain of it.
    async fn write_and_confirm(
        &self,
        text: FileWrite<'_>,
        agent: &Origin,
    ) -> Result<(Option<String>, Result<(), Fault>), Fault> {
        let (path, back, planned) = (text.path, text.back, text.after.map(str::to_owned));
        let was = text.before.map(|before| before.hash.clone());
        match write_file(&self.session, text).await {
            Ok(now) => {
                if let (Some(now), false) = (&now, back) {
                    self.session.files().shown_files().advance_shown(agent, path, was.as_deref(), &now.hash);
                }
                Ok((now.map(|now| now.text), Ok(())))
            }
            // The change took effect: the hunks are in the text, and the fault states what is uncertain.
            Err(fault) if fault.applied == Some(true) => Ok((planned, Err(fault))),
            Err(fault) => Err(fault),
        }
    }

    /// The permissions of a file that a hunk makes, or that its taking back makes again.
    fn file_permissions(
        &self,
        item: &QueuedProposal,
        file: &ProposedFile,
        back: bool,
    ) -> Option<Permissions> {
        match (file.kind, back) {
            (ChangeKind::Create, false) => file.executable.map(Permissions::of_new),
            (ChangeKind::Delete, true) => {
                let checkpoint = Checkpoints::new(self.session.workspace().state())
                    .find_checkpoint(&item.call_key())
                    .ok()?;
                let removed = |step: &&CheckpointStep| step.path == file.path && step.after.is_none();
                checkpoint.steps.iter().rev().find(removed)?.bits.map(Permissions::Exactly)
            }
            _ => None,
        }
    }

    /// Notes which hunks are in the text that is there now, whatever was planned.
    fn settle_placement(
        &self,
        errand: HunkPlacement<'_>,
        placed: &PlannedHunks<'_>,
        before: Option<&str>,
        now: Option<&str>,
    ) -> Result<(), Fault> {
        let settled = placed.settle(before, now)?;
        let (hunks, text) = (&settled.there, Some(settled.text));
        let event = ReviewEvent::Placed { file: errand.file, hunks, back: errand.back, text };
        self.store.change_item(errand.id, event);
        let missed: Vec<&str> = settled.missed.iter().map(HunkId::as_str).collect();
        match missed.is_empty() {
            true => Ok(()),
            false => Err(Fault::new(Code::Rejected, format!("the editor left out {}", missed.join(", ")))),
        }
    }
}

/// The text that is there once hunks were placed, as it was read back; none where no file is left.
struct PlacedText(Option<String>);

/// A text that hunks are placed in.
struct FoundText {
    /// Their proposal, whose hunks stand in the text.
    item: Arc<QueuedProposal>,
    /// The text; none where there is no file.
    before: Option<TextSnapshot>,
}

impl FoundText {
    /// The text that a decision found in a file of a proposal, where the hunks still stand in it.
    fn from_look(item: Arc<QueuedProposal>, file: usize, look: FileLook) -> Option<Self> {
        let text = look.text.as_ref().map(|now| now.text.as_str());
        let is_current = item.views().get(file)?.text.as_deref() == text;
        is_current.then_some(Self { item, before: look.text })
    }
}

/// Returns the fault where none of the selected hunks fits the text any more.
fn none_fits_fault(path: &WorkspacePath, now: Option<&TextSnapshot>) -> Fault {
    let hash = now.map(|now| now.hash.as_str());
    Fault::new(Code::NotFound, format!("{path} changed under the hunks; none fits any more"))
        .with_details(serde_json::json!({ "path": path, "hash": hash }))
}
