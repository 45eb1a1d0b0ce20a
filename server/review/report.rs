//! What the agent, the log and later results say of a proposal.

use serde_json::{Value, json};

use super::answer::{Answer, AnsweredHunk};
use super::item::{Item, View};
use super::queue::ProposalQueue;
use crate::base::WorkspacePath;
use crate::patch;
use crate::protocol::{
    ChangeKind, Code, Delivery, DeliveryStatus, Fault, Hunk, HunkDecision, HunkState, Proposal,
    ProposalState, ProposedFile,
};
use crate::registry::{Call, Draft};
use crate::session::Session;
use crate::workspace::Files;

/// Lines shown around a change as it stands, where it is another than its agent asked for.
const AROUND: usize = 3;

/// Lines shown around a change that stands exactly as its agent asked for it.
const AROUND_EXACT: usize = 1;

/// Lines that the answer shows at most.
const MOST_LINES: usize = 120;

/// Each chosen hunk with what became of it.
pub(super) fn decisions(proposal: &Proposal, chosen: impl Fn(&Hunk) -> bool) -> Vec<HunkDecision> {
    let decision = |file: &ProposedFile, hunk: &Hunk| HunkDecision {
        id: hunk.id.clone(),
        path: file.path.clone(),
        state: hunk.state,
        reason: hunk.reason.clone(),
        text: (hunk.edited && hunk.state == HunkState::Accepted).then(|| hunk.new.concat()),
    };
    let of = |file: &ProposedFile| -> Vec<HunkDecision> {
        file.hunks.iter().filter(|hunk| chosen(hunk)).map(|hunk| decision(file, hunk)).collect()
    };
    proposal.files.iter().flat_map(of).collect()
}

/// The decision on a proposal, for its agent's next result.
pub(super) fn delivery(proposal: &Proposal, status: DeliveryStatus) -> Delivery {
    Delivery {
        proposal: proposal.id.clone(),
        call_id: proposal.call_id.clone(),
        status,
        hunks: decisions(proposal, |_| true),
    }
}

/// One file's change as a unified diff.
pub(super) fn diff(file: &ProposedFile, view: &View) -> (String, String) {
    let text = match file.kind {
        ChangeKind::Create => patch::unified(file.path.as_str(), None, Some(&whole(file))),
        ChangeKind::Delete => patch::unified(file.path.as_str(), view.text.as_deref(), None),
        ChangeKind::Edit => {
            patch::unified(file.path.as_str(), view.text.as_deref(), patched(file, view).as_deref())
        }
        _ => String::new(),
    };
    let what = file.what.as_ref().map(|what| format!("{what}\n")).unwrap_or_default();
    let text = what + &text;
    (file.path.to_string(), text)
}

fn whole(file: &ProposedFile) -> String {
    file.hunks.iter().flat_map(|hunk| &hunk.new).map(String::as_str).collect()
}

fn patched(file: &ProposedFile, view: &View) -> Option<String> {
    let text = view.text.as_deref().unwrap_or_default().to_owned();
    file.hunks
        .iter()
        .rev()
        .try_fold(text, |text, hunk| patch::splice(&text, hunk.start as usize, &hunk.old, &hunk.new))
}

/// The answer to the call that made a proposal, as the proposal stands. What stands in a file is told as far as `files`
/// are open to whoever hears it.
///
/// # Errors
/// REJECTED where a person or a policy said no to all of it, STALE where the text changed under all of it: the
/// details hold what the answer would.
pub(crate) fn answer(queue: &ProposalQueue, files: &Files, item: &Item) -> Result<Answer, Fault> {
    let proposal = item.proposal();
    let state = proposal.state();
    let hunks = proposal.files.iter().flat_map(|file| file.hunks.iter().map(|one| hunk(file, one))).collect();
    let mut answer = Answer {
        proposal: Some(proposal.id.to_string()),
        notes: item.notes().clone(),
        hunks,
        ..Answer::of(state)
    };
    if let [file] = &proposal.files[..] {
        answer.path = Some(file.path.to_string());
        standing(&mut answer, queue, files, file);
        answer.created = matches!(file.kind, ChangeKind::Create | ChangeKind::Mkdir)
            && proposal.state() == ProposalState::Applied;
    } else {
        answer.paths = Some(proposal.files.iter().map(|file| file.path.to_string()).collect());
    }
    match state {
        ProposalState::Rejected => Err(refused(proposal, answer.value())),
        ProposalState::Stale => Err(stale(proposal, answer.value())),
        ProposalState::Pending => {
            let mut next = json!({
                "tool": "review.wait",
                "arguments": { "proposal": proposal.id, "why": "Learn what the person decided on the proposed change" },
            });
            if !queue.session.editor().attached() {
                next["person"] = json!(UNSEEN);
            }
            answer.next_action = Some(next);
            Ok(answer)
        }
        ProposalState::Applied | ProposalState::PartlyApplied => Ok(answer),
    }
}

