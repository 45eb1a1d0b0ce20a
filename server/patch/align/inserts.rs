//! The positions of lines that a hunk only adds, by their neighbours.

use std::cell::Cell;

use super::super::hunk::{DiffHunk, LineTag};
use super::super::index::strip_space;
use super::super::lines::line_body;
use super::super::text::IndexedText;
use super::NEAR;
use super::fill::LinePlacement;
use super::items::HunkItems;
use super::similar::line_similarity;

/// Lines with less similarity than this are unrelated.
const LIKE: f64 = 0.35;

/// The position of each run of added lines, and true if that was found without an adjacent line; none if it cannot be
/// found.
pub(super) fn insert_places(
    text: &IndexedText,
    hunk: &DiffHunk,
    filled: &LinePlacement,
    items: &HunkItems,
) -> Option<(Vec<usize>, bool)> {
    let LinePlacement { spots, ends, .. } = filled;
    let without = Cell::new(false);
    let other = |line: usize| {
        let replaced = is_context_replaced(text, items, filled, line);
        without.set(without.get() || replaced);
        replaced
    };
    let mut inserts = Vec::new();
    let mut at = 0_usize;
    for run in hunk.runs() {
        let old = run.iter().filter(|line| line.tag != LineTag::Add).count();
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
                    // Blank lines were left out next to the added ones: the hunk brings its own on one side.
                    let first = run.first().is_some_and(|line| line.text().trim().is_empty());
                    let last = run.last().is_some_and(|line| line.text().trim().is_empty());
                    if last && !first { after } else { before }
                }
                // At an edge of the hunk, or next to a context line that is not in the file.
                (Some(before), None) if at == spots.len() || items.is_elided(at) || other(at) => before,
                (None, Some(after)) if at == 0 || items.is_elided(at - 1) || other(at - 1) => after,
                _ => return None,
            });
        } else {
            // Context next to a change that is not nearby in the file may be an added line that lost its sign.
            let known =
                |at: usize| items.is_elided(at) || spots.get(at).is_none_or(Option::is_some) || other(at);
            let changes = run.iter().any(|line| line.tag != LineTag::Keep);
            if changes && !(at.checked_sub(1).is_none_or(known) && known(at + old)) {
                return None;
            }
        }
        at += old;
    }
    Some((inserts, without.get()))
}

/// Returns whether the file has, in place of the hunk's context around `hunk_line`, the same number of other lines: it was
/// changed since. At an edge of the hunk the line there has to be similar.
fn is_context_replaced(
    text: &IndexedText,
    items: &HunkItems,
    placement: &LinePlacement,
    hunk_line: usize,
) -> bool {
    let LinePlacement { spots, ends, .. } = placement;
    let open = |line: &usize| spots[*line].is_none() && !items.is_elided(*line);
    let first = (0..=hunk_line).rev().take_while(open).last();
    let last = (hunk_line..spots.len()).take_while(open).last();
    let (Some(first), Some(last)) = (first, last) else { return false };
    let before = first.checked_sub(1).and_then(|before| ends[before]);
    let after = spots.get(last + 1).copied().flatten();
    let like = |line: usize, place: Option<usize>| {
        let own = place.and_then(|place| text.lines.get(place)).map(|own| strip_space(line_body(own)));
        own.is_some_and(|own| line_similarity(&strip_space(items.old[line]), &own) >= LIKE)
    };
    let count = last + 1 - first;
    match (before, after) {
        (Some(before), Some(after)) => count <= NEAR && after == before + count + 1,
        (Some(before), None) => {
            last + 1 == spots.len() && like(hunk_line, Some(before + 1 + hunk_line - first))
        }
        (None, Some(after)) => first == 0 && like(hunk_line, (after + hunk_line).checked_sub(last + 1)),
        (None, None) => false,
    }
}
