//! Where a pending hunk stands after its text changed under it.

use super::Cut;
use super::cut::runs;
use super::lines::split;

/// Where a hunk that stood at `cut.old_start` in `before` stands in `now`; none where it no longer fits. For several
/// hunks of one text, make one [`Moves`].
pub fn relocate(before: &str, now: &str, cut: &Cut) -> Option<usize> {
    Moves::new(before, now).relocate(cut)
}

/// How the lines of one text moved in another.
pub struct Moves<'t> {
    before: &'t str,
    now: &'t str,
    /// Whole lines that are equal at the start and at the end.
    head: usize,
    tail: usize,
    /// How many lines each text has.
    len: (usize, usize),
    /// The lines of both texts and the runs that differ, made when first needed.
    middle: std::cell::OnceCell<Middle<'t>>,
    /// What [`Moves::changed`] says, made when first asked.
    changed: std::cell::OnceCell<(usize, usize)>,
}

struct Middle<'t> {
    before: Vec<&'t str>,
    now: Vec<&'t str>,
    runs: Vec<super::cut::Run>,
}

impl<'t> Moves<'t> {
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
            head: count(&old[..head_bytes]),
            tail: count(tail),
            len: (count(old), count(new)),
            middle: std::cell::OnceCell::new(),
            changed: std::cell::OnceCell::new(),
        }
    }

    /// The first line of the first text that the second may change, and the one after the last: found by what is the same at
    /// both ends. Among equal lines any of them may be the one.
    pub fn changed(&self) -> (usize, usize) {
        *self.changed.get_or_init(|| {
            let (was, now) = (self.before.as_bytes(), self.now.as_bytes());
            let start = common_start(was, now);
            let end = was.len() - common_end(was, now);
            let lines = |bytes: &[u8]| bytes.iter().filter(|byte| **byte == b'\n').count();
            let first = lines(&was[..start.min(end)]);
            (first, first + lines(&was[start.min(end)..start.max(end)]) + 1)
        })
    }

    /// Where a hunk of the first text stands in the second, if it still fits.
    pub fn relocate(&self, cut: &Cut) -> Option<usize> {
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
        middle.mapped(cut).or_else(|| middle.sought(cut))
    }

    fn middle(&self) -> &Middle<'t> {
        self.middle.get_or_init(|| {
            let (before, now) = (split(self.before), split(self.now));
            let (head, tail) = (self.head, self.tail);
            let mut runs = runs(&before[head..before.len() - tail], &now[head..now.len() - tail]);
            for run in &mut runs {
                run.old = (run.old.0 + head, run.old.1 + head);
                run.new = (run.new.0 + head, run.new.1 + head);
            }
            Middle { before, now, runs }
        })
    }
}

impl Middle<'_> {
    /// Where the hunk's own lines went, if none of them changed; an insertion goes with the line before it, else with
    /// the line after.
    fn mapped(&self, cut: &Cut) -> Option<usize> {
        let start = cut.old_start;
        if cut.old.is_empty() {
            let after_line = |line: usize| Some(self.line(line)? + 1);
            let before = start.checked_sub(1).and_then(after_line);
            let after = if start < self.before.len() { self.line(start) } else { None };
            return before.or(after);
        }
        let place = self.line(start)?;
        let whole = (1..cut.old.len()).all(|offset| self.line(start + offset) == Some(place + offset));
        (whole && self.sure(cut, place)).then_some(place)
    }

    /// Whether a line beside the hunk went with it, or nothing like the hunk's lines stands elsewhere.
    fn sure(&self, cut: &Cut, place: usize) -> bool {
        let (end, moved) = (cut.old_start + cut.old.len(), place + cut.old.len());
        let before = match cut.old_start.checked_sub(1) {
            Some(line) => self.line(line).is_some_and(|line| line + 1 == place),
            None => place == 0,
        };
        let after = match end == self.before.len() {
            true => moved == self.now.len(),
            false => self.line(end) == Some(moved),
        };
        let block = &self.before[cut.old_start..end];
        before || after || only(&self.before, block).is_some() && only(&self.now, block).is_some()
    }

    /// Where a line went, if it stayed.
    fn line(&self, line: usize) -> Option<usize> {
        let next = self.runs.partition_point(|run| run.old.1 <= line);
        if self.runs.get(next).is_some_and(|run| run.old.0 <= line && line < run.old.1) {
            return None;
        }
        let moved =
            next.checked_sub(1).map_or(0, |run| self.runs[run].new.1 as i64 - self.runs[run].old.1 as i64);
        usize::try_from(line as i64 + moved).ok()
    }

    /// The only place of the hunk's lines together with the lines around them: they were moved as a block.
    fn sought(&self, cut: &Cut) -> Option<usize> {
        let (start, end) = (cut.old_start, cut.old_start + cut.old.len());
        let from = start.saturating_sub(1);
        let to = (end + 1).min(self.before.len());
        let block = &self.before[from..to];
        if from == start || to == end || !block.iter().any(|line| line.contains(char::is_alphanumeric)) {
            return None;
        }
        only(&self.before, block)?;
        Some(only(&self.now, block)? + start - from)
    }
}

/// Where a block stands, if in one place only.
fn only(text: &[&str], block: &[&str]) -> Option<usize> {
    let mut places = text.windows(block.len()).enumerate().filter(|(_, window)| *window == block);
    let first = places.next().map(|(place, _)| place);
    if places.next().is_some() { None } else { first }
}

/// How many bytes are compared at once.
const BLOCK: usize = 4096;

/// How many bytes at the start are equal.
fn common_start(old: &[u8], new: &[u8]) -> usize {
    let blocks = old.chunks(BLOCK).zip(new.chunks(BLOCK)).take_while(|(old, new)| old == new);
    let whole: usize = blocks.map(|(old, _)| old.len()).sum();
    whole + old[whole..].iter().zip(&new[whole..]).take_while(|(old, new)| old == new).count()
}

/// How many bytes at the end are equal.
fn common_end(old: &[u8], new: &[u8]) -> usize {
    let blocks = old.rchunks(BLOCK).zip(new.rchunks(BLOCK)).take_while(|(old, new)| old == new);
    let whole: usize = blocks.map(|(old, _)| old.len()).sum();
    let rest = old[..old.len() - whole].iter().rev().zip(new[..new.len() - whole].iter().rev());
    whole + rest.take_while(|(old, new)| old == new).count()
}

/// How many lines bytes make.
fn count(bytes: &[u8]) -> usize {
    let ends = bytes.iter().filter(|&&byte| byte == b'\n').count();
    ends + usize::from(bytes.last().is_some_and(|&last| last != b'\n'))
}
