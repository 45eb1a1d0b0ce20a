//! What a diff states: lines with their tags, hunks, and the section for one file.

use std::borrow::Cow;

use super::{lines, names};

/// What a line of a hunk says of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    Keep,
    Remove,
    Add,
}

/// One line of a hunk.
#[derive(Clone, Debug)]
pub(super) struct Line<'a> {
    pub tag: Tag,
    /// Its text as the diff has it: no prefix, no line feed, but a carriage return where there is one.
    pub raw: Cow<'a, str>,
    /// The line of the diff that it was read from, with its prefix.
    pub whole: &'a str,
    /// Whether `\ No newline at end of file` follows it.
    pub unended: bool,
}

impl Line<'_> {
    /// Its text without any part of a line end.
    pub(super) fn text(&self) -> &str {
        match self.unended {
            true => &self.raw,
            false => lines::without_return(&self.raw),
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
#[derive(Clone, Debug, Default)]
pub(super) struct Hunk<'a> {
    pub stated: Option<Stated>,
    /// Lines under which it stands, the outermost first.
    pub headings: Vec<&'a str>,
    pub lines: Vec<Line<'a>>,
    /// Whether its header counts its lines rightly.
    pub counted: bool,
    /// Whether each of its lines has a prefix in the diff.
    pub prefixed: bool,
    /// Whether the diff says that it reaches the end of the file.
    pub at_end: bool,
}

impl Hunk<'_> {
    /// The lines that it expects in the file.
    pub(super) fn old(&self) -> Vec<&str> {
        self.lines.iter().filter(|line| line.tag != Tag::Add).map(Line::text).collect()
    }

    /// The lines that it leaves in the file.
    pub(super) fn result(&self) -> Vec<&str> {
        self.lines.iter().filter(|line| line.tag != Tag::Remove).map(Line::text).collect()
    }

    /// Whether it states a change.
    pub(super) fn changes(&self) -> bool {
        self.lines.iter().any(|line| line.tag != Tag::Keep)
    }

    /// Whether it states a line of the file, be it one to keep.
    pub(super) fn anchored(&self) -> bool {
        self.lines.iter().any(|line| line.tag != Tag::Add)
    }

    /// How many of its lines have another tag.
    pub(super) fn count(&self, skip: Tag) -> usize {
        self.lines.iter().filter(|line| line.tag != skip).count()
    }

    /// Its lines as runs, by turns of lines that stay and of lines that change.
    pub(super) fn runs(&self) -> impl Iterator<Item = &[Line<'_>]> {
        self.lines.chunk_by(|a, b| (a.tag == Tag::Keep) == (b.tag == Tag::Keep))
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
    /// Whether it deletes its file whatever stands in it: the form states no lines.
    pub deletes_all: bool,
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
