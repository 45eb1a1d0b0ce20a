//! Hunks are put in their file's place, or taken back, and looked for in the text that is there afterwards.

use super::apply::{Put, put, put_bare};
use super::decide::took_effect;
use super::desk::Desk;
use super::place::{self, Placement};
use crate::base::text::Encoding;
use crate::base::{HunkId, WorkspacePath, blocking};
use crate::protocol::{ChangeKind, Code, Fault, HunkState, Proposal, ProposedFile};
use crate::session::Snapshot;

/// How often a file that changes under a decision is read again before the decision gives up.
const TRIES: u32 = 5;

impl Desk {
    /// Puts hunks of one file in place, or takes them `back`.
    pub(super) async fn place(
        &self,
        id: &str,
        file: usize,
        hunks: &[HunkId],
        back: bool,
    ) -> Result<(), Fault> {
        let Some(item) = self.get(id) else { return Ok(()) };
        let Some(proposed) = item.proposal.files.get(file) else { return Ok(()) };
        let path = proposed.path.clone();
        let _turn = self.turns.file(&path).await;
        if matches!(proposed.kind, ChangeKind::Mkdir | ChangeKind::Copy) {
            return blocking(|| self.place_bare(&item.proposal, file, proposed, &path, back));
        }
        drop(item);
        let busy = self.placing(&path);
        let mut outcome = Ok(());
        for _ in 0..TRIES {
            outcome = self.place_text(id, file, hunks, back, &path).await;
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

    fn place_bare(
        &self,
        proposal: &Proposal,
        file: usize,
        proposed: &ProposedFile,
        path: &WorkspacePath,
        back: bool,
    ) -> Result<(), Fault> {
        if back {
            return Err(Fault::new(Code::Unsupported, "a folder or a copy is taken back by undo"));
        }
        let call = (proposal.call_id.as_str(), proposal.session.as_str());
        let put = put_bare(&self.session, call, path, proposed.kind, proposed.from.as_ref());
        if put.is_ok() || took_effect(&put) {
            self.change(&proposal.id, file, |proposed| {
                proposed.hunks.iter_mut().for_each(|hunk| hunk.state = HunkState::Accepted);
            });
        }
        put
    }

    async fn place_text(
        &self,
        id: &str,
        file: usize,
        hunks: &[HunkId],
        back: bool,
        path: &WorkspacePath,
    ) -> Result<(), Fault> {
        let Some(kind) = self.get(id).and_then(|item| Some(item.proposal.files.get(file)?.kind)) else {
            return Ok(());
        };
        // The disk tells whether a file that is to be removed is there, whatever an editor shows.
        let before = match kind == ChangeKind::Delete && self.is_gone(path)? {
            true if !back => {
                self.change(id, file, |proposed| place::settle(proposed, hunks, false));
                return Ok(());
            }
            true => None,
            false => self.session.files().text(path)?,
        };
        self.replace(path, before.as_ref().map(|before| before.text.as_str()));
        let Some(item) = self.get(id) else { return Ok(()) };
        let (Some(proposed), Some(view)) = (item.proposal.files.get(file), item.views.get(file)) else {
            return Ok(());
        };
        let state = if back { HunkState::Accepted } else { HunkState::Pending };
        let done = if back { HunkState::Rejected } else { HunkState::Accepted };
        let of = |state: HunkState| -> Vec<HunkId> {
            let hunks = proposed.hunks.iter().filter(|hunk| hunk.state == state && hunks.contains(&hunk.id));
            hunks.map(|hunk| hunk.id.clone()).collect()
        };
        let wanted = of(state);
        if wanted.is_empty() {
            return match of(done).len() == hunks.len() {
                true => Ok(()),
                false => Err(gone(path, before.as_ref())),
            };
        }
        let text = before.as_ref().map(|before| before.text.as_str());
        let plan = place::plan(proposed, &wanted, text, back)?;
        let encoding =
            before.as_ref().map(|before| before.encoding).or(view.encoding).unwrap_or(Encoding::Utf8);
        let now = put(
            &self.session,
            Put {
                call: &item.proposal.call_id,
                session: &item.proposal.session,
                undoes: None,
                label: format!("wherefore: {}", item.proposal.why),
                path,
                before: before.as_ref(),
                after: plan.after.as_deref(),
                encoding,
                edits: plan.edits,
                hunks: &wanted,
                back,
            },
        )
        .await;
        let (now, doubt) = match now {
            Ok(now) => (now, Ok(())),
            // It took effect: the hunks are in the text, and the fault says what is not certain.
            Err(fault) if fault.applied == Some(true) => (None, Err(fault)),
            Err(fault) => return Err(fault),
        };
        if let (Some(now), false) = (&now, back) {
            let (was, agent) = (before.as_ref().map(|before| before.hash.as_str()), &item.proposal.origin);
            self.session.files().shown().advance(agent, path, was, &now.hash);
        }
        let there = match &doubt {
            Ok(()) => now.map(|now| now.text),
            Err(_) => plan.after.clone(),
        };
        let placed = Placement { file: proposed, hunks: &wanted, back, after: plan.after.as_deref() };
        self.settle(id, file, &placed, text, there)?;
        doubt
    }

    /// Notes which hunks are in the text that is there now, whatever was planned.
    fn settle(
        &self,
        id: &str,
        file: usize,
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
        self.items().change(id, |item| {
            if let (Some(proposed), Some(view)) =
                (item.proposal.files.get_mut(file), item.views.get_mut(file))
            {
                place::settle(proposed, &there, placed.back);
                view.text = text.map(Into::into);
            }
        });
        match missed.is_empty() {
            true => Ok(()),
            false => Err(Fault::new(Code::Rejected, format!("the editor left out {}", missed.join(", ")))),
        }
    }
}

/// The fault where no hunk that is meant fits the text any more.
fn gone(path: &WorkspacePath, now: Option<&Snapshot>) -> Fault {
    let hash = now.map(|now| now.hash.as_str());
    Fault::new(Code::NotFound, format!("{path} changed under the hunks; none fits any more"))
        .detail(serde_json::json!({ "path": path, "hash": hash }))
}
