//! Lines that a change moved: they stand elsewhere, and are whose they were.

use std::collections::HashMap;

use crate::align::LineRun;
use crate::text::is_telling;

/// Returns for lines of the new text the old lines that moved there.
pub(crate) fn moved_lines(
    runs: &[LineRun],
    old: &[u64],
    (new, new_lines): (&[u64], &[&str]),
) -> HashMap<usize, usize, foldhash::fast::FixedState> {
    let mut found = HashMap::with_hasher(foldhash::fast::FixedState::default());
    let count = |lines: &mut dyn Iterator<Item = (usize, u64)>| {
        let mut counts: HashMap<u64, (usize, usize), _> =
            HashMap::with_hasher(foldhash::fast::FixedState::default());
        for (at, line) in lines {
            let entry = counts.entry(line).or_insert((at, 0));
            entry.1 += 1;
        }
        counts
    };
    let removed = count(&mut runs.iter().flat_map(|run| run.old.clone()).map(|at| (at, old[at])));
    let added = count(&mut runs.iter().flat_map(|run| run.new.clone()).map(|at| (at, new[at])));
    let moved_once: HashMap<u64, (usize, usize), foldhash::fast::FixedState> = { added.iter() }
        .filter_map(|(line, (to, many))| {
            let (from, 1) = removed.get(line).copied()? else { return None };
            (*many == 1 && is_telling(new_lines[*to])).then_some((*line, (from, *to)))
        })
        .collect();
    if moved_once.is_empty() {
        return found;
    }
    // A line that is in other places too may have been typed again.
    let mut often: HashMap<u64, usize, _> = HashMap::with_hasher(foldhash::fast::FixedState::default());
    for line in old.iter().chain(new).filter(|line| moved_once.contains_key(line)) {
        *often.entry(*line).or_insert(0) += 1;
    }
    for (line, (from, to)) in moved_once {
        if often.get(&line) == Some(&2) {
            found.insert(to, from);
        }
    }
    // Lines next to a moved line moved with it, if they are equal.
    let anchors: Vec<(usize, usize)> = found.iter().map(|(to, from)| (*to, *from)).collect();
    for (to, from) in anchors {
        let (Some(from_run), Some(to_run)) =
            (runs.iter().find(|run| run.old.contains(&from)), runs.iter().find(|run| run.new.contains(&to)))
        else {
            continue;
        };
        let (mut i, mut j) = (from, to);
        while i > from_run.old.start && j > to_run.new.start && old[i - 1] == new[j - 1] {
            (i, j) = (i - 1, j - 1);
            found.entry(j).or_insert(i);
        }
        let (mut i, mut j) = (from + 1, to + 1);
        while i < from_run.old.end && j < to_run.new.end && old[i] == new[j] {
            found.entry(j).or_insert(i);
            (i, j) = (i + 1, j + 1);
        }
    }
    found
}
