//! The first lines of an event's block: a heading for a call or an event of no call, a line for an event of a call.

use serde_json::Value;

use crate::base::markdown;
use crate::base::numbers::{format_count, format_duration};
use crate::protocol::{
    ApartAct, ChangeAnswer, DecidedBy, Event, HunkDecision, HunkState, Origin, ProposalState, RunEnding,
    call_subject,
};
use crate::redact::redact;

/// The most characters of a name in a heading.
const NAME: usize = 80;
/// The most characters of a call's subject.
const SUBJECT: usize = 120;

/// The first line of a block, without the time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum BlockHeading {
    /// A heading.
    Section(String),
    /// The line of an event that belongs to a call: a short form of its outcome, and the rest.
    Line { word: String, rest: String },
}

impl BlockHeading {
    /// Makes the heading of an event, safe in Markdown.
    pub(super) fn of(event: &Event) -> Self {
        let safe = |text: &str| markdown::escape_markdown(&redact(text), 2 * NAME + SUBJECT);
        match words(event) {
            (None, title) => Self::Section(safe(&title)),
            (Some(word), rest) => Self::Line { word: safe(&word), rest: safe(&rest) },
        }
    }
}

/// Returns the word in bold, if the event belongs to a call, and the rest.
fn words(event: &Event) -> (Option<String>, String) {
    let line = |word: &str, rest: String| (Some(word.to_owned()), rest);
    let section = |title: String| (None, title);
    match event {
        Event::SessionStart { continues: Some(_), root, .. } => {
            section(format!("Session continued in {root}"))
        }
        Event::SessionStart { root, .. } => section(format!("Session start in {root}")),
        Event::ToolCall { call_id, tool, args, origin, .. } => {
            let subject = short(&call_subject(args), SUBJECT);
            let parts = [short(call_id, NAME), short(tool, NAME), subject, caller(origin)];
            section(parts.iter().filter(|part| !part.is_empty()).cloned().collect::<Vec<_>>().join(" "))
        }
        Event::ToolResult { call_id, status, result, activity, duration_ms, .. } => {
            let latent = activity.as_deref() == Some("latent");
            let word = match RunEnding::failure_words(result).filter(|_| !latent) {
                Some(_) => "failed",
                None => status.word(),
            };
            let ending = if latent { "no code ran".to_owned() } else { ending(result) };
            let parts = [format!("{call_id} in {}", format_duration(*duration_ms)), ending];
            line(word, parts.iter().filter(|part| !part.is_empty()).cloned().collect::<Vec<_>>().join(", "))
        }
        Event::ToolError { call_id, error, duration_ms, .. } => {
            line(error.code.word(), format!("{call_id} in {}", format_duration(*duration_ms)))
        }
        Event::CommandEnd { call_id, outcome, duration_ms, .. } => {
            let took = format_duration(*duration_ms as f64);
            line("command ended", format!("{call_id} after {took}, {}", short(outcome, NAME)))
        }
        Event::Proposal { call_id, proposal, hunks, .. } => {
            line("proposed", format!("{call_id} {}: {}", short(proposal, NAME), extent(hunks)))
        }
        Event::Decision { call_id, proposal, by, hunks, status } => {
            let word = match status {
                ProposalState::Pending => "partly decided",
                status => status.as_str(),
            };
            line(word, format!("{call_id} {} by {}: {}", short(proposal, NAME), decider(*by), decided(hunks)))
        }
        Event::Undo { call_id, undo_id, paths, .. } => line(
            "undone",
            format!(
                "{call_id} by {undo_id}: {}",
                short(&paths.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "), SUBJECT)
            ),
        ),
        Event::UserApproval { call_id, rule, granted, unanswered, by_client } => {
            let rule = format!("under the rule {}", short(rule, NAME));
            let whose = if *by_client { "the agent's client" } else { "the person" };
            match (granted, unanswered) {
                (true, _) => line("allowed", format!("{call_id} by {whose}, {rule}")),
                (false, None) => line("refused", format!("{call_id} by {whose}, {rule}")),
                (false, Some(cause)) => {
                    line("not answered", format!("{call_id}: {}, {rule}", cause.to_clause()))
                }
            }
        }
        Event::Hint { by, paths, call_id, .. } => {
            let hint = format!("Hint by {}", short(by, NAME));
            let files = format_count(paths.len() as u64, "file");
            match call_id {
                Some(call_id) => line(&hint, format!("{call_id}: {files}")),
                None => section(format!("{hint}: {files}")),
            }
        }
        Event::ContextAssembly { run: Some(run), tokens, .. } => {
            section(format!("Prompt: {}, {tokens} tokens", short(run, NAME)))
        }
        Event::ContextAssembly { call_id, included, tokens, budget, .. } => {
            let files = format_count(included.len() as u64, "file");
            let rest = format!("{files}, {tokens} tokens of {budget}");
            match call_id {
                Some(call_id) => line("context", format!("{call_id}: {rest}")),
                None => section(format!("Context: {rest}")),
            }
        }
        Event::ModelInput { run, step, messages, model, .. } => section(format!(
            "Model input: {}, step {step}, {} to {}",
            short(run, NAME),
            format_count(messages.len() as u64, "new message"),
            short(model, NAME)
        )),
        Event::ModelOutput { run, step, error: Some(error), .. } => {
            section(format!("Model output: {}, step {step}, {}", short(run, NAME), error.code.word()))
        }
        Event::ModelOutput { run, step, calls, .. } => section(format!(
            "Model output: {}, step {step}, {}",
            short(run, NAME),
            format_count(calls.len() as u64, "call")
        )),
        Event::AgentEnd { run, end, .. } => {
            section(format!("Agent end: {}, {}", short(run, NAME), end.as_str()))
        }
        Event::NativeEdit { call_id, agent, tool, outcome, .. } => {
            line(outcome.as_phrase(), format!("{call_id}: {} of {}", short(tool, NAME), short(agent, NAME)))
        }
        Event::NativeRefusal { agent, tool, .. } => {
            section(format!("Native refusal: {} of {}", short(tool, NAME), short(agent, NAME)))
        }
        Event::OutsideChanges { files, .. } => {
            section(format!("Outside: {} changed", format_count(*files, "file")))
        }
        Event::PersonMessage { to, .. } => {
            section(format!("Message to {}", short(to.as_deref().unwrap_or("the next agent"), NAME)))
        }
        Event::ApartDecision { act, files, .. } => {
            let verb = if *act == ApartAct::Take { "taken over" } else { "dropped" };
            let folders: Vec<String> = files.iter().map(|writes| short(&writes.path, NAME)).collect();
            section(format!("Kept apart: {verb}, {}", short(&folders.join(", "), SUBJECT)))
        }
        Event::RepositoryDecision { act, changes, .. } => {
            section(format!("Repository: {}, {}", act.word(), short(&changes.join("; "), SUBJECT)))
        }
        Event::Recovery { .. } => section("Recovery".to_owned()),
        Event::SessionEnd { .. } => section("Session end".to_owned()),
    }
}

/// Returns the first characters of a name.
fn short(name: &str, limit: usize) -> String {
    name.chars().take(limit).collect()
}

/// Returns the caller in the detail that a reader of the heading needs.
fn caller(origin: &Origin) -> String {
    origin.agent.as_deref().map(|agent| format!("by {}", short(agent, NAME))).unwrap_or_default()
}

/// Describes the end of a command, a fetch or a change.
fn ending(result: &Value) -> String {
    if let Some(ending) = RunEnding::from_result(result) {
        return ending.words;
    }
    let change = ChangeAnswer::from_result(result).filter(|change| change.proposal.is_some());
    change.map(|change| change.status.words()).unwrap_or_default().to_owned()
}

/// Describes the extent of a change: `2 hunks in src/a.rs`.
fn extent(hunks: &[HunkDecision]) -> String {
    let mut paths: Vec<String> = hunks.iter().map(|hunk| hunk.path.to_string()).collect();
    paths.dedup();
    let count = format_count(hunks.len() as u64, "hunk");
    match paths.as_slice() {
        [] => count,
        [path] => format!("{count} in {}", short(path, SUBJECT)),
        paths => format!("{count} in {}", format_count(paths.len() as u64, "file")),
    }
}

fn decider(by: DecidedBy) -> &'static str {
    match by {
        DecidedBy::Person => "the person",
        DecidedBy::Client => "the agent's client",
        DecidedBy::Policy => "the policy",
        DecidedBy::Editor => "the editor",
        DecidedBy::Text => "a change of the text",
        DecidedBy::Recovery => "the recovery",
    }
}

