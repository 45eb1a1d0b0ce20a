//! The hunks for one file put into its text: all of them, or none.

use super::align::line_weight;
use super::assemble::{PlacedHunk, assemble_text, is_same_hunk};
use super::explain;
use super::hunk::{DiffHunk, FileSection, LineTag};
use super::lines::line_body;
use super::locate::{LocateOutcome, align_rest, apply_later, as_stated, find_later, locate_hunks};
use super::place::{HeaderDrift, HunkPlaces, HunkSide, choose_places};
use super::readings::{HunkReading, is_suspect, read_hunks};
use super::text::IndexedText;
use super::{HunkReport, MatchLevel, PatchRefusal};

/// The part of a hunk that has to match where its header places it, if that is its place.
const MOST: f64 = 0.65;

/// A hunk further from its stated place than this is not just a little off.
const FAR: usize = 20;

/// The result of applying the hunks.
pub(super) struct EditResult {
    /// The text after them; `None` if they are applied already.
    pub after: Option<String>,
    pub hunks: Vec<HunkReport>,
}

/// Puts a section's hunks into a text.
pub(super) fn edit_section(
    path: &str,
    section: &FileSection,
    before: &str,
) -> Result<EditResult, PatchRefusal> {
    let text = IndexedText::new(before);
    if section.states_same() {
        let levels =
            [MatchLevel::Exact, MatchLevel::TrailingSpace, MatchLevel::Unicode, MatchLevel::Whitespace];
        let stands = |hunk: &DiffHunk| {
            levels.iter().any(|level| text.find_side(hunk, HunkSide::Old, *level).is_some())
        };
        return match section.hunks.iter().position(|hunk| !stands(hunk)) {
            None => Ok(EditResult { after: Some(before.to_owned()), hunks: Vec::new() }),
            Some(number) => {
                let already = vec![false; section.hunks.len()];
                Err(explain::missing_hunk(path, &text, &section.hunks, number, &already))
            }
        };
    }
    if !section.hunks.iter().any(is_suspect)
        && let Some(found) = as_stated(&text, &section.hunks)
    {
        let readings = vec![Vec::new(); found.len()];
        let job =
            EditJob { path, text: &text, hunks: &section.hunks, readings: &readings, crlf: section.crlf };
        return job.put_hunks(&found, &[]);
    }
    let (hunks, readings) = read_hunks(&section.hunks, &text);
    let job = EditJob { path, text: &text, hunks: &hunks, readings: &readings, crlf: section.crlf };
    match locate_hunks(&text, &hunks) {
        LocateOutcome::Already => Ok(EditResult { after: None, hunks: Vec::new() }),
        LocateOutcome::All(found) => job.put_hunks(&found, &[]),
        LocateOutcome::Some(mut open) => {
            let missing = |open: &super::locate::OpenHunks| {
                // A hunk that cannot be placed is more informative than one that is already applied.
                let stuck: Vec<usize> = open.open_hunks(&hunks).collect();
                let first = stuck.iter().find(|number| !open.already[**number]).or(stuck.first());
                explain::missing_hunk(path, &text, &hunks, first.copied().unwrap_or(0), &open.already)
            };
            if open.already.contains(&true) {
                return Err(missing(&open));
            }
            let later = find_later(&text, &hunks, &open, section.crlf);
            match align_rest(&text, &hunks, &mut open, &later) {
                true => job.put_hunks(&open.found, &later),
                false => Err(missing(&open)),
            }
        }
    }
}

struct EditJob<'j, 't, 'd> {
    path: &'j str,
    text: &'j IndexedText<'t>,
    hunks: &'j [DiffHunk<'d>],
    readings: &'j [Vec<HunkReading>],
    crlf: bool,
}

