//! A text for the engine: its lines, and on demand the positions of each at each level.

use std::cell::OnceCell;

use super::MatchLevel;
use super::heading::TextHeadings;
use super::hunk::DiffHunk;
use super::index::LineIndex;
use super::lines::{line_body, split_lines};
use super::place::{HunkPlaces, HunkSide};

/// The levels at which a hunk's lines are sought as one run, strictest first.
pub(super) const RUNS: [MatchLevel; 4] =
    [MatchLevel::Exact, MatchLevel::TrailingSpace, MatchLevel::Unicode, MatchLevel::Whitespace];

/// The lines of a text and the positions of each.
pub(super) struct IndexedText<'a> {
    pub lines: Vec<&'a str>,
    /// True if every character of it is ASCII, so that the level for others is equal.
    ascii: bool,
    /// True if no line ends in space, so that the level without it is equal.
    trimmed: OnceCell<bool>,
    indices: [OnceCell<LineIndex>; RUNS.len()],
    headings: OnceCell<TextHeadings<'a>>,
}

impl<'a> IndexedText<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            lines: split_lines(text),
            ascii: text.is_ascii(),
            trimmed: OnceCell::new(),
            indices: Default::default(),
            headings: OnceCell::new(),
        }
    }

    /// The positions of each line at a level.
    pub(super) fn index(&self, level: MatchLevel) -> &LineIndex {
        let level = level.min(MatchLevel::Whitespace);
        self.indices[level as usize].get_or_init(|| LineIndex::new(&self.lines, level))
    }

    pub(super) fn headings(&self) -> &TextHeadings<'a> {
        self.headings.get_or_init(|| TextHeadings::new(&self.lines))
    }

    /// The positions of a side of a hunk as one run at a level.
    pub(super) fn find_side(&self, hunk: &DiffHunk, side: HunkSide, level: MatchLevel) -> Option<HunkPlaces> {
        let lines = side.lines(hunk);
        if level == MatchLevel::Unicode && self.ascii && lines.iter().all(|line| line.is_ascii()) {
            return None;
        }
        let trimmed = |line: &str| !line.ends_with(char::is_whitespace);
        if level == MatchLevel::TrailingSpace
            && lines.iter().all(|line| trimmed(line))
            && *self.trimmed.get_or_init(|| self.lines.iter().all(|line| trimmed(line_body(line))))
        {
            return None;
        }
        let places = self.index(level).find_run(&lines);
        (!places.is_empty()).then_some(HunkPlaces { level, places, aligned: None })
    }
}
