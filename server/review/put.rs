//! Hunks are put in their file's place, or taken back, and looked for in the text that is there afterwards.

use super::apply::{Put, put};
use super::item::{Item, ReviewEvent};
use super::place::{self, Placement};
use super::queue::ProposalQueue;
use super::turns::Turn;
use crate::base::text::Encoding;
use crate::base::{HunkId, WorkspacePath};
use crate::protocol::{ChangeKind, Code, Fault, HunkState, Origin, ProposedFile};
use crate::session::Snapshot;
use crate::workspace::{Checkpoints, Permissions, Step};

/// How often a file that changes under a decision is read again before the decision gives up.
const TRIES: u32 = 5;

/// Hunks of one file of a proposal that are to be put in place, or taken back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Errand<'a> {
    /// The proposal.
    pub id: &'a str,
    /// The file, by its place in the proposal.
    pub file: usize,
    /// Its hunks.
    pub hunks: &'a [HunkId],
    /// Whether they are taken back.
    pub back: bool,
}

impl ProposalQueue {
    /// Puts hunks of one file in place, or takes them back.
    pub(super) async fn place(&self, errand: Errand<'_>) -> Result<(), Fault> {
        let Some((path, _turns)) = self.turn(errand).await else { return Ok(()) };
        let Some(item) = self.get(errand.id) else { return Ok(()) };
        let Some(proposed) = item.proposal().files.get(errand.file) else { return Ok(()) };
        if let Some(first) = item.proposal().waits_for(errand.file).filter(|_| !errand.back) {
            let message = format!("{path} is not free: that waits for {}", first.id);
            return Err(Fault::new(Code::Stale, message).suggest(format!("decide on {} first", first.id)));
        }
        if !proposed.kind.has_text() {
            return self.place_whole(errand, item.proposal()).await;
        }
        drop(item);
        let busy = self.placing(&path);
        let mut outcome = Ok(());
        for _ in 0..TRIES {
            outcome = self.place_text(errand, &path).await;
            // Someone wrote the file between the look and the write: look again.
            if !matches!(&outcome, Err(fault) if fault.code == Code::Stale && fault.applied.is_none()) {
                break;
            }
        }
        drop(busy);
        if let Ok(now) = self.session.files().text(&path) {
            self.replace(&path, now.as_ref().map(|now| now.text.as_str()));
        }
        outcome
    }

    /// Waits for the turns of what an errand changes. Its file may be renamed meanwhile: then for those of the new path.
    async fn turn(&self, errand: Errand<'_>) -> Option<(WorkspacePath, Vec<Turn>)> {
        let paths = || {
            let item = self.get(errand.id)?;
            let file = item.proposal().files.get(errand.file)?;
            let from = file.from.clone().filter(|_| file.kind == ChangeKind::Rename);
            Some((file.path.clone(), from))
        };
        loop {
            let wanted = paths()?;
            let turns =
                self.turns.files([wanted.0.clone()].into_iter().chain(wanted.1.clone()).collect()).await;
            if paths().as_ref() == Some(&wanted) {
                return Some((wanted.0, turns));
            }
        }
    }

    async fn place_text(&self, errand: Errand<'_>, path: &WorkspacePath) -> Result<(), Fault> {
        let Errand { id, file, hunks, back } = errand;
        let Some(kind) = self.get(id).and_then(|item| Some(item.proposal().files.get(file)?.kind)) else {
            return Ok(());
        };
        // The disk tells whether a file that is to be removed is there, whatever an editor shows.
        let before = match kind == ChangeKind::Delete && self.is_gone(path)? {
            true if !back => {
                let placed = ReviewEvent::Placed { file, hunks, back, text: Some(None) };
                self.items().happen(id, placed);
                return Ok(());
            }
            true => None,
            false => self.session.files().text(path)?,
        };
        self.replace(path, before.as_ref().map(|before| before.text.as_str()));
        let Some(item) = self.get(id) else { return Ok(()) };
        let (Some(proposed), Some(view)) = (item.proposal().files.get(file), item.views().get(file)) else {
            return Ok(());
        };
        let Some(wanted) = errand.undecided(proposed).map_err(|()| gone(path, before.as_ref()))? else {
            return Ok(());
        };
        let text = before.as_ref().map(|before| before.text.as_str());
        let plan = place::plan(proposed, &wanted, text, back)?;
        let encoding =
            before.as_ref().map(|before| before.encoding).or(view.encoding).unwrap_or(Encoding::Utf8);
        let placed = Placement { file: proposed, hunks: &wanted, back, after: plan.after.as_deref() };
        let put = Put {
            behalf: item.behalf(),
            label: format!("wherefore: {}", item.proposal().why),
            path,
            before: before.as_ref(),
            after: plan.after.as_deref(),
            encoding,
            gives: self.gives(&item, proposed, back),
            edits: plan.edits,
            hunks: &wanted,
            back,
        };
        let (there, doubt) = self.carried_out(put, &item.proposal().origin).await?;
        self.settle(errand, &placed, text, there)?;
        doubt
    }

