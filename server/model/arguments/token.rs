//! The words of lenient JSON: strings in any quotes, names, numbers, literals.

use serde_json::Value;

use super::lenient::Reader;
use super::{Repair, Unreadable};

/// Characters that a backslash stands before in patterns, where JSON knows no such escape.
const PATTERN: &str = "dDwWsSBAZzpP.()[]{}*+?|$^-";

/// What a value ended with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A quote.
    Text,
    /// A closing bracket.
    Bracket,
    /// A word such as `true`.
    Word,
    /// A digit: it may go on.
    Number,
}

impl Token {
    /// What stands before that place.
    pub(super) fn before(text: &str, at: usize) -> Self {
        match text.get(..at).and_then(|text| text.chars().next_back()) {
            Some('}' | ']') => Self::Bracket,
            Some(c) if opens(c) || c == '”' || c == '’' => Self::Text,
            Some(c) if c.is_alphabetic() => Self::Word,
            _ => Self::Number,
        }
    }

    pub(super) fn is_whole(self) -> bool {
        self != Self::Number
    }
}

/// Whether a string begins with it.
pub(super) fn opens(c: char) -> bool {
    matches!(c, '"' | '\'' | '`' | '“' | '‘')
}

/// Whether the text begins with a string and a colon.
pub(super) fn is_named(text: &str) -> bool {
    let Some(end) = text.get(1..).and_then(|text| text.find('"')) else { return false };
    text.get(end + 2..).is_some_and(|rest| rest.trim_start().starts_with(':'))
}

/// Reads the name of a member.
pub(super) fn name(reader: &mut Reader<'_>) -> Result<String, Unreadable> {
    match reader.peek() {
        Some(c) if opens(c) => string(reader),
        Some(c) if c.is_alphabetic() || c == '_' => {
            let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
            let rest = reader.rest();
            let length = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
            reader.at += length;
            reader.repairs.insert(Repair::BareName);
            Ok(rest[..length].to_owned())
        }
        _ => Err(reader.wrong("a name is due")),
    }
}

/// Reads a string.
pub(super) fn string(reader: &mut Reader<'_>) -> Result<String, Unreadable> {
    let rest = reader.rest();
    for quotes in ["\"\"\"", "'''"] {
        if rest.starts_with(quotes) {
            return tripled(reader, quotes);
        }
    }
    let Some(open) = reader.peek() else { return Err(reader.wrong("a string is due")) };
    let close = match open {
        '“' => '”',
        '‘' => '’',
        other => other,
    };
    if open != '"' {
        reader.repairs.insert(Repair::Quotes);
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
                    return Err(Unreadable::new(reason, here));
                }
                reader.at += at;
                return Ok(out);
            }
            '$' if open == '`' && rest[at..].starts_with('{') => {
                return Err(Unreadable::new("a template string has a hole", here));
            }
            '\\' => {
                let (text, length, kind) = escape(&rest[at..], open)
                    .ok_or_else(|| Unreadable::new("a backslash in a string has no certain meaning", here))?;
                out.push_str(&text);
                at += length;
                known |= kind == Escape::Letter;
                unknown |= kind == Escape::None;
                match kind {
                    Escape::None => drop(reader.repairs.insert(Repair::Backslash)),
                    Escape::Quote if open == '"' => drop(reader.repairs.insert(Repair::Backslash)),
                    _ => {}
                }
            }
            c if c < ' ' => {
                reader.repairs.insert(Repair::ControlCharacter);
                out.push(c);
            }
            c => out.push(c),
        }
    }
    Err(Unreadable::new("they were cut off in a string", reader.at + at))
}

/// A string of Python's in three quotes, where no backslash makes its meaning doubtful.
fn tripled(reader: &mut Reader<'_>, quotes: &str) -> Result<String, Unreadable> {
    let rest = &reader.rest()[quotes.len()..];
    let end = rest.find(quotes).ok_or_else(|| reader.wrong("they were cut off in a string"))?;
    let text = &rest[..end];
    if text.contains('\\') || rest[end + quotes.len()..].starts_with(&quotes[..1]) {
        return Err(reader.wrong("a string in three quotes has no certain end"));
    }
    reader.repairs.insert(Repair::Quotes);
    reader.at += quotes.len() * 2 + end;
    Ok(text.to_owned())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Escape {
    /// One that JSON knows by a letter.
    Letter,
    /// `\\`, `\/` or `\"`.
    Sound,
    /// A quote that JSON does not escape.
    Quote,
    /// None: the backslash itself is meant.
    None,
}

/// What stands behind a backslash: the text that is meant, how long it is, and which kind.
fn escape(rest: &str, open: char) -> Option<(String, usize, Escape)> {
    let c = rest.chars().next()?;
    let of = |text: &str, kind| Some((text.to_owned(), c.len_utf8(), kind));
    match c {
        '"' | '\\' | '/' => of(&rest[..1], Escape::Sound),
        '\'' | '`' => of(&rest[..1], if c == open { Escape::Sound } else { Escape::Quote }),
        'n' => of("\n", Escape::Letter),
        't' => of("\t", Escape::Letter),
        'r' => of("\r", Escape::Letter),
        'b' => of("\u{8}", Escape::Letter),
        'f' => of("\u{c}", Escape::Letter),
        'u' => {
            let (text, length) = unicode(rest)?;
            Some((text, length, Escape::Letter))
        }
        c if PATTERN.contains(c) => Some((format!("\\{c}"), c.len_utf8(), Escape::None)),
        _ => None,
    }
}

/// The character of `uXXXX`, or of two halves.
fn unicode(rest: &str) -> Option<(String, usize)> {
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
pub(super) fn word(reader: &mut Reader<'_>) -> Result<Value, Unreadable> {
    let rest = reader.rest();
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '+' | '-' | '.');
    let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
    let (text, wrong) = (&rest[..length], reader.wrong("a value is due"));
    let value = match text {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        "null" => Value::Null,
        "True" | "False" | "None" => {
            reader.repairs.insert(Repair::PythonWord);
            match text {
                "None" => Value::Null,
                text => Value::Bool(text == "True"),
            }
        }
        text => match serde_json::from_str(text) {
            Ok(value @ Value::Number(_)) => value,
            _ => {
                let value = number(text).ok_or(wrong)?;
                reader.repairs.insert(Repair::Number);
                value
            }
        },
    };
    reader.at += length;
    Ok(value)
}

/// A number as `+1`, `.5`, `5.` or `1_000`.
fn number(text: &str) -> Option<Value> {
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
