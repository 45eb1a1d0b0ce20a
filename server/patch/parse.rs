//! A diff as text into sections and hunks: lenient about headers, exact about what a hunk states.

mod blocks;
mod body;
mod header;
mod v4a;

use super::hunk::{Hunk, Section, Stated, Tag};
use super::lines;

/// A diff, read.
#[derive(Debug, Default)]
pub(super) struct Diff<'a> {
    pub sections: Vec<Section<'a>>,
    /// A form that is not applied, where it is in one.
    pub format: Option<&'static str>,
}

/// Reads a diff. Text around it is left out; what cannot be read as a diff has no section.
pub(super) fn parse(diff: &str) -> Diff<'_> {
    let diff = diff.strip_prefix('\u{feff}').unwrap_or(diff);
    let mut lines: Vec<&str> = diff.split('\n').collect();
    let ends_open = lines.last().is_some_and(|last| !last.is_empty());
    if !ends_open {
        lines.pop();
    }
    let mut parser = Parser { lines, at: 0, ends_open, fenced: false, starred: false, diff: Diff::default() };
    parser.run();
    parser.diff
}

struct Parser<'a> {
    lines: Vec<&'a str>,
    at: usize,
    /// Whether the last line has no line feed.
    ends_open: bool,
    /// Whether a code fence is open.
    fenced: bool,
    /// Whether the text is between `*** Begin Patch` and `*** End Patch`, or in a part that `*** Update File` opens.
    starred: bool,
    diff: Diff<'a>,
}

impl<'a> Parser<'a> {
    /// The line at an offset from here, without a carriage return.
    fn peek(&self, offset: usize) -> Option<&'a str> {
        self.lines.get(self.at + offset).map(|line| lines::without_return(line))
    }

    fn run(&mut self) {
        while let Some(line) = self.peek(0) {
            if is_fence(line) {
                self.fenced = !self.fenced;
                self.at += 1;
            } else if self.star_line(line) {
                self.at += 1;
            } else if blocks::opens(line) {
                self.block();
            } else if line.starts_with("@@") || self.headless_hunk() {
                self.hunk();
            } else {
                self.header(line);
            }
        }
        let starred = self.starred;
        if (self.fenced || starred)
            && let Some(section) = self.diff.sections.last_mut()
        {
            // A form that states its own end was cut off where that is missing, and so is an open fence whose last line
            // is open too.
            let whole = |hunk: &Hunk| {
                hunk.counted
                    && !(self.ends_open && hunk.lines.last().is_some_and(|line| line.tag == Tag::Add))
            };
            section.truncated |= starred || !section.hunks.last().is_some_and(whole);
        }
    }

    /// Whether a file's header is followed by hunk lines with no `@@` between.
    fn headless_hunk(&self) -> bool {
        let after_names = self.at.checked_sub(1).and_then(|at| self.lines.get(at));
        let opens = |line: &&str| line.starts_with("+++ ") || v4a::changes_a_file(line);
        after_names.is_some_and(opens)
            && self.diff.sections.last().is_some_and(|section| section.hunks.is_empty())
            && self.peek(0).is_some_and(|line| line.starts_with([' ', '-', '+']))
    }

    fn hunk(&mut self) {
        let crlf = self.lines.get(self.at).is_some_and(|line| line.starts_with("@@") && line.ends_with('\r'));
        let (mut stated, mut headings) = (None, Vec::new());
        while let Some(head) = self.peek(0).filter(|line| line.starts_with("@@")) {
            if head.starts_with("@@@") {
                self.diff.format = Some("the combined form of a merge");
            }
            self.at += 1;
            let (numbers, heading) = header::of_hunk(head);
            stated = stated.or(numbers);
            headings.extend(Some(heading).filter(|heading| !heading.is_empty()));
            // A form with stars writes one heading a line, the outermost first.
            if !self.starred || heading.is_empty() {
                break;
            }
        }
        let hunk = self.body(stated, headings);
        let last = self.at >= self.lines.len();
        let cut = hunk.lines.is_empty() || last && self.ends_open && !hunk.counted && lacks_additions(&hunk);
        let section = self.section();
        section.truncated |= cut;
        section.crlf |= crlf;
        section.hunks.push(hunk);
    }

    fn section(&mut self) -> &mut Section<'a> {
        if self.diff.sections.is_empty() {
            self.diff.sections.push(Section::default());
        }
        let last = self.diff.sections.len() - 1;
        &mut self.diff.sections[last]
    }
}

/// Whether a hunk's header promises more added lines than there are, by more than it does context, or
/// where the last of them breaks off.
fn lacks_additions(hunk: &Hunk) -> bool {
    hunk.stated.is_some_and(|Stated { old_len, new_len, .. }| {
        let old = old_len as i64 - hunk.count(Tag::Add) as i64;
        let new = new_len as i64 - hunk.count(Tag::Remove) as i64;
        // The last line itself may be a part of one.
        let part = hunk.lines.last().is_some_and(|line| line.tag == Tag::Add && leaves_open(&line.raw));
        new > 0 && (new > old || part)
    })
}

/// Whether a line opens a bracket or a quote that it does not close.
fn leaves_open(line: &str) -> bool {
    let count = |chars: &[char]| line.matches(chars).count();
    count(&['(', '[', '{']) > count(&[')', ']', '}']) || count(&['"']) % 2 == 1
}

/// Whether a line opens or closes a code fence.
fn is_fence(line: &str) -> bool {
    line.starts_with("```") || line.starts_with("~~~")
}
