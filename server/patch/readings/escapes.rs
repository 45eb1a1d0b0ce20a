//! Quotes and backslashes as they stand inside of a string.

use super::super::hunk::Hunk;
use super::super::index::Index;

/// Undoes it where each backslash begins an escape, as JSON writes them.
pub(super) fn undo<'d>(hunk: &Hunk<'d>, _: &Index) -> Option<Hunk<'d>> {
    let mut whole = true;
    let other = super::each(hunk, |line| line.raw.contains('\\').then(|| unescape(&line.raw)).flatten());
    for line in &hunk.lines {
        whole &= unescape(&line.raw).is_some();
    }
    other.filter(|_| whole)
}

/// Undoes it for quotes alone.
pub(super) fn undo_quotes<'d>(hunk: &Hunk<'d>, _: &Index) -> Option<Hunk<'d>> {
    super::each(hunk, |line| {
        line.raw.contains("\\\"").then(|| line.raw.replace("\\\"", "\"").replace("\\'", "'"))
    })
}

/// A text with its escapes read; none where a backslash begins none.
pub(super) fn unescape(text: &str) -> Option<String> {
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
