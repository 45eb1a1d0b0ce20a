//! Lines that begin with their numbers, as tools that print files write them.

use super::super::hunk::{Hunk, Tag};
use super::super::index::Index;

pub(super) fn undo<'d>(hunk: &Hunk<'d>, _: &Index) -> Option<Hunk<'d>> {
    let numbered = |text: &str| text.trim().is_empty() || stripped(text).is_some();
    let all = hunk.lines.iter().all(|line| line.tag == Tag::Add || numbered(line.text()));
    if !all {
        return None;
    }
    super::each(hunk, |line| stripped(&line.raw).map(str::to_owned))
}

/// A line without the number before it.
fn stripped(text: &str) -> Option<&str> {
    const SIGNS: [&str; 8] = ["→", "\t", " | ", " |", "| ", "|", ": ", ":"];
    let text = text.trim_start_matches([' ', '\t']);
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if !(1..=7).contains(&digits) {
        return None;
    }
    let rest = &text[digits..];
    SIGNS.iter().find_map(|sign| rest.strip_prefix(sign))
}
