//! A table of a TOML file, added at its end and removed again; every other byte stays.

use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::SettingsEditError;

/// The file's value.
///
/// # Errors
/// The problem with it, and where.
pub(super) fn parse_toml(text: &str) -> Result<Value, SettingsEditError> {
    toml::from_str(text).map_err(|error: toml::de::Error| {
        let line = error.span().map(|span| text[..span.start].matches('\n').count() + 1);
        SettingsEditError::Toml { message: error.message().to_owned(), line }
    })
}

/// The text with the entry moved to its end.
///
/// # Errors
/// An error where it cannot be added.
pub(super) fn put_table(text: &str, path: &[&str], entry: &Value) -> Result<String, SettingsEditError> {
    let text = take_table(text, path)?;
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut lines =
        vec![format!("[{}]", path.iter().map(|name| format_key(name)).collect::<Vec<_>>().join("."))];
    for (key, value) in entry.as_object().into_iter().flatten() {
        let value = toml::Value::try_from(value)?;
        lines.push(format!("{key} = {value}"));
    }
    // A text without a final line end gets none, so that it can be restored as it was.
    let (gap, end) = match text.as_str() {
        "" => ("", newline),
        text if text.ends_with('\n') => (newline, newline),
        _ => (&*newline.repeat(2), ""),
    };
    Ok(format!("{text}{gap}{}{end}", lines.join(newline)))
}

/// The text without the entry's table and those below it.
///
/// # Errors
/// The problem with the text; an error where the entry has no table of its own.
pub(super) fn take_table(text: &str, path: &[&str]) -> Result<String, SettingsEditError> {
    let root = DeTable::parse(text)
        .map_err(|error| SettingsEditError::Toml { message: error.message().to_owned(), line: None })?;
    let mut marks = Vec::new();
    mark_tables(text, root.get_ref(), Some(path), &mut marks);
    marks.sort_unstable_by_key(|mark| mark.start);
    let mut left = String::new();
    let (mut at, mut ours) = (0, false);
    for (index, one) in marks.iter().enumerate() {
        let line = text[..one.start].rfind('\n').map_or(0, |end| end + 1);
        if one.ours && !one.header && one.start >= at {
            return Err(SettingsEditError::NoTable(path.last().copied().unwrap_or_default().to_owned()));
        }
        if !one.ours || !one.header {
            continue;
        }
        left.push_str(&text[at..line]);
        // The blank line before the table is removed with it.
        if let Some(set_off) = left.strip_suffix("\r\n").or(left.strip_suffix('\n'))
            && (set_off.is_empty() || set_off.ends_with('\n'))
        {
            left.truncate(set_off.len());
        }
        let held = marks[index + 1..].iter().take_while(|mark| !mark.header);
        let end = held.map(|mark| mark.end).fold(one.end, usize::max);
        at = text[end..].find('\n').map_or(text.len(), |length| end + length + 1);
        ours = true;
    }
    left.push_str(&text[at..]);
    if ours && at == text.len() && !text.ends_with('\n') {
        left.truncate(left.strip_suffix("\r\n").or(left.strip_suffix('\n')).unwrap_or(&left).len());
    }
    Ok(left)
}

/// A name in the form of a table header.
fn format_key(name: &str) -> String {
    let is_bare = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    match !name.is_empty() && name.chars().all(is_bare) {
        true => name.to_owned(),
        false => toml::Value::from(name).to_string(),
    }
}

/// A table's header, or a value.
struct TableSpan {
    start: usize,
    end: usize,
    header: bool,
    /// True if it belongs to the entry.
    ours: bool,
}

/// Collects the spans of a table's headers and values. `wanted` is the rest of the path to the entry, and empty from
/// the entry on.
fn mark_tables(text: &str, table: &DeTable<'_>, wanted: Option<&[&str]>, marks: &mut Vec<TableSpan>) {
    for (key, value) in table {
        let wanted = wanted.and_then(|names| match names.split_first() {
            Some((first, rest)) => (*first == key.get_ref().as_ref()).then_some(rest),
            None => Some(names),
        });
        mark_value(text, value, wanted, marks);
    }
}

fn mark_value(text: &str, value: &Spanned<DeValue<'_>>, wanted: Option<&[&str]>, marks: &mut Vec<TableSpan>) {
    let span = value.span();
    let begins = |with: &str| text[span.clone()].starts_with(with);
    let ours = wanted.is_some_and(<[&str]>::is_empty);
    let one = |header| TableSpan { start: span.start, end: span.end, header, ours };
    match value.get_ref() {
        DeValue::Table(table) => {
            if begins("[") || begins("{") {
                marks.push(one(begins("[")));
            }
            mark_tables(text, table, wanted, marks);
        }
        DeValue::Array(items) => {
            // An array of tables has no place of its own: its headers have.
            if !items.iter().any(|item| item.get_ref().is_table() && text[item.span()].starts_with('[')) {
                marks.push(one(false));
            }
            items.iter().for_each(|item| mark_value(text, item, wanted, marks));
        }
        _ => marks.push(one(false)),
    }
}
