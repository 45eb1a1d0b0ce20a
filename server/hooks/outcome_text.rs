//! The text for the model about a call of its own tool.

use std::fmt::Write;

use serde_json::Value;

use super::change_text::{NAMED, file_names, hunk_sentences};
use super::{NativeAct, NativeCallError};
use crate::agents::HookAgent;
use crate::base::WorkspacePath;
use crate::base::hidden::{escape_to_line, shorten_to_line};
use crate::base::numbers::format_count;
use crate::protocol::{ChangeAnswer, Code, Delivery, Envelope, Fault, HunkState, NativeOutcome, Status};
use crate::shell::{JudgedCommand, Judgement};

/// The answer about a call's change; a call that fails otherwise changed nothing.
fn change_answer(envelope: &Envelope) -> ChangeAnswer {
    ChangeAnswer::from_envelope(envelope).unwrap_or_else(ChangeAnswer::no_change)
}

/// The outcome of an edit, and the text for it.
pub fn edit_outcome(envelope: &Envelope) -> (NativeOutcome, String) {
    let answer = change_answer(envelope);
    let (accepted, all) = (answer.accepted_count(), answer.hunks.len());
    match (&envelope.error, envelope.status) {
        (None, Status::Pending) => (NativeOutcome::Pending, pending_text(&answer)),
        (None, _) if all == 0 => (NativeOutcome::Unchanged, unchanged_text(&answer)),
        (None, _) if accepted == all => (NativeOutcome::Applied, applied_text(&answer)),
        (None, _) => (NativeOutcome::PartlyApplied, partly_applied_text(&answer)),
        (Some(fault), _) if all > 0 => (NativeOutcome::Rejected, rejected_text(fault, &answer)),
        (Some(fault), _) => (NativeOutcome::Refused, fault_text(fault)),
    }
}

