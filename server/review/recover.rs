//! A process that was killed between its write and its note of it: what stands in the files is not put there again.

use super::item::{Item, View};
use super::place::{self, Placement};
use crate::base::text::{self, Encoding};
use crate::base::{HunkId, hash};
use crate::patch;
use crate::protocol::{ChangeKind, Code, HunkState, Proposal, ProposedFile};
use crate::rules::Opener;
use crate::session::Session;
use crate::workspace::{Checkpoints, Standing, Step};

/// The hunks whose fate is known only by the files.
pub(super) type Recovered = Vec<HunkId>;

/// Compares a proposal with what its call's checkpoint says was about to be done and with what the disk holds: a hunk that
/// is in its file is accepted, one that was taken out is rejected.
pub(super) fn recover(session: &Session, item: &mut Item) -> Recovered {
    let checkpoints = Checkpoints::new(session.workspace().state());
    let Ok(checkpoint) = checkpoints.find(&item.call()) else { return Recovered::new() };
    if checkpoint.undone {
        return Recovered::new();
    }
    let mut recovered = Recovered::new();
    for at in 0..item.proposal.files.len() {
        let (Some(file), Some(view)) = (item.proposal.files.get_mut(at), item.views.get_mut(at)) else {
            continue;
        };
        let undecided = |step: &&Step| step.path == file.path && concerns(step, file);
        let Some(step) = checkpoint.steps.iter().rev().find(undecided) else { continue };
        let settled = match file.kind.has_text() {
            true => compare(session, step, file, view),
            false => look(session, step, file),
        };
        if !settled.is_empty() && step.kind == ChangeKind::Rename {
            follow_rename(session, step, &mut item.proposal);
        }
        recovered.extend(settled);
    }
    recovered
}

/// Has the other hunks of a file follow its rename.
fn follow_rename(session: &Session, step: &Step, proposal: &mut Proposal) {
    let (Some(from), to) = (&step.from, &step.path) else { return };
    let files = proposal.files.iter_mut().filter(|file| file.path == *from && file.follows_a_rename());
    for file in files {
        (file.path, file.uri) = (to.clone(), session.workspace().uri(to));
        file.what = file.sentence();
    }
}

/// Whether a step was about hunks whose state in the proposal is that of before it.
fn concerns(step: &Step, file: &ProposedFile) -> bool {
    let before = if step.back { HunkState::Accepted } else { HunkState::Pending };
    // Earlier versions did not note the hunk of a folder or a copy.
    let bare = !file.kind.has_text() && step.kind == file.kind && step.hunks.is_empty();
    file.hunks.iter().any(|hunk| hunk.state == before && (bare || step.hunks.contains(&hunk.id)))
}

/// Settles the hunk of a file without lines, where its step took effect.
fn look(session: &Session, step: &Step, file: &mut ProposedFile) -> Recovered {
    let (before, after) = match step.back {
        true => (HunkState::Accepted, HunkState::Rejected),
        false => (HunkState::Pending, HunkState::Accepted),
    };
    let limit = session.workspace().settings().limits.edit_bytes;
    let standing = session.files().opened_by(Opener::Person).standing(step, limit);
    let mut settled = Recovered::new();
    if matches!(standing, Ok(Standing::After)) {
        for hunk in file.hunks.iter_mut().filter(|hunk| hunk.state == before) {
            hunk.state = after;
            settled.push(hunk.id.clone());
        }
    }
    settled
}

/// Settles the hunks of one file that a step was about, where it took effect.
fn compare(session: &Session, step: &Step, file: &mut ProposedFile, view: &mut View) -> Recovered {
    let before = if step.back { HunkState::Accepted } else { HunkState::Pending };
    let now = match session
        .files()
        .opened_by(Opener::Person)
        .read(&step.path, session.workspace().settings().limits.edit_bytes)
    {
        Ok((bytes, _)) => Some(bytes),
        Err(error) if error.code() == Code::NotFound => None,
        Err(_) => return Recovered::new(),
    };
    let hash = now.as_deref().map(hash::short);
    if hash == step.before && hash != step.after {
        return Recovered::new();
    }
    let encoding = step.encoding.unwrap_or(Encoding::Utf8);
    let (Ok(was), Ok(after)) = (kept(session, &step.before), kept(session, &step.after)) else {
        return Recovered::new();
    };
    let (was, after) = (text_of(was, encoding), text_of(after, encoding));
    let Some((was, after)) = was.zip(after) else { return Recovered::new() };
    // From the text that they were stored with to that in which they were put in place.
    let _ = place::follow(file, view.text.as_deref(), was.as_deref());
    view.text = was.as_deref().map(Into::into);
    let wanted = |file: &ProposedFile| -> Vec<HunkId> {
        let named = file.hunks.iter().filter(|hunk| step.hunks.contains(&hunk.id) && hunk.state == before);
        named.map(|hunk| hunk.id.clone()).collect()
    };
    let meant = wanted(file);
    let put = Placement { file: &*file, hunks: &meant, back: step.back, after: after.as_deref() };
    let now = text_of(now, encoding).flatten();
    let there: Vec<HunkId> = match hash == step.after {
        true => meant.clone(),
        // Somebody else changed the file since: each hunk by itself.
        false => {
            let stands = |id: &HunkId| still_as_before(&put, id, was.as_deref(), now.as_deref());
            put.found_in(now.as_deref()).into_iter().filter(|id| !stands(id)).collect()
        }
    };
    let Ok(text) = place::with(file, &there, was.as_deref(), step.back) else { return Recovered::new() };
    place::settle(file, &there, step.back);
    view.text = text.map(Into::into);
    there
}

/// Whether the lines that a hunk was to take away stand where they stood.
fn still_as_before(put: &Placement<'_>, id: &str, was: Option<&str>, now: Option<&str>) -> bool {
    let Some(hunk) = put.file.hunks.iter().find(|hunk| hunk.id == id) else { return false };
    let gone = place::stood(hunk, put.back);
    let texts = was.zip(now);
    !gone.old.is_empty() && texts.is_some_and(|(was, now)| patch::relocate(was, now, &gone).is_some())
}

/// The bytes of a step; nothing where there was no file.
fn kept(session: &Session, blob: &Option<String>) -> Result<Option<Vec<u8>>, ()> {
    match blob {
        None => Ok(None),
        Some(blob) => session.workspace().state().get(blob).ok().flatten().map(Some).ok_or(()),
    }
}

/// Their text: none for no file, and nothing at all for bytes that are no text of that encoding.
fn text_of(bytes: Option<Vec<u8>>, encoding: Encoding) -> Option<Option<String>> {
    let Some(bytes) = bytes else { return Some(None) };
    let decoded = text::decode(&bytes)?;
    (decoded.encoding == encoding || decoded.text.is_ascii()).then_some(Some(decoded.text))
}
