//! An event as a block's heading, reason and fields.

use serde_json::{Map, Value};

use super::block::Prepared;
use super::redact::{redact, redact_unknown};
use super::seal::Sealer;
use super::text;
use super::yaml::{self, Comments};
use crate::protocol::{Event, Fault, LogEvent, Verbosity};

/// Characters of a name in a heading.
const NAME: usize = 80;
/// Characters of a reason.
const REASON: usize = 400;

/// Redacts, seals and lays out an event.
///
/// # Errors
/// Those of storing a large value.
pub fn prepare(event: LogEvent, verbosity: Verbosity, sealer: &mut Sealer<'_>) -> Result<Prepared, Fault> {
    let LogEvent { event, comments } = event;
    let heading = text::line(&redact(&heading(&event)), 2 * NAME);
    let reason = text::line(&redact(reason(&event)), REASON);
    let whole = serde_json::to_value(&event).map_err(|error| Fault::internal(error.to_string()))?;
    let mut body = match whole {
        Value::Object(body) => body,
        _ => Map::new(),
    };
    drop(event);
    for (key, value) in &mut body {
        redact_unknown(value, &|text| sealer.knows(text));
        match (verbosity, key.as_str()) {
            (Verbosity::Minimal, "result") => *value = sealer.omit(value),
            (_, "type" | "call_id") => {}
            _ => sealer.seal(value)?,
        }
    }
    let comments = comments.into_iter().map(|(path, text)| (path, redact(&text).into_owned()));
    let (comments, rest): (Comments, Comments) =
        comments.partition(|(path, text)| yaml::takes_comment(&body, path, text));
    if !rest.is_empty() {
        let rest = rest.into_iter().map(|(path, text)| (redact(&path).into_owned(), Value::String(text)));
        let mut rest = Value::Object(rest.collect());
        sealer.seal(&mut rest)?;
        body.insert("comments".to_owned(), rest);
    }
    Ok(Prepared::new(heading, reason, body, comments))
}

fn heading(event: &Event) -> String {
    let name = |name: &str| name.chars().take(NAME).collect::<String>();
    match event {
        Event::SessionStart { continues: Some(_), .. } => "Session continued".to_owned(),
        Event::SessionStart { .. } => "Session start".to_owned(),
        Event::ToolCall { tool, .. } => format!("Tool call: {}", name(tool)),
        Event::ToolResult { tool, .. } => format!("Tool result: {}", name(tool)),
        Event::ToolError { tool, error, .. } => format!("Tool error: {}, {:?}", name(tool), error.code),
        Event::Proposal { proposal, .. } => format!("Proposal: {}", name(proposal)),
        Event::Decision { proposal, status, .. } => format!("Decision: {}, {}", name(proposal), name(status)),
        Event::Undo { call_id, .. } => format!("Undo: {}", name(call_id)),
        Event::UserApproval { call_id, granted: true, .. } => format!("Approval: {}, granted", name(call_id)),
        Event::UserApproval { call_id, .. } => format!("Approval: {}, refused", name(call_id)),
        Event::Recovery { .. } => "Recovery".to_owned(),
        Event::SessionEnd { .. } => "Session end".to_owned(),
    }
}

fn reason(event: &Event) -> &str {
    match event {
        Event::ToolCall { args, .. } => args.get("why").and_then(Value::as_str).unwrap_or_default(),
        Event::ToolError { error, .. } => &error.message,
        Event::Recovery { reason, .. } => reason,
        Event::Decision { hunks, .. } => {
            hunks.iter().find_map(|hunk| hunk.reason.as_deref()).unwrap_or_default()
        }
        _ => "",
    }
}
