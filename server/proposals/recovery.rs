//! A process that was killed between its write and its note of it: a hunk that the files hold already is not written again.
//!
//! # Invariants
//!
//! - No hunk is put in place twice, whenever a process is killed.
//!   Test: `killed_while_an_insertion_is_accepted`, `killed_while_a_removal_is_accepted`

use std::sync::Arc;

use crate::base::text::{self, TextEncoding};
use crate::base::{HunkId, hash};
use crate::patch;
use crate::protocol::{ChangeKind, Code, HunkState, ProposedFile};
use crate::review::{
    PlannedHunks, QueuedProposal, ReviewEffect, ReviewEvent, apply_event, hunk_cut, text_with_hunks,
};
use crate::rules::FileOpener;
use crate::session::WorkspaceSession;
use crate::workspace::{CheckpointStep, Checkpoints, StepStanding};

/// A proposal that is recovered, and what the log is to tell of it.
struct ProposalRecovery<'s> {
    session: &'s WorkspaceSession,
    item: QueuedProposal,
    effects: Vec<ReviewEffect>,
}

/// Compares a proposal with its call's checkpoint and with the disk: a hunk that is in its file is accepted, one that
/// was taken out is rejected. Returns the effects for the log.
pub(super) fn recover_proposal(
    session: &WorkspaceSession,
    item: QueuedProposal,
) -> (QueuedProposal, Vec<ReviewEffect>) {
    let checkpoints = Checkpoints::new(session.workspace().state());
    let checkpoint =
        checkpoints.find_checkpoint(&item.call_key()).ok().filter(|checkpoint| !checkpoint.undone);
    let mut recovery = ProposalRecovery { session, item, effects: Vec::new() };
    for at in 0..recovery.item.proposal().files.len() {
        let Some(file) = recovery.item.proposal().files.get(at) else { continue };
        let undecided = |step: &&CheckpointStep| step.path == file.path && concerns_hunks(step, file);
        let steps = checkpoint.iter().flat_map(|checkpoint| checkpoint.steps.iter().rev());
        let Some(step) = { steps }.find(undecided) else { continue };
        recovery = match file.kind.has_text() {
            true => recovery.compare_text(step, at),
            false => recovery.compare_whole(step, at),
        };
    }
    (recovery.item, recovery.effects)
}

