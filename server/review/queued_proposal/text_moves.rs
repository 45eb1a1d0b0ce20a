//! Hunks go with the texts and the files that they stand in, and are stale where they fit no more.

use std::sync::Arc;

use super::apply_event::{HunkStep, ReviewEffect, TextMove, state_after, update_effect};
use super::typed_hunks::TypedHunks;
use super::{HunkBase, QueuedProposal};
use crate::base::HunkId;
use crate::base::text::TextEncoding;
use crate::hunk_moves::{self, HunkMove};
use crate::lifecycle::{LifecycleEvent, apply_call_event as live};
use crate::patch::LineMoves;
use crate::protocol::{DecidedBy, HunkState, Policy, ProposedFile};

/// The hunks whose state changed when their text did.
#[derive(Debug, Default)]
struct FollowedHunks {
    /// The hunks that no longer fit.
    stale: Vec<HunkId>,
    /// The hunks that another program or a person put in place.
    put: Vec<HunkId>,
    /// The hunks that a person took out in the editor.
    out: Vec<HunkId>,
    /// The hunks that fit again.
    returned: Vec<HunkId>,
}

impl QueuedProposal {
    /// The hunks that stand at the path move along. Nothing is asked for where the text is the same.
    pub(super) fn move_text(&mut self, moved: &TextMove<'_>) -> Vec<ReviewEffect> {
        let now = moved.now.map(|now| &**now);
        // The hunk of a new file whose path another hunk has yet to free does not follow the text that is there now.
        let waits: Vec<bool> =
            (0..self.proposal().files.len()).map(|at| self.proposal().waits_for(at).is_some()).collect();
        let mut all = FollowedHunks::default();
        let mut replaced: Option<(Arc<str>, TextEncoding)> = None;
        let mut is_other = false;
        let (files, lost, typed) = self.placed.split_mut();
        for ((file, view), waits) in files.zip(waits) {
            if file.path != *moved.path || !file.kind.has_text() || waits {
                continue;
            }
            // An editor that closes the document may take back what was typed.
            let merges = moved.version.is_some() || file.version.is_some();
            file.version = moved.version;
            if view.text.as_deref() == now {
                continue;
            }
            is_other = true;
            let was = view.text.clone();
            let moves = was.as_ref().and_then(moved.moves);
            if moved.typed {
                all.out.extend(take_out(file, was.as_deref().zip(now).zip(moves)));
            }
            let followed = follow_text((file, view, typed), moved.now, moves, merges);
            if let Some(now) = now {
                all.returned.extend(lost.take_returning((file, typed), now, merges));
            }
            // A policy is asked once.
            if self.policy != Policy::Auto {
                lost.add_stale(file, &followed.stale, was.as_ref());
            }
            let put = was.filter(|_| !followed.put.is_empty());
            replaced = put.map(|was| (was, view.encoding.unwrap_or(TextEncoding::Utf8))).or(replaced);
            all.stale.extend(followed.stale);
            all.put.extend(followed.put);
        }
        match is_other {
            true => self.follow_effects(all, replaced, moved.version.is_some()),
            false => Vec::new(),
        }
    }

