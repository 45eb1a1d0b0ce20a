//! Takes the matching lines of one text from the searcher.

use std::io;

use grep_matcher::Matcher;
use grep_searcher::{Searcher, Sink, SinkMatch};
use memchr::{memchr, memrchr};

use super::HitLimits;
use crate::lexical::hit::{LineHit, shown_line};
use crate::lexical::query::LineQuery;

/// Collects hits up to a limit.
#[derive(Debug)]
pub(super) struct HitSink<'a> {
    query: &'a LineQuery,
    wanted: HitLimits,
    /// The searcher holds the whole text, so that the lines around a hit can be taken from it.
    whole: bool,
    hits: &'a mut Vec<LineHit>,
}

impl<'a> HitSink<'a> {
    /// Puts hits into `hits`.
    pub(super) fn new(
        query: &'a LineQuery,
        wanted: HitLimits,
        whole: bool,
        hits: &'a mut Vec<LineHit>,
    ) -> Self {
        Self { query, wanted, whole, hits }
    }
}

impl Sink for HitSink<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        let line = found.line_number().unwrap_or_default();
        if line <= self.wanted.after_line {
            return Ok(true);
        }
        if self.hits.len() >= self.wanted.limit {
            return Ok(false);
        }
        let seen = || {
            let seen = self.query.matcher().find(found.bytes()).ok().flatten();
            seen.map_or(0..0, |seen| seen.start()..seen.end())
        };
        let mut hit =
            LineHit { line, text: shown_line(found.bytes(), seen), before: Vec::new(), after: Vec::new() };
        if self.whole && self.wanted.context > 0 {
            let range = found.bytes_range_in_buffer();
            let text = found.buffer();
            hit.before = lines_before(text.get(..range.start).unwrap_or_default(), self.wanted.context);
            hit.after = lines_after(text.get(range.end..).unwrap_or_default(), self.wanted.context);
        }
        self.hits.push(hit);
        Ok(self.hits.len() < self.wanted.limit)
    }
}

fn lines_before(mut text: &[u8], count: usize) -> Vec<String> {
    let mut lines = Vec::new();
    while lines.len() < count && !text.is_empty() {
        let inner = text.strip_suffix(b"\n").unwrap_or(text);
        let begin = memrchr(b'\n', inner).map_or(0, |end| end + 1);
        lines.push(shown_line(text.get(begin..).unwrap_or_default(), || 0..0));
        text = text.get(..begin).unwrap_or_default();
    }
    lines.reverse();
    lines
}

fn lines_after(mut text: &[u8], count: usize) -> Vec<String> {
    let mut lines = Vec::new();
    while lines.len() < count && !text.is_empty() {
        let end = memchr(b'\n', text).map_or(text.len(), |end| end + 1);
        let (line, rest) = text.split_at(end);
        lines.push(shown_line(line, || 0..0));
        text = rest;
    }
    lines
}