    /// Puts a text in place; the text that is there afterwards, and what is not certain of it.
    async fn carried_out(
        &self,
        text: Put<'_>,
        agent: &Origin,
    ) -> Result<(Option<String>, Result<(), Fault>), Fault> {
        let (path, back, planned) = (text.path, text.back, text.after.map(str::to_owned));
        let was = text.before.map(|before| before.hash.clone());
        match put(&self.session, text).await {
            Ok(now) => {
                if let (Some(now), false) = (&now, back) {
                    self.session.files().shown().advance(agent, path, was.as_deref(), &now.hash);
                }
                Ok((now.map(|now| now.text), Ok(())))
            }
            // It took effect: the hunks are in the text, and the fault says what is not certain.
            Err(fault) if fault.applied == Some(true) => Ok((planned, Err(fault))),
            Err(fault) => Err(fault),
        }
    }

    /// The permissions of a file that a hunk makes, or that its taking back makes again.
    fn gives(&self, item: &Item, file: &ProposedFile, back: bool) -> Option<Permissions> {
        match (file.kind, back) {
            (ChangeKind::Create, false) => file.executable.map(Permissions::of_new),
            (ChangeKind::Delete, true) => {
                let checkpoint =
                    Checkpoints::new(self.session.workspace().state()).find(&item.call()).ok()?;
                let removed = |step: &&Step| step.path == file.path && step.after.is_none();
                checkpoint.steps.iter().rev().find(removed)?.bits.map(Permissions::Exactly)
            }
            _ => None,
        }
    }

    /// Notes which hunks are in the text that is there now, whatever was planned.
    fn settle(
        &self,
        errand: Errand<'_>,
        placed: &Placement<'_>,
        before: Option<&str>,
        now: Option<String>,
    ) -> Result<(), Fault> {
        let there = placed.found_in(now.as_deref());
        let missed: Vec<&str> =
            placed.hunks.iter().filter(|hunk| !there.contains(hunk)).map(HunkId::as_str).collect();
        let text = match missed.is_empty() {
            true => placed.after.map(str::to_owned),
            false => place::with(placed.file, &there, before, placed.back)?,
        };
        let text = Some(text.map(Into::into));
        let placed = ReviewEvent::Placed { file: errand.file, hunks: &there, back: errand.back, text };
        self.items().happen(errand.id, placed);
        match missed.is_empty() {
            true => Ok(()),
            false => Err(Fault::new(Code::Rejected, format!("the editor left out {}", missed.join(", ")))),
        }
    }
}

impl Errand<'_> {
    /// Its hunks that are still to be done; none where all are done already.
    ///
    /// # Errors
    /// Where some were decided otherwise, or do not fit any more.
    fn undecided(self, file: &ProposedFile) -> Result<Option<Vec<HunkId>>, ()> {
        let (state, done) = match self.back {
            true => (HunkState::Accepted, HunkState::Rejected),
            false => (HunkState::Pending, HunkState::Accepted),
        };
        let of = |state: HunkState| -> Vec<HunkId> {
            let hunks = file.hunks.iter().filter(|hunk| hunk.state == state && self.hunks.contains(&hunk.id));
            hunks.map(|hunk| hunk.id.clone()).collect()
        };
        let wanted = of(state);
        match wanted.is_empty() {
            false => Ok(Some(wanted)),
            true if of(done).len() == self.hunks.len() => Ok(None),
            true => Err(()),
        }
    }
}

/// The fault where no hunk that is meant fits the text any more.
fn gone(path: &WorkspacePath, now: Option<&Snapshot>) -> Fault {
    let hash = now.map(|now| now.hash.as_str());
    Fault::new(Code::NotFound, format!("{path} changed under the hunks; none fits any more"))
        .detail(serde_json::json!({ "path": path, "hash": hash }))
}
