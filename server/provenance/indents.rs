//! Lines that were moved to the right or to the left: if most of what changed is that, lines are compared past their
//! spaces, since the few that are equal, such as `}`, would be taken for each other's wherever they stand.

use crate::align::{LineRun, differing_runs};
use crate::text::spaceless_hash;

/// Returns the runs of a change if it is mostly one of spaces: then each line that moved is a run of its own. `exact` are the
/// runs by the lines as they are.
pub(crate) fn indented_runs(
    exact: &[LineRun],
    (old, old_lines): (&[u64], &[&str]),
    (new, new_lines): (&[u64], &[&str]),
) -> Option<Vec<LineRun>> {
    let size = |runs: &[LineRun]| runs.iter().map(|run| run.new.len()).sum::<usize>();
    let changed = size(exact);
    if changed * 4 <= new.len() {
        return None;
    }
    let hashes = |lines: &[&str]| lines.iter().map(|line| spaceless_hash(line)).collect::<Vec<_>>();
    let past_spaces = differing_runs(&hashes(old_lines), &hashes(new_lines));
    if size(&past_spaces) * 2 >= changed {
        return None;
    }
    let end = LineRun { old: old.len()..old.len(), new: new.len()..new.len(), hunk: None };
    let (mut cut, mut from, mut to) = (Vec::new(), 0, 0);
    for run in past_spaces.into_iter().chain([end]) {
        let moved = (from..run.old.start)
            .zip(to..run.new.start)
            .filter(|(old_at, new_at)| old[*old_at] != new[*new_at]);
        cut.extend(moved.map(|(old, new)| LineRun { old: old..old + 1, new: new..new + 1, hunk: None }));
        (from, to) = (run.old.end, run.new.end);
        if !(run.old.is_empty() && run.new.is_empty()) {
            cut.push(run);
        }
    }
    Some(cut)
}
