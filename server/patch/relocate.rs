//! The new place of a pending hunk after its text changed.

use super::ChangedLines;
use super::cut::diff_runs;
use super::lines::split_lines;

/// The place in `now` of a hunk that was at `cut.old_start` in `before`; none if it no longer fits. For several hunks
/// of one text, make one [`LineMoves`].
pub fn relocate_hunk(before: &str, now: &str, cut: &ChangedLines) -> Option<usize> {
    LineMoves::new(before, now).relocate(cut)
}

/// The moves of one text's lines in another.
pub struct LineMoves<'t> {
    before: &'t str,
    now: &'t str,
    /// Whole lines that are equal at the start and at the end.
    head: usize,
    tail: usize,
    /// The number of lines of each text.
    len: (usize, usize),
    /// The lines of both texts and the runs that differ, made when first needed.
    middle: std::cell::OnceCell<DifferingMiddle<'t>>,
    /// The result of [`LineMoves::changed_lines`], computed on first use.
    changed: std::cell::OnceCell<(usize, usize)>,
}

struct DifferingMiddle<'t> {
    before: Vec<&'t str>,
    now: Vec<&'t str>,
    runs: Vec<super::cut::DiffRun>,
}

impl<'t> LineMoves<'t> {
    /// Compares two texts: equal ends are passed over at the speed of memory.
    pub fn new(before: &'t str, now: &'t str) -> Self {
        let (old, new) = (before.as_bytes(), now.as_bytes());
        let head_bytes = common_start(old, new);
        let head_bytes = match head_bytes == old.len() && head_bytes == new.len() {
            true => head_bytes,
            false => old[..head_bytes].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1),
        };
        let tail_bytes = common_end(&old[head_bytes..], &new[head_bytes..]);
        let tail = &old[old.len() - tail_bytes..];
        // A line is whole only where it begins in both texts.
        let starts = |text: &[u8]| text.len() == tail_bytes || text[text.len() - tail_bytes - 1] == b'\n';
        let tail = match starts(old) && starts(new) {
            true => tail,
            false => tail.iter().position(|&byte| byte == b'\n').map_or(&[][..], |at| &tail[at + 1..]),
        };
        Self {
            before,
            now,
            head: count_lines(&old[..head_bytes]),
            tail: count_lines(tail),
            len: (count_lines(old), count_lines(new)),
            middle: std::cell::OnceCell::new(),
            changed: std::cell::OnceCell::new(),
        }
    }

    /// The first line of the first text that the second may change, and the line after the last: found by the equal
    /// bytes at both ends. Among equal lines any of them may be the one.
    pub fn changed_lines(&self) -> (usize, usize) {
        *self.changed.get_or_init(|| {
            let (was, now) = (self.before.as_bytes(), self.now.as_bytes());
            let start = common_start(was, now);
            let end = was.len() - common_end(was, now);
            let lines = |bytes: &[u8]| bytes.iter().filter(|byte| **byte == b'\n').count();
            let first = lines(&was[..start.min(end)]);
            (first, first + lines(&was[start.min(end)..start.max(end)]) + 1)
        })
    }

    /// The place in the second text of a hunk of the first, if it still fits.
    pub fn relocate(&self, cut: &ChangedLines) -> Option<usize> {
        let end = cut.old_start + cut.old.len();
        let (before, now) = self.len;
        if end > before {
            return None;
        }
        // An insertion before every line has no line before it that stayed.
        if end <= self.head && (end > 0 || self.head > 0 || before + now == 0) {
            return Some(cut.old_start);
        }
        if self.tail > 0 && cut.old_start >= before - self.tail {
            return Some(cut.old_start + now - before);
        }
        let middle = self.middle();
        middle.map_hunk(cut).or_else(|| middle.seek_block(cut))
    }

    /// The place of a hunk's own lines in the second text, in which they were changed and nothing that touches them was:
    /// the first line, and the lines as they are there.
    pub(super) fn changed_place(&self, cut: &ChangedLines) -> Option<(usize, Vec<&'t str>)> {
        let (start, end) = (cut.old_start, cut.old_start + cut.old.len());
        if cut.old.is_empty() || end > self.len.0 {
            return None;
        }
        let middle = self.middle();
        // What is inserted before the first line or after the last is beside the hunk.
        let reaches = |run: &&super::cut::DiffRun| {
            run.old.0 < end
                && start < run.old.1.max(run.old.0 + 1)
                && (run.old.0, run.old.1) != (start, start)
        };
        let (first, last) = (middle.runs.iter().find(reaches)?, middle.runs.iter().rfind(reaches)?);
        if first.old.0 < start || end < last.old.1 {
            return None;
        }
        let (from, to) = (first.new.0 - (first.old.0 - start), last.new.1 + (end - last.old.1));
        Some((from, middle.now.get(from..to)?.to_vec()))
    }

    fn middle(&self) -> &DifferingMiddle<'t> {
        self.middle.get_or_init(|| {
            let (before, now) = (split_lines(self.before), split_lines(self.now));
            let (head, tail) = (self.head, self.tail);
            let mut runs = diff_runs(&before[head..before.len() - tail], &now[head..now.len() - tail]);
            for run in &mut runs {
                run.old = (run.old.0 + head, run.old.1 + head);
                run.new = (run.new.0 + head, run.new.1 + head);
            }
            DifferingMiddle { before, now, runs }
        })
    }
}

