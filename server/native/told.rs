//! What the model of an agent is told of its own tool's call, in words.

use std::fmt::Write;

use super::ChangeStanding;
use super::standing::NAMED;
use crate::base::WorkspacePath;
use crate::base::numbers::counted;
use crate::protocol::{Code, Delivery, Envelope, Fault, HunkState, NativeOutcome, Status};
use crate::shell::Judgement;

/// How the change of a call stands, whether that was answered or is the detail of a fault.
fn standing(envelope: &Envelope) -> ChangeStanding {
    let details = envelope.error.as_ref().and_then(|fault| fault.details.as_ref());
    envelope.result.as_deref().or(details).map(ChangeStanding::read).unwrap_or_default()
}

/// What became of an edit, and the words for it.
pub fn edited(envelope: &Envelope) -> (NativeOutcome, String) {
    let standing = standing(envelope);
    let (accepted, all) = (standing.accepted(), standing.hunks.len());
    match (&envelope.error, envelope.status) {
        (None, Status::Pending) => (NativeOutcome::Pending, waiting(&standing)),
        (None, _) if all == 0 => (NativeOutcome::Unchanged, unchanged(&standing)),
        (None, _) if accepted == all => (NativeOutcome::Applied, applied(&standing)),
        (None, _) => (NativeOutcome::PartlyApplied, partly(&standing)),
        (Some(fault), _) if all > 0 => (NativeOutcome::Rejected, rejected(fault, &standing)),
        (Some(fault), _) => (NativeOutcome::Refused, refused(fault)),
    }
}

/// What became of the changes that a command made, where something has to be said.
pub fn ran(envelope: &Envelope) -> Option<String> {
    let standing = standing(envelope);
    let (files, accepted, all) = (standing.files(), standing.accepted(), standing.hunks.len());
    match (&envelope.error, envelope.status) {
        (Some(fault), _) if all == 0 => Some(refused(fault)),
        (None, Status::Pending) => Some(format!(
            "wherefore: what this command changed in {files} ({}) waits for the person's decision and is not in the workspace \
             before it. You are told the outcome with a later result.",
            if all == 1 { "1 hunk".to_owned() } else { format!("{all} hunks") }
        )),
        (None, _) if accepted == all => None,
        _ => Some(format!(
            "wherefore: of what this command changed in {files} the person accepted {accepted} of {all} hunks. The others are \
             not in the workspace.{}",
            listed(&standing)
        )),
    }
}

fn applied(standing: &ChangeStanding) -> String {
    let all = match standing.hunks.len() {
        1 => "The one hunk was".to_owned(),
        more => format!("All {more} hunks were"),
    };
    format!(
        "wherefore: done. {all} accepted, and {} holds the change now. wherefore wrote it instead of this tool, so this is no \
         error: do not repeat the edit.{}",
        standing.files(),
        listed(standing)
    )
}

fn partly(standing: &ChangeStanding) -> String {
    format!(
        "wherefore: the person accepted {} of {} hunks, and {} holds those now. wherefore wrote them instead of this tool, so \
         do not repeat the edit.{}\nThe rejected hunks are not in the file. Take the reasons into account before you propose \
         another change.",
        standing.accepted(),
        standing.hunks.len(),
        standing.files(),
        listed(standing)
    )
}

fn rejected(fault: &Fault, standing: &ChangeStanding) -> String {
    let why = match fault.code {
        Code::Rejected => "the person rejected the change",
        _ => fault.message.as_str(),
    };
    let files = standing.files();
    format!(
        "wherefore: {why}; nothing was written to {files}.{}\nDo not repeat the edit as it was.",
        listed(standing)
    )
}

/// Each hunk of which something has to be said, a line each.
fn listed(standing: &ChangeStanding) -> String {
    let mut words: String = standing.sentences().map(|sentence| format!("\n- {sentence}")).collect();
    let more = standing.hunks.len().saturating_sub(NAMED);
    if more > 0 {
        let _ = write!(words, "\n- and {more} more");
    }
    words
}