impl ProposalRecovery<'_> {
    fn with_event(self, event: ReviewEvent<'_>) -> Self {
        let (item, effects) = apply_event(self.item, event);
        Self { item, effects: [self.effects, effects].concat(), ..self }
    }

    /// Settles the hunk of a file without lines, where its step took effect.
    fn compare_whole(self, step: &CheckpointStep, at: usize) -> Self {
        let session = self.session;
        let limit = session.workspace().settings().limits.edit_bytes;
        let standing = step.find_standing(&session.files().opened_by(FileOpener::Person), limit);
        let Some(file) =
            self.item.proposal().files.get(at).filter(|_| matches!(standing, Ok(StepStanding::After)))
        else {
            return self;
        };
        let hunks: Vec<HunkId> = file.hunks.iter().map(|hunk| hunk.id.clone()).collect();
        let recovered =
            self.with_event(ReviewEvent::Recovered { file: at, hunks: &hunks, back: step.back, text: None });
        match &step.from {
            // The other hunks of the file follow its rename.
            Some(from) if step.kind == ChangeKind::Rename => recovered.with_event(ReviewEvent::Renamed(
                from,
                &step.path,
                &session.workspace().uri(&step.path),
            )),
            _ => recovered,
        }
    }

    /// Settles the hunks of one file that a step was about, where it took effect.
    fn compare_text(self, step: &CheckpointStep, at: usize) -> Self {
        let session = self.session;
        let limit = session.workspace().settings().limits.edit_bytes;
        let now = match session.files().opened_by(FileOpener::Person).read_bytes(&step.path, limit) {
            Ok((bytes, _)) => Some(bytes),
            Err(error) if error.code() == Code::NotFound => None,
            Err(_) => return self,
        };
        let hash = now.as_deref().map(hash::short_hash);
        if hash == step.before && hash != step.after {
            return self;
        }
        let encoding = step.encoding.unwrap_or(TextEncoding::Utf8);
        let (Ok(was), Ok(after)) = (kept_bytes(session, &step.before), kept_bytes(session, &step.after))
        else {
            return self;
        };
        let (was, after) = (text_of(was, encoding), text_of(after, encoding));
        let Some((was, after)) = was.zip(after) else { return self };
        // From the text that they were stored with to that in which they were put in place.
        let recalled = self.with_event(ReviewEvent::Recalled(at, was.as_deref().map(Arc::from)));
        let Some(file) = recalled.item.proposal().files.get(at) else { return recalled };
        let meant = named_hunks(step, file);
        let put = PlannedHunks { file, hunks: &meant, back: step.back, after: after.as_deref() };
        let now = text_of(now, encoding).flatten();
        let there: Vec<HunkId> = match hash == step.after {
            true => meant.clone(),
            // Somebody else changed the file since: each hunk by itself.
            false => {
                let stands = |id: &HunkId| still_as_before(&put, id, was.as_deref(), now.as_deref());
                put.found_in(now.as_deref()).into_iter().filter(|id| !stands(id)).collect()
            }
        };
        let Ok(text) = text_with_hunks(file, &there, was.as_deref(), step.back) else {
            return recalled;
        };
        let text = Some(text.map(Into::into));
        recalled.with_event(ReviewEvent::Recovered { file: at, hunks: &there, back: step.back, text })
    }
}

/// The hunks of a file that a step names and that it found as it had to.
fn named_hunks(step: &CheckpointStep, file: &ProposedFile) -> Vec<HunkId> {
    let before = if step.back { HunkState::Accepted } else { HunkState::Pending };
    let named = file.hunks.iter().filter(|hunk| step.hunks.contains(&hunk.id) && hunk.state == before);
    named.map(|hunk| hunk.id.clone()).collect()
}

/// Returns whether a step was about hunks whose state in the proposal is that of before it.
fn concerns_hunks(step: &CheckpointStep, file: &ProposedFile) -> bool {
    let before = if step.back { HunkState::Accepted } else { HunkState::Pending };
    // Earlier versions did not note the hunk of a folder or a copy.
    let bare = !file.kind.has_text() && step.kind == file.kind && step.hunks.is_empty();
    file.hunks.iter().any(|hunk| hunk.state == before && (bare || step.hunks.contains(&hunk.id)))
}

/// Returns whether the lines that a hunk was to take away stand where they stood.
fn still_as_before(put: &PlannedHunks<'_>, id: &str, was: Option<&str>, now: Option<&str>) -> bool {
    let Some(hunk) = put.file.hunks.iter().find(|hunk| hunk.id == id) else { return false };
    let gone = hunk_cut(hunk, put.back);
    let texts = was.zip(now);
    !gone.old.is_empty() && texts.is_some_and(|(was, now)| patch::relocate_hunk(was, now, &gone).is_some())
}

/// The bytes of a step; nothing where there was no file.
fn kept_bytes(session: &WorkspaceSession, blob: &Option<String>) -> Result<Option<Vec<u8>>, ()> {
    match blob {
        None => Ok(None),
        Some(blob) => session.workspace().state().get_object(blob).ok().flatten().map(Some).ok_or(()),
    }
}

/// Their text: none for no file, and nothing at all for bytes that are no text of that encoding.
fn text_of(bytes: Option<Vec<u8>>, encoding: TextEncoding) -> Option<Option<String>> {
    let Some(bytes) = bytes else { return Some(None) };
    let decoded = text::decode_text(&bytes)?;
    (decoded.encoding == encoding || decoded.text.is_ascii()).then_some(Some(decoded.text))
}
