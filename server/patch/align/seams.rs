//! Chains that join lines of two places: detected, and built again without those of the lesser place.

use std::ops::Range;

use super::super::index::strip_space;
use super::super::lines::line_body;
use super::super::text::IndexedText;
use super::chain::ItemChain;
use super::fill::{self, LinePlacement};
use super::items::HunkItems;
use super::similar::line_similarity;
use super::{ALIKE, AlignBudget, NEAR, RIVALS, TELLING, line_weight};

/// A few lines at an edge of a hunk that are further off than this are those of another place.
const FAR: usize = 10;
/// The number of lines next to a longer jump that are checked.
const BESIDE: usize = 6;

/// The best chain of lines of a single place. If the best of all joins lines of two places, those of the lesser one
/// are left out, and the alternatives are tried.
pub(super) fn best_whole_chain(
    text: &IndexedText,
    items: &HunkItems,
    budget: &AlignBudget,
) -> Option<(ItemChain, LinePlacement)> {
    let mut barred: Vec<(usize, usize)> = Vec::new();
    for _ in 0..=RIVALS {
        let chain = ItemChain::best(items, &barred, budget)?;
        let filled = fill::fill_gaps(text, items, &chain, budget)?;
        let Some(line) = find_seam(text, items, &filled) else { return Some((chain, filled)) };
        let lesser = items.lesser_side(&chain.picks, line);
        if lesser.is_empty() {
            return None;
        }
        barred.extend(lesser);
    }
    None
}

/// The line behind which lines of two places were joined, far apart although either part continues where the other
/// is: then it is one place, and its missing lines were taken from a similar place.
pub(super) fn find_seam(text: &IndexedText, items: &HunkItems, filled: &LinePlacement) -> Option<usize> {
    let placed: Vec<usize> = (0..filled.spots.len()).filter(|line| filled.spots[*line].is_some()).collect();
    let pair = placed.windows(2).find(|pair| {
        let (Some(end), Some(start)) = (filled.ends[pair[0]], filled.spots[pair[1]]) else { return false };
        let marked = (pair[0]..pair[1]).any(|line| items.is_elided(line));
        if marked || start.saturating_sub(end + 1) <= NEAR + pair[1] - pair[0] {
            return false;
        }
        if start - end > FAR
            && (items.is_stray(&placed, 0..pair[1]) || items.is_stray(&placed, pair[1]..items.old.len()))
        {
            return true;
        }
        // Next to a change the context is near, or it belongs to another place.
        if items.is_removed(pair[0]) != items.is_removed(pair[1]) && pair[0] + 1 == pair[1] {
            return true;
        }
        // Each line next to the jump, and the line of the file where it would be without one.
        let tail = (pair[0] + 1..items.old.len()).take(BESIDE).map(|line| (line, end + line - pair[0]));
        let head = (0..pair[1])
            .rev()
            .take(BESIDE)
            .filter_map(|line| Some((line, start.checked_sub(pair[1] - line)?)));
        goes_on(text, items, end..start, tail) || goes_on(text, items, end..start, head)
    })?;
    Some(pair[0])
}

/// Returns whether a good part of some lines of a hunk are close to where they would be, inside of a part of the
/// file.
fn goes_on(
    text: &IndexedText,
    items: &HunkItems,
    within: Range<usize>,
    lines: impl Iterator<Item = (usize, usize)>,
) -> bool {
    let (mut telling, mut standing) = (0, 0);
    for (line, place) in lines.filter(|(line, _)| line_weight(items.old[*line]) >= TELLING) {
        let ours = strip_space(items.old[line]);
        let alike = |place: usize| {
            let theirs = strip_space(line_body(text.lines[place]));
            ours == theirs || line_similarity(&ours, &theirs) >= ALIKE
        };
        telling += 1;
        let near = place.saturating_sub(1).max(within.start + 1)..(place + 2).min(within.end);
        standing += usize::from(near.into_iter().any(alike));
    }
    standing > 0 && 2 * standing >= telling
}
