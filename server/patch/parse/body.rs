//! The lines of a hunk: as many as its header counts if that works out, else all lines up to the next header.

use std::borrow::Cow;

use super::super::hunk::{DiffHunk, DiffLine, HeaderRange, LineTag};
use super::super::lines::without_return;
use super::super::names;
use super::{DiffParser, blocks, is_fence, v4a};

impl<'a> DiffParser<'a> {
    /// Reads the hunk lines from here.
    pub(super) fn read_body(&mut self, stated: Option<HeaderRange>, headings: Vec<&'a str>) -> DiffHunk<'a> {
        let start = self.at;
        let hunk = || DiffHunk { prefixed: true, ..DiffHunk::default() };
        if let Some(stated) = stated
            && let Some(lines) = self.read_counted(stated.old_len, stated.new_len)
        {
            self.change_end = self.at;
            return DiffHunk { stated: Some(stated), headings, lines, counted: true, ..hunk() };
        }
        self.at = start;
        DiffHunk { stated, headings, lines: self.read_uncounted(), ..hunk() }
    }

    /// Exactly the lines that the header counts, if the hunk ends there. Whatever they look like is content.
    fn read_counted(&mut self, mut old: usize, mut new: usize) -> Option<Vec<DiffLine<'a>>> {
        let mut lines = Vec::new();
        while old + new > 0 {
            let raw = self.lines.get(self.at)?;
            match is_marker(raw) {
                true => mark_unended(lines.last_mut()?, raw),
                false => {
                    let line = parse_prefix(raw)?;
                    old = old.checked_sub(usize::from(line.tag != LineTag::Add))?;
                    new = new.checked_sub(usize::from(line.tag != LineTag::Remove))?;
                    lines.push(line);
                }
            }
            self.at += 1;
        }
        if let Some(raw) = self.lines.get(self.at)
            && is_marker(raw)
        {
            mark_unended(lines.last_mut()?, raw);
            self.at += 1;
        }
        self.hunk_ends().then_some(lines)
    }

    /// Returns whether the hunk ends here: blank lines, then the end, a header, or text that is no diff.
    fn hunk_ends(&self) -> bool {
        let blank = |&offset: &usize| self.peek(offset).is_some_and(|line| line.trim().is_empty());
        let offset = (0..).take_while(blank).count();
        let Some(line) = self.peek(offset) else { return true };
        self.ends_hunk(offset) || offset > 0 && !line.starts_with([' ', '-', '+', '\\'])
    }

    /// Returns whether the line at an offset from here ends any hunk.
    fn ends_hunk(&self, offset: usize) -> bool {
        const BEGINS: [&str; 3] = ["@@", "diff --git ", "Index: "];
        let line = self.peek(offset).unwrap_or_default();
        BEGINS.iter().any(|prefix| line.starts_with(prefix))
            || v4a::is_star_line(line)
            || blocks::opens_block(line)
            || self.fenced && is_fence(line)
            || self.names_file(offset) && self.peek(offset + 2).is_none_or(|line| line.starts_with("@@"))
            || self.names_same_file(offset)
            || self.names_context_file(offset)
            || self.is_mail_signature(offset)
    }

    /// Returns whether the `---` and `+++` lines of one file's header are there. Hunk lines practically never look like them.
    fn names_same_file(&self, offset: usize) -> bool {
        let name = |offset: usize, prefix: &str| {
            let rest = self.peek(offset)?.strip_prefix(prefix)?;
            Some(names::parse_header_name(rest)).filter(|name| name.is_some() || rest.trim() == "/dev/null")
        };
        match (name(offset, "--- "), name(offset + 1, "+++ ")) {
            (Some(Some(old)), Some(Some(new))) => {
                names::strip_git_prefix(&old) == names::strip_git_prefix(&new)
            }
            (Some(old), Some(new)) => old.is_some() != new.is_some(),
            _ => false,
        }
    }

    /// Returns whether the two last lines of a mail that git wrote begin there.
    fn is_mail_signature(&self, offset: usize) -> bool {
        self.peek(offset) == Some("-- ")
            && self.peek(offset + 1).is_some_and(|line| line.starts_with(|c: char| c.is_ascii_digit()))
            && self.peek(offset + 2).is_none_or(|line| line.trim().is_empty())
    }

    /// Reads all lines up to the end of a hunk. A line without prefix is context that lost it: the file decides.
    fn read_uncounted(&mut self) -> Vec<DiffLine<'a>> {
        let (mut lines, mut sure) = (Vec::new(), 0);
        self.change_end = self.at;
        let mut blank = false;
        while let Some(&raw) = self.lines.get(self.at) {
            if self.ends_hunk(0) {
                break;
            }
            self.at += 1;
            if is_marker(raw) {
                lines.last_mut().into_iter().for_each(|line| mark_unended(line, raw));
                continue;
            }
            match parse_prefix(raw) {
                Some(line) => {
                    self.change_end = if line.whole.trim().is_empty() { self.change_end } else { self.at };
                    lines.push(line);
                    // A blank line is an empty context line only if the hunk continues after it.
                    blank = without_return(raw).is_empty();
                    if !blank {
                        sure = lines.len();
                    }
                }
                // Text after a blank line is a model's comment after its diff, unless the hunk continues.
                None => {
                    lines.push(DiffLine {
                        tag: LineTag::Keep,
                        raw: Cow::Borrowed(raw),
                        whole: raw,
                        unended: false,
                    });
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

/// Returns whether a line marks the line before it as having no line end.
pub(super) fn is_marker(raw: &str) -> bool {
    raw.starts_with("\\ ")
}

/// Notes the marker. Where it ends in a carriage return, so does each line of the diff.
pub(super) fn mark_unended<'a>(line: &mut DiffLine<'a>, marker: &'a str) {
    line.unended = true;
    if marker.ends_with('\r') {
        line.raw = Cow::Borrowed(without_return(&line.whole[line.whole.len() - line.raw.len()..]));
    }
}

/// A line with its prefix read; a blank one is empty context.
fn parse_prefix(whole: &str) -> Option<DiffLine<'_>> {
    let (tag, raw) = match whole.as_bytes().first() {
        None => (LineTag::Keep, whole),
        Some(b'\r') if whole.len() == 1 => (LineTag::Keep, whole),
        Some(b' ') => (LineTag::Keep, &whole[1..]),
        Some(b'-') => (LineTag::Remove, &whole[1..]),
        Some(b'+') => (LineTag::Add, &whole[1..]),
        Some(_) => return None,
    };
    Some(DiffLine { tag, raw: Cow::Borrowed(raw), whole, unended: false })
}
