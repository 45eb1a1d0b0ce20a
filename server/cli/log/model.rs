//! The requests of the built-in agent to its model and the model's answers, formatted for people.

use serde_json::Value;

use super::lines::{LinePart, LogRow};
use super::text::REASON;
use crate::base::hidden::shorten_to_line;
use crate::base::numbers::format_count;
use crate::cli::print::TextLook;
use crate::journal::JournalEntry;

/// Messages of a request that are shown.
const MESSAGES: usize = 4;

/// Formats a request: the step, then the first words of each new message.
pub(super) fn asked(entry: &JournalEntry) -> (LogRow, Vec<LogRow>) {
    let number = |key: &str| entry.body.get(key).and_then(Value::as_u64).unwrap_or_default();
    let list = |key: &str| entry.body.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let messages = list("messages");
    let head = format!(
        "asked {}: step {}, {}, {} of {} tokens, {}",
        part(entry, "model"),
        number("step"),
        format_count(messages.len(), "new message"),
        number("tokens"),
        number("budget"),
        format_count(list("tools").len(), "tool"),
    );
    let skipped = messages.len().saturating_sub(MESSAGES);
    let more = (skipped > 0).then(|| LogRow::of(TextLook::Dim, format!("… {skipped} messages before")));
    let shown = messages.iter().skip(skipped).map(|message| {
        let role = message.get("role").and_then(Value::as_str).unwrap_or("message");
        row(role, &said(message.get("content").unwrap_or(&Value::Null)))
    });
    let dropped = list("dropped").iter().filter_map(Value::as_str).map(|text| row("left out", text));
    (LogRow::plain(head), more.into_iter().chain(shown).chain(dropped).collect())
}

/// Formats an answer of the model: its text and its calls.
pub(super) fn answered(entry: &JournalEntry, took: LinePart) -> (LogRow, Vec<LogRow>) {
    let number = |key: &str| entry.body.get(key).and_then(Value::as_u64).unwrap_or_default();
    let tokens = format!("{} in, {} out", number("input_tokens"), number("output_tokens"));
    let head = format!("{} answered: step {}, tokens {tokens}", part(entry, "model"), number("step"));
    let text = said(entry.body.get("text").unwrap_or(&Value::Null));
    let calls = entry.body.get("calls").and_then(Value::as_array).into_iter().flatten();
    let calls = calls.map(|call| {
        let name = call.get("name").and_then(Value::as_str).unwrap_or_default();
        let arguments = call.get("arguments").map(said).unwrap_or_default();
        row("calls", &format!("{name} {arguments}"))
    });
    let error = entry.body.get("error").and_then(|error| error.get("message")?.as_str());
    let error = error.map(|message| LogRow::of(TextLook::Red, shorten_to_line(message, REASON)));
    let text = (!text.is_empty()).then(|| row("says", &text));
    let head = LogRow::new([LinePart::plain(shorten_to_line(&head, REASON)), took]);
    (head, text.into_iter().chain(calls).chain(error).collect())
}

fn row(what: &str, text: &str) -> LogRow {
    LogRow::new([
        LinePart::new(TextLook::Dim, shorten_to_line(what, 20)),
        LinePart::plain(shorten_to_line(text, REASON)),
    ])
}

fn part(entry: &JournalEntry, key: &str) -> String {
    shorten_to_line(entry.body.get(key).and_then(Value::as_str).unwrap_or_default(), 60)
}

/// A value as text: a stored one by its beginning.
fn said(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        value => value.get("head").and_then(Value::as_str).map_or_else(|| value.to_string(), str::to_owned),
    }
}
