//! Invisible characters: one table of them, and one escape for each.
//!
//! Every text that a person reads and that an agent, a file, a server or a repository wrote goes through
//! [`escape_hidden`] (text of several lines), [`escape_to_line`] or [`shorten_to_line`] (one line), [`escape_in_json`]
//! (JSON for a program or a terminal), or [`escape_markdown`](super::markdown::escape_markdown).
//!
//! # Invariants
//!
//! - No hidden character that an agent, a file, a server or a repository wrote is shown to a person as it is.
//!   Test: `no_subcommand_writes_a_hidden_character`, `no_editor_is_shown_a_hidden_character`,
//!   `no_client_of_an_agent_asks_with_a_hidden_character`

use std::borrow::Cow;
use std::fmt::Write;

use serde_json::Value;

/// Returns whether a character is invisible, moves the cursor, or changes the reading direction.
pub fn is_hidden(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control();
    }
    matches!(c,
        '\u{80}'..='\u{9f}' | '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}'
        | '\u{890}' | '\u{891}' | '\u{8e2}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{2000}'..='\u{200f}' | '\u{2028}'..='\u{202f}' | '\u{205f}'..='\u{206f}'
        | '\u{2800}' | '\u{3164}' | '\u{e000}'..='\u{f8ff}' | '\u{fdd0}'..='\u{fdef}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffc}'
        | '\u{fffe}' | '\u{ffff}' | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{13455}' | '\u{16fe4}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d159}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{10ffff}')
        || (c as u32) & 0xfffe == 0xfffe
}

/// Returns whether a hidden character combines with the one before it into one visible sign: an emoji's presentation,
/// a joint between two emoji, and the joiners of scripts whose letters join.
fn is_part_of_sign(before: Option<char>, c: char, after: Option<char>) -> bool {
    let (Some(before), after) = (before, after.unwrap_or(' ')) else { return false };
    match c {
        '\u{fe0f}' if before.is_ascii() => matches!(before, '0'..='9' | '#' | '*') && after == '\u{20e3}',
        '\u{fe0f}' => is_pictograph(before),
        '\u{200d}' if is_pictograph(after) => is_pictograph(before) || before == '\u{fe0f}',
        '\u{200c}' | '\u{200d}' => is_joining(before) && is_joining(after),
        _ => false,
    }
}

