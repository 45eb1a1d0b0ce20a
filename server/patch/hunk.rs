//! The contents of a diff: lines with their tags, hunks, and the section for one file.

use std::borrow::Cow;

use super::{lines, names};

/// The role of a hunk's line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineTag {
    Keep,
    Remove,
    Add,
}

/// A line of a hunk.
#[derive(Clone, Debug)]
pub(super) struct DiffLine<'a> {
    pub tag: LineTag,
    /// Its text in the diff: without prefix and line feed, but with a carriage return if there is one.
    pub raw: Cow<'a, str>,
    /// The line of the diff that it was read from, with its prefix.
    pub whole: &'a str,
    /// True if `\ No newline at end of file` follows it.
    pub unended: bool,
}

impl DiffLine<'_> {
    /// Returns its text without any part of a line end.
    pub(super) fn text(&self) -> &str {
        match self.unended {
            true => &self.raw,
            false => lines::without_return(&self.raw),
        }
    }
}

/// The numbers of a hunk's header. Hints, never proof.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeaderRange {
    pub old_start: usize,
    pub old_len: usize,
    pub new_start: usize,
    pub new_len: usize,
}

/// A hunk.
#[derive(Clone, Debug, Default)]
pub(super) struct DiffHunk<'a> {
    pub stated: Option<HeaderRange>,
    /// The lines under which it belongs, the outermost first.
    pub headings: Vec<&'a str>,
    pub lines: Vec<DiffLine<'a>>,
    /// True if its header counts its lines correctly.
    pub counted: bool,
    /// True if each of its lines has a prefix in the diff.
    pub prefixed: bool,
    /// True if the diff states that it reaches the end of the file.
    pub at_end: bool,
}

impl DiffHunk<'_> {
    /// The lines that it expects in the file.
    pub(super) fn old_lines(&self) -> Vec<&str> {
        self.lines.iter().filter(|line| line.tag != LineTag::Add).map(DiffLine::text).collect()
    }

    /// The lines that it leaves in the file.
    pub(super) fn new_lines(&self) -> Vec<&str> {
        self.lines.iter().filter(|line| line.tag != LineTag::Remove).map(DiffLine::text).collect()
    }

    /// Returns whether it states a change.
    pub(super) fn has_change(&self) -> bool {
        self.lines.iter().any(|line| line.tag != LineTag::Keep)
    }

    /// Returns whether it states a line of the file, even one to keep.
    pub(super) fn is_anchored(&self) -> bool {
        self.lines.iter().any(|line| line.tag != LineTag::Add)
    }

    /// The number of its lines with another tag.
    pub(super) fn count_without(&self, skip: LineTag) -> usize {
        self.lines.iter().filter(|line| line.tag != skip).count()
    }

    /// Returns its lines as runs, by turns of lines that stay and of lines that change.
    pub(super) fn runs(&self) -> impl Iterator<Item = &[DiffLine<'_>]> {
        self.lines.chunk_by(|a, b| (a.tag == LineTag::Keep) == (b.tag == LineTag::Keep))
    }
}

/// The part of a diff that is for one file.
#[derive(Clone, Debug, Default)]
pub(super) struct FileSection<'a> {
    pub old: Option<String>,
    pub new: Option<String>,
    /// True if a `---` or `+++` line named its file.
    pub named: bool,
    /// True if a line with stars opened it.
    pub starred: bool,
    /// True if a `diff --git` line opened it.
    pub git: bool,
    pub creates: bool,
    pub deletes: bool,
    /// True if the time behind the old name, and behind the new one, is that of no file.
    pub dated: (bool, bool),
    /// True if it deletes its file whatever its content: the form states no lines.
    pub deletes_all: bool,
    /// `rename`, `copy` or `binary patch`, if it is one.
    pub unsupported: Option<&'static str>,
    /// The reason why git's headers above it cannot all be true, if there is one.
    pub fault: Option<String>,
    /// True if git's index line states that its file was empty.
    pub was_empty: bool,
    pub mode: bool,
    /// True if a second row of `=` closes one of its blocks: such a row is no line of the file, then.
    pub double_row: bool,
    /// True if the diff itself was written with carriage returns, so that those are no evidence about the file.
    pub crlf: bool,
    pub hunks: Vec<DiffHunk<'a>>,
    /// True if its text ends before it is complete.
    pub truncated: bool,
}

impl FileSection<'_> {
    /// Takes the time behind a name as a statement that there is no file, if its hunk says so too: files of some systems
    /// really have that time.
    pub(super) fn read_dates(&mut self) {
        let [hunk] = &self.hunks[..] else { return };
        let only = |tag: LineTag| hunk.lines.iter().all(|line| line.tag == tag);
        let is_empty = |side: fn(&HeaderRange) -> (usize, usize)| {
            hunk.stated.as_ref().is_none_or(|stated| side(stated) == (0, 0))
        };
        match self.dated {
            (true, false) if only(LineTag::Add) && is_empty(|stated| (stated.old_start, stated.old_len)) => {
                (self.creates, self.old) = (true, None);
            }
            (false, true)
                if only(LineTag::Remove) && is_empty(|stated| (stated.new_start, stated.new_len)) =>
            {
                (self.deletes, self.new) = (true, None);
            }
            _ => {}
        }
    }

    /// The names that it gives its file.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        [&self.new, &self.old].into_iter().flatten().map(String::as_str)
    }

    /// The name on a `diff --git` line that names one file.
    pub(super) fn git_name(&self) -> Option<&str> {
        let same = |old: &&String| {
            self.new.as_ref().is_some_and(|new| names::strip_git_prefix(old) == names::strip_git_prefix(new))
        };
        self.old.as_ref().filter(|_| self.git).filter(same).map(String::as_str)
    }

    /// Returns whether it has blocks alone, each with two halves that are the same.
    pub(super) fn states_same(&self) -> bool {
        let is_same = |hunk: &DiffHunk| !hunk.prefixed && !hunk.has_change() && hunk.is_anchored();
        !(self.creates || self.deletes || self.hunks.is_empty()) && self.hunks.iter().all(is_same)
    }

    /// The name to show for it.
    pub(super) fn display_name(&self) -> String {
        self.names().next().map_or_else(
            || "a file without a name".to_owned(),
            |name| names::strip_git_prefix(name).to_owned(),
        )
    }
}
