//! A diff as text into sections and hunks: lenient about headers, exact about what a hunk states.

mod block_name;
mod blocks;
mod body;
mod context;
mod header;
mod path_words;
mod v4a;

pub(super) use blocks::{ROW_IN_BLOCK, has_middle_row};

use super::hunk::{DiffHunk, FileSection, HeaderRange, LineTag};
use super::lines;

/// Blank lines between the names of a file and the lines of its first hunk, if that has no header.
const BLANK: usize = 3;

/// A diff, read.
#[derive(Debug, Default)]
pub(super) struct ParsedDiff<'a> {
    pub sections: Vec<FileSection<'a>>,
    /// The unsupported format of the diff, if it has one.
    pub format: Option<&'static str>,
    /// The first line of a change outside of hunks.
    pub stray: Option<&'a str>,
    /// The first line that may name the file of the block below it, and which is not certain.
    pub unsure: Option<UnsureName<'a>>,
}

/// A line above a block that may name its file.
#[derive(Debug)]
pub(super) struct UnsureName<'a> {
    pub line: &'a str,
    /// True if no change of the diff is above it.
    pub is_first: bool,
}

/// Reads a diff for a path, which may be empty. Text around it is left out; what cannot be read as a diff has no section.
pub(super) fn parse_diff<'a>(diff: &'a str, path: &'a str) -> ParsedDiff<'a> {
    let diff = diff.strip_prefix('\u{feff}').unwrap_or(diff);
    let mut lines: Vec<&str> = diff.split('\n').collect();
    let ends_open = lines.last().is_some_and(|last| !last.is_empty());
    if !ends_open {
        lines.pop();
    }
    let (fenced, foreign, starred) = (false, false, false);
    let diff = ParsedDiff::default();
    let mut parser =
        DiffParser { path, lines, at: 0, change_end: 0, ends_open, fenced, foreign, starred, diff };
    parser.parse_all();
    parser.diff
}

struct DiffParser<'a> {
    /// The path that the diff is applied to.
    path: &'a str,
    lines: Vec<&'a str>,
    at: usize,
    /// The line below the last one of a change or of a header with names.
    change_end: usize,
    /// True if the last line has no line feed.
    ends_open: bool,
    /// True if a code fence is open.
    fenced: bool,
    /// True if the fence holds something else than a diff, by its opening line.
    foreign: bool,
    /// True if the text is between `*** Begin Patch` and `*** End Patch`, or in a part that `*** Update File` opens.
    starred: bool,
    diff: ParsedDiff<'a>,
}