fn is_pictograph(c: char) -> bool {
    matches!(c,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2190}'..='\u{21ff}'
        | '\u{2300}'..='\u{23ff}' | '\u{24c2}' | '\u{25a0}'..='\u{27bf}' | '\u{2900}'..='\u{297f}'
        | '\u{2b00}'..='\u{2bff}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

/// Letters of Arabic, Indic and South-East Asian scripts.
fn is_joining(c: char) -> bool {
    matches!(c, '\u{620}'..='\u{6d3}' | '\u{750}'..='\u{77f}' | '\u{900}'..='\u{dff}' | '\u{1000}'..='\u{109f}'
        | '\u{1780}'..='\u{17b3}')
}

/// Yields each character of a text with a flag that is true where the character is hidden.
fn mark_hidden(text: &str) -> impl Iterator<Item = (char, bool)> {
    let mut rest = text.chars().peekable();
    let mut before = None;
    std::iter::from_fn(move || {
        let c = rest.next()?;
        let hides = is_hidden(c) && !is_part_of_sign(before, c, rest.peek().copied());
        before = Some(c);
        Some((c, hides))
    })
}

/// Returns whether a text holds a hidden character; line ends and tabs do not count.
pub fn has_hidden(text: &str) -> bool {
    mark_hidden(text).any(|(c, hides)| hides && !matches!(c, '\n' | '\r' | '\t'))
}

/// Returns whether a text is printable ASCII and needs no further check.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

/// The text with hidden characters as escapes, `\u{202e}`. Line ends and tabs stay.
pub fn escape_hidden(text: &str) -> Cow<'_, str> {
    if is_plain(text) || !mark_hidden(text).any(|(c, hides)| hides && !matches!(c, '\n' | '\t')) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut signs = mark_hidden(text).peekable();
    while let Some((c, hides)) = signs.next() {
        match c {
            '\r' if matches!(signs.peek(), Some(('\n', _))) => {}
            '\n' | '\t' => out.push(c),
            c if hides => push_escape(&mut out, c),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Escapes each line of a text as [`escape_to_line`] does: no character but a line feed passes for a line end.
pub fn escape_lines(text: &str) -> String {
    text.split('\n').map(escape_to_line).collect::<Vec<_>>().join("\n")
}

/// The text as one line: line ends are escapes too, tabs are spaces.
pub fn escape_to_line(text: &str) -> Cow<'_, str> {
    if is_plain(text) || !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for (c, hides) in mark_hidden(text) {
        match c {
            '\t' => out.push_str("    "),
            c if hides => push_escape(&mut out, c),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// The text as one line with runs of white space as one space, cut after `limit` characters.
pub fn shorten_to_line(text: &str, limit: usize) -> String {
    let mut out = String::with_capacity(text.len().min(limit * 4));
    let mut count = 0;
    for (c, hides) in mark_hidden(text) {
        let space = c.is_whitespace();
        if space && (out.is_empty() || out.ends_with(' ')) {
            continue;
        }
        if count == limit {
            out.push('…');
            break;
        }
        match (space, hides) {
            (true, _) => out.push(' '),
            (_, true) => push_escape(&mut out, c),
            (_, false) => out.push(c),
        }
        count += 1;
    }
    out.truncate(out.trim_end().len());
    out
}

/// Equivalent JSON text without hidden characters: inside its strings each becomes a JSON escape.
pub fn escape_in_json(text: &str) -> Cow<'_, str> {
    let raw = |c: char| c as u32 > 0x7e && is_hidden(c);
    if !text.chars().any(raw) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 32);
    for c in text.chars() {
        if !raw(c) {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            let _ = write!(out, "\\u{unit:04x}");
        }
    }
    Cow::Owned(out)
}

/// Escapes the hidden characters in every text of a value; names stay.
pub fn escape_value(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(visible) = escape_hidden(text) {
                *text = visible;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(escape_value),
        Value::Object(members) => members.values_mut().for_each(escape_value),
        _ => {}
    }
}

fn push_escape(out: &mut String, c: char) {
    out.extend(c.escape_unicode());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_hidden_is_shown() {
        let cases = [
            ("plain ü 漢\n\tnext", "plain ü 漢\n\tnext"),
            ("a\r\nb\rc", "a\nb\\u{d}c"),
            ("\u{1b}[2J\u{202e}x\u{200b}", "\\u{1b}[2J\\u{202e}x\\u{200b}"),
            ("\u{e0041}\u{e000}\u{feff}", "\\u{e0041}\\u{e000}\\u{feff}"),
            ("a\u{7f}b", "a\\u{7f}b"),
        ];
        for (given, expected) in cases {
            assert_eq!(escape_hidden(given), expected);
            assert!(!has_hidden(&escape_hidden(given)), "{given:?}");
        }
    }

    #[test]
    fn signs_of_several_characters_stay() {
        let cases = [
            ("⚠\u{fe0f} 1\u{fe0f}\u{20e3} 👩\u{200d}💻 می\u{200c}خواهم", None),
            ("a\u{fe0f}", Some("a\\u{fe0f}")),
            ("1\u{fe0f}x", Some("1\\u{fe0f}x")),
            ("⚠\u{fe0f}\u{fe0f}", Some("⚠\u{fe0f}\\u{fe0f}")),
            ("a\u{200d}b\u{200c}c", Some("a\\u{200d}b\\u{200c}c")),
            ("👩\u{200d}x", Some("👩\\u{200d}x")),
        ];
        for (given, expected) in cases {
            assert_eq!(escape_hidden(given), expected.unwrap_or(given));
        }
    }

    #[test]
    fn one_line_is_one() {
        assert_eq!(escape_to_line("a\tb\r\n\u{85}\u{2028}"), "a    b\\u{d}\\u{a}\\u{85}\\u{2028}");
        assert_eq!(shorten_to_line("  a \n\t b\u{202e}cd  ", 5), "a b\\u{202e}c…");
        assert_eq!(shorten_to_line(" a\u{1b} ", 5), "a\\u{1b}");
    }

    #[test]
    fn json_says_the_same_with_nothing_hidden() {
        let value = serde_json::json!({ "a\u{202e}": ["\u{7f}\u{e0041}\u{1b}\n", "é漢"] });
        let text = escape_in_json(&serde_json::to_string_pretty(&value).unwrap()).into_owned();
        assert!(!has_hidden(&text), "{text:?}");
        assert!(text.contains("\\u202e") && text.contains("é漢"), "{text}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }
}