fn waiting(standing: &ChangeStanding) -> String {
    let (hunks, wait) = match standing.hunks.len() {
        1 => ("1 hunk".to_owned(), "waits"),
        all => (format!("{all} hunks"), "wait"),
    };
    format!(
        "wherefore: {hunks} of {} {wait} for the person's decision; nothing is written before it. This is no error: do not \
         repeat the edit, and do not make it in another way. Go on with something else or end your turn; you are told the \
         outcome with a later result.",
        standing.files()
    )
}

fn unchanged(standing: &ChangeStanding) -> String {
    let files = standing.files();
    format!("wherefore: {files} stands as this edit would leave it; nothing had to be changed.")
}

/// The words of a fault.
pub fn refused(fault: &Fault) -> String {
    let suggestion = fault.suggestion.as_ref().map(|suggestion| format!(". To go on: {suggestion}"));
    format!("wherefore: {}{}", fault.message, suggestion.unwrap_or_default())
}

/// Whether a fault of a read says that somebody refuses, and not that there is no text to read.
pub fn is_refusal(fault: &Fault) -> bool {
    !matches!(fault.code, Code::NotFound | Code::Unsupported)
}

/// The words for a command that the rules refuse.
pub fn refused_command(judgement: &Judgement) -> String {
    let why = judgement.why.as_ref().or(judgement.rule.as_ref());
    format!(
        "wherefore: the rules refuse this command{}. Do not run it in another way; say what you need, and the person can do it",
        why.map(|why| format!(" ({why})")).unwrap_or_default()
    )
}

/// The words where a search would show lines of `path`, which the rules close; none named: too much is closed to
/// look into it.
pub fn closed_lines(path: Option<&WorkspacePath>) -> String {
    let what = match path {
        Some(path) => format!("this search would show lines of {path}, which the rules close to you"),
        None => "too much here is closed to you to say what this search would show".to_owned(),
    };
    format!(
        "wherefore: {what}. Search a narrower folder or other files, or use the tool search.lexical, which leaves out what is \
         closed"
    )
}

/// The words where an edit has no reason and the person wants one.
pub fn no_why() -> String {
    "wherefore: this edit has no reason, and the person wants one ([native] require_why). Say in one sentence what you want \
     to accomplish, right before you call the tool, and call it again"
        .to_owned()
}

/// The words where the server ended while an edit was under review. What was accepted by then stands, and the rest is kept.
pub fn lost() -> String {
    "wherefore: its server ended while this edit was under review. What the person accepted by then is in the file; the rest \
     still waits for them. Do not repeat the edit; read the file before you go on."
        .to_owned()
}

/// Decisions on earlier calls, the words for each.
pub fn settled(deliveries: &[Delivery]) -> Vec<String> {
    deliveries.iter().map(one_settled).collect()
}

fn one_settled(delivery: &Delivery) -> String {
    let mut paths: Vec<&str> = delivery.hunks.iter().map(|hunk| hunk.path.as_str()).collect();
    paths.dedup();
    let accepted = delivery.hunks.iter().filter(|hunk| hunk.state == HunkState::Accepted).count();
    let mut words = format!(
        "wherefore: your earlier change of {} was decided: {} ({accepted} of {} accepted).",
        paths.join(", "),
        delivery.status.word().replace('_', " "),
        counted(delivery.hunks.len() as u64, "hunk")
    );
    let told =
        delivery.hunks.iter().filter(|hunk| hunk.state == HunkState::Rejected || hunk.reason.is_some());
    for hunk in told.take(NAMED) {
        let (state, reason) = (hunk.state.word(), hunk.reason.as_deref().unwrap_or("no reason given"));
        let _ = write!(words, "\n- hunk {} of {} was {state}: {reason}", hunk.id, hunk.path);
    }
    words
}
