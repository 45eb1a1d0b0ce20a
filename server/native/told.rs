//! What the model of an agent is told of its own tool's call, in words.

use std::fmt::Write;

use serde_json::Value;

use crate::protocol::{Code, Delivery, Envelope, Fault, HunkState, NativeOutcome, Status};
use crate::shell::Judgement;

/// Hunks that are named one by one.
const NAMED: usize = 40;

/// What became of an edit, and the words for it.
pub fn edited(envelope: &Envelope) -> (NativeOutcome, String) {
    let details = envelope.error.as_ref().and_then(|fault| fault.details.as_ref());
    let answer = envelope.result.as_deref().or(details);
    let hunks = answer.and_then(|answer| answer.get("hunks")).and_then(Value::as_array);
    let hunks = hunks.map(Vec::as_slice).unwrap_or_default();
    let files = answer.map(files).unwrap_or_default();
    let of = |state: &str| hunks.iter().filter(|hunk| text(hunk, "state") == state).count();
    let (accepted, all) = (of("accepted"), hunks.len());
    match (&envelope.error, envelope.status) {
        (None, Status::Pending) => (NativeOutcome::Pending, waiting(all, &files)),
        (None, _) if all == 0 => (NativeOutcome::Unchanged, unchanged(&files)),
        (None, _) if accepted == all => (NativeOutcome::Applied, applied(all, &files, hunks)),
        (None, _) => (NativeOutcome::PartlyApplied, partly(accepted, all, &files, hunks)),
        (Some(fault), _) if all > 0 => (NativeOutcome::Rejected, rejected(fault, &files, hunks)),
        (Some(fault), _) => (NativeOutcome::Refused, refused(fault)),
    }
}

/// What became of the changes that a command made, where something has to be said.
pub fn ran(envelope: &Envelope) -> Option<String> {
    let details = envelope.error.as_ref().and_then(|fault| fault.details.as_ref());
    let answer = envelope.result.as_deref().or(details);
    let hunks = answer.and_then(|answer| answer.get("hunks")).and_then(Value::as_array);
    let hunks = hunks.map(Vec::as_slice).unwrap_or_default();
    let files = answer.map(files).unwrap_or_default();
    let accepted = hunks.iter().filter(|hunk| text(hunk, "state") == "accepted").count();
    match (&envelope.error, envelope.status) {
        (Some(fault), _) if hunks.is_empty() => Some(refused(fault)),
        (None, Status::Pending) => Some(format!(
            "wherefore: what this command changed in {files} ({}) waits for the person's decision and is not in the workspace \
             before it. You are told the outcome with a later result.",
            if hunks.len() == 1 { "1 hunk".to_owned() } else { format!("{} hunks", hunks.len()) }
        )),
        (None, _) if accepted == hunks.len() => None,
        _ => Some(format!(
            "wherefore: of what this command changed in {files} the person accepted {accepted} of {} hunks. The others are not \
             in the workspace:{}",
            hunks.len(),
            others(hunks)
        )),
    }
}

fn applied(all: usize, files: &str, hunks: &[Value]) -> String {
    let mut words = format!(
        "wherefore: done. {} accepted, and {files} holds the change now. wherefore wrote it instead of this tool, so this is \
         no error: do not repeat the edit.",
        count(all, "was", "were")
    );
    for hunk in hunks.iter().filter(|hunk| hunk.get("text").is_some()) {
        let _ = write!(
            words,
            "\nThe person changed hunk {} before accepting it. It reads now:\n{}",
            text(hunk, "id"),
            text(hunk, "text")
        );
    }
    words
}