/// The text about a command's changes of files and of the repository, if there is something to report.
pub fn command_changes_text(envelope: &Envelope) -> Option<String> {
    let of_git = envelope.result.as_deref().and_then(|result| result.get("git")).and_then(Value::as_array);
    let of_git =
        of_git.into_iter().flatten().filter_map(Value::as_str).map(|text| format!("wherefore: {text}"));
    let texts: Vec<String> = file_changes_text(envelope).into_iter().chain(of_git).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// The text about a command's changes of files, if there is something to report.
fn file_changes_text(envelope: &Envelope) -> Option<String> {
    let answer = change_answer(envelope);
    let (files, accepted, all) = (file_names(&answer), answer.accepted_count(), answer.hunks.len());
    match (&envelope.error, envelope.status) {
        (Some(fault), _) if all == 0 => Some(fault_text(fault)),
        (None, Status::Pending) => Some(format!(
            "wherefore: what this command changed in {files} ({}) is not applied yet; later commands do not see it. The person decides \
             on it, and a later result tells you the outcome.",
            if all == 1 { "1 hunk".to_owned() } else { format!("{all} hunks") }
        )),
        (None, _) if accepted == all => None,
        _ => Some(format!(
            "wherefore: of what this command changed in {files}, {accepted} of {all} hunks were accepted. The others are not in \
             the workspace.{}",
            hunk_list(&answer)
        )),
    }
}

fn applied_text(answer: &ChangeAnswer) -> String {
    let all = match answer.hunks.len() {
        1 => "The one hunk was".to_owned(),
        more => format!("All {more} hunks were"),
    };
    format!(
        "wherefore: done. {all} accepted, and {} holds the change now. wherefore wrote it instead of this tool, so this is no \
         error: do not repeat the edit.{}",
        file_names(answer),
        hunk_list(answer)
    )
}

fn partly_applied_text(answer: &ChangeAnswer) -> String {
    format!(
        "wherefore: {} of {} hunks were accepted, and {} holds those now. wherefore wrote them instead of this tool, so \
         do not repeat the edit.{}\nThe rejected hunks are not in the file. Take the reasons into account before you propose \
         another change.",
        answer.accepted_count(),
        answer.hunks.len(),
        file_names(answer),
        hunk_list(answer)
    )
}

fn rejected_text(fault: &Fault, answer: &ChangeAnswer) -> String {
    let why = match fault.code {
        Code::Rejected => "the change was rejected",
        _ => fault.message.as_str(),
    };
    let files = file_names(answer);
    format!(
        "wherefore: {why}; nothing was written to {files}.{}\nDo not repeat the edit as it was.",
        hunk_list(answer)
    )
}

/// The outcomes of the hunks worth reporting, a line each.
fn hunk_list(answer: &ChangeAnswer) -> String {
    let mut words: String = hunk_sentences(answer).map(|sentence| format!("\n- {sentence}")).collect();
    let more = answer.hunks.len().saturating_sub(NAMED);
    if more > 0 {
        let _ = write!(words, "\n- and {more} more");
    }
    words
}

fn pending_text(answer: &ChangeAnswer) -> String {
    let (hunks, wait) = match answer.hunks.len() {
        1 => ("1 hunk".to_owned(), "waits"),
        all => (format!("{all} hunks"), "wait"),
    };
    format!(
        "wherefore: {hunks} of {} {wait} for the person's decision; nothing is written before it. This is no error: do not \
         repeat the edit, and do not make it in another way. Go on with something else or end your turn; you are told the \
         outcome with a later result.",
        file_names(answer)
    )
}

fn unchanged_text(answer: &ChangeAnswer) -> String {
    let files = file_names(answer);
    format!("wherefore: {files} stands as this edit would leave it; nothing had to be changed.")
}

/// The text of a fault.
pub fn fault_text(fault: &Fault) -> String {
    let suggestion = fault.suggestion.as_ref().map(|suggestion| format!(". To go on: {suggestion}"));
    format!("wherefore: {}{}", fault.message, suggestion.unwrap_or_default())
}

/// Returns whether a fault of a read is a refusal, and not a missing text.
pub fn is_refusal(fault: &Fault) -> bool {
    !matches!(fault.code, Code::NotFound | Code::Unsupported)
}

/// The text for a command that the rules refuse.
pub fn refused_command_text(judgement: &Judgement) -> String {
    format!(
        "wherefore: the rules refuse this command{}. Do not run it in another way; say what you need, and the person can do it",
        judgement_reason(judgement)
    )
}

/// Characters of a command that are shown.
const SHOWN: usize = 160;

/// The reason of a judgement: the command of the script that it is about, its effect, and the rule.
fn judgement_reason(judgement: &Judgement) -> String {
    let is_meant =
        |command: &&JudgedCommand| command.verdict == judgement.verdict && command.rule == judgement.rule;
    let found = judgement.commands.iter().find(is_meant).filter(|_| judgement.rule.is_some());
    let command =
        found.map(|found| format!("`{}`: ", shorten_to_line(&found.command, SHOWN))).unwrap_or_default();
    match (&judgement.why, &judgement.rule) {
        (Some(why), Some(rule)) => format!(" ({command}{why}; rule {rule})"),
        (Some(words), None) | (None, Some(words)) => format!(" ({command}{words})"),
        (None, None) => String::new(),
    }
}

/// The text for a command line that resembles the one that the agent was given to run, but differs.
pub fn altered_claim_text() -> String {
    "wherefore: no command of `wherefore sandbox` runs but the one that you were told to run, letter for letter and with \
     nothing beside it. Make the call again with the command alone, without `wherefore sandbox` before it"
        .to_owned()
}

/// The text for a command that needs the person's yes, since it runs outside of the sandbox.
pub fn unconfined_question(judgement: &Judgement) -> String {
    format!(
        "wherefore: this command needs the person's yes{}; commands run outside of the sandbox here ([native] confine)",
        judgement_reason(judgement)
    )
}

/// The text for a command without the person's yes; `cause` is the reason, as a clause.
pub fn not_allowed_text(asked: &str, cause: &str) -> String {
    format!("{asked}, and {cause}: go on without it, and do not run it in another way")
}

/// The text for a command that needs a yes while there is no person to ask.
pub fn nobody_to_ask_text(asked: &str) -> String {
    format!(
        "{asked}. Nobody is there to ask: go on without it, or say what you need, and the person can run it or open the folder \
         in their editor or in `wherefore review --watch`"
    )
}

/// The text for a command that the person's own rules of the agent refuse.
pub fn agent_refusal_text(agent: HookAgent) -> String {
    format!(
        "{}: the person's own rules refuse this command. Do not run it in another way; say what you need, and the person can \
         do it",
        agent.title()
    )
}

/// The text for a command that the person's own rules of the agent ask about.
pub fn agent_question_text(agent: HookAgent, act: &NativeAct) -> String {
    let script = match act {
        NativeAct::Command { script } => escape_to_line(script),
        _ => "".into(),
    };
    format!("{}: the person's own rules ask about this command: {script}", agent.title())
}

/// The text for a search that would show lines of `path`, which the rules close; without a path, too much is closed to
/// check it.
pub fn closed_lines_text(path: Option<&WorkspacePath>) -> String {
    let what = match path {
        Some(path) => format!("this search would show lines of {path}, which the rules close to you"),
        None => "too much here is closed to you to say what this search would show".to_owned(),
    };
    format!(
        "wherefore: {what}. Search a narrower folder or other files, or use the tool search.lexical, which leaves out what is \
         closed"
    )
}

/// The text for a search that may show lines of `path`, which the rules close: this program cannot read its pattern.
pub fn maybe_closed_lines_text(path: &WorkspacePath) -> String {
    format!(
        "wherefore: it cannot say what this pattern finds in {path}, which the rules close to you. Write it as a plainer \
         pattern, search a narrower folder or other files, or use the tool search.lexical, which leaves out what is closed"
    )
}

/// The text for a call whose effect cannot be determined.
pub fn unread_call_text(error: &NativeCallError) -> String {
    format!(
        "wherefore: {error}. So it cannot tell what the call would do, and the call is not made. Call the tool with the \
         arguments of its own schema, each of them once, and no other"
    )
}

/// The text for an edit without a reason, if the person requires one.
pub fn missing_reason_text() -> String {
    "wherefore: this edit has no reason, and the person wants one ([native] require_why). Say in one sentence what you want \
     to accomplish, right before you call the tool, and call it again"
        .to_owned()
}

/// The text for an edit under review when the server ended. Hunks accepted by then are applied, and the others are kept.
pub fn lost_edit_text() -> String {
    "wherefore: its server ended, or is stopped, while this edit was under review. What was accepted by then is in the file; \
     the rest still waits for the person. Do not repeat the edit; read the file before you go on."
        .to_owned()
}

/// The text for a command that was running when the server ended.
pub fn lost_command_text() -> String {
    "exit code unknown. wherefore's server ended, or is stopped, while it ran this command, and the command ended with it. \
     What it changed is not in the workspace, but for what git ignores. Look at the files before you run it again."
        .to_owned()
}

/// The texts for decisions on earlier calls.
pub fn decision_texts(deliveries: &[Delivery]) -> Vec<String> {
    deliveries.iter().map(decision_text).collect()
}

fn decision_text(delivery: &Delivery) -> String {
    let mut paths: Vec<&str> = delivery.hunks.iter().map(|hunk| hunk.path.as_str()).collect();
    paths.dedup();
    let accepted = delivery.hunks.iter().filter(|hunk| hunk.state == HunkState::Accepted).count();
    let mut words = format!(
        "wherefore: your earlier change of {} was decided: {} ({accepted} of {} accepted).",
        paths.join(", "),
        delivery.status.as_str().replace('_', " "),
        format_count(delivery.hunks.len() as u64, "hunk")
    );
    let told =
        delivery.hunks.iter().filter(|hunk| hunk.state == HunkState::Rejected || hunk.reason.is_some());
    for hunk in told.take(NAMED) {
        let (state, reason) = (hunk.state.as_str(), hunk.reason.as_deref().unwrap_or("no reason given"));
        let _ = write!(words, "\n- hunk {} of {} was {state}: {reason}", hunk.id, hunk.path);
    }
    words
}

#[cfg(test)]
mod tests;
