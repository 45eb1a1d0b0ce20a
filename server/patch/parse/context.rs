//! The context form, as `diff -c` writes it: names with stars, then in each hunk the old lines above the new ones.

use std::borrow::Cow;

use super::super::hunk::{DiffHunk, DiffLine, HeaderRange, LineTag};
use super::super::lines::without_return;
use super::DiffParser;
use super::body::{is_marker, mark_unended};

/// The row above each hunk.
const ROW: &str = "***************";

/// The lines of one side of a hunk, and the first line number and the count that its header states.
struct HunkSide<'a> {
    stated: (usize, usize),
    lines: Vec<DiffLine<'a>>,
}

impl<'a> DiffParser<'a> {
    /// Returns whether the names of a file in this form are at an offset from here.
    pub(super) fn names_context_file(&self, offset: usize) -> bool {
        [("*** ", 0), ("--- ", 1), (ROW, 2)]
            .into_iter()
            .all(|(prefix, line)| self.peek(offset + line).is_some_and(|line| line.starts_with(prefix)))
    }

    /// Reads the names of a file.
    pub(super) fn read_context_names(&mut self) {
        let old = self.take_prefix("*** ");
        let new = self.take_prefix("--- ");
        self.open_named_section(old, new);
    }

    /// Reads the hunk that begins here; false where there is none, or its sides do not fit each other.
    pub(super) fn read_context_hunk(&mut self) -> bool {
        let Some(heading) = self.peek(0).and_then(|line| line.strip_prefix(ROW)) else { return false };
        let start = self.at;
        let crlf = self.lines.get(start).is_some_and(|line| line.ends_with('\r'));
        self.at += 1;
        let sides = self.read_side("*** ", " ****", LineTag::Remove).and_then(|old| {
            let new = self.read_side("--- ", " ----", LineTag::Add)?;
            Some((old.stated, new.stated, join_sides(old.lines, new.lines)?))
        });
        let Some(((old_start, old_len), (new_start, new_len), lines)) = sides else {
            self.at = start;
            return false;
        };
        self.change_end = self.at;
        let headings = Some(heading.trim()).filter(|heading| !heading.is_empty()).into_iter().collect();
        let stated = Some(HeaderRange { old_start, old_len, new_start, new_len });
        let mut hunk = DiffHunk { stated, headings, lines, prefixed: true, ..DiffHunk::default() };
        hunk.counted =
            (hunk.count_without(LineTag::Add), hunk.count_without(LineTag::Remove)) == (old_len, new_len);
        let section = self.current_section();
        section.truncated |= hunk.lines.is_empty();
        section.crlf |= crlf;
        section.hunks.push(hunk);
        true
    }

    /// Reads one side: the header between two marks, and its lines, of which those with `!` change. A side that changes
    /// nothing may have no lines.
    fn read_side(&mut self, open: &str, close: &str, change: LineTag) -> Option<HunkSide<'a>> {
        let (first, last) = parse_side_header(self.peek(0)?, open, close)?;
        self.at += 1;
        let mut lines: Vec<DiffLine<'a>> = Vec::new();
        let mut sure = 0;
        while let Some(&whole) = self.lines.get(self.at) {
            let is_blank = without_return(whole).is_empty();
            let (tag, raw) = match whole.get(..2) {
                Some("  ") => (LineTag::Keep, &whole[2..]),
                Some("! ") => (change, &whole[2..]),
                Some("- ") if change == LineTag::Remove => (LineTag::Remove, &whole[2..]),
                Some("+ ") if change == LineTag::Add => (LineTag::Add, &whole[2..]),
                _ if is_blank => (LineTag::Keep, whole),
                _ if is_marker(whole) => {
                    mark_unended(lines.last_mut()?, whole);
                    self.at += 1;
                    continue;
                }
                _ => break,
            };
            lines.push(DiffLine { tag, raw: Cow::Borrowed(raw), whole, unended: false });
            self.at += 1;
            // An empty line is one of the file only where the side goes on below it.
            sure = if is_blank { sure } else { lines.len() };
        }
        let count = if last == 0 { 0 } else { (last + 1).checked_sub(first)? };
        lines.truncate(sure.max(count.min(lines.len())));
        Some(HunkSide { stated: (first, count), lines })
    }
}

/// Reads the two line numbers of a side's header; one alone stands for both.
fn parse_side_header(line: &str, open: &str, close: &str) -> Option<(usize, usize)> {
    let range = line.strip_prefix(open)?.trim_end().strip_suffix(close)?;
    let number = |text: &str| text.trim().parse::<u32>().ok().map(|number| number as usize);
    match range.split_once(',') {
        Some((first, last)) => Some((number(first)?, number(last)?)),
        None => number(range).map(|line| (line, line)),
    }
}

/// Joins the two sides to the lines of one hunk; none where the lines that stay are not the same on both.
fn join_sides<'a>(old: Vec<DiffLine<'a>>, new: Vec<DiffLine<'a>>) -> Option<Vec<DiffLine<'a>>> {
    let kept = |lines: &[DiffLine<'a>]| -> Vec<DiffLine<'a>> {
        lines.iter().filter(|line| line.tag == LineTag::Keep).cloned().collect()
    };
    let old = if old.is_empty() { kept(&new) } else { old };
    let new = if new.is_empty() { kept(&old) } else { new };
    let (mut old, mut new) = (old.into_iter().peekable(), new.into_iter().peekable());
    let mut lines = Vec::new();
    loop {
        lines.extend(std::iter::from_fn(|| old.next_if(|line| line.tag == LineTag::Remove)));
        lines.extend(std::iter::from_fn(|| new.next_if(|line| line.tag == LineTag::Add)));
        match (old.next(), new.next()) {
            (Some(old), Some(new)) if old.text() == new.text() => lines.push(old),
            (None, None) => return Some(lines),
            _ => return None,
        }
    }
}
