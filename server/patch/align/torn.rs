//! Chains that put lines of two places together: told, and chained anew without those of the lesser place.

use std::ops::Range;

use super::super::index::dense;
use super::super::lines::body;
use super::super::text::Text;
use super::chain::Chain;
use super::fill::{self, Filled};
use super::items::Items;
use super::similar::similar;
use super::{ALIKE, Budget, NEAR, RIVALS, TELLING, weight};

/// A few lines at an edge of a hunk that are further off than this are those of another place.
const FAR: usize = 10;
/// How many lines beside a longer jump are looked at.
const BESIDE: usize = 6;

/// The best chain of lines that is of one place. Where the best of all puts lines of two places together, those of the
/// lesser one are left out, and what the other has in their stead is looked at.
pub(super) fn untorn(text: &Text, items: &Items, budget: &Budget) -> Option<(Chain, Filled)> {
    let mut barred: Vec<(usize, usize)> = Vec::new();
    for _ in 0..=RIVALS {
        let chain = Chain::best(items, &barred, budget)?;
        let filled = fill::fill(text, items, &chain, budget)?;
        let Some(line) = torn(text, items, &filled) else { return Some((chain, filled)) };
        let lesser = items.lesser(&chain.picks, line);
        if lesser.is_empty() {
            return None;
        }
        barred.extend(lesser);
    }
    None
}

/// The line behind which lines of two places were put together, far apart although either part goes on where the other
/// is: then it is one place, and what it lacks there was taken from a place like it.
pub(super) fn torn(text: &Text, items: &Items, filled: &Filled) -> Option<usize> {
    let placed: Vec<usize> = (0..filled.spots.len()).filter(|line| filled.spots[*line].is_some()).collect();
    let pair = placed.windows(2).find(|pair| {
        let (Some(end), Some(start)) = (filled.ends[pair[0]], filled.spots[pair[1]]) else { return false };
        let marked = (pair[0]..pair[1]).any(|line| items.elided(line));
        if marked || start.saturating_sub(end + 1) <= NEAR + pair[1] - pair[0] {
            return false;
        }
        if start - end > FAR
            && (items.stray(&placed, 0..pair[1]) || items.stray(&placed, pair[1]..items.old.len()))
        {
            return true;
        }
        // Right beside a change the context is near, or it is another place's.
        if items.removed(pair[0]) != items.removed(pair[1]) && pair[0] + 1 == pair[1] {
            return true;
        }
        // Each line beside the jump, and the line of the file where it would be without one.
        let tail = (pair[0] + 1..items.old.len()).take(BESIDE).map(|line| (line, end + line - pair[0]));
        let head = (0..pair[1])
            .rev()
            .take(BESIDE)
            .filter_map(|line| Some((line, start.checked_sub(pair[1] - line)?)));
        goes_on(text, items, end..start, tail) || goes_on(text, items, end..start, head)
    })?;
    Some(pair[0])
}

/// Whether a good part of some lines of a hunk stands close to where they would be, inside of a part of the file.
fn goes_on(
    text: &Text,
    items: &Items,
    within: Range<usize>,
    lines: impl Iterator<Item = (usize, usize)>,
) -> bool {
    let (mut telling, mut standing) = (0, 0);
    for (line, place) in lines.filter(|(line, _)| weight(items.old[*line]) >= TELLING) {
        let ours = dense(items.old[line]);
        let alike = |place: usize| {
            let theirs = dense(body(text.lines[place]));
            ours == theirs || similar(&ours, &theirs) >= ALIKE
        };
        telling += 1;
        let near = place.saturating_sub(1).max(within.start + 1)..(place + 2).min(within.end);
        standing += usize::from(near.into_iter().any(alike));
    }
    standing > 0 && 2 * standing >= telling
}
