//! Where the lines go that a hunk only adds, by what stands beside them.

use std::cell::Cell;

use super::super::hunk::{Hunk, Tag};
use super::super::index::dense;
use super::super::lines::body;
use super::super::text::Text;
use super::NEAR;
use super::fill::Filled;
use super::items::Items;
use super::similar::similar;

/// Lines less alike than this have nothing to do with each other.
const LIKE: f64 = 0.35;

/// Where each run goes that only adds lines, and whether that was told without the line beside one; none where it cannot
/// be told.
pub(super) fn inserts(
    text: &Text,
    hunk: &Hunk,
    filled: &Filled,
    items: &Items,
) -> Option<(Vec<usize>, bool)> {
    let Filled { spots, ends, .. } = filled;
    let without = Cell::new(false);
    let other = |line: usize| {
        let replaced = replaced(text, items, filled, line);
        without.set(without.get() || replaced);
        replaced
    };
    let mut inserts = Vec::new();
    let mut at = 0_usize;
    for run in hunk.runs() {
        let old = run.iter().filter(|line| line.tag != Tag::Add).count();
        if old == 0 {
            let before = at.checked_sub(1).and_then(|at| ends[at]).map(|end| end + 1);
            let after = spots.get(at).copied().flatten();
            inserts.push(match (before, after) {
                (Some(before), Some(after)) if before == after => before,
                (Some(before), Some(after)) => {
                    let between = text.lines.get(before..after)?;
                    let blank = |line: &&str| line.trim().is_empty();
                    if !between.iter().all(blank) {
                        return None;
                    }
                    // Blank lines were left out beside what is added: it brings its own on one side.
                    let first = run.first().is_some_and(|line| line.text().trim().is_empty());
                    let last = run.last().is_some_and(|line| line.text().trim().is_empty());
                    if last && !first { after } else { before }
                }
                // At an edge of the hunk, or beside a context line that is not in the file.
                (Some(before), None) if at == spots.len() || items.elided(at) || other(at) => before,
                (None, Some(after)) if at == 0 || items.elided(at - 1) || other(at - 1) => after,
                _ => return None,
            });
        } else {
            // Context beside a change that is nowhere near may be an added line that lost its sign.
            let known =
                |at: usize| items.elided(at) || spots.get(at).is_none_or(Option::is_some) || other(at);
            let changes = run.iter().any(|line| line.tag != Tag::Keep);
            if changes && !(at.checked_sub(1).is_none_or(known) && known(at + old)) {
                return None;
            }
        }
        at += old;
    }
    Some((inserts, without.get()))
}

/// Whether the file has another line in the place of one of context, and neither more nor fewer than the hunk has there:
/// it was changed since. At an edge of the hunk it has to be a little like it.
fn replaced(text: &Text, items: &Items, filled: &Filled, line: usize) -> bool {
    let Filled { spots, ends, .. } = filled;
    let open = |line: &usize| spots[*line].is_none() && !items.elided(*line);
    let first = (0..=line).rev().take_while(open).last();
    let last = (line..spots.len()).take_while(open).last();
    let (Some(first), Some(last)) = (first, last) else { return false };
    let before = first.checked_sub(1).and_then(|before| ends[before]);
    let after = spots.get(last + 1).copied().flatten();
    let like = |line: usize, place: Option<usize>| {
        let own = place.and_then(|place| text.lines.get(place)).map(|own| dense(body(own)));
        own.is_some_and(|own| similar(&dense(items.old[line]), &own) >= LIKE)
    };
    let count = last + 1 - first;
    match (before, after) {
        (Some(before), Some(after)) => count <= NEAR && after == before + count + 1,
        (Some(before), None) => last + 1 == spots.len() && like(line, Some(before + 1 + line - first)),
        (None, Some(after)) => first == 0 && like(line, (after + line).checked_sub(last + 1)),
        (None, None) => false,
    }
}
