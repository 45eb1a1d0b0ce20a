//! A decision is carried out: hunks are applied, dropped or taken back, one file at a time.

use super::apply::{Put, put, put_bare};
use super::desk::{Desk, Item};
use super::place;
use crate::base::WorkspacePath;
use crate::base::text::Encoding;
use crate::journal::Journal;
use crate::patch;
use crate::ports::LineEdit;
use crate::protocol::{
    Act, ChangeKind, Code, DecideParams, Fault, Hunk, HunkState, Policy, Proposal, ProposedFile,
};
use crate::session::{Snapshot, text_of};

/// How often a file that changes under a decision is read again before the decision gives up.
const TRIES: u32 = 5;

/// Who decides, where it is a person.
const PERSON: &str = "person";

/// The hunks that are meant in the files of one proposal: the files by their place in it.
pub(super) type Meant = (String, Vec<(usize, Vec<String>)>);

/// What became of a decision.
#[derive(Clone, Debug, PartialEq)]
pub struct Decided {
    /// The proposals touched, as they stand now.
    pub proposals: Vec<Proposal>,
    /// What could not be done.
    pub faults: Vec<Fault>,
}

impl Desk {
    /// Carries out a person's decision and says how the proposals stand afterwards. A hunk that was accepted
    /// before and is now rejected by name is taken back.
    ///
    /// # Errors
    /// NOT_FOUND where no hunk is meant by it.
    pub async fn decide(&self, params: &DecideParams, by: &str) -> Result<Decided, Fault> {
        // It writes and waits for the disk: not where requests are read.
        tokio::task::yield_now().await;
        let _one_at_a_time = self.deciding.lock().await;
        self.refresh(params.applied);
        let meant = self.meant(params)?;
        self.edit(params, &meant)?;
        let mut faults = Vec::new();
        for (id, files) in &meant {
            for (file, hunks) in files {
                let outcome = match params.act {
                    Act::Accept => self.accept(id, *file, hunks).await,
                    Act::Reject => self.reject(id, *file, hunks, params.reason.as_deref()).await,
                };
                faults.extend(outcome.err());
                if by == PERSON {
                    self.looked_at(id, *file, hunks);
                }
            }
            if params.act == Act::Accept {
                self.give_reason(id, files, params.reason.as_deref());
            }
            let decided: Vec<String> = files.iter().flat_map(|(_, hunks)| hunks.clone()).collect();
            self.log_decision(id, by, &decided);
            faults.extend(self.update(id).err());
        }
        let proposals = meant.iter().filter_map(|(id, _)| self.get(id)).map(|item| item.proposal).collect();
        Ok(Decided { proposals, faults })
    }

    /// Which hunks are meant: by proposal, then by file.
    fn meant(&self, params: &DecideParams) -> Result<Vec<Meant>, Fault> {
        let items = self.items();
        if let Some(id) = params.proposal.as_ref().filter(|id| !items.contains_key(*id)) {
            return Err(Fault::new(Code::NotFound, format!("no proposal {id:?} waits here"))
                .suggest("`wherefore review --list` shows those that wait"));
        }
        let open = self.session.opened_journal().map_or("", Journal::session);
        let wanted = |id: &String, item: &Item| {
            params.proposal.as_ref().is_none_or(|wanted| wanted == id)
                && params.since.as_ref().is_none_or(|since| since.is_before(&item.proposal, open))
        };
        let mut found: Vec<(&String, Meant)> = Vec::new();
        for (id, item) in items.iter().filter(|(id, item)| wanted(id, item)) {
            let mut files = Vec::new();
            for (at, file) in item.proposal.files.iter().enumerate() {
                if params.path.as_ref().is_some_and(|path| path != &file.path) {
                    continue;
                }
                let named = |hunk: &Hunk| params.hunks.contains(&hunk.id);
                let meant = |hunk: &&Hunk| match hunk.state {
                    HunkState::Pending => params.hunks.is_empty() || named(hunk),
                    HunkState::Accepted if params.hunks.is_empty() => params.applied && hunk.is_unreviewed(),
                    HunkState::Accepted => named(hunk) && (params.act == Act::Reject || !hunk.reviewed),
                    HunkState::Rejected | HunkState::Stale => false,
                };
                let hunks: Vec<String> =
                    file.hunks.iter().filter(meant).map(|hunk| hunk.id.clone()).collect();
                if !hunks.is_empty() {
                    files.push((at, hunks));
                }
            }
            if !files.is_empty() {
                found.push((&item.proposal.created, (id.clone(), files)));
            }
        }
        if found.is_empty() {
            return Err(Fault::new(
                Code::NotFound,
                "no pending hunk is meant by that: it was decided, or its text changed",
            ));
        }
        found.sort();
        Ok(found.into_iter().map(|(_, meant)| meant).collect())
    }

