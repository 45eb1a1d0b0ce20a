//! The runs of lines in which two texts differ.

use std::collections::HashMap;
use std::ops::Range;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

/// The longest search for the smallest change before a comparison settles for a larger one.
const PATIENCE: Duration = Duration::from_millis(400);

/// A run of lines that differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LineRun {
    /// The lines before.
    pub old: Range<usize>,
    /// The lines after.
    pub new: Range<usize>,
    /// The number of the hunk, if that is known.
    pub hunk: Option<usize>,
}

/// The place of a hunk: its first line in the text before, the number of removed lines, and the number of added
/// lines.
pub type HunkSpan = (u32, u32, u32);

/// The runs that hunks say; `None` if the texts do not differ as they say. A line that `is_new` stays in no run's ends,
/// though it may be as the one before it.
pub(crate) fn recorded_runs(
    old: &[u64],
    new: &[u64],
    spans: &[HunkSpan],
    is_new: impl Fn(u64) -> bool,
) -> Option<Vec<LineRun>> {
    let (mut runs, mut from, mut to) = (Vec::new(), 0, 0);
    for (hunk, (start, gone, came)) in spans.iter().enumerate() {
        let (start, gone, came) = (*start as usize, *gone as usize, *came as usize);
        let stays = start.checked_sub(from)?;
        if old.get(from..start)? != new.get(to..to + stays)? {
            return None;
        }
        to += stays;
        let (mut before, mut after) = (start..start + gone, to..to + came);
        (from, to) = (before.end, after.end);
        let (was, now) = (old.get(before.clone())?, new.get(after.clone())?);
        let same = |(one, other): &(&u64, &u64)| one == other && !is_new(**one);
        let head = was.iter().zip(now).take_while(same).count();
        let tail = was[head..].iter().rev().zip(now[head..].iter().rev()).take_while(same).count();
        (before.start, after.start) = (before.start + head, after.start + head);
        (before.end, after.end) = (before.end - tail, after.end - tail);
        if !(before.is_empty() && after.is_empty()) {
            runs.push(LineRun { old: before, new: after, hunk: Some(hunk) });
        }
    }
    (old.get(from..)? == new.get(to..)?).then_some(runs)
}

/// Returns the runs in which two lists of lines differ, in order; an unchanged line lies between two runs.
pub(crate) fn differing_runs(old: &[u64], new: &[u64]) -> Vec<LineRun> {
    let same = |(one, other): &(&u64, &u64)| one == other;
    let head = old.iter().zip(new).take_while(same).count();
    let (rest_old, rest_new) = (&old[head..], &new[head..]);
    let tail = rest_old.iter().rev().zip(rest_new.iter().rev()).take_while(same).count();
    let (mid_old, mid_new) = (&rest_old[..rest_old.len() - tail], &rest_new[..rest_new.len() - tail]);
    if mid_old.is_empty() || mid_new.is_empty() {
        let run = LineRun { old: head..head + mid_old.len(), new: head..head + mid_new.len(), hunk: None };
        return Vec::from_iter((!(mid_old.is_empty() && mid_new.is_empty())).then_some(run));
    }
    let (mid_old, mid_new) = number_lines(mid_old, mid_new);
    let mut runs: Vec<LineRun> = Vec::new();
    let deadline = Instant::now() + PATIENCE;
    for op in capture_diff_slices_deadline(Algorithm::Myers, &mid_old, &mid_new, Some(deadline)) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let (before, after) = (op.old_range(), op.new_range());
        let (before, after) = (before.start + head..before.end + head, after.start + head..after.end + head);
        match runs.last_mut() {
            Some(run) if run.old.end == before.start && run.new.end == after.start => {
                (run.old.end, run.new.end) = (before.end, after.end);
            }
            _ => runs.push(LineRun { old: before, new: after, hunk: None }),
        }
    }
    runs
}

/// Small numbers in the place of hashes: they are compared faster.
fn number_lines(old: &[u64], new: &[u64]) -> (Vec<u32>, Vec<u32>) {
    let mut numbers: HashMap<u64, u32, _> = HashMap::with_hasher(foldhash::fast::FixedState::default());
    let mut number = |lines: &[u64]| -> Vec<u32> {
        let one = |line: &u64| {
            let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
            *numbers.entry(*line).or_insert(next)
        };
        lines.iter().map(one).collect()
    };
    (number(old), number(new))
}