/// What the agent can tell the person where no editor shows the change.
const UNSEEN: &str = "no editor shows this: `wherefore review` decides on it, and `wherefore review --watch`, open in a \
                      terminal, takes the next changes as they come";

/// The answer to a call that found everything as it wanted it.
pub(crate) fn unchanged(session: &Session, files: &Files, call: &Call, draft: Draft) -> Value {
    let mut answer = Answer { notes: draft.notes, ..Answer::unchanged() };
    if let Some(path) = call
        .effects()
        .writes
        .first()
        .and_then(|path| WorkspacePath::parse(session.workspace().root(), path).ok())
    {
        if let Ok(Some(now)) = session.files().text_through(files, &path) {
            answer.hash = Some(now.hash);
        }
        answer.path = Some(path.to_string());
    }
    answer.value()
}

fn hunk(file: &ProposedFile, hunk: &Hunk) -> AnsweredHunk {
    let edited = hunk.edited && hunk.state == HunkState::Accepted;
    AnsweredHunk {
        id: hunk.id.to_string(),
        state: hunk.state,
        line: hunk.start + 1,
        reason: hunk.reason.clone(),
        text: edited.then(|| hunk.new.concat()),
        loose: hunk.loose.clone(),
        what: file.what.clone(),
    }
}

/// Adds the text as it now stands around the change, and the hash that the next write may expect.
fn standing(answer: &mut Answer, queue: &ProposalQueue, files: &Files, file: &ProposedFile) {
    if matches!(file.kind, ChangeKind::Mkdir | ChangeKind::Rmdir) {
        return;
    }
    let Ok(Some(now)) = queue.session.files().text_through(files, &file.path) else {
        return;
    };
    answer.unsaved = now.unsaved;
    if matches!(file.kind, ChangeKind::Edit | ChangeKind::Delete) {
        answer.text = Some(excerpt(&now.text, file));
    }
    answer.hash = Some(now.hash);
}

/// The lines around each hunk, numbered from 1, with a mark where lines are left out.
fn excerpt(text: &str, file: &ProposedFile) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut shown = vec![false; lines.len()];
    let is_exact = |hunk: &Hunk| hunk.state == HunkState::Accepted && !hunk.edited && hunk.loose.is_none();
    let around = if file.hunks.iter().all(is_exact) { AROUND_EXACT } else { AROUND };
    for hunk in &file.hunks {
        let there = if hunk.state == HunkState::Accepted { hunk.new.len() } else { hunk.old.len() };
        let first = (hunk.start as usize).saturating_sub(around);
        let last = (hunk.start as usize + there + around).min(lines.len());
        shown.get_mut(first..last).unwrap_or_default().fill(true);
    }
    let mut excerpt = String::new();
    let mut left_out = false;
    let numbered = lines.iter().zip(&shown).enumerate().filter(|(_, (_, shown))| **shown).take(MOST_LINES);
    let mut next = 0;
    for (at, (line, _)) in numbered {
        left_out |= at > next;
        if left_out && !excerpt.is_empty() {
            excerpt.push_str("…\n");
        }
        left_out = false;
        excerpt.push_str(&format!("{:>5}  {line}\n", at + 1));
        next = at + 1;
    }
    excerpt
}

fn refused(proposal: &Proposal, details: Value) -> Fault {
    let mut reasons: Vec<&str> = proposal.hunks().filter_map(|hunk| hunk.reason.as_deref()).collect();
    reasons.dedup();
    let message = match reasons.is_empty() {
        true => "the change was rejected; nothing was written".to_owned(),
        false => format!("the change was rejected; nothing was written: {}", reasons.join("; ")),
    };
    Fault::new(Code::Rejected, message)
        .suggest("take the reason into account before you propose another change; do not repeat this one")
        .detail(details)
}

fn stale(proposal: &Proposal, details: Value) -> Fault {
    let paths: Vec<&str> = proposal.files.iter().map(|file| file.path.as_str()).collect();
    Fault::new(
        Code::Stale,
        format!("{} changed before the change was applied; nothing was written", paths.join(", ")),
    )
    .suggest("read the file again and make the change anew on its text as it stands")
    .next(json!({ "tool": "fs.read", "arguments": {
        "path": paths.first(), "why": "See the text as it stands now, before changing it",
    } }))
    .detail(details)
}
