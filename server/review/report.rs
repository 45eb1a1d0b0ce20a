//! What the agent, the log and later results say of a proposal.

use serde_json::{Map, Value, json};

use super::desk::Desk;
use super::item::{Item, View};
use crate::base::WorkspacePath;
use crate::patch;
use crate::protocol::{
    ChangeKind, Code, Delivery, DeliveryStatus, Fault, Hunk, HunkDecision, HunkState, Proposal,
    ProposalState, ProposedFile,
};
use crate::registry::{Call, Draft};
use crate::session::Session;
use crate::workspace::Files;

/// Lines shown around a change as it stands.
const AROUND: usize = 3;

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
        ChangeKind::Mkdir => format!("new folder {}\n", file.path),
        ChangeKind::Copy => {
            format!("copy {} to {}\n", file.from.as_ref().map_or("?", WorkspacePath::as_str), file.path)
        }
        ChangeKind::Create => patch::unified(file.path.as_str(), None, Some(&whole(file))),
        ChangeKind::Delete => patch::unified(file.path.as_str(), view.text.as_deref(), None),
        ChangeKind::Edit => {
            patch::unified(file.path.as_str(), view.text.as_deref(), patched(file, view).as_deref())
        }
    };
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
pub(crate) fn answer(desk: &Desk, files: &Files, item: &Item) -> Result<Value, Fault> {
    let proposal = &item.proposal;
    let mut answer = Map::new();
    answer.insert("status".into(), json!(proposal.state().word()));
    answer.insert("proposal".into(), json!(proposal.id));
    if let [file] = &proposal.files[..] {
        answer.insert("path".into(), json!(file.path));
    } else {
        let paths: Vec<&str> = proposal.files.iter().map(|file| file.path.as_str()).collect();
        answer.insert("paths".into(), json!(paths));
    }
    let hunks: Vec<Value> = proposal.files.iter().flat_map(|file| file.hunks.iter().map(hunk)).collect();
    answer.insert("hunks".into(), Value::Array(hunks));
    if let [file] = &proposal.files[..] {
        answer.extend(standing(desk, files, file));
        if matches!(file.kind, ChangeKind::Create | ChangeKind::Mkdir)
            && proposal.state() == ProposalState::Applied
        {
            answer.insert("created".into(), json!(true));
        }
    }
    answer.extend(item.notes.clone());
    match proposal.state() {
        ProposalState::Rejected => Err(refused(proposal, Value::Object(answer))),
        ProposalState::Stale => Err(stale(proposal, Value::Object(answer))),
        ProposalState::Pending => {
            answer.insert("next_action".into(), json!({
                "tool": "review.wait",
                "arguments": { "proposal": proposal.id, "why": "Learn what the person decided on the proposed change" },
            }));
            Ok(Value::Object(answer))
        }
        ProposalState::Applied | ProposalState::PartlyApplied => Ok(Value::Object(answer)),
    }
}

/// The answer to a call that found everything as it wanted it.
pub(crate) fn unchanged(session: &Session, files: &Files, call: &Call, draft: Draft) -> Value {
    let mut answer = Map::new();
    answer.insert("status".into(), json!("unchanged"));
    if let Some(path) = call
        .effects()
        .writes
        .first()
        .and_then(|path| WorkspacePath::parse(session.workspace().root(), path).ok())
    {
        answer.insert("path".into(), json!(path));
        if let Ok(Some(now)) = session.files().text_through(files, &path) {
            answer.insert("hash".into(), json!(now.hash));
        }
    }
    answer.insert("hunks".into(), json!([]));
    answer.extend(draft.notes);
    Value::Object(answer)
}

fn hunk(hunk: &Hunk) -> Value {
    let mut shown = json!({
        "id": hunk.id,
        "state": hunk.state,
        "line": hunk.start + 1,
        "removed": hunk.old.len(),
        "added": hunk.new.len(),
    });
    if let Some(shown) = shown.as_object_mut() {
        shown.extend(hunk.reason.as_ref().map(|reason| ("reason".to_owned(), json!(reason))));
        let edited = hunk.edited && hunk.state == HunkState::Accepted;
        shown.extend(edited.then(|| ("text".to_owned(), json!(hunk.new.concat()))));
        shown.extend(hunk.loose.as_ref().map(|loose| ("loose".to_owned(), json!(loose))));
    }
    shown
}

/// The text as it now stands around the change, and the hash that the next write may expect.
fn standing(desk: &Desk, files: &Files, file: &ProposedFile) -> Map<String, Value> {
    let mut standing = Map::new();
    if file.kind == ChangeKind::Mkdir {
        return standing;
    }
    let Ok(Some(now)) = desk.session.files().text_through(files, &file.path) else {
        return standing;
    };
    standing.insert("hash".into(), json!(now.hash));
    if now.unsaved {
        standing.insert("unsaved".into(), json!(true));
    }
    if !matches!(file.kind, ChangeKind::Create | ChangeKind::Copy) {
        standing.insert("text".into(), json!(excerpt(&now.text, file)));
    }
    standing
}

/// The lines around each hunk, numbered from 1, with a mark where lines are left out.
fn excerpt(text: &str, file: &ProposedFile) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut shown = vec![false; lines.len()];
    for hunk in &file.hunks {
        let there = if hunk.state == HunkState::Accepted { hunk.new.len() } else { hunk.old.len() };
        let first = (hunk.start as usize).saturating_sub(AROUND);
        let last = (hunk.start as usize + there + AROUND).min(lines.len());
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