    /// Puts pending hunks in place; those that are already stay.
    async fn accept(&self, id: &str, file: usize, hunks: &[String]) -> Result<(), Fault> {
        let pending = self.hunks_in(id, file, hunks, HunkState::Pending);
        match pending.is_empty() {
            true => Ok(()),
            false => self.place(id, file, &pending, false).await,
        }
    }

    /// Notes that a person decided on hunks.
    fn looked_at(&self, id: &str, file: usize, hunks: &[String]) {
        self.change(id, file, |proposed| {
            let decided = |hunk: &&mut Hunk| hunks.contains(&hunk.id) && hunk.state != HunkState::Pending;
            proposed.hunks.iter_mut().filter(decided).for_each(|hunk| hunk.reviewed = true);
        });
    }

    /// Drops pending hunks; takes back accepted ones.
    async fn reject(
        &self,
        id: &str,
        file: usize,
        hunks: &[String],
        reason: Option<&str>,
    ) -> Result<(), Fault> {
        let accepted: Vec<String> = self.hunks_in(id, file, hunks, HunkState::Accepted);
        let taken_back = match accepted.is_empty() {
            true => Ok(()),
            false => self.place(id, file, &accepted, true).await,
        };
        if !accepted.is_empty() && taken_back.is_ok() {
            self.tell_again(id);
        }
        self.change(id, file, |proposed| {
            for hunk in proposed.hunks.iter_mut().filter(|hunk| hunks.contains(&hunk.id)) {
                if hunk.state == HunkState::Pending {
                    hunk.state = HunkState::Rejected;
                }
                if hunk.state == HunkState::Rejected {
                    hunk.reason = reason.map(str::to_owned);
                }
            }
        });
        taken_back
    }

    fn give_reason(&self, id: &str, files: &[(usize, Vec<String>)], reason: Option<&str>) {
        for (file, hunks) in files {
            self.change(id, *file, |proposed| {
                for hunk in proposed.hunks.iter_mut().filter(|hunk| hunks.contains(&hunk.id)) {
                    hunk.reason = reason.map(str::to_owned);
                }
            });
        }
    }

    /// The agent of a proposal was told another outcome than it has now.
    fn tell_again(&self, id: &str) {
        if let Some(item) = self.items().get_mut(id)
            && (item.delivered || item.policy == Policy::Auto)
        {
            (item.answered, item.delivered) = (true, false);
        }
    }

    fn hunks_in(&self, id: &str, file: usize, hunks: &[String], state: HunkState) -> Vec<String> {
        let Some(item) = self.get(id) else { return Vec::new() };
        let wanted = |hunk: &&Hunk| hunk.state == state && hunks.contains(&hunk.id);
        item.proposal.files[file].hunks.iter().filter(wanted).map(|hunk| hunk.id.clone()).collect()
    }

    fn change(&self, id: &str, file: usize, change: impl FnOnce(&mut ProposedFile)) {
        if let Some(item) = self.items().get_mut(id) {
            change(&mut item.proposal.files[file]);
        }
    }

