//! A diff as text into sections and hunks: lenient about headers, exact about what a hunk states.

mod body;
mod header;

use super::{lines, names};

/// What a line of a hunk says of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    Keep,
    Remove,
    Add,
}

/// One line of a hunk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    pub tag: Tag,
    /// Its text as the diff has it: no prefix, no line feed, but a carriage return where there is one.
    pub raw: &'a str,
    /// Whether `\ No newline at end of file` follows it.
    pub unended: bool,
}

impl<'a> Line<'a> {
    /// Its text without any part of a line end.
    pub(super) fn text(&self) -> &'a str {
        match self.unended {
            true => self.raw,
            false => lines::without_return(self.raw),
        }
    }
}

/// The numbers of a hunk's header. Hints, never proof.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stated {
    pub old_start: usize,
    pub old_len: usize,
    pub new_start: usize,
    pub new_len: usize,
}

/// One hunk.
#[derive(Clone, Debug)]
pub(super) struct Hunk<'a> {
    pub stated: Option<Stated>,
    pub heading: &'a str,
    pub lines: Vec<Line<'a>>,
    /// Whether its header counts its lines rightly.
    pub counted: bool,
}

impl<'a> Hunk<'a> {
    /// The lines that it expects in the file.
    pub(super) fn old(&self) -> Vec<&'a str> {
        self.lines.iter().filter(|line| line.tag != Tag::Add).map(Line::text).collect()
    }

    /// The lines that it leaves in the file.
    pub(super) fn result(&self) -> Vec<&'a str> {
        self.lines.iter().filter(|line| line.tag != Tag::Remove).map(Line::text).collect()
    }

    /// Whether it states a change.
    pub(super) fn changes(&self) -> bool {
        self.lines.iter().any(|line| line.tag != Tag::Keep)
    }

    /// How many of its lines have another tag.
    pub(super) fn count(&self, skip: Tag) -> usize {
        self.lines.iter().filter(|line| line.tag != skip).count()
    }

    /// Whether its header promises more added lines than there are, by more than it does context, or
    /// where the last of them breaks off.
    fn lacks_additions(&self) -> bool {
        self.stated.is_some_and(|stated| {
            let old = stated.old_len as i64 - self.count(Tag::Add) as i64;
            let new = stated.new_len as i64 - self.count(Tag::Remove) as i64;
            // The last line itself may be a part of one.
            let part = self.lines.last().is_some_and(|line| line.tag == Tag::Add && leaves_open(line.raw));
            new > 0 && (new > old || part)
        })
    }
}

/// The part of a diff that is for one file.
#[derive(Clone, Debug, Default)]
pub(super) struct Section<'a> {
    pub old: Option<String>,
    pub new: Option<String>,
    /// Whether a `---` or `+++` line named its file.
    pub named: bool,
    pub creates: bool,
    pub deletes: bool,
    /// `rename`, `copy` or `binary patch`, where it is one.
    pub unsupported: Option<&'static str>,
    pub mode: bool,
    /// Whether the diff itself was written with carriage returns, so that those say nothing of the file.
    pub crlf: bool,
    pub hunks: Vec<Hunk<'a>>,
    /// Whether its text ends before it is complete.
    pub truncated: bool,
}

impl Section<'_> {
    /// The names that it gives its file.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        [&self.new, &self.old].into_iter().flatten().map(String::as_str)
    }

    /// The name to show for it.
    pub(super) fn shown(&self) -> String {
        self.names()
            .next()
            .map_or_else(|| "a file without a name".to_owned(), |name| names::plain(name).to_owned())
    }
}

/// A diff, read.
#[derive(Debug, Default)]
pub(super) struct Diff<'a> {
    pub sections: Vec<Section<'a>>,
    /// Another patch format, where it is in one.
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
    let mut parser = Parser { lines, at: 0, ends_open, fenced: false, diff: Diff::default() };
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
            } else if line.starts_with("@@") || self.headless_hunk() {
                self.hunk();
            } else {
                self.header(line);
            }
        }
        if self.fenced
            && let Some(section) = self.diff.sections.last_mut()
        {
            section.truncated |= section.hunks.last().is_none_or(|hunk| !hunk.counted);
        }
    }

    /// Whether a file's header is followed by hunk lines with no `@@` between.
    fn headless_hunk(&self) -> bool {
        let after_names = self.at.checked_sub(1).and_then(|at| self.lines.get(at));
        after_names.is_some_and(|line| line.starts_with("+++ "))
            && self.diff.sections.last().is_some_and(|section| section.hunks.is_empty())
            && self.peek(0).is_some_and(|line| line.starts_with([' ', '-', '+']))
    }

    fn hunk(&mut self) {
        let crlf = self.lines.get(self.at).is_some_and(|line| line.starts_with("@@") && line.ends_with('\r'));
        let head = self.peek(0).filter(|line| line.starts_with("@@"));
        if head.is_some_and(|head| head.starts_with("@@@")) {
            self.diff.format = Some("the combined form of a merge");
        }
        self.at += usize::from(head.is_some());
        let (stated, heading) = head.map_or((None, ""), header::of_hunk);
        let hunk = self.body(stated, heading);
        let last = self.at >= self.lines.len();
        let cut = hunk.lines.is_empty() || last && self.ends_open && !hunk.counted && hunk.lacks_additions();
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

/// Whether a line opens a bracket or a quote that it does not close.
fn leaves_open(line: &str) -> bool {
    let count = |chars: &[char]| line.matches(chars).count();
    count(&['(', '[', '{']) > count(&[')', ']', '}']) || count(&['"']) % 2 == 1
}

/// Whether a line opens or closes a code fence.
fn is_fence(line: &str) -> bool {
    line.starts_with("```") || line.starts_with("~~~")
}