/// Describes the decisions on hunks: `h1 h2 accepted, h3 rejected`.
fn decided(hunks: &[HunkDecision]) -> String {
    let mut groups: Vec<(HunkState, Vec<&str>)> = Vec::new();
    for hunk in hunks {
        match groups.iter_mut().find(|(state, _)| *state == hunk.state) {
            Some((_, ids)) => ids.push(&hunk.id),
            None => groups.push((hunk.state, vec![&hunk.id])),
        }
    }
    let said = groups.iter().map(|(state, ids)| format!("{} {}", ids.join(" "), state.as_str()));
    short(&said.collect::<Vec<_>>().join(", "), SUBJECT)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::protocol::Status;

    #[test]
    fn the_line_of_a_result_says_how_a_command_or_a_change_ended() {
        let cases = [
            (json!({ "stdout": "x", "exit_code": 3, "sandbox": "tier A" }), "failed", ", exit code 3"),
            (json!({ "signal": "SIGSEGV", "sandbox": "tier A" }), "failed", ", ended by SIGSEGV"),
            (json!({ "status": 404, "content": "x" }), "failed", ", status 404"),
            (json!({ "status": "partly_applied", "proposal": "p-1", "hunks": [] }), "ok", ", partly applied"),
            (json!("text"), "ok", ""),
        ];
        for (result, word, ending) in cases {
            let event = Event::ToolResult {
                call_id: "c-0001".into(),
                tool: "t".to_owned(),
                status: Status::Ok,
                result: Arc::new(result),
                activity: None,
                duration_ms: 1.5,
            };
            assert_eq!(words(&event), (Some(word.to_owned()), format!("c-0001 in 2 ms{ending}")));
        }
    }
}