impl DifferingMiddle<'_> {
    /// The new place of the hunk's own lines, if none of them changed; an insertion goes with the line before it,
    /// else with the line after.
    fn map_hunk(&self, cut: &ChangedLines) -> Option<usize> {
        let start = cut.old_start;
        if cut.old.is_empty() {
            let after_line = |line: usize| Some(self.map_line(line)? + 1);
            let before = start.checked_sub(1).and_then(after_line);
            let after = if start < self.before.len() { self.map_line(start) } else { None };
            return before.or(after);
        }
        let place = self.map_line(start)?;
        let whole = (1..cut.old.len()).all(|offset| self.map_line(start + offset) == Some(place + offset));
        (whole && self.is_sure(cut, place)).then_some(place)
    }

    /// Returns whether a line next to the hunk moved with it, or nothing like the hunk's lines is elsewhere.
    fn is_sure(&self, cut: &ChangedLines, place: usize) -> bool {
        let (end, moved) = (cut.old_start + cut.old.len(), place + cut.old.len());
        let before = match cut.old_start.checked_sub(1) {
            Some(line) => self.map_line(line).is_some_and(|line| line + 1 == place),
            None => place == 0,
        };
        let after = match end == self.before.len() {
            true => moved == self.now.len(),
            false => self.map_line(end) == Some(moved),
        };
        let block = &self.before[cut.old_start..end];
        before || after || only_place(&self.before, block).is_some() && only_place(&self.now, block).is_some()
    }

    /// The new position of a line, if it stayed.
    fn map_line(&self, line: usize) -> Option<usize> {
        let next = self.runs.partition_point(|run| run.old.1 <= line);
        if self.runs.get(next).is_some_and(|run| run.old.0 <= line && line < run.old.1) {
            return None;
        }
        let moved =
            next.checked_sub(1).map_or(0, |run| self.runs[run].new.1 as i64 - self.runs[run].old.1 as i64);
        usize::try_from(line as i64 + moved).ok()
    }

    /// The only place of the hunk's lines together with the lines around them: they were moved as a block.
    fn seek_block(&self, cut: &ChangedLines) -> Option<usize> {
        let (start, end) = (cut.old_start, cut.old_start + cut.old.len());
        let from = start.saturating_sub(1);
        let to = (end + 1).min(self.before.len());
        let block = &self.before[from..to];
        if from == start || to == end || !block.iter().any(|line| line.contains(char::is_alphanumeric)) {
            return None;
        }
        only_place(&self.before, block)?;
        Some(only_place(&self.now, block)? + start - from)
    }
}

/// The position of a block, if it has only one.
fn only_place(text: &[&str], block: &[&str]) -> Option<usize> {
    let mut places = text.windows(block.len()).enumerate().filter(|(_, window)| *window == block);
    let first = places.next().map(|(place, _)| place);
    if places.next().is_some() { None } else { first }
}

/// The number of bytes that are compared at once.
const BLOCK: usize = 4096;

/// The number of equal bytes at the start.
fn common_start(old: &[u8], new: &[u8]) -> usize {
    let blocks = old.chunks(BLOCK).zip(new.chunks(BLOCK)).take_while(|(old, new)| old == new);
    let whole: usize = blocks.map(|(old, _)| old.len()).sum();
    whole + old[whole..].iter().zip(&new[whole..]).take_while(|(old, new)| old == new).count()
}

/// The number of equal bytes at the end.
fn common_end(old: &[u8], new: &[u8]) -> usize {
    let blocks = old.rchunks(BLOCK).zip(new.rchunks(BLOCK)).take_while(|(old, new)| old == new);
    let whole: usize = blocks.map(|(old, _)| old.len()).sum();
    let rest = old[..old.len() - whole].iter().rev().zip(new[..new.len() - whole].iter().rev());
    whole + rest.take_while(|(old, new)| old == new).count()
}

/// The number of lines in bytes.
fn count_lines(bytes: &[u8]) -> usize {
    let ends = bytes.iter().filter(|&&byte| byte == b'\n').count();
    ends + usize::from(bytes.last().is_some_and(|&last| last != b'\n'))
}
