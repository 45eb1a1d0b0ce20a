//! Lines that begin with their numbers, as tools that print files write them.

use super::super::hunk::{Hunk, Tag};
use super::super::index::Index;

/// What may stand between a number and its line.
const SIGNS: [&str; 8] = ["→", "\t", " | ", " |", "| ", "|", ": ", ":"];

/// Undoes it with the sign that leaves the most lines as the file has them.
pub(super) fn undo<'d>(hunk: &Hunk<'d>, index: &Index) -> Option<Hunk<'d>> {
    let stand = |hunk: &Hunk| hunk.old().iter().filter(|line| index.has(line)).count();
    let readings = SIGNS.iter().filter_map(|sign| with(hunk, sign));
    // The first of equals: it takes the space after it along.
    readings.rev().max_by_key(stand)
}

fn with<'d>(hunk: &Hunk<'d>, sign: &str) -> Option<Hunk<'d>> {
    let numbered = |text: &str| text.trim().is_empty() || stripped(text, sign).is_some();
    let all = hunk.lines.iter().all(|line| line.tag == Tag::Add || numbered(line.text()));
    all.then(|| super::each(hunk, |line| stripped(&line.raw, sign).map(str::to_owned))).flatten()
}

/// A line without the number and the sign before it.
fn stripped<'l>(text: &'l str, sign: &str) -> Option<&'l str> {
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
