//! Lines of a text by byte offsets, and edits put into it.

use std::ops::Range;

/// A text in place of a range of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Splice {
    pub range: Range<usize>,
    pub new: String,
}

impl Splice {
    pub(crate) fn new(range: Range<usize>, new: impl Into<String>) -> Self {
        Self { range, new: new.into() }
    }

    pub(crate) fn insert(at: usize, new: impl Into<String>) -> Self {
        Self::new(at..at, new)
    }
}

/// Returns the text with the splices, which do not overlap. Those at one place stay in their order.
pub(crate) fn apply_splices(text: &str, mut splices: Vec<Splice>) -> String {
    splices.sort_by_key(|splice| (splice.range.start, splice.range.end));
    let mut after = String::with_capacity(text.len() + 64);
    let mut from = 0;
    for splice in splices {
        let start = splice.range.start.max(from);
        after.push_str(&text[from..start]);
        after.push_str(&splice.new);
        from = splice.range.end.max(start);
    }
    after.push_str(&text[from..]);
    after
}

/// Returns the line of a byte, counted from 1.
pub(crate) fn line_number(text: &str, at: usize) -> usize {
    text.as_bytes()[..at.min(text.len())].iter().filter(|byte| **byte == b'\n').count() + 1
}

/// Returns the start of the line that holds a byte.
pub(crate) fn line_start(text: &str, at: usize) -> usize {
    text.as_bytes()[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1)
}

/// Returns the end of the line that holds a byte, before its line end.
pub(crate) fn line_end(text: &str, at: usize) -> usize {
    let end = text.as_bytes()[at..].iter().position(|byte| *byte == b'\n').map_or(text.len(), |end| at + end);
    match text.as_bytes()[at..end].last() {
        Some(b'\r') if end < text.len() => end - 1,
        _ => end,
    }
}

/// Returns the end of the line above the one that begins at `start`, before its line end.
pub(crate) fn end_above(text: &str, start: usize) -> usize {
    let above = &text[..start];
    let above = above.strip_suffix('\n').unwrap_or(above);
    above.strip_suffix('\r').unwrap_or(above).len()
}

/// Returns the start of the line after the one that holds a byte; the end of the text after the last.
pub(crate) fn next_line(text: &str, at: usize) -> usize {
    text.as_bytes()[at..].iter().position(|byte| *byte == b'\n').map_or(text.len(), |end| at + end + 1)
}

/// Returns the spaces and tabs that the line of a byte begins with.
pub(crate) fn indent_at(text: &str, at: usize) -> &str {
    let line = &text[line_start(text, at)..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Returns the column of a byte in characters, from 0.
pub(crate) fn column(text: &str, at: usize) -> usize {
    text[line_start(text, at)..at].chars().count()
}

/// Returns whether nothing but blanks stands before a byte in its line.
pub(crate) fn begins_line(text: &str, at: usize) -> bool {
    text[line_start(text, at)..at].bytes().all(|byte| byte == b' ' || byte == b'\t')
}

/// The line end that new lines of the text get.
pub(crate) fn line_break(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if at > 0 && text.as_bytes()[at - 1] == b'\r' => "\r\n",
        _ => "\n",
    }
}

/// The range of whole lines from the one that holds `start` to the one that holds `end`, taken away as a person would: of
/// the blank lines above and below, the larger number stays, and a text without a line end at its end gets none.
pub(crate) fn lines_to_remove(text: &str, range: &Range<usize>) -> Range<usize> {
    let start = line_start(text, range.start);
    let mut end = next_line(text, range.end);
    let mut above = start;
    let mut blank = 0_i64;
    while above > 0 && line_is_blank(text, above - 1) {
        above = line_start(text, above - 1);
        blank += 1;
    }
    if end < text.len() {
        if text[end..].trim_start_matches([' ', '\t']).starts_with(['}', ')', ']']) {
            // Nothing follows in the block.
            return above..end;
        }
        let opens = above > 0 && text[..above].trim_end().ends_with(['{', '(', '[']);
        while end < text.len() && (above == 0 || opens || blank > 0) && line_is_blank(text, end) {
            end = next_line(text, end);
            blank -= 1;
        }
        return start..end;
    }
    match text.ends_with('\n') || above == 0 {
        true => above..end,
        false => end_above(text, above)..end,
    }
}

/// Returns whether the line that holds a byte is blank.
pub(crate) fn line_is_blank(text: &str, at: usize) -> bool {
    text[line_start(text, at)..line_end(text, at.min(text.len()))].trim().is_empty()
}
