//! The choice of a hunk's place among several.

use std::rc::Rc;

use super::MatchLevel;
use super::align::Alignment;
use super::hunk::{DiffHunk, HeaderRange, LineTag};
use super::text::IndexedText;

/// The places of a hunk's lines at one level.
#[derive(Clone, Debug)]
pub(super) struct HunkPlaces {
    pub level: MatchLevel,
    /// First lines, counted from 0, in order; never empty.
    pub places: Rc<[usize]>,
    /// The alignment of the hunk's lines at each place, if they are not one run. The best is first.
    pub aligned: Option<Rc<[Alignment]>>,
}

impl HunkPlaces {
    /// Returns whether no other place has more of the hunk.
    fn is_best(&self, place: usize) -> bool {
        self.alignment_at(place).is_none_or(|alignment| {
            let all = || self.aligned.iter().flat_map(|aligned| aligned.iter());
            !alignment.stale && all().all(|other| other.stale || other.score <= alignment.score)
        })
    }

    /// The alignment of the hunk's lines at a place, if they are not one run.
    pub(super) fn alignment_at(&self, place: usize) -> Option<&Alignment> {
        let at = || {
            self.aligned
                .iter()
                .flat_map(|aligned| aligned.iter())
                .filter(|alignment| alignment.start == place)
        };
        at().find(|alignment| !alignment.stale).or_else(|| at().next())
    }
}

/// The side of a hunk that is sought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HunkSide {
    Old,
    New,
}

impl HunkSide {
    pub(super) fn lines<'h>(self, hunk: &'h DiffHunk) -> Vec<&'h str> {
        match self {
            HunkSide::Old => hunk.old_lines(),
            HunkSide::New => hunk.new_lines(),
        }
    }

    fn len(self, hunk: &DiffHunk) -> usize {
        match self {
            HunkSide::Old => hunk.count_without(LineTag::Add),
            HunkSide::New => hunk.count_without(LineTag::Remove),
        }
    }

    /// The line at which the side begins by its header, counted from 0.
    pub(super) fn hinted_line(self, stated: &HeaderRange) -> usize {
        let (start, len) = match self {
            HunkSide::Old => (stated.old_start, stated.old_len),
            HunkSide::New => (stated.new_start, stated.new_len),
        };
        // The number of an empty range is that of the line before it.
        if len == 0 { start } else { start.saturating_sub(1) }
    }
}

/// Several places, and nothing to distinguish them.
pub(super) struct PlaceTie {
    pub hunk: usize,
    pub places: Rc<[usize]>,
}

/// Chooses one place for each hunk that was found; the others stay open.
pub(super) fn choose_places(
    text: &IndexedText,
    hunks: &[DiffHunk],
    found: &[Option<HunkPlaces>],
    side: HunkSide,
) -> Result<Vec<Option<usize>>, PlaceTie> {
    let sure: Vec<Option<usize>> = found.iter().map(|found| only_place(&found.as_ref()?.places)).collect();
    let mut chosen = sure.clone();
    let drift = HeaderDrift::new(hunks, &sure, side);
    let order = HunkOrder::new(hunks, &sure, side);
    for (number, found) in found.iter().enumerate() {
        let (None, Some(found)) = (sure[number], found) else { continue };
        let (hunk, places) = (&hunks[number], &*found.places);
        let len = side.len(hunk);
        let last = || places.last().copied().filter(|place| hunk.at_end && place + len == text.lines.len());
        let place = drift
            .nearest_place(number, hunk, places)
            .or_else(last)
            .or_else(|| text.headings().only_under(&hunk.headings, places))
            .or_else(|| order.only_between(number, len, places))
            .filter(|place| found.is_best(*place));
        chosen[number] = Some(place.ok_or_else(|| PlaceTie { hunk: number, places: found.places.clone() })?);
    }
    Ok(chosen)
}

fn only_place(places: &[usize]) -> Option<usize> {
    match places {
        [place] => Some(*place),
        _ => None,
    }
}

/// The offsets of hunks with a single place from where their headers say.
pub(super) struct HeaderDrift {
    side: HunkSide,
    /// Hunk and offset, in the diff's order.
    offsets: Vec<(usize, i64)>,
    noise: i64,
}

impl HeaderDrift {
    pub(super) fn new(hunks: &[DiffHunk], sure: &[Option<usize>], side: HunkSide) -> Self {
        let offset = |(number, place): (usize, &Option<usize>)| {
            let hint = side.hinted_line(hunks[number].stated.as_ref()?);
            Some((number, (*place)? as i64 - hint as i64))
        };
        let offsets: Vec<(usize, i64)> = sure.iter().enumerate().filter_map(offset).collect();
        let all = || offsets.iter().map(|(_, offset)| *offset);
        let noise = all().max().unwrap_or(0) - all().min().unwrap_or(0);
        Self { side, offsets, noise }
    }

    /// The expected offset of a hunk from its header's line: that of the sure one before it, else after it.
    pub(super) fn offset_of(&self, number: usize) -> i64 {
        let before = self.offsets.partition_point(|(hunk, _)| *hunk < number);
        self.offsets.get(before.saturating_sub(1)).map_or(0, |(_, offset)| *offset)
    }

    /// The disagreement among the headers.
    pub(super) fn noise(&self) -> i64 {
        self.noise
    }

    /// The place nearest to the header's line, if it is at least three times as near as any other.
    fn nearest_place(&self, number: usize, hunk: &DiffHunk, places: &[usize]) -> Option<usize> {
        let expected = self.side.hinted_line(hunk.stated.as_ref()?) as i64 + self.offset_of(number);
        let distance = |place: usize| (place as i64 - expected).abs();
        let after = places.partition_point(|&place| (place as i64) < expected);
        let around = &places[after.saturating_sub(2)..(after + 2).min(places.len())];
        let best = around.iter().copied().min_by_key(|&place| distance(place))?;
        let next = around.iter().copied().filter(|&place| place != best).map(distance).min()?;
        (next > 0 && next >= 3 * distance(best).max(self.noise)).then_some(best)
    }
}

/// The lines between which each hunk has to be, if the sure hunks are in the diff's order.
struct HunkOrder {
    /// For each hunk, the end of the sure one before it and the start of the sure one after it; `None` if the sure
    /// hunks are in another order.
    bounds: Option<Vec<(usize, usize)>>,
}

impl HunkOrder {
    fn new(hunks: &[DiffHunk], sure: &[Option<usize>], side: HunkSide) -> Self {
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
        only_place(places.get(first..end)?)
    }
}
