//! The report of a proposal in the agent's answer, in the log and in later results.

use serde_json::{Value, json};

use crate::base::WorkspacePath;
use crate::patch;
use crate::protocol::{
    AnsweredHunk, ChangeAnswer, ChangeKind, Code, Delivery, DeliveryStatus, Fault, Hunk, HunkDecision,
    HunkState, Proposal, ProposalState, ProposedFile,
};
use crate::registry::{CallDraft, CheckedCall};
use crate::review::{HunkBase, QueuedProposal};
use crate::session::WorkspaceSession;
use crate::workspace::WorkspaceFiles;

/// Lines shown around a change whose text differs from the agent's.
const AROUND: usize = 3;

/// Lines shown around a change whose text is exactly the agent's.
const AROUND_EXACT: usize = 1;

/// Lines that the answer shows at most.
const MOST_LINES: usize = 120;

/// Returns the outcome of each chosen hunk.
pub(super) fn hunk_decisions(proposal: &Proposal, chosen: impl Fn(&Hunk) -> bool) -> Vec<HunkDecision> {
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
pub(super) fn new_delivery(proposal: &Proposal, status: DeliveryStatus) -> Delivery {
    Delivery {
        proposal: proposal.id.clone(),
        call_id: proposal.call_id.clone(),
        status,
        hunks: hunk_decisions(proposal, |_| true),
    }
}

/// Returns the change of one file as a unified diff.
pub(super) fn file_diff(file: &ProposedFile, view: &HunkBase) -> (String, String) {
    let text = match file.kind {
        ChangeKind::Create => patch::unified_diff(file.path.as_str(), None, Some(&whole_text(file))),
        ChangeKind::Delete => patch::unified_diff(file.path.as_str(), view.text.as_deref(), None),
        ChangeKind::Edit => {
            patch::unified_diff(file.path.as_str(), view.text.as_deref(), patched_text(file, view).as_deref())
        }
        _ => String::new(),
    };
    let what = file.what.as_ref().map(|what| format!("{what}\n")).unwrap_or_default();
    let text = what + &text;
    (file.path.to_string(), text)
}

fn whole_text(file: &ProposedFile) -> String {
    file.hunks.iter().flat_map(|hunk| &hunk.new).map(String::as_str).collect()
}

fn patched_text(file: &ProposedFile, view: &HunkBase) -> Option<String> {
    let text = view.text.as_deref().unwrap_or_default().to_owned();
    file.hunks
        .iter()
        .rev()
        .try_fold(text, |text, hunk| patch::splice_lines(&text, hunk.start as usize, &hunk.old, &hunk.new))
}

/// Returns the answer to the call that made a proposal, in the proposal's state. It shows the text of those files alone
/// that `files` lets the caller read.
///
/// # Errors
/// REJECTED where a person or a policy refused all of it, STALE where the text changed under all of it: the details
/// hold the answer.
pub(crate) fn proposal_answer(
    session: &WorkspaceSession,
    files: &WorkspaceFiles,
    item: &QueuedProposal,
) -> Result<ChangeAnswer, Fault> {
    let proposal = item.proposal();
    let state = proposal.state();
    let has_several = proposal.files.len() > 1;
    let of_file = |file: &ProposedFile| -> Vec<_> {
        file.hunks.iter().map(|one| answered_hunk(file, one, has_several)).collect()
    };
    let hunks = proposal.files.iter().flat_map(of_file).collect();
    let mut answer = ChangeAnswer {
        proposal: Some(proposal.id.to_string()),
        notes: item.notes().clone(),
        hunks,
        ..ChangeAnswer::from_state(state)
    };
    if let [file] = &proposal.files[..] {
        answer.path = Some(file.path.to_string());
        add_standing_text(&mut answer, session, files, file);
        answer.created = matches!(file.kind, ChangeKind::Create | ChangeKind::Mkdir)
            && proposal.state() == ProposalState::Applied;
    } else {
        answer.paths = Some(proposal.files.iter().map(|file| file.path.to_string()).collect());
    }
    match state {
        ProposalState::Rejected => Err(refusal_fault(proposal, answer.into_value())),
        ProposalState::Stale => Err(stale_fault(proposal, answer.into_value())),
        ProposalState::Pending => {
            let mut next = json!({
                "tool": "review.wait",
                "arguments": { "proposal": proposal.id, "why": "Learn what the person decided on the proposed change" },
            });
            if !session.editor().attached() {
                next["person"] = json!(UNSEEN);
            }
            answer.next_action = Some(next);
            Ok(answer)
        }
        ProposalState::Applied | ProposalState::PartlyApplied => Ok(answer),
    }
}

/// The hint for the agent, and for the person through it, where no editor shows the change.
const UNSEEN: &str = "no editor shows this: `wherefore review` decides on it, and `wherefore review --watch`, open in a \
                      terminal, takes the next changes as they come";

/// The answer to a call that found everything as it wanted it.
pub(crate) fn unchanged_answer(
    session: &WorkspaceSession,
    files: &WorkspaceFiles,
    call: &CheckedCall,
    draft: CallDraft,
) -> ChangeAnswer {
    let mut answer = ChangeAnswer { notes: draft.notes, ..ChangeAnswer::no_change() };
    if let Some(path) = call
        .effects()
        .writes
        .first()
        .and_then(|path| WorkspacePath::parse(session.workspace().root(), path).ok())
    {
        if let Ok(Some(now)) = session.files().read_text_through(files, &path) {
            answer.bytes = now.encoding.encode_text(&now.text).ok().map(|bytes| bytes.len());
            answer.hash = Some(now.hash);
        }
        answer.path = Some(path.to_string());
    }
    answer
}

fn answered_hunk(file: &ProposedFile, hunk: &Hunk, has_several: bool) -> AnsweredHunk {
    let edited = hunk.edited && hunk.state == HunkState::Accepted;
    AnsweredHunk {
        id: hunk.id.to_string(),
        path: has_several.then(|| file.path.to_string()),
        state: hunk.state,
        line: hunk.start + 1,
        reason: hunk.reason.clone(),
        text: edited.then(|| hunk.new.concat()),
        loose: hunk.loose.clone(),
        what: file.what.clone(),
    }
}

/// Adds the current text around the change, and the hash that the next write may expect.
fn add_standing_text(
    answer: &mut ChangeAnswer,
    session: &WorkspaceSession,
    files: &WorkspaceFiles,
    file: &ProposedFile,
) {
    if matches!(file.kind, ChangeKind::Mkdir | ChangeKind::Rmdir) {
        return;
    }
    let Ok(Some(now)) = session.files().read_text_through(files, &file.path) else {
        return;
    };
    answer.unsaved = now.unsaved;
    if matches!(file.kind, ChangeKind::Edit | ChangeKind::Delete) {
        answer.text = Some(hunk_excerpt(&now.text, file));
    }
    answer.bytes = now.encoding.encode_text(&now.text).ok().map(|bytes| bytes.len());
    answer.hash = Some(now.hash);
}

/// The lines around each hunk, numbered from 1, with a mark where lines are left out.
fn hunk_excerpt(text: &str, file: &ProposedFile) -> String {
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

fn refusal_fault(proposal: &Proposal, details: Value) -> Fault {
    let mut reasons: Vec<&str> = proposal.hunks().filter_map(|hunk| hunk.reason.as_deref()).collect();
    reasons.dedup();
    let message = match reasons.is_empty() {
        true => "the change was rejected; nothing was written".to_owned(),
        false => format!("the change was rejected; nothing was written: {}", reasons.join("; ")),
    };
    Fault::new(Code::Rejected, message)
        .with_suggestion(
            "take the reason into account before you propose another change; do not repeat this one",
        )
        .with_details(details)
}

fn stale_fault(proposal: &Proposal, details: Value) -> Fault {
    let paths: Vec<&str> = proposal.files.iter().map(|file| file.path.as_str()).collect();
    Fault::new(
        Code::Stale,
        format!("{} changed before the change was applied; nothing was written", paths.join(", ")),
    )
    .with_suggestion("read the file again and make the change anew on its text as it stands")
    .with_next_action(json!({ "tool": "fs.read", "arguments": {
        "path": paths.first(), "why": "See the text as it stands now, before changing it",
    } }))
    .with_details(details)
}
