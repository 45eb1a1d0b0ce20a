//! A change as review hunks, and one hunk put into a text.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

use super::lines::split_lines;

/// The time that a diff may take to find the smallest change before it accepts a larger one.
const PATIENCE: Duration = Duration::from_secs(1);

/// A contiguous run of changed lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedLines {
    /// The first line it replaces, counted from 0; for an insertion the line before which it goes.
    pub old_start: usize,
    /// The lines it removes, each with its end.
    pub old: Vec<String>,
    /// The lines it adds, each with its end.
    pub new: Vec<String>,
}

/// The hunks between two texts, in order. At least one unchanged line separates two.
pub fn cut_hunks(before: &str, after: &str) -> Vec<ChangedLines> {
    let (old, new) = (split_lines(before), split_lines(after));
    let own = |lines: &[&str]| lines.iter().map(|&line| line.to_owned()).collect();
    let make = |run: DiffRun| ChangedLines {
        old_start: run.old.0,
        old: own(&old[run.old.0..run.old.1]),
        new: own(&new[run.new.0..run.new.1]),
    };
    diff_runs(&old, &new).into_iter().map(make).collect()
}

/// Replaces exactly these lines at a line counted from 0; none if they are not there byte for byte.
pub fn splice_lines(text: &str, start: usize, old: &[String], new: &[String]) -> Option<String> {
    let mut rest = text;
    for _ in 0..start {
        rest = &rest[rest.find('\n')? + 1..];
    }
    let head = &text[..text.len() - rest.len()];
    for line in old {
        rest = rest.strip_prefix(line.as_str())?;
        // A line without an end is the last; one that goes on is another line.
        if line.is_empty() || !line.ends_with('\n') && !rest.is_empty() {
            return None;
        }
    }
    let mut spliced = String::with_capacity(text.len() + new.iter().map(String::len).sum::<usize>());
    spliced.push_str(head);
    // An insertion after a last line without an end would run into it.
    if !new.is_empty() && !head.is_empty() && !head.ends_with('\n') {
        return None;
    }
    new.iter().for_each(|line| spliced.push_str(line));
    if !rest.is_empty() && new.last().is_some_and(|line| !line.ends_with('\n')) {
        return None;
    }
    spliced.push_str(rest);
    Some(spliced)
}

/// A run of lines that differ: from and to, in the old lines and in the new.
pub(super) struct DiffRun {
    pub old: (usize, usize),
    pub new: (usize, usize),
}

/// The runs of lines in which two texts differ.
pub(super) fn diff_runs<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<DiffRun> {
    // Numbers are compared many times faster than lines are.
    let mut numbers = HashMap::with_hasher(foldhash::fast::RandomState::default());
    let mut numbered = |lines: &[&'a str]| -> Vec<u32> {
        let number = |line: &&'a str| {
            let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
            *numbers.entry(*line).or_insert(next)
        };
        lines.iter().map(number).collect()
    };
    let (old, new) = (numbered(old), numbered(new));
    let deadline = Instant::now() + PATIENCE;
    let mut runs: Vec<DiffRun> = Vec::new();
    for op in capture_diff_slices_deadline(Algorithm::Myers, &old, &new, Some(deadline)) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let (before, after) = (op.old_range(), op.new_range());
        match runs.last_mut() {
            Some(run) if run.old.1 == before.start && run.new.1 == after.start => {
                (run.old.1, run.new.1) = (before.end, after.end);
            }
            _ => runs.push(DiffRun { old: (before.start, before.end), new: (after.start, after.end) }),
        }
    }
    runs
}
