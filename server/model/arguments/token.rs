//! The words of lenient JSON: strings in any quotes, names, numbers, literals.

use serde_json::Value;

use super::lenient::LenientReader;
use super::{ArgumentRepair, UnreadableArguments};

/// Characters that follow a backslash in patterns, but not in JSON.
const PATTERN: &str = "dDwWsSBAZzpP.()[]{}*+?|$^-";

/// The end of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueEnd {
    /// A quote.
    Text,
    /// A closing bracket.
    Bracket,
    /// A literal such as `true`.
    Word,
    /// A digit: it may go on.
    Number,
}

impl ValueEnd {
    /// Reads the kind of value that ends right before the byte `at`, by that one character; a number if nothing else fits.
    pub(super) fn read_before(text: &str, at: usize) -> Self {
        match text.get(..at).and_then(|text| text.chars().next_back()) {
            Some('}' | ']') => Self::Bracket,
            Some(c) if opens_string(c) || c == '”' || c == '’' => Self::Text,
            Some(c) if c.is_alphabetic() => Self::Word,
            _ => Self::Number,
        }
    }

    pub(super) fn is_whole(self) -> bool {
        self != Self::Number
    }
}

/// Returns whether a string begins with it.
pub(super) fn opens_string(c: char) -> bool {
    matches!(c, '"' | '\'' | '`' | '“' | '‘')
}

/// Returns whether the text begins with a string and a colon.
pub(super) fn is_named(text: &str) -> bool {
    let Some(end) = text.get(1..).and_then(|text| text.find('"')) else { return false };
    text.get(end + 2..).is_some_and(|rest| rest.trim_start().starts_with(':'))
}

/// Reads the name of a member.
pub(super) fn read_name(reader: &mut LenientReader<'_>) -> Result<String, UnreadableArguments> {
    match reader.peek() {
        Some(c) if opens_string(c) => read_string(reader),
        Some(c) if c.is_alphabetic() || c == '_' => {
            let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
            let rest = reader.rest();
            let length = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
            reader.at += length;
            reader.repairs.insert(ArgumentRepair::BareName);
            Ok(rest[..length].to_owned())
        }
        _ => Err(reader.error_here("a name is due")),
    }
}

/// Reads a string.
pub(super) fn read_string(reader: &mut LenientReader<'_>) -> Result<String, UnreadableArguments> {
    let rest = reader.rest();
    for quotes in ["\"\"\"", "'''"] {
        if rest.starts_with(quotes) {
            return read_tripled(reader, quotes);
        }
    }
    let Some(open) = reader.peek() else { return Err(reader.error_here("a string is due")) };
    let close = match open {
        '“' => '”',
        '‘' => '’',
        other => other,
    };
    if open != '"' {
        reader.repairs.insert(ArgumentRepair::Quotes);
    }
    let body = open.len_utf8();
    let mut out = String::new();
    // Escapes that JSON knows by a letter, and those that it does not know.
    let (mut known, mut unknown) = (false, false);
    let mut at = body;
    while let Some(c) = rest[at..].chars().next() {
        let here = reader.at + at;
        at += c.len_utf8();
        match c {
            c if c == close => {
                if known && unknown {
                    let reason = "a string has escapes of JSON and backslashes that are none";
                    return Err(UnreadableArguments::new(reason, here));
                }
                reader.at += at;
                return Ok(out);
            }
            '$' if open == '`' && rest[at..].starts_with('{') => {
                return Err(UnreadableArguments::new("a template string has a hole", here));
            }
            '\\' => {
                let (text, length, kind) = read_escape(&rest[at..], open).ok_or_else(|| {
                    UnreadableArguments::new("a backslash in a string has no certain meaning", here)
                })?;
                out.push_str(&text);
                at += length;
                known |= kind == EscapeKind::Letter;
                unknown |= kind == EscapeKind::None;
                match kind {
                    EscapeKind::Quote if open != '"' => {}
                    EscapeKind::None | EscapeKind::Quote => {
                        reader.repairs.insert(ArgumentRepair::Backslash);
                    }
                    _ => {}
                }
            }
            c if c < ' ' => {
                reader.repairs.insert(ArgumentRepair::ControlCharacter);
                out.push(c);
            }
            c => out.push(c),
        }
    }
    Err(UnreadableArguments::new("they were cut off in a string", reader.at + at))
}

