//! An event as a block's heading, reason and fields.

use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value};

use super::block::Prepared;
use super::error::JournalError;
use super::observer::{LogObserver, LoggedEvent};
use super::seal::{Sealer, Store};
use super::yaml::{self, Comments};
use crate::base::markdown;
use crate::base::numbers::counted;
use crate::protocol::{Event, LogEvent, LogSettings, ProposalState, Verbosity};
use crate::redact::redact;

/// Bytes of a value that stand in the log with the most verbosity, as a multiple of the setting.
const VERBOSE: usize = 16;
/// Characters of a name in a heading.
const NAME: usize = 80;
/// Characters of a reason.
const REASON: usize = 400;

/// Makes blocks of events, as the settings want them.
#[derive(Debug)]
pub(super) struct Preparer {
    settings: LogSettings,
    store: Arc<Store>,
    observer: OnceLock<Arc<dyn LogObserver>>,
}

impl Preparer {
    /// A preparer that stores large values in `store`.
    pub(super) fn new(settings: LogSettings, store: Arc<Store>) -> Self {
        Self { settings, store, observer: OnceLock::new() }
    }

    /// Where large values are stored.
    pub(super) fn store(&self) -> &Store {
        &self.store
    }

    /// From now on an observer hears of each event. The first one stays.
    pub(super) fn observe(&self, observer: Arc<dyn LogObserver>) {
        // Nobody sets two.
        let _ = self.observer.set(observer);
    }

    /// Whoever hears of events.
    pub(super) fn observer(&self) -> Option<&dyn LogObserver> {
        self.observer.get().map(AsRef::as_ref)
    }

    /// The settings.
    pub(super) fn settings(&self) -> &LogSettings {
        &self.settings
    }

    /// Redacts, seals and lays out an event, and gives the hashes of the values that it stored, which are to be
    /// synced before the event counts as durable.
    ///
    /// # Errors
    /// Those of storing a large value.
    pub(super) fn prepare(&self, event: LogEvent) -> Result<(Prepared, Vec<String>), JournalError> {
        let verbosity = self.settings.verbosity;
        let factor = if verbosity == Verbosity::Verbose { VERBOSE } else { 1 };
        let mut sealer = Sealer::new(&self.store, self.settings.inline_bytes.saturating_mul(factor));
        let prepared = prepare(event, verbosity, &mut sealer, self.observer())?;
        Ok((prepared, sealer.fresh))
    }
}

fn prepare(
    event: LogEvent,
    verbosity: Verbosity,
    sealer: &mut Sealer<'_>,
    observer: Option<&dyn LogObserver>,
) -> Result<Prepared, JournalError> {
    let LogEvent { mut event, comments } = event;
    let heading = markdown::line(&redact(&heading(&event)), 2 * NAME);
    let reason = markdown::line(&redact(reason(&event)), REASON);
    // A result can be large: it is taken over by itself, so that what is stored elsewhere is never copied.
    let result = match &mut event {
        Event::ToolResult { result, .. } => Some(std::mem::take(result)),
        _ => None,
    };
    let whole = serde_json::to_value(&event).map_err(Arc::new)?;
    let mut body = match whole {
        Value::Object(body) => body,
        _ => Map::new(),
    };
    for (key, value) in &mut body {
        let given = result.as_deref().filter(|_| key == "result").unwrap_or(value);
        match (verbosity, key.as_str()) {
            (Verbosity::Minimal, "result") => *value = sealer.omit(given),
            (_, "type" | "call_id") => {}
            _ => *value = sealer.seal(given)?,
        }
    }
    let comments = comments.into_iter().map(|(path, text)| (path, redact(&text).into_owned()));
    let (comments, rest): (Comments, Comments) =
        comments.partition(|(path, text)| yaml::takes_comment(&body, path, text));
    if !rest.is_empty() {
        let rest = rest.into_iter().map(|(path, text)| (path, Value::String(text)));
        body.insert("comments".to_owned(), sealer.seal(&Value::Object(rest.collect()))?);
    }
    let kind = body.shift_remove("type");
    let kind = kind.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned();
    let prepared = Prepared::new(heading, reason, kind, &body, comments);
    if let Some(observer) = observer {
        let (kind, bytes) = (prepared.kind.clone(), prepared.fields.len());
        observer.heard(LoggedEvent { kind, fields: body, bytes });
    }
    Ok(prepared)
}

