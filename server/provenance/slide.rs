//! Runs that may equally be a few lines higher or lower, since the adjacent lines are equal: if the author of a line
//! depends on it, neither of the two counts as an agent's.

use crate::WrittenBy;
use crate::align::LineRun;
use crate::mark::LineMark;

/// Settles which marks hold for lines that a run of added or of removed lines may have been mistaken for.
pub(crate) fn settle_slides(run: &LineRun, old: (&[u64], &[LineMark]), new: (&[u64], &mut [LineMark])) {
    let (hashes, marks) = new;
    if run.old.is_empty() {
        for (one, other) in slide_twins(hashes, run.new.start, run.new.end) {
            let (first, second) = (marks[one], marks[other]);
            let (first, second) = (doubt_if_personal(first, second), doubt_if_personal(second, first));
            (marks[one], marks[other]) = (first, second);
        }
    } else if run.new.is_empty() {
        for (stayed, gone) in slide_twins(old.0, run.old.start, run.old.end) {
            // The old line `stayed` by this reading: it is before or after the place of the run.
            let at = match stayed < run.old.start {
                true => (run.new.start + stayed).checked_sub(run.old.start),
                false => Some(run.new.start + (stayed - run.old.end)),
            };
            if let Some(mark) = at.and_then(|at| marks.get_mut(at)) {
                *mark = doubt_if_personal(*mark, old.1[gone]);
            }
        }
    }
}

/// Returns pairs of an adjacent line and its equal in the run, by place, over the distance that the run can move
/// either way.
fn slide_twins(lines: &[u64], start: usize, end: usize) -> Vec<(usize, usize)> {
    let length = end - start;
    let up = (1..=start).take_while(|back| lines[start - back] == lines[end - back]);
    let down = (0..lines.len() - end).take_while(|on| lines[end + on] == lines[start + on]);
    // Beyond its own length a run meets lines that were compared already.
    let up = up.take(length).map(|back| (start - back, end - back));
    let down = down.take(length).map(|on| (end + on, start + on));
    up.chain(down).collect()
}

/// The mark of a line that may be the other one: not an agent's if that one is a person's.
fn doubt_if_personal(mark: LineMark, other: LineMark) -> LineMark {
    match other.by {
        WrittenBy::Human | WrittenBy::Mixed | WrittenBy::Unknown => mark.as_doubtful(other),
        _ if other.is_unsure => mark.as_doubtful(LineMark::HUMAN),
        _ => mark,
    }
}
