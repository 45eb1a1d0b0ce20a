//! Quotes and backslashes escaped as inside of a string.

use super::super::hunk::DiffHunk;
use super::super::index::LineIndex;

/// Undoes it if each backslash begins an escape, as JSON writes them.
pub(super) fn undo_escapes<'d>(hunk: &DiffHunk<'d>, _: &LineIndex) -> Option<DiffHunk<'d>> {
    let mut whole = true;
    let other =
        super::change_lines(hunk, |line| line.raw.contains('\\').then(|| unescape_text(&line.raw)).flatten());
    for line in &hunk.lines {
        whole &= unescape_text(&line.raw).is_some();
    }
    other.filter(|_| whole)
}

/// Undoes it for quotes alone.
pub(super) fn undo_quotes<'d>(hunk: &DiffHunk<'d>, _: &LineIndex) -> Option<DiffHunk<'d>> {
    super::change_lines(hunk, |line| {
        line.raw.contains("\\\"").then(|| line.raw.replace("\\\"", "\"").replace("\\'", "'"))
    })
}

/// A text with its escapes read; `None` if a backslash begins none.
pub(super) fn unescape_text(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.push(match chars.next()? {
                c @ ('"' | '\\' | '/') => c,
                '\'' => '\'',
                't' => '\t',
                _ => return None,
            }),
            c => out.push(c),
        }
    }
    Some(out)
}
