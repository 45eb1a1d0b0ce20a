//! The lines of a hunk: as many as its header counts where that comes out even, else as far as they go.

use std::borrow::Cow;

use super::super::hunk::{Hunk, Line, Stated, Tag};
use super::super::lines::without_return;
use super::{Parser, blocks, is_fence, v4a};

impl<'a> Parser<'a> {
    /// Reads the hunk lines from here.
    pub(super) fn body(&mut self, stated: Option<Stated>, headings: Vec<&'a str>) -> Hunk<'a> {
        let start = self.at;
        let hunk = || Hunk { prefixed: true, ..Hunk::default() };
        if let Some(stated) = stated
            && let Some(lines) = self.counted(stated.old_len, stated.new_len)
        {
            return Hunk { stated: Some(stated), headings, lines, counted: true, ..hunk() };
        }
        self.at = start;
        Hunk { stated, headings, lines: self.uncounted(), ..hunk() }
    }

    /// Exactly the lines that the header counts, if the hunk ends there. Whatever they look like is content.
    fn counted(&mut self, mut old: usize, mut new: usize) -> Option<Vec<Line<'a>>> {
        let mut lines = Vec::new();
        while old + new > 0 {
            let raw = self.lines.get(self.at)?;
            match is_marker(raw) {
                true => unend(lines.last_mut()?, raw),
                false => {
                    let line = prefixed(raw)?;
                    old = old.checked_sub(usize::from(line.tag != Tag::Add))?;
                    new = new.checked_sub(usize::from(line.tag != Tag::Remove))?;
                    lines.push(line);
                }
            }
            self.at += 1;
        }
        if let Some(raw) = self.lines.get(self.at)
            && is_marker(raw)
        {
            unend(lines.last_mut()?, raw);
            self.at += 1;
        }
        self.hunk_ends().then_some(lines)
    }

    /// Whether nothing here goes on with the hunk: blank lines, then the end, a header, or text that is no diff.
    fn hunk_ends(&self) -> bool {
        let blank = |&offset: &usize| self.peek(offset).is_some_and(|line| line.trim().is_empty());
        let offset = (0..).take_while(blank).count();
        let Some(line) = self.peek(offset) else { return true };
        self.stops(offset) || offset > 0 && !line.starts_with([' ', '-', '+', '\\'])
    }

    /// Whether the line at an offset from here ends any hunk.
    fn stops(&self, offset: usize) -> bool {
        const BEGINS: [&str; 3] = ["@@", "diff --git ", "Index: "];
        let line = self.peek(offset).unwrap_or_default();
        BEGINS.iter().any(|prefix| line.starts_with(prefix))
            || v4a::is_star_line(line)
            || blocks::opens(line)
            || self.fenced && is_fence(line)
            || self.names_file(offset) && self.peek(offset + 2).is_none_or(|line| line.starts_with("@@"))
            || self.signs(offset)
    }

    /// Whether the two last lines of a mail that git wrote begin there.
    fn signs(&self, offset: usize) -> bool {
        self.peek(offset) == Some("-- ")
            && self.peek(offset + 1).is_some_and(|line| line.starts_with(|c: char| c.is_ascii_digit()))
            && self.peek(offset + 2).is_none_or(|line| line.trim().is_empty())
    }

    /// All lines up to what ends a hunk. A line without prefix is context that lost it: the file decides.
    fn uncounted(&mut self) -> Vec<Line<'a>> {
        let (mut lines, mut sure) = (Vec::new(), 0);
        let mut blank = false;
        while let Some(&raw) = self.lines.get(self.at) {
            if self.stops(0) {
                break;
            }
            self.at += 1;
            if is_marker(raw) {
                lines.last_mut().into_iter().for_each(|line| unend(line, raw));
                continue;
            }
            match prefixed(raw) {
                Some(line) => {
                    lines.push(line);
                    // A blank line is an empty context line only where the hunk goes on after it.
                    blank = without_return(raw).is_empty();
                    if !blank {
                        sure = lines.len();
                    }
                }
                // Text after a blank line is what a model says after its diff, unless the hunk goes on.
                None => {
                    lines.push(Line { tag: Tag::Keep, raw: Cow::Borrowed(raw), whole: raw, unended: false });
                    if !blank {
                        sure = lines.len();
                    }
                }
            }
        }
        lines.truncate(sure);
        lines
    }
}

/// Whether a line says that the line before it has no end.
fn is_marker(raw: &str) -> bool {
    raw.starts_with("\\ ")
}

/// Notes the marker. Where it ends in a carriage return, so does each line of the diff.
fn unend<'a>(line: &mut Line<'a>, marker: &'a str) {
    line.unended = true;
    if marker.ends_with('\r') {
        line.raw = Cow::Borrowed(without_return(&line.whole[line.whole.len() - line.raw.len()..]));
    }
}

/// A line with its prefix read; a blank one is empty context.
fn prefixed(whole: &str) -> Option<Line<'_>> {
    let (tag, raw) = match whole.as_bytes().first() {
        None => (Tag::Keep, whole),
        Some(b'\r') if whole.len() == 1 => (Tag::Keep, whole),
        Some(b' ') => (Tag::Keep, &whole[1..]),
        Some(b'-') => (Tag::Remove, &whole[1..]),
        Some(b'+') => (Tag::Add, &whole[1..]),
        Some(_) => return None,
    };
    Some(Line { tag, raw: Cow::Borrowed(raw), whole, unended: false })
}
