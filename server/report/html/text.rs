//! Values in HTML: none makes a tag, and none hides.

use crate::base::hidden;
use crate::protocol::HunkState;

/// A text as HTML shows it, with hidden characters as escapes.
pub(super) fn escape_html(text: &str) -> String {
    let text = hidden::escape_hidden(text);
    let mut out = String::with_capacity(text.len() + 16);
    escape_into(&text, &mut out);
    out
}

/// Adds a text whose hidden characters are shown already.
pub(super) fn escape_into(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
}

/// Returns a time of the log, to the minute, as an element that holds the whole.
pub(super) fn time_element(text: &str) -> String {
    let (date, clock) = text.split_once('T').unwrap_or((text, ""));
    let clock = clock.get(..5).unwrap_or(clock);
    format!("<time datetime=\"{}\">{} {}</time>", escape_html(text), escape_html(date), escape_html(clock))
}

/// Returns the name of the party that decided, for a reader.
pub(super) fn decider_name(who: &str) -> String {
    match who {
        "" => "nobody yet".to_owned(),
        "person" => "a person".to_owned(),
        "policy" => "the policy".to_owned(),
        "client" => "the agent’s client".to_owned(),
        "editor" => "the editor".to_owned(),
        "text" => "a change of its text".to_owned(),
        other => escape_html(other),
    }
}

/// Returns the mark of a state: a sign with the state's name, so that it does not depend on colour.
pub(super) fn state_chip(state: HunkState, count: usize) -> String {
    let sign = match state {
        HunkState::Accepted => "✓",
        HunkState::Rejected => "✗",
        HunkState::Pending => "…",
        HunkState::Stale => "≠",
    };
    let word = state.as_str();
    let count = if count > 0 { format!("{count} ") } else { String::new() };
    format!("<span class=\"chip {word}\"><span aria-hidden=\"true\">{sign}</span> {count}{word}</span>")
}