    /// Puts hunks of one file in place, or takes them `back`.
    async fn place(&self, id: &str, file: usize, hunks: &[String], back: bool) -> Result<(), Fault> {
        let Some(item) = self.get(id) else { return Ok(()) };
        let (proposal, proposed) = (&item.proposal, &item.proposal.files[file]);
        let path = WorkspacePath::clean(&proposed.path).unwrap_or_else(WorkspacePath::root);
        let from = proposed.from.as_deref().and_then(WorkspacePath::clean);
        if matches!(proposed.kind, ChangeKind::Mkdir | ChangeKind::Copy) {
            if back {
                return Err(Fault::new(Code::Unsupported, "a folder or a copy is taken back by undo"));
            }
            let put = put_bare(
                &self.session,
                (&proposal.call_id, &proposal.session),
                &path,
                proposed.kind,
                from.as_ref(),
            );
            if put.is_ok() || took_effect(&put) {
                self.change(id, file, |proposed| {
                    proposed.hunks.iter_mut().for_each(|hunk| hunk.state = HunkState::Accepted)
                });
            }
            return put;
        }
        let busy = self.placing(&path);
        let mut outcome = Ok(());
        for _ in 0..TRIES {
            outcome = self.place_text(id, file, hunks, back, &path).await;
            // Someone wrote the file between the look and the write: look again.
            if !matches!(&outcome, Err(fault) if fault.code == Code::Stale) {
                break;
            }
        }
        drop(busy);
        if let Ok(now) = text_of(&self.session, &path) {
            self.replace(&path, now.as_ref().map(|now| now.text.as_str()));
        }
        outcome
    }

    async fn place_text(
        &self,
        id: &str,
        file: usize,
        hunks: &[String],
        back: bool,
        path: &WorkspacePath,
    ) -> Result<(), Fault> {
        let before = text_of(&self.session, path)?;
        self.replace(path, before.as_ref().map(|before| before.text.as_str()));
        let Some(item) = self.get(id) else { return Ok(()) };
        let state = if back { HunkState::Accepted } else { HunkState::Pending };
        let proposed = &item.proposal.files[file];
        let wanted: Vec<&Hunk> =
            proposed.hunks.iter().filter(|hunk| hunk.state == state && hunks.contains(&hunk.id)).collect();
        if wanted.is_empty() {
            return Err(Fault::new(
                Code::NotFound,
                format!("{path} changed under the hunks; none fits any more"),
            ));
        }
        let plan = plan(proposed, &wanted, before.as_ref(), back)?;
        let encoding = before
            .as_ref()
            .map(|before| before.encoding)
            .or(item.views[file].encoding)
            .unwrap_or(Encoding::Utf8);
        let now = put(
            &self.session,
            Put {
                call: &item.proposal.call_id,
                session: &item.proposal.session,
                undoes: None,
                label: label(&item.proposal),
                path,
                before: before.as_ref(),
                after: plan.after.as_deref(),
                encoding,
                edits: plan.edits,
            },
        )
        .await;
        let (now, doubt) = match now {
            Ok(now) => (now.map(|now| now.text), Ok(())),
            // It took effect: the hunks are in the text, and the fault says what is not certain.
            Err(fault) if fault.applied == Some(true) => (plan.after.clone(), Err(fault)),
            Err(fault) => return Err(fault),
        };
        let placed =
            Placed { file: proposed, hunks: &wanted, back, before: before.as_ref(), after: plan.after };
        self.settle(id, file, &placed, now)?;
        doubt
    }

    /// Notes which hunks are in the text that is there now, whatever was planned.
    fn settle(&self, id: &str, file: usize, placed: &Placed<'_>, now: Option<String>) -> Result<(), Fault> {
        let there = placed.found_in(now.as_deref());
        let (kept, missed): (Vec<&Hunk>, Vec<&Hunk>) =
            placed.hunks.iter().partition(|hunk| there.contains(&hunk.id));
        let text = match (kept.is_empty(), missed.is_empty()) {
            (_, true) => placed.after.clone(),
            (true, _) => placed.before.map(|before| before.text.clone()),
            _ => plan(placed.file, &kept, placed.before, placed.back)?.after,
        };
        if let Some(item) = self.items().get_mut(id) {
            let proposed = &mut item.proposal.files[file];
            // From the last to the first: each one's place is that of the text before.
            kept.iter().rev().for_each(|hunk| place::shift(proposed, hunk, placed.back));
            for hunk in proposed.hunks.iter_mut().filter(|hunk| there.contains(&hunk.id)) {
                hunk.state = if placed.back { HunkState::Rejected } else { HunkState::Accepted };
            }
            item.views[file].text = text;
        }
        let missed: Vec<&str> = missed.iter().map(|hunk| hunk.id.as_str()).collect();
        match missed.is_empty() {
            true => Ok(()),
            false => Err(Fault::new(Code::Rejected, format!("the editor left out {}", missed.join(", ")))),
        }
    }
}

