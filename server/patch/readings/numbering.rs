//! Lines that begin with their numbers, as tools that print files write them.

use super::super::hunk::{DiffHunk, LineTag};
use super::super::index::LineIndex;

/// Separators between a number and its line.
const SIGNS: [&str; 8] = ["→", "\t", " | ", " |", "| ", "|", ": ", ":"];

/// Removes the numbers with the separator that leaves the most lines matching the file.
pub(super) fn undo_numbering<'d>(hunk: &DiffHunk<'d>, index: &LineIndex) -> Option<DiffHunk<'d>> {
    let stand = |hunk: &DiffHunk| hunk.old_lines().iter().filter(|line| index.has_line(line)).count();
    let readings = SIGNS.iter().filter_map(|sign| strip_numbers(hunk, sign));
    // The first of equals: it includes the space after it.
    readings.rev().max_by_key(stand)
}

fn strip_numbers<'d>(hunk: &DiffHunk<'d>, sign: &str) -> Option<DiffHunk<'d>> {
    let numbered = |text: &str| text.trim().is_empty() || strip_number(text, sign).is_some();
    let all = hunk.lines.iter().all(|line| line.tag == LineTag::Add || numbered(line.text()));
    all.then(|| super::change_lines(hunk, |line| strip_number(&line.raw, sign).map(str::to_owned))).flatten()
}

/// A line without the number and the sign before it.
fn strip_number<'l>(text: &'l str, sign: &str) -> Option<&'l str> {
    let text = text.trim_start_matches([' ', '\t']);
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if !(1..=7).contains(&digits) {
        return None;
    }
    let rest = &text[digits..];
    // An empty line may have lost the space that ends the sign.
    let empty = || (rest.trim_end() == sign.trim_end() || rest.trim().is_empty()).then_some("");
    rest.strip_prefix(sign).or_else(empty)
}
