//! What stands before and between hunks: file names, git's extended headers, the numbers of a hunk.

use super::super::hunk::{Section, Stated};
use super::super::names;
use super::Parser;

impl<'a> Parser<'a> {
    /// Reads a line outside of hunks, or leaves it out.
    pub(super) fn header(&mut self, line: &'a str) {
        if self.names_file(0) {
            self.names();
        } else {
            self.extended(line);
            self.at += 1;
        }
    }

    /// Whether a `---` and `+++` pair, or one of them before a hunk, stands at an offset from here.
    pub(super) fn names_file(&self, offset: usize) -> bool {
        let next = self.peek(offset + 1).unwrap_or_default();
        match self.peek(offset).and_then(|line| line.get(..4)) {
            Some("--- ") => next.starts_with("+++ ") || next.starts_with("@@"),
            Some("+++ ") => next.starts_with("@@"),
            _ => false,
        }
    }

    fn names(&mut self) {
        if self.diff.sections.last().is_none_or(|section| section.named || !section.hunks.is_empty()) {
            self.diff.sections.push(Section::default());
        }
        let old = self.take("--- ");
        let new = self.take("+++ ");
        let section = self.section();
        section.named = true;
        let name = |rest: Option<&str>| rest.map(names::of_header);
        let (old, new) = (name(old), name(new));
        section.creates |= old == Some(None);
        section.deletes |= new == Some(None);
        section.old = old.flatten();
        section.new = new.flatten();
    }

    fn take(&mut self, prefix: &str) -> Option<&'a str> {
        let rest = self.peek(0)?.strip_prefix(prefix)?;
        self.at += 1;
        Some(rest)
    }

    fn extended(&mut self, line: &'a str) {
        if let Some(rest) = line.strip_prefix("diff --git ") {
            let (old, new) = names::of_git(rest).unzip();
            self.diff.sections.push(Section { old, new, ..Section::default() });
            return;
        }
        self.diff.format = self.diff.format.or(other_format(line));
        let Some(section) = self.diff.sections.last_mut() else { return };
        if !section.hunks.is_empty() {
            return;
        }
        let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| line.starts_with(prefix));
        section.creates |= starts(&["new file mode "]);
        section.deletes |= starts(&["deleted file mode "]);
        section.mode |= starts(&["old mode ", "new mode "]);
        let unsupported = match () {
            () if starts(&["rename from ", "rename to "]) => Some("rename"),
            () if starts(&["copy from ", "copy to "]) => Some("copy"),
            () if starts(&["GIT binary patch", "Binary files "]) => Some("binary patch"),
            () => None,
        };
        section.unsupported = section.unsupported.or(unsupported);
    }
}

fn other_format(line: &str) -> Option<&'static str> {
    line.starts_with("***************").then_some("the context form")
}

/// The numbers and the heading of a hunk's header line.
pub(super) fn of_hunk(line: &str) -> (Option<Stated>, &str) {
    let rest = line.trim_start_matches('@');
    let (range, heading) = match rest.split_once("@@") {
        // Some put the heading between the marks.
        Some((range, "")) if !range.trim_start().starts_with(['-', '.']) => ("", range),
        Some((range, heading)) => (range, heading),
        None if rest.trim_start().starts_with('-') => (rest, ""),
        None => ("", rest),
    };
    let mut parts = range.split_whitespace();
    let old = parts.next().and_then(|part| pair(part.strip_prefix('-')?));
    let new = parts.next().and_then(|part| pair(part.strip_prefix('+')?));
    let stated = old.map(|(old_start, old_len)| {
        let (new_start, new_len) = new.unwrap_or((old_start, old_len));
        Stated { old_start, old_len, new_start, new_len }
    });
    (stated, heading.trim())
}

fn pair(text: &str) -> Option<(usize, usize)> {
    // No file has more lines, and sums of such numbers stay far from overflow.
    let number = |text: &str| text.parse::<u32>().ok().map(|number| number as usize);
    match text.split_once(',') {
        Some((start, len)) => Some((number(start)?, number(len)?)),
        None => Some((number(text)?, 1)),
    }
}