impl EditJob<'_, '_, '_> {
    /// The text with each hunk where it was found, and the later ones put into that.
    fn put_hunks(&self, found: &[Option<HunkPlaces>], later: &[usize]) -> Result<EditResult, PatchRefusal> {
        let placed = self.place_hunks(found, later)?;
        let clash = |clash| explain::hunk_conflict(self.path, clash);
        let mut after = assemble_text(&self.text.lines, self.hunks, &placed, self.crlf).map_err(clash)?;
        let mut reports: Vec<HunkReport> = placed
            .iter()
            .map(|placed| self.hunk_report(placed.hunk, placed.start, found[placed.hunk].as_ref()))
            .collect();
        for &number in later {
            let open = vec![false; self.hunks.len()];
            let (stood, next) = apply_later(&IndexedText::new(&after), self.hunks, number, self.crlf)
                .ok_or_else(|| explain::missing_hunk(self.path, self.text, self.hunks, number, &open))?;
            reports.push(self.hunk_report(number, stood.places[0], Some(&stood)));
            after = next;
        }
        reports.sort_by_key(|report| report.hunk);
        Ok(EditResult { after: Some(after), hunks: reports })
    }

    fn place_hunks<'f>(
        &self,
        found: &'f [Option<HunkPlaces>],
        later: &[usize],
    ) -> Result<Vec<PlacedHunk<'f>>, PatchRefusal> {
        let chosen = choose_places(self.text, self.hunks, found, HunkSide::Old)
            .map_err(|tie| explain::ambiguous_place(self.path, &tie))?;
        let drift = HeaderDrift::new(self.hunks, &chosen, HunkSide::Old);
        if let Some((number, stale)) = self
            .find_stale(&chosen)
            .or_else(|| self.find_displaced(found, &chosen))
            .or_else(|| self.find_overlapping(&chosen))
        {
            return Err(explain::stale_there(self.path, self.text, self.hunks, number, stale));
        }
        let place = |(number, chosen): (usize, Option<usize>)| {
            let start = chosen.or_else(|| unanchored_place(self.text, &self.hunks[number], number, &drift));
            let start = start.ok_or_else(|| {
                let hint = self.hunks[number].stated.as_ref().map(|stated| HunkSide::Old.hinted_line(stated));
                explain::no_anchor(self.path, self.text, number, hint)
            })?;
            let found = found[number].as_ref();
            let level = found.map_or(MatchLevel::Exact, |found| found.level);
            Ok(PlacedHunk {
                hunk: number,
                start,
                level,
                aligned: found.and_then(|found| found.alignment_at(start)),
            })
        };
        chosen.into_iter().enumerate().filter(|(number, _)| !later.contains(number)).map(place).collect()
    }

    /// Finds a hunk that is not where its header places it, although most of it is there: that is its place, changed, and
    /// the place found is only similar.
    fn find_stale(&self, chosen: &[Option<usize>]) -> Option<(usize, usize)> {
        let hint =
            |number: usize| Some(HunkSide::Old.hinted_line(self.hunks[number].stated.as_ref()?) as i64);
        let offset = |number: usize| Some((*chosen.get(number)?)? as i64 - hint(number)?);
        let mut starts: Vec<usize> = chosen.iter().copied().flatten().collect();
        starts.sort_unstable();
        (0..self.hunks.len()).find_map(|number| {
            let hint = hint(number).filter(|_| chosen[number].is_some())?;
            let len = self.hunks[number].count_without(LineTag::Add);
            let near = [Some(0), number.checked_sub(1).and_then(offset), offset(number + 1)];
            let places = near.into_iter().flatten().filter_map(|offset| usize::try_from(hint + offset).ok());
            // A place that another hunk has is that hunk's.
            let away = |place: &usize| {
                let next = starts.partition_point(|start| *start < place.saturating_sub(len));
                starts.get(next).is_none_or(|start| *start > place + len)
            };
            let stale =
                places.filter(away).find(|place| stands_mostly(self.text, &self.hunks[number], *place))?;
            Some((number, stale))
        })
    }

    /// Finds a hunk that is far from where its header places it, while all others are at their places: one out of the
    /// stated order, or one that matches loosely.
    fn find_displaced(
        &self,
        found: &[Option<HunkPlaces>],
        chosen: &[Option<usize>],
    ) -> Option<(usize, usize)> {
        let stood = |number: usize| {
            let hint = HunkSide::Old.hinted_line(self.hunks[number].stated.as_ref()?);
            Some((hint as i64, chosen[number]? as i64))
        };
        let mut known: Vec<(usize, (i64, i64))> =
            (0..self.hunks.len()).filter_map(|number| Some((number, stood(number)?))).collect();
        // A hunk stated twice gives no more evidence than once, and a line stated for several places gives none.
        known.sort_by_key(|(_, stood)| *stood);
        known.dedup_by_key(|(_, stood)| *stood);
        if known.windows(2).any(|pair| pair[0].1.0 == pair[1].1.0) {
            return None;
        }
        known.sort_unstable();
        let offset = |(_, (hint, start)): &(usize, (i64, i64))| start - hint;
        let mut offsets: Vec<i64> = known.iter().map(offset).collect();
        offsets.sort_unstable();
        let usual = *offsets.get(offsets.len() / 2)?;
        let mut odd = known.iter().filter(|known| offset(known) != usual);
        let (Some(&(number, (hint, start))), None) = (odd.next(), odd.next()) else { return None };
        let far = (start - hint - usual).unsigned_abs() as usize
            > FAR.max(self.hunks[number].count_without(LineTag::Add));
        let swapped = |(_, (other, place)): &(usize, (i64, i64))| (*other < hint) != (*place < start);
        let loose = found[number].as_ref().is_some_and(|found| found.level == MatchLevel::Aligned);
        let others = known.iter().filter(|(other, _)| *other != number);
        let refused = known.len() > 2 && far && (loose || others.into_iter().any(swapped));
        let place = (hint + usual).clamp(0, self.text.lines.len() as i64) as usize;
        refused.then_some((number, place))
    }

    /// Finds a hunk that overlaps another, although their headers are far apart: both cannot be there, unless one
    /// repeats the other.
    fn find_overlapping(&self, chosen: &[Option<usize>]) -> Option<(usize, usize)> {
        let stood = |number: usize| {
            let hint = HunkSide::Old.hinted_line(self.hunks[number].stated.as_ref()?);
            Some((chosen[number]?, number, hint))
        };
        let mut known: Vec<(usize, usize, usize)> = (0..self.hunks.len()).filter_map(stood).collect();
        known.sort_unstable();
        known.windows(2).find_map(|pair| {
            let ((start, one, hint), (next, other, stated)) = (pair[0], pair[1]);
            let (len, shorter) =
                (self.hunks[one].count_without(LineTag::Add), self.hunks[other].count_without(LineTag::Add));
            let shared = (start + len).min(next + shorter).saturating_sub(next);
            let apart = hint.abs_diff(stated) > len.max(shorter) + next - start;
            let heaped =
                apart && 2 * shared > len.min(shorter) && !is_same_hunk(&self.hunks[one], &self.hunks[other]);
            // The hunk further from its stated place is the one out of place.
            let out =
                if hint.abs_diff(start) > stated.abs_diff(next) { (one, hint) } else { (other, stated) };
            heaped.then_some(out)
        })
    }

    fn hunk_report(&self, hunk: usize, start: usize, found: Option<&HunkPlaces>) -> HunkReport {
        let level = found.map_or(MatchLevel::Exact, |found| found.level);
        let score = found.and_then(|found| found.alignment_at(start)).map(|alignment| alignment.score);
        let stated = self.hunks[hunk].stated.as_ref();
        HunkReport {
            hunk: hunk + 1,
            level,
            line: start + 1,
            offset: stated.map(|stated| start as i64 - HunkSide::Old.hinted_line(stated) as i64),
            score: score
                .map_or(level.score(), |score| (score * 100.0).round() / 100.0 * MatchLevel::Aligned.score()),
            rivals: found.map_or(0, |found| found.places.len() - 1),
            readings: self.readings[hunk].clone(),
        }
    }
}

/// Returns whether most of a hunk matches at a place, line by line.
fn stands_mostly(text: &IndexedText, hunk: &DiffHunk, place: usize) -> bool {
    let (mut all, mut there) = (0.0, 0.0);
    for (offset, line) in hunk.old_lines().into_iter().enumerate() {
        let weight = line_weight(line);
        all += weight;
        let stands = text.lines.get(place + offset).is_some_and(|own| line_body(own).trim() == line.trim());
        there += if stands { weight } else { 0.0 };
    }
    all >= 1.0 && there >= MOST * all
}

/// The place of a hunk with no line of the file: the one in its header, if all evidence agrees with headers.
fn unanchored_place(
    text: &IndexedText,
    hunk: &DiffHunk,
    number: usize,
    drift: &HeaderDrift,
) -> Option<usize> {
    if text.lines.is_empty() {
        return Some(0);
    }
    if hunk.at_end {
        return Some(text.lines.len());
    }
    let stated = hunk.stated.as_ref().filter(|stated| hunk.counted && stated.old_len == 0)?;
    let start = HunkSide::Old.hinted_line(stated) as i64 + drift.offset_of(number);
    let start = usize::try_from(start).ok()?;
    (drift.noise() == 0 && start <= text.lines.len()).then_some(start)
}
