//! A text as the engine sees it: its lines, and on demand where each stands at each level.

use std::cell::OnceCell;

use super::Level;
use super::heading::Headings;
use super::hunk::Hunk;
use super::index::Index;
use super::lines::{body, split};
use super::place::{Found, Side};

/// The levels at which a hunk's lines are sought as one run, strictest first.
pub(super) const RUNS: [Level; 4] = [Level::Exact, Level::TrailingSpace, Level::Unicode, Level::Whitespace];

/// The lines of a text and where each stands.
pub(super) struct Text<'a> {
    pub lines: Vec<&'a str>,
    /// Whether every character of it is ASCII, and so looks the same at the level for others.
    ascii: bool,
    /// Whether no line ends in space, and so looks the same without.
    trimmed: OnceCell<bool>,
    indices: [OnceCell<Index>; RUNS.len()],
    headings: OnceCell<Headings<'a>>,
}

impl<'a> Text<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            lines: split(text),
            ascii: text.is_ascii(),
            trimmed: OnceCell::new(),
            indices: Default::default(),
            headings: OnceCell::new(),
        }
    }

    /// Where each line stands at a level.
    pub(super) fn index(&self, level: Level) -> &Index {
        let level = level.min(Level::Whitespace);
        self.indices[level as usize].get_or_init(|| Index::new(&self.lines, level))
    }

    pub(super) fn headings(&self) -> &Headings<'a> {
        self.headings.get_or_init(|| Headings::new(&self.lines))
    }

    /// Where a side of a hunk stands as one run at a level.
    pub(super) fn find(&self, hunk: &Hunk, side: Side, level: Level) -> Option<Found> {
        let lines = side.lines(hunk);
        if level == Level::Unicode && self.ascii && lines.iter().all(|line| line.is_ascii()) {
            return None;
        }
        let trimmed = |line: &str| !line.ends_with(char::is_whitespace);
        if level == Level::TrailingSpace
            && lines.iter().all(|line| trimmed(line))
            && *self.trimmed.get_or_init(|| self.lines.iter().all(|line| trimmed(body(line))))
        {
            return None;
        }
        let places = self.index(level).find(&lines);
        (!places.is_empty()).then_some(Found { level, places, aligned: None })
    }
}
