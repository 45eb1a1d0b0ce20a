//! A text as lines: only a line feed ends one, and a carriage return before it belongs to the end.

use memchr::memchr_iter;

/// The lines of a text, each with its end; the last may have none.
pub(super) fn split_lines(text: &str) -> Vec<&str> {
    let mut from = 0;
    let ends = memchr_iter(b'\n', text.as_bytes()).map(|end| end + 1);
    let last = (!text.ends_with('\n') && !text.is_empty()).then_some(text.len());
    ends.chain(last).map(|end| &text[std::mem::replace(&mut from, end)..end]).collect()
}

/// A line without its end.
pub(super) fn line_body(line: &str) -> &str {
    &line[..line.len() - line_end(line).len()]
}

/// The end of a line: `\n`, `\r\n`, or nothing.
pub(super) fn line_end(line: &str) -> &str {
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