fn partly(accepted: usize, all: usize, files: &str, hunks: &[Value]) -> String {
    let edited = hunks.iter().filter(|hunk| hunk.get("text").is_some());
    let edited: String = edited
        .map(|hunk| {
            format!(
                "\nThe person changed hunk {} before accepting it. It reads now:\n{}",
                text(hunk, "id"),
                text(hunk, "text")
            )
        })
        .collect();
    format!(
        "wherefore: the person accepted {accepted} of {all} hunks, and {files} holds those now. wherefore wrote them instead \
         of this tool, so do not repeat the edit.{}{edited}\nThe rejected hunks are not in the file. Take the reasons into \
         account before you propose another change.",
        others(hunks)
    )
}

fn rejected(fault: &Fault, files: &str, hunks: &[Value]) -> String {
    let why = match fault.code {
        Code::Rejected => "the person rejected the change".to_owned(),
        _ => fault.message.clone(),
    };
    format!(
        "wherefore: {why}; nothing was written to {files}.{}\nDo not repeat the edit as it was.",
        others(hunks)
    )
}

/// Each hunk that was not accepted, by its lines and with the person's reason.
fn others(hunks: &[Value]) -> String {
    let others: Vec<&Value> = hunks.iter().filter(|hunk| text(hunk, "state") != "accepted").collect();
    let mut words = String::new();
    for hunk in others.iter().take(NAMED) {
        let state = text(hunk, "state");
        let line = hunk.get("line").and_then(Value::as_u64).unwrap_or_default();
        let reason = match (text(hunk, "reason"), state) {
            ("", "rejected") => "no reason given".to_owned(),
            ("", _) => String::new(),
            (reason, _) => format!("\u{201c}{reason}\u{201d}"),
        };
        let end = if reason.is_empty() { String::new() } else { format!(": {reason}") };
        let _ = write!(words, "\n- hunk {} at line {line} was {state}{end}", text(hunk, "id"));
    }
    if others.len() > NAMED {
        let _ = write!(words, "\n- and {} more", others.len() - NAMED);
    }
    words
}

fn waiting(all: usize, files: &str) -> String {
    let (hunks, wait) = if all == 1 { ("1 hunk", "waits") } else { (&*format!("{all} hunks"), "wait") };
    format!(
        "wherefore: {hunks} of {files} {wait} for the person's decision; nothing is written before it. This is no error: do \
         not repeat the edit, and do not make it in another way. Go on with something else or end your turn; you are told the \
         outcome with a later result."
    )
}

fn unchanged(files: &str) -> String {
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

/// Decisions on earlier calls.
pub fn settled(deliveries: &[Delivery]) -> Option<String> {
    let words: Vec<String> = deliveries.iter().map(one_settled).collect();
    (!words.is_empty()).then(|| words.join("\n\n"))
}

fn one_settled(delivery: &Delivery) -> String {
    let mut paths: Vec<&str> = delivery.hunks.iter().map(|hunk| hunk.path.as_str()).collect();
    paths.dedup();
    let accepted = delivery.hunks.iter().filter(|hunk| hunk.state == HunkState::Accepted).count();
    let mut words = format!(
        "wherefore: your earlier change of {} was decided: {} ({accepted} of {} hunks accepted).",
        paths.join(", "),
        delivery.status.word().replace('_', " "),
        delivery.hunks.len()
    );
    for hunk in delivery.hunks.iter().filter(|hunk| hunk.state == HunkState::Rejected).take(NAMED) {
        let reason = hunk
            .reason
            .as_deref()
            .map_or("no reason given".to_owned(), |why| format!("\u{201c}{why}\u{201d}"));
        let _ = write!(words, "\n- hunk {} of {} was rejected: {reason}", hunk.id, hunk.path);
    }
    words
}

fn count(all: usize, one: &str, more: &str) -> String {
    if all == 1 { format!("The one hunk {one}") } else { format!("All {all} hunks {more}") }
}

fn files(answer: &Value) -> String {
    let several = answer.get("paths").and_then(Value::as_array);
    let several = several.map(|paths| paths.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "));
    match text(answer, "path") {
        "" => several.unwrap_or_else(|| "the file".to_owned()),
        path => path.to_owned(),
    }
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}
