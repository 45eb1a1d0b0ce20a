//! A text as lines: only a line feed ends one, and a carriage return before it belongs to the end.

/// The lines of a text, each with its end; the last may have none.
pub(super) fn split(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// A line without its end.
pub(super) fn body(line: &str) -> &str {
    &line[..line.len() - end(line).len()]
}

/// The end of a line: `\n`, `\r\n`, or nothing.
pub(super) fn end(line: &str) -> &str {
    match line.strip_suffix('\n') {
        Some(rest) if rest.ends_with('\r') => &line[rest.len() - 1..],
        Some(rest) => &line[rest.len()..],
        None => "",
    }
}

/// A line without one carriage return at its end.
pub(super) fn without_return(raw: &str) -> &str {
    raw.strip_suffix('\r').unwrap_or(raw)
}