impl<'a> DiffParser<'a> {
    /// The line at an offset from here, without a carriage return.
    fn peek(&self, offset: usize) -> Option<&'a str> {
        self.lines.get(self.at + offset).map(|line| lines::without_return(line))
    }

    fn parse_all(&mut self) {
        while let Some(line) = self.peek(0) {
            if is_fence(line) {
                self.fenced = !self.fenced;
                self.foreign = self.fenced && names_other_language(line);
                self.at += 1;
            } else if self.star_line(line) {
                self.at += 1;
            } else if blocks::opens_block(line) {
                self.read_block();
            } else if line.starts_with("@@") || self.headless_hunk() {
                self.read_hunk();
            } else if self.names_context_file(0) {
                self.read_context_names();
            } else if !self.read_context_hunk() {
                self.read_header(line);
            }
        }
        self.diff.sections.iter_mut().for_each(FileSection::read_dates);
        let starred = self.starred;
        if (self.fenced || starred)
            && let Some(section) = self.diff.sections.last_mut()
        {
            // A form that states its own end was cut off where that is missing, and so is an open fence whose last line
            // is open too.
            let whole = |hunk: &DiffHunk| {
                // A block that was read has its last line.
                !hunk.prefixed
                    || hunk.counted
                        && !(self.ends_open && hunk.lines.last().is_some_and(|line| line.tag == LineTag::Add))
            };
            section.truncated |= starred || !section.hunks.last().is_some_and(whole);
        }
    }

    /// Returns whether a file's header is followed by hunk lines with no `@@` between.
    fn headless_hunk(&self) -> bool {
        let opens = |line: &&str| line.starts_with("+++ ") || v4a::changes_a_file(line);
        let above = || self.lines[..self.at].iter().rev().take(BLANK + 1);
        self.peek(0).is_some_and(|line| line.starts_with([' ', '-', '+']))
            && self.diff.sections.last().is_some_and(|section| section.hunks.is_empty())
            && above().find(|line| !line.trim().is_empty()).is_some_and(opens)
    }

    /// Returns whether a line outside of hunks looks like an added or removed one, or closes a search block: its change
    /// would be lost. List items and lines in a fence of another language are not counted as added or removed.
    fn is_stray_hunk_line(&self, line: &str) -> bool {
        // The signs of a block count with space before them too: the block was not read.
        if blocks::closes_block(line.trim_start()) {
            return true;
        }
        let Some(rest) = line.strip_prefix(['+', '-']).filter(|_| !self.foreign) else { return false };
        let is_text = |c: char| !c.is_whitespace() && c != '+' && c != '-';
        if !(rest.starts_with(is_text) || rest.starts_with("  ") || rest.starts_with('\t')) {
            return false;
        }
        match self.diff.sections.last() {
            // The form states no lines of a file that it deletes, and some write them all the same.
            Some(section) => !(section.deletes_all && line.starts_with('-')),
            None => self.lines[..self.at].iter().all(|line| line.trim().is_empty() || is_fence(line)),
        }
    }

    fn read_hunk(&mut self) {
        self.foreign = false;
        let crlf = self.lines.get(self.at).is_some_and(|line| line.starts_with("@@") && line.ends_with('\r'));
        let (mut stated, mut headings) = (None, Vec::new());
        while let Some(head) = self.peek(0).filter(|line| line.starts_with("@@")) {
            if head.starts_with("@@@") {
                self.diff.format = Some("the combined form of a merge");
            }
            self.at += 1;
            let (numbers, heading) = header::parse_hunk_header(head);
            stated = stated.or(numbers);
            headings.extend(Some(heading).filter(|heading| !heading.is_empty()));
            // A form with stars writes one heading a line, the outermost first.
            if !self.starred || heading.is_empty() {
                break;
            }
        }
        let mut hunk = self.read_body(stated, headings);
        let last = self.at >= self.lines.len();
        let cut = hunk.lines.is_empty() || last && self.ends_open && !hunk.counted && lacks_additions(&hunk);
        let section = self.current_section();
        // In the form with stars, lines that are added below nothing go to the end of the file.
        let is_bare = hunk.stated.is_none() && hunk.headings.is_empty() && !hunk.is_anchored();
        hunk.at_end |= section.starred && !section.creates && is_bare;
        section.truncated |= cut;
        section.crlf |= crlf;
        section.hunks.push(hunk);
    }

    fn current_section(&mut self) -> &mut FileSection<'a> {
        if self.diff.sections.is_empty() {
            self.diff.sections.push(FileSection::default());
        }
        let last = self.diff.sections.len() - 1;
        &mut self.diff.sections[last]
    }
}

/// Returns whether a hunk's header promises more added lines than there are, by more than it does context, or where
/// the last of them is cut off.
fn lacks_additions(hunk: &DiffHunk) -> bool {
    hunk.stated.is_some_and(|HeaderRange { old_len, new_len, .. }| {
        let old = old_len as i64 - hunk.count_without(LineTag::Add) as i64;
        let new = new_len as i64 - hunk.count_without(LineTag::Remove) as i64;
        // The last line itself may be cut off.
        let part = hunk.lines.last().is_some_and(|line| line.tag == LineTag::Add && leaves_open(&line.raw));
        new > 0 && (new > old || part)
    })
}

/// Returns whether a line opens a bracket or a quote that it does not close.
fn leaves_open(line: &str) -> bool {
    let count = |chars: &[char]| line.matches(chars).count();
    count(&['(', '[', '{']) > count(&[')', ']', '}']) || count(&['"']) % 2 == 1
}

/// Returns whether the line that opens a fence names a language other than a diff.
fn names_other_language(line: &str) -> bool {
    let named = line.trim_start_matches(['`', '~']).split_whitespace().next().unwrap_or_default();
    !named.is_empty() && !["diff", "patch", "udiff"].contains(&named)
}

/// Returns whether a line opens or closes a code fence.
fn is_fence(line: &str) -> bool {
    line.starts_with("```") || line.starts_with("~~~")
}