    /// Returns the effects of hunks whose text changed; `open` where an editor shows it.
    fn follow_effects(
        &mut self,
        followed: FollowedHunks,
        replaced: Option<(Arc<str>, TextEncoding)>,
        open: bool,
    ) -> Vec<ReviewEffect> {
        let FollowedHunks { stale, put, out, returned } = followed;
        if stale.is_empty() && put.is_empty() && out.is_empty() && returned.is_empty() {
            // The stored text stays the one that they were in: they are placed from that again.
            return vec![ReviewEffect::TellPlaces];
        }
        // A hunk that is put in place in the editor was reviewed by the person who did so.
        let hunks = self.placed.hunks_mut();
        hunks.filter(|hunk| open && put.contains(&hunk.id)).for_each(|hunk| hunk.reviewed = true);
        if let Some(under_way) = &mut self.under_way {
            under_way.mark_logged(&stale);
            under_way.mark_logged(&put);
            under_way.mark_logged(&out);
            under_way.mark_waiting(&returned);
        }
        if !returned.is_empty() {
            self.placed.step_hunks(HunkStep::FitsAgain, |hunk| returned.contains(&hunk.id));
            self.life = live(self.life, LifecycleEvent::WaitsAgain, self.is_decided()).0;
        }
        if !out.is_empty() {
            // The agent got another outcome than there is now.
            self.life = live(self.life, LifecycleEvent::TakenBack(self.policy), self.is_decided()).0;
        }
        let by = if open { DecidedBy::Editor } else { DecidedBy::Text };
        let logs =
            [(DecidedBy::Text, stale), (by, put), (DecidedBy::Editor, out), (DecidedBy::Text, returned)]
                .into_iter()
                .filter(|(_, hunks)| !hunks.is_empty());
        let logs = logs.map(|(by, hunks)| ReviewEffect::Log(by, hunks));
        // A change by someone else can be undone like one that was asked for.
        let checkpoint = replaced.map(|(was, encoding)| ReviewEffect::Checkpoint(was, encoding));
        checkpoint.into_iter().chain(logs).chain([update_effect()]).collect()
    }

    /// The hunks of a file stand in the text that an earlier process found.
    pub(super) fn recall_text(&mut self, file: usize, text: Option<Arc<str>>) -> Vec<ReviewEffect> {
        let (mut files, _, typed) = self.placed.split_mut();
        let Some((file, view)) = files.nth(file) else { return Vec::new() };
        let was = view.text.clone();
        let moves = was.as_deref().zip(text.as_deref()).map(|(was, now)| LineMoves::new(was, now));
        let followed = follow_text((file, view, typed), text.as_ref(), moves.as_ref(), true);
        drop(files);
        self.follow_effects(followed, None, false)
    }
}

/// Counts those hunks as taken back that a person took out of the text, as with the arrow of a diff editor.
fn take_out(file: &mut ProposedFile, texts: Option<((&str, &str), &LineMoves<'_>)>) -> Vec<HunkId> {
    let Some((texts, moves)) = texts else { return Vec::new() };
    let mut out = Vec::new();
    for at in hunk_moves::hunks_taken_out(file, texts, moves) {
        if let Some(hunk) = file.hunks.get_mut(at) {
            (hunk.state, hunk.reviewed) = (state_after(hunk.state, HunkStep::TakenOut), true);
            out.push(hunk.id.clone());
        }
    }
    out
}

/// Moves the hunks of one file to another text. Where it `merges`, what a person typed into a hunk becomes part of it.
fn follow_text(
    (file, view, typed): (&mut ProposedFile, &mut HunkBase, &mut TypedHunks),
    now: Option<&Arc<str>>,
    moves: Option<&LineMoves<'_>>,
    merges: bool,
) -> FollowedHunks {
    let mut followed = FollowedHunks::default();
    let found = hunk_moves::hunk_moves(file, view.text.as_deref(), now.map(|now| &**now), moves, merges);
    for (at, found) in found {
        let Some(hunk) = file.hunks.get_mut(at) else { continue };
        let step = match found {
            HunkMove::To(start) => {
                hunk.start = start;
                continue;
            }
            HunkMove::Put(start) => {
                hunk.start = start;
                HunkStep::PutInPlace
            }
            HunkMove::Retyped(lines) => {
                typed.retype_hunk(hunk, lines);
                continue;
            }
            HunkMove::Gone => HunkStep::Unfit,
        };
        hunk.state = state_after(hunk.state, step);
        let hunks = if hunk.state == HunkState::Stale { &mut followed.stale } else { &mut followed.put };
        hunks.push(hunk.id.clone());
    }
    view.text = now.cloned();
    followed
}
