//! Values in HTML: none makes a tag, and none hides.

use crate::base::hidden;
use crate::protocol::HunkState;

/// A text as HTML shows it, with hidden characters as escapes.
pub(super) fn escaped(text: &str) -> String {
    let text = hidden::shown(text);
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

/// A time of the log, to the minute, as an element that says the whole.
pub(super) fn time(text: &str) -> String {
    let (date, clock) = text.split_once('T').unwrap_or((text, ""));
    let clock = clock.get(..5).unwrap_or(clock);
    format!("<time datetime=\"{}\">{} {}</time>", escaped(text), escaped(date), escaped(clock))
}

/// Who decided, for a reader.
pub(super) fn by(who: &str) -> String {
    match who {
        "" => "nobody yet".to_owned(),
        "person" => "a person".to_owned(),
        "policy" => "the policy".to_owned(),
        "client" => "the agent’s client".to_owned(),
        "editor" => "the editor".to_owned(),
        "text" => "a change of its text".to_owned(),
        other => escaped(other),
    }
}

/// The mark of a state: a sign beside the word, so that no colour has to tell it.
pub(super) fn chip(state: HunkState, count: usize) -> String {
    let sign = match state {
        HunkState::Accepted => "✓",
        HunkState::Rejected => "✗",
        HunkState::Pending => "…",
        HunkState::Stale => "≠",
    };
    let word = state.word();
    let count = if count > 0 { format!("{count} ") } else { String::new() };
    format!("<span class=\"chip {word}\"><span aria-hidden=\"true\">{sign}</span> {count}{word}</span>")
}
