//! Which place a hunk belongs to, where its lines stand in one or several.

use std::rc::Rc;

use super::Level;
use super::align::Alignment;
use super::hunk::{Hunk, Stated, Tag};
use super::text::Text;

/// Where a hunk's lines stand, read at one level.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub level: Level,
    /// First lines, counted from 0, in order; never empty.
    pub places: Rc<[usize]>,
    /// How the hunk's lines stand at each place, where they are not one run. The best is first.
    pub aligned: Option<Rc<[Alignment]>>,
}

impl Found {
    /// Whether no other place has more of the hunk.
    fn best(&self, place: usize) -> bool {
        self.at(place).is_none_or(|alignment| {
            let all = || self.aligned.iter().flat_map(|aligned| aligned.iter());
            !alignment.stale && all().all(|other| other.stale || other.score <= alignment.score)
        })
    }

    /// How the hunk's lines stand at a place, where they are not one run.
    pub(super) fn at(&self, place: usize) -> Option<&Alignment> {
        let at = || {
            self.aligned
                .iter()
                .flat_map(|aligned| aligned.iter())
                .filter(|alignment| alignment.start == place)
        };
        at().find(|alignment| !alignment.stale).or_else(|| at().next())
    }
}

/// Which side of a hunk is sought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Old,
    New,
}

impl Side {
    pub(super) fn lines<'h>(self, hunk: &'h Hunk) -> Vec<&'h str> {
        match self {
            Side::Old => hunk.old(),
            Side::New => hunk.result(),
        }
    }

    fn len(self, hunk: &Hunk) -> usize {
        match self {
            Side::Old => hunk.count(Tag::Add),
            Side::New => hunk.count(Tag::Remove),
        }
    }

    /// Where the header says that the side begins, counted from 0.
    pub(super) fn hint(self, stated: &Stated) -> usize {
        let (start, len) = match self {
            Side::Old => (stated.old_start, stated.old_len),
            Side::New => (stated.new_start, stated.new_len),
        };
        // The number of an empty range is that of the line before it.
        if len == 0 { start } else { start.saturating_sub(1) }
    }
}

/// Several places, and nothing that tells which.
pub(super) struct Tie {
    pub hunk: usize,
    pub places: Rc<[usize]>,
}

/// Chooses one place for each hunk that was found; the others stay open.
pub(super) fn choose(
    text: &Text,
    hunks: &[Hunk],
    found: &[Option<Found>],
    side: Side,
) -> Result<Vec<Option<usize>>, Tie> {
    let sure: Vec<Option<usize>> = found.iter().map(|found| only(&found.as_ref()?.places)).collect();
    let mut chosen = sure.clone();
    let drift = Drift::new(hunks, &sure, side);
    let order = Order::new(hunks, &sure, side);
    for (number, found) in found.iter().enumerate() {
        let (None, Some(found)) = (sure[number], found) else { continue };
        let (hunk, places) = (&hunks[number], &*found.places);
        let len = side.len(hunk);
        let last = || places.last().copied().filter(|place| hunk.at_end && place + len == text.lines.len());
        let place = drift
            .nearest(number, hunk, places)
            .or_else(last)
            .or_else(|| text.headings().only_under(&hunk.headings, places))
            .or_else(|| order.only_between(number, len, places))
            .filter(|place| found.best(*place));
        chosen[number] = Some(place.ok_or_else(|| Tie { hunk: number, places: found.places.clone() })?);
    }
    Ok(chosen)
}

fn only(places: &[usize]) -> Option<usize> {
    match places {
        [place] => Some(*place),
        _ => None,
    }
}

/// How far the hunks that fit in one place only stand from where their headers say.
pub(super) struct Drift {
    side: Side,
    /// Hunk and offset, in the diff's order.
    offsets: Vec<(usize, i64)>,
    noise: i64,
}

impl Drift {
    pub(super) fn new(hunks: &[Hunk], sure: &[Option<usize>], side: Side) -> Self {
        let offset = |(number, place): (usize, &Option<usize>)| {
            let hint = side.hint(hunks[number].stated.as_ref()?);
            Some((number, (*place)? as i64 - hint as i64))
        };
        let offsets: Vec<(usize, i64)> = sure.iter().enumerate().filter_map(offset).collect();
        let all = || offsets.iter().map(|(_, offset)| *offset);
        let noise = all().max().unwrap_or(0) - all().min().unwrap_or(0);
        Self { side, offsets, noise }
    }

    /// How far a hunk is expected from its header's line: as far as the sure one before it, else after it.
    pub(super) fn at(&self, number: usize) -> i64 {
        let before = self.offsets.partition_point(|(hunk, _)| *hunk < number);
        self.offsets.get(before.saturating_sub(1)).map_or(0, |(_, offset)| *offset)
    }

    /// How much the headers disagree with each other.
    pub(super) fn noise(&self) -> i64 {
        self.noise
    }

    /// The place nearest to the header's line, where it is at least three times as near as any other.
    fn nearest(&self, number: usize, hunk: &Hunk, places: &[usize]) -> Option<usize> {
        let expected = self.side.hint(hunk.stated.as_ref()?) as i64 + self.at(number);
        let distance = |place: usize| (place as i64 - expected).abs();
        let after = places.partition_point(|&place| (place as i64) < expected);
        let around = &places[after.saturating_sub(2)..(after + 2).min(places.len())];
        let best = around.iter().copied().min_by_key(|&place| distance(place))?;
        let next = around.iter().copied().filter(|&place| place != best).map(distance).min()?;
        (next > 0 && next >= 3 * distance(best).max(self.noise)).then_some(best)
    }
}

/// Between which lines each hunk has to stand, where the sure hunks stand in the diff's order.
struct Order {
    /// For each hunk, where the sure one before it ends and the sure one after it begins; none where the sure
    /// hunks stand in another order.
    bounds: Option<Vec<(usize, usize)>>,
}

impl Order {
    fn new(hunks: &[Hunk], sure: &[Option<usize>], side: Side) -> Self {
        if !sure.iter().flatten().is_sorted() {
            return Self { bounds: None };
        }
        let mut bounds = vec![(0, usize::MAX); hunks.len()];
        let mut low = 0;
        for ((bound, sure), hunk) in bounds.iter_mut().zip(sure).zip(hunks) {
            bound.0 = low;
            low = sure.map_or(low, |place| place + side.len(hunk));
        }
        let mut high = usize::MAX;
        for (bound, sure) in bounds.iter_mut().zip(sure).rev() {
            bound.1 = high;
            high = sure.unwrap_or(high);
        }
        Self { bounds: Some(bounds) }
    }

    /// The only one of these places where a hunk of so many lines keeps the order.
    fn only_between(&self, number: usize, len: usize, places: &[usize]) -> Option<usize> {
        let (low, high) = *self.bounds.as_ref()?.get(number)?;
        let first = places.partition_point(|&place| place < low);
        let end = places.partition_point(|&place| place.saturating_add(len) <= high);
        only(places.get(first..end)?)
    }
}