/// A string of Python's in three quotes, if no backslash makes its meaning doubtful.
fn read_tripled(reader: &mut LenientReader<'_>, quotes: &str) -> Result<String, UnreadableArguments> {
    let rest = &reader.rest()[quotes.len()..];
    let end = rest.find(quotes).ok_or_else(|| reader.error_here("they were cut off in a string"))?;
    let text = &rest[..end];
    if text.contains('\\') || rest[end + quotes.len()..].starts_with(&quotes[..1]) {
        return Err(reader.error_here("a string in three quotes has no certain end"));
    }
    reader.repairs.insert(ArgumentRepair::Quotes);
    reader.at += quotes.len() * 2 + end;
    Ok(text.to_owned())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum EscapeKind {
    /// An escape that JSON writes as a letter.
    Letter,
    /// `\\`, `\/` or `\"`.
    Sound,
    /// A quote that JSON does not escape.
    Quote,
    /// No escape: the backslash is a character of its own.
    None,
}

/// Reads an escape after its backslash: returns its text, its length, and its kind.
fn read_escape(rest: &str, open: char) -> Option<(String, usize, EscapeKind)> {
    let c = rest.chars().next()?;
    let of = |text: &str, kind| Some((text.to_owned(), c.len_utf8(), kind));
    match c {
        '"' | '\\' | '/' => of(&rest[..1], EscapeKind::Sound),
        '\'' | '`' => of(&rest[..1], if c == open { EscapeKind::Sound } else { EscapeKind::Quote }),
        'n' => of("\n", EscapeKind::Letter),
        't' => of("\t", EscapeKind::Letter),
        'r' => of("\r", EscapeKind::Letter),
        'b' => of("\u{8}", EscapeKind::Letter),
        'f' => of("\u{c}", EscapeKind::Letter),
        'u' => {
            let (text, length) = read_unicode(rest)?;
            Some((text, length, EscapeKind::Letter))
        }
        c if PATTERN.contains(c) => Some((format!("\\{c}"), c.len_utf8(), EscapeKind::None)),
        _ => None,
    }
}

/// The character of `uXXXX`, or of two halves.
fn read_unicode(rest: &str) -> Option<(String, usize)> {
    let number = |at: usize| {
        let digits = rest.get(at..at + 4)?;
        digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok())?
    };
    let first = number(1)?;
    if let Some(c) = char::from_u32(first.into()) {
        return Some((c.to_string(), 5));
    }
    let second = rest.get(5..7).filter(|next| *next == "\\u").and_then(|_| number(7))?;
    String::from_utf16(&[first, second]).ok().map(|text| (text, 11))
}

/// Reads a number or a literal.
pub(super) fn read_word(reader: &mut LenientReader<'_>) -> Result<Value, UnreadableArguments> {
    let rest = reader.rest();
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '+' | '-' | '.');
    let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
    let (text, wrong) = (&rest[..length], reader.error_here("a value is due"));
    let value = match text {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        "null" => Value::Null,
        "True" | "False" | "None" => {
            reader.repairs.insert(ArgumentRepair::PythonWord);
            match text {
                "None" => Value::Null,
                text => Value::Bool(text == "True"),
            }
        }
        text => match serde_json::from_str(text) {
            Ok(value @ Value::Number(_)) => value,
            _ => {
                let value = read_number(text).ok_or(wrong)?;
                reader.repairs.insert(ArgumentRepair::Number);
                value
            }
        },
    };
    reader.at += length;
    Ok(value)
}

/// A number as `+1`, `.5`, `5.` or `1_000`.
fn read_number(text: &str) -> Option<Value> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (whole, part) = digits.split_once('.').map_or((digits, None), |(whole, part)| (whole, Some(part)));
    let sound = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let groups: Vec<&str> = whole.split('_').collect();
    let grouped =
        groups.len() == 1 || (groups[0].len() <= 3 && groups[1..].iter().all(|group| group.len() == 3));
    let joined = groups.concat();
    let has_zeros = joined.len() > 1 && joined.starts_with('0');
    if !sound(&joined) || !grouped || has_zeros || groups[0].is_empty() != joined.is_empty() {
        return None;
    }
    if part.is_some_and(|part| !sound(part)) || (joined.is_empty() && part.is_none_or(str::is_empty)) {
        return None;
    }
    let sign = if text.starts_with('-') { "-" } else { "" };
    let whole = if joined.is_empty() { "0" } else { &joined };
    let part = match part {
        Some("") => ".0".to_owned(),
        Some(part) => format!(".{part}"),
        None => String::new(),
    };
    serde_json::from_str(&format!("{sign}{whole}{part}")).ok()
}