/// Hunks that were put in place, or taken `back`.
struct Placed<'a> {
    /// Their file, as it was before.
    file: &'a ProposedFile,
    hunks: &'a [&'a Hunk],
    back: bool,
    before: Option<&'a Snapshot>,
    /// The text as planned.
    after: Option<String>,
}

impl Placed<'_> {
    /// The ids of those that are in the text as it is now.
    fn found_in(&self, now: Option<&str>) -> Vec<String> {
        let all = || self.hunks.iter().map(|hunk| hunk.id.clone()).collect();
        if self.after.as_deref() == now {
            return all();
        }
        let Some((after, now)) = self.after.as_deref().zip(now) else { return Vec::new() };
        let mut file = self.file.clone();
        self.hunks.iter().rev().for_each(|hunk| place::shift(&mut file, hunk, self.back));
        let is_there = |hunk: &&Hunk| {
            self.hunks.iter().any(|placed| placed.id == hunk.id)
                && patch::relocate(after, now, &place::stood(hunk, !self.back)).is_some()
        };
        file.hunks.iter().filter(is_there).map(|hunk| hunk.id.clone()).collect()
    }
}

/// Whether what failed took effect all the same.
fn took_effect<T>(done: &Result<T, Fault>) -> bool {
    matches!(done, Err(fault) if fault.applied == Some(true))
}

fn label(proposal: &Proposal) -> String {
    format!("wherefore: {}", proposal.why)
}

struct Plan {
    after: Option<String>,
    edits: Vec<LineEdit>,
}

/// The text with the wanted hunks in it (or out of it), and the edits that lead there.
fn plan(file: &ProposedFile, wanted: &[&Hunk], before: Option<&Snapshot>, back: bool) -> Result<Plan, Fault> {
    let whole = || wanted[0].new.concat();
    match (file.kind, back) {
        (ChangeKind::Create, false) if before.is_none() => {
            return Ok(Plan { after: Some(whole()), edits: Vec::new() });
        }
        (ChangeKind::Create, false) if place::is_nothing(before.map(|before| &*before.text)) => {
            let count = before.map_or(0, |before| before.text.lines().count());
            let edit = LineEdit { start: 0, count: u32::try_from(count).unwrap_or(u32::MAX), text: whole() };
            return Ok(Plan { after: Some(whole()), edits: vec![edit] });
        }
        (ChangeKind::Create, true) | (ChangeKind::Delete, false) => {
            return Ok(Plan { after: None, edits: Vec::new() });
        }
        (ChangeKind::Delete, true) => {
            return Ok(Plan { after: Some(wanted[0].old.concat()), edits: Vec::new() });
        }
        _ => {}
    }
    let mut text = before.map(|before| before.text.clone()).unwrap_or_default();
    let mut edits = Vec::new();
    for hunk in wanted.iter().rev() {
        let (from, to) = if back { (&hunk.new, &hunk.old) } else { (&hunk.old, &hunk.new) };
        text = patch::splice(&text, hunk.start as usize, from, to).ok_or_else(|| {
            Fault::new(
                Code::Stale,
                format!("{} is not in {} at line {} any more", hunk.id, file.path, hunk.start + 1),
            )
        })?;
        let count = u32::try_from(from.len()).unwrap_or(u32::MAX);
        edits.push(LineEdit { start: hunk.start, count, text: to.concat() });
    }
    edits.reverse();
    Ok(Plan { after: Some(text), edits })
}