fn heading(event: &Event) -> String {
    let name = |name: &str| name.chars().take(NAME).collect::<String>();
    match event {
        Event::SessionStart { continues: Some(_), .. } => "Session continued".to_owned(),
        Event::SessionStart { .. } => "Session start".to_owned(),
        Event::ToolCall { tool, .. } => format!("Tool call: {}", name(tool)),
        Event::ToolResult { tool, result, .. } => format!("Tool result: {}{}", name(tool), ending(result)),
        Event::ToolError { tool, error, .. } => format!("Tool error: {}, {:?}", name(tool), error.code),
        Event::CommandEnd { call_id, outcome, .. } => {
            format!("Command end: {}, {}", name(call_id), name(outcome))
        }
        Event::Proposal { proposal, .. } => format!("Proposal: {}", name(proposal)),
        Event::Decision { proposal, status: ProposalState::Pending, .. } => {
            format!("Decision: {}, partly decided", name(proposal))
        }
        Event::Decision { proposal, status, .. } => {
            format!("Decision: {}, {}", name(proposal), name(status.word()))
        }
        Event::Undo { call_id, .. } => format!("Undo: {}", name(call_id)),
        Event::UserApproval { call_id, granted: true, .. } => format!("Approval: {}, granted", name(call_id)),
        Event::UserApproval { call_id, .. } => format!("Approval: {}, refused", name(call_id)),
        Event::Hint { by, paths, .. } => format!("Hint by {}: {}", name(by), files(paths.len())),
        Event::ContextAssembly { run: Some(run), tokens, .. } => {
            format!("Prompt: {}, {tokens} tokens", name(run))
        }
        Event::ContextAssembly { included, tokens, .. } => {
            format!("Context: {}, {tokens} tokens", files(included.len()))
        }
        Event::ModelInput { run, step, messages, .. } => {
            format!(
                "Model input: {}, step {step}, {}",
                name(run),
                counted(messages.len() as u64, "new message")
            )
        }
        Event::ModelOutput { run, step, error: Some(error), .. } => {
            format!("Model output: {}, step {step}, {:?}", name(run), error.code)
        }
        Event::ModelOutput { run, step, calls, .. } => {
            format!("Model output: {}, step {step}, {}", name(run), counted(calls.len() as u64, "call"))
        }
        Event::AgentEnd { run, end, .. } => format!("Agent end: {}, {}", name(run), end.word()),
        Event::NativeEdit { agent, tool, outcome, .. } => {
            format!("Native edit: {} of {}, {}", name(tool), name(agent), outcome.words())
        }
        Event::OutsideChanges { files: count, .. } => {
            format!("Outside: {} changed", files(usize::try_from(*count).unwrap_or(usize::MAX)))
        }
        Event::PersonMessage { to, .. } => {
            format!("Message to {}", to.as_deref().map_or_else(|| "the next agent".to_owned(), name))
        }
        Event::Recovery { .. } => "Recovery".to_owned(),
        Event::SessionEnd { .. } => "Session end".to_owned(),
    }
}

/// How a command, or a fetch with its numeric status, ended.
fn ending(result: &Value) -> String {
    let number = |key: &str| result.get(key).and_then(Value::as_i64);
    let word = |key: &str| {
        let confined = result.get("sandbox").is_some_and(Value::is_string);
        result.get(key).and_then(Value::as_str).filter(|_| confined)
    };
    match (word("limit"), word("signal"), number("exit_code"), number("status")) {
        (Some(limit), ..) => format!(", ended by its limit of {limit}"),
        (_, Some(signal), ..) => format!(", ended by {signal}"),
        (_, _, Some(code), _) => format!(", exit code {code}"),
        (_, _, _, Some(status)) => format!(", status {status}"),
        _ => String::new(),
    }
}

fn files(count: usize) -> String {
    format!("{count} {}", if count == 1 { "file" } else { "files" })
}

fn reason(event: &Event) -> &str {
    match event {
        Event::ToolCall { args, .. } => args.get("why").and_then(Value::as_str).unwrap_or_default(),
        Event::ToolError { error, .. } => &error.message,
        Event::Hint { why, .. } | Event::ContextAssembly { why, .. } | Event::OutsideChanges { why, .. } => {
            why
        }
        Event::PersonMessage { message, .. } => &message.text,
        Event::ModelOutput { error: Some(error), .. } => &error.message,
        Event::ModelOutput { text, .. } | Event::AgentEnd { text, .. } => text,
        Event::Recovery { reason, .. } => reason,
        Event::Decision { hunks, .. } => {
            hunks.iter().find_map(|hunk| hunk.reason.as_deref()).unwrap_or_default()
        }
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::protocol::Status;

    #[test]
    fn the_heading_of_a_result_says_how_a_command_ended() {
        let cases = [
            (json!({ "stdout": "x", "exit_code": 3, "sandbox": "tier A" }), ", exit code 3"),
            (
                json!({ "signal": "SIGKILL", "limit": "time", "sandbox": "tier A" }),
                ", ended by its limit of time",
            ),
            (json!({ "signal": "SIGSEGV", "sandbox": "tier A" }), ", ended by SIGSEGV"),
            (json!({ "status": 404, "content": "x" }), ", status 404"),
            (json!({ "status": "applied", "limit": "x", "signal": "y" }), ""),
            (json!("text"), ""),
        ];
        for (result, ending) in cases {
            let (call_id, tool, result) = ("c-0001".into(), "t".to_owned(), Arc::new(result));
            let event = Event::ToolResult {
                call_id,
                tool,
                status: Status::Ok,
                result,
                activity: None,
                duration_ms: 1.0,
            };
            assert_eq!(heading(&event), format!("Tool result: t{ending}"));
        }
    }
}
