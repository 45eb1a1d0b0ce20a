//! Hunks go with the texts and the files that they stand in, and are stale where they fit no more.

use std::sync::Arc;

use super::transition::{HunkStep, ReviewEffect, TextMove, after, update};
use super::{Item, View};
use crate::base::text::Encoding;
use crate::base::{HunkId, WorkspacePath};
use crate::patch::Moves;
use crate::protocol::{DecidedBy, HunkState, ProposedFile};
use crate::review::lifecycle::{LifecycleEvent, transition as live};
use crate::review::place::{self, HunkMove};

/// What became of hunks whose text changed.
#[derive(Debug, Default)]
struct Followed {
    /// Those that fit no more.
    stale: Vec<HunkId>,
    /// Those that somebody else put in place.
    put: Vec<HunkId>,
    /// Those that a person took out in the editor.
    out: Vec<HunkId>,
}

impl Item {
    /// The hunks that stand at the path move along. Nothing is asked for where the text is the same.
    pub(super) fn text_moved(&mut self, moved: &TextMove<'_>) -> Vec<ReviewEffect> {
        let now = moved.now.map(|now| &**now);
        // A new file whose place another hunk has yet to free knows nothing of what stands there now.
        let waits: Vec<bool> =
            (0..self.proposal.files.len()).map(|at| self.proposal.waits_for(at).is_some()).collect();
        let mut all = Followed::default();
        let mut replaced: Option<(Arc<str>, Encoding)> = None;
        let mut is_other = false;
        for ((file, view), waits) in self.proposal.files.iter_mut().zip(&mut self.views).zip(waits) {
            if file.path != *moved.path || !file.kind.has_text() || waits {
                continue;
            }
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
            let followed = follow(file, view, moved.now, moves);
            let put = was.filter(|_| !followed.put.is_empty());
            replaced = put.map(|was| (was, view.encoding.unwrap_or(Encoding::Utf8))).or(replaced);
            all.stale.extend(followed.stale);
            all.put.extend(followed.put);
        }
        match is_other {
            true => self.followed(all, replaced, moved.version.is_some()),
            false => Vec::new(),
        }
    }

    /// What is to be told of hunks whose text changed; `open` where an editor shows it.
    fn followed(
        &mut self,
        followed: Followed,
        replaced: Option<(Arc<str>, Encoding)>,
        open: bool,
    ) -> Vec<ReviewEffect> {
        let Followed { stale, put, out } = followed;
        if stale.is_empty() && put.is_empty() && out.is_empty() {
            // Stored is the text that they stood in too: from that they are placed anew.
            return vec![ReviewEffect::TellPlaces];
        }
        let hunks = self.proposal.files.iter_mut().flat_map(|file| &mut file.hunks);
        // Whoever puts a hunk in place in the editor is a person who looked at it.
        hunks.filter(|hunk| open && put.contains(&hunk.id)).for_each(|hunk| hunk.reviewed = true);
        if let Some(under_way) = &mut self.under_way {
            under_way.tell(&stale);
            under_way.tell(&put);
            under_way.tell(&out);
        }
        if !out.is_empty() {
            // The agent was told another outcome than there is now.
            self.life = live(self.life, LifecycleEvent::TakenBack(self.policy), self.is_decided()).0;
        }
        let by = if open { DecidedBy::Editor } else { DecidedBy::Text };
        let logs = [(DecidedBy::Text, stale), (by, put), (DecidedBy::Editor, out)]
            .into_iter()
            .filter(|(_, hunks)| !hunks.is_empty());
        let logs = logs.map(|(by, hunks)| ReviewEffect::Log(by, hunks));
        // What somebody else did can be undone like what was asked for.
        let checkpoint = replaced.map(|(was, encoding)| ReviewEffect::Checkpoint(was, encoding));
        checkpoint.into_iter().chain(logs).chain([update()]).collect()
    }

    /// The hunks of a file's text, its mode and its bytes go with it.
    pub(super) fn renamed(
        &mut self,
        from: &WorkspacePath,
        to: &WorkspacePath,
        uri: &str,
    ) -> Vec<ReviewEffect> {
        let mut effects = Vec::new();
        let files = self.proposal.files.iter_mut().filter(|file| file.path == *from);
        for file in files.filter(|file| file.follows_a_rename()) {
            (file.path, file.uri) = (to.clone(), uri.to_owned());
            file.what = file.sentence();
            effects = vec![update()];
        }
        effects
    }

    /// The hunks of a file stand in the text that an earlier process found.
    pub(super) fn recalled(&mut self, file: usize, text: Option<Arc<str>>) -> Vec<ReviewEffect> {
        let Some((file, view)) = self.proposal.files.get_mut(file).zip(self.views.get_mut(file)) else {
            return Vec::new();
        };
        let was = view.text.clone();
        let moves = was.as_deref().zip(text.as_deref()).map(|(was, now)| Moves::new(was, now));
        let followed = follow(file, view, text.as_ref(), moves.as_ref());
        self.followed(followed, None, false)
    }
}

/// Has those hunks count as taken back that a person took out of the text, as with the arrow of a diff editor.
fn take_out(file: &mut ProposedFile, texts: Option<((&str, &str), &Moves<'_>)>) -> Vec<HunkId> {
    let Some((texts, moves)) = texts else { return Vec::new() };
    let mut out = Vec::new();
    for at in place::taken_out(file, texts, moves) {
        if let Some(hunk) = file.hunks.get_mut(at) {
            (hunk.state, hunk.reviewed) = (after(hunk.state, HunkStep::TakenOut), true);
            out.push(hunk.id.clone());
        }
    }
    out
}

/// Moves the hunks of one file to another text.
fn follow(
    file: &mut ProposedFile,
    view: &mut View,
    now: Option<&Arc<str>>,
    moves: Option<&Moves<'_>>,
) -> Followed {
    let mut followed = Followed::default();
    let found = place::moved(file, view.text.as_deref(), now.map(|now| &**now), moves);
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
            HunkMove::Gone => HunkStep::Unfit,
        };
        hunk.state = after(hunk.state, step);
        let hunks = if hunk.state == HunkState::Stale { &mut followed.stale } else { &mut followed.put };
        hunks.push(hunk.id.clone());
    }
    view.text = now.cloned();
    followed
}
