//! The hunks for one file put into its text: all of them, or none.

use super::align::weight;
use super::assemble::{Placed, alike, assemble};
use super::explain;
use super::hunk::{Hunk, Section, Tag};
use super::lines::body;
use super::locate::{Located, align_rest, as_stated, follow, later, locate};
use super::place::{Drift, Found, Side, choose};
use super::readings::{Reading, read, suspect};
use super::text::Text;
use super::{HunkReport, Level, Refusal};

/// How much of a hunk stands where its header says, if that is its place.
const MOST: f64 = 0.65;

/// A hunk further from where its header says than this is not just a little off.
const FAR: usize = 20;

/// What the hunks came to.
pub(super) struct Edited {
    /// The text after them; none where they are applied already.
    pub after: Option<String>,
    pub hunks: Vec<HunkReport>,
}

/// Puts a section's hunks into a text.
pub(super) fn edit(path: &str, section: &Section, before: &str) -> Result<Edited, Refusal> {
    let text = Text::new(before);
    if !section.hunks.iter().any(suspect)
        && let Some(found) = as_stated(&text, &section.hunks)
    {
        let readings = vec![Vec::new(); found.len()];
        let job = Job { path, text: &text, hunks: &section.hunks, readings: &readings, crlf: section.crlf };
        return job.put(&found, &[]);
    }
    let (hunks, readings) = read(&section.hunks, &text);
    let job = Job { path, text: &text, hunks: &hunks, readings: &readings, crlf: section.crlf };
    match locate(&text, &hunks) {
        Located::Already => Ok(Edited { after: None, hunks: Vec::new() }),
        Located::All(found) => job.put(&found, &[]),
        Located::Some(mut open) => {
            let missing = |open: &super::locate::Open| {
                // A hunk that cannot be placed says more than one that is applied already.
                let stuck: Vec<usize> = open.open(&hunks).collect();
                let first = stuck.iter().find(|number| !open.already[**number]).or(stuck.first());
                explain::missing(path, &text, &hunks, first.copied().unwrap_or(0), &open.already)
            };
            if open.already.contains(&true) {
                return Err(missing(&open));
            }
            let later = later(&text, &hunks, &open, section.crlf);
            match align_rest(&text, &hunks, &mut open, &later) {
                true => job.put(&open.found, &later),
                false => Err(missing(&open)),
            }
        }
    }
}

struct Job<'j, 't, 'd> {
    path: &'j str,
    text: &'j Text<'t>,
    hunks: &'j [Hunk<'d>],
    readings: &'j [Vec<Reading>],
    crlf: bool,
}

impl Job<'_, '_, '_> {
    /// The text with each hunk where it was found, and the later ones put into that.
    fn put(&self, found: &[Option<Found>], later: &[usize]) -> Result<Edited, Refusal> {
        let placed = self.place(found, later)?;
        let clash = |clash| explain::conflict(self.path, clash);
        let mut after = assemble(&self.text.lines, self.hunks, &placed, self.crlf).map_err(clash)?;
        let mut reports: Vec<HunkReport> = placed
            .iter()
            .map(|placed| self.report(placed.hunk, placed.start, found[placed.hunk].as_ref()))
            .collect();
        for &number in later {
            let open = vec![false; self.hunks.len()];
            let (stood, next) = follow(&Text::new(&after), self.hunks, number, self.crlf)
                .ok_or_else(|| explain::missing(self.path, self.text, self.hunks, number, &open))?;
            reports.push(self.report(number, stood.places[0], Some(&stood)));
            after = next;
        }
        reports.sort_by_key(|report| report.hunk);
        Ok(Edited { after: Some(after), hunks: reports })
    }

    fn place<'f>(&self, found: &'f [Option<Found>], later: &[usize]) -> Result<Vec<Placed<'f>>, Refusal> {
        let chosen =
            choose(self.text, self.hunks, found, Side::Old).map_err(|tie| explain::tie(self.path, &tie))?;
        let drift = Drift::new(self.hunks, &chosen, Side::Old);
        if let Some((number, stale)) =
            self.stale(&chosen).or_else(|| self.displaced(found, &chosen)).or_else(|| self.heaped(&chosen))
        {
            return Err(explain::stale_there(self.path, self.text, self.hunks, number, stale));
        }
        let place = |(number, chosen): (usize, Option<usize>)| {
            let start = chosen.or_else(|| unanchored(self.text, &self.hunks[number], number, &drift));
            let start = start.ok_or_else(|| {
                let hint = self.hunks[number].stated.as_ref().map(|stated| Side::Old.hint(stated));
                explain::no_anchor(self.path, self.text, number, hint)
            })?;
            let found = found[number].as_ref();
            let level = found.map_or(Level::Exact, |found| found.level);
            Ok(Placed { hunk: number, start, level, aligned: found.and_then(|found| found.at(start)) })
        };
        chosen.into_iter().enumerate().filter(|(number, _)| !later.contains(number)).map(place).collect()
    }

    /// A hunk that is not where its header says, although most of it stands there: that is its place, changed, and
    /// where it was found is a place like it.
    fn stale(&self, chosen: &[Option<usize>]) -> Option<(usize, usize)> {
        let hint = |number: usize| Some(Side::Old.hint(self.hunks[number].stated.as_ref()?) as i64);
        let offset = |number: usize| Some((*chosen.get(number)?)? as i64 - hint(number)?);
        let mut starts: Vec<usize> = chosen.iter().copied().flatten().collect();
        starts.sort_unstable();
        (0..self.hunks.len()).find_map(|number| {
            let hint = hint(number).filter(|_| chosen[number].is_some())?;
            let len = self.hunks[number].count(Tag::Add);
            let near = [Some(0), number.checked_sub(1).and_then(offset), offset(number + 1)];
            let places = near.into_iter().flatten().filter_map(|offset| usize::try_from(hint + offset).ok());
            // A place that another hunk has is that hunk's.
            let away = |place: &usize| {
                let next = starts.partition_point(|start| *start < place.saturating_sub(len));
                starts.get(next).is_none_or(|start| *start > place + len)
            };
            let stale = places.filter(away).find(|place| mostly(self.text, &self.hunks[number], *place))?;
            Some((number, stale))
        })
    }

    /// A hunk that is far from where its header says, while all others are where theirs say: one out of the stated
    /// order, or one that matches loosely.
    fn displaced(&self, found: &[Option<Found>], chosen: &[Option<usize>]) -> Option<(usize, usize)> {
        let stood = |number: usize| {
            let hint = Side::Old.hint(self.hunks[number].stated.as_ref()?);
            Some((hint as i64, chosen[number]? as i64))
        };
        let mut known: Vec<(usize, (i64, i64))> =
            (0..self.hunks.len()).filter_map(|number| Some((number, stood(number)?))).collect();
        // One hunk stated twice says no more than once, and one line stated for several places says nothing.
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
        let far =
            (start - hint - usual).unsigned_abs() as usize > FAR.max(self.hunks[number].count(Tag::Add));
        let swapped = |(_, (other, place)): &(usize, (i64, i64))| (*other < hint) != (*place < start);
        let loose = found[number].as_ref().is_some_and(|found| found.level == Level::Aligned);
        let others = known.iter().filter(|(other, _)| *other != number);
        let refused = known.len() > 2 && far && (loose || others.into_iter().any(swapped));
        let place = (hint + usual).clamp(0, self.text.lines.len() as i64) as usize;
        refused.then_some((number, place))
    }

    /// A hunk that lies in the lines of another, although their headers are far apart: both cannot be there, unless
    /// one states the other again.
    fn heaped(&self, chosen: &[Option<usize>]) -> Option<(usize, usize)> {
        let stood = |number: usize| {
            let hint = Side::Old.hint(self.hunks[number].stated.as_ref()?);
            Some((chosen[number]?, number, hint))
        };
        let mut known: Vec<(usize, usize, usize)> = (0..self.hunks.len()).filter_map(stood).collect();
        known.sort_unstable();
        known.windows(2).find_map(|pair| {
            let ((start, one, hint), (next, other, stated)) = (pair[0], pair[1]);
            let (len, shorter) = (self.hunks[one].count(Tag::Add), self.hunks[other].count(Tag::Add));
            let shared = (start + len).min(next + shorter).saturating_sub(next);
            let apart = hint.abs_diff(stated) > len.max(shorter) + next - start;
            let heaped =
                apart && 2 * shared > len.min(shorter) && !alike(&self.hunks[one], &self.hunks[other]);
            // The one further from where its header says is the one out of place.
            let out =
                if hint.abs_diff(start) > stated.abs_diff(next) { (one, hint) } else { (other, stated) };
            heaped.then_some(out)
        })
    }

    fn report(&self, hunk: usize, start: usize, found: Option<&Found>) -> HunkReport {
        let level = found.map_or(Level::Exact, |found| found.level);
        let score = found.and_then(|found| found.at(start)).map(|alignment| alignment.score);
        let stated = self.hunks[hunk].stated.as_ref();
        HunkReport {
            hunk: hunk + 1,
            level,
            line: start + 1,
            offset: stated.map(|stated| start as i64 - Side::Old.hint(stated) as i64),
            score: score
                .map_or(level.score(), |score| (score * 100.0).round() / 100.0 * Level::Aligned.score()),
            rivals: found.map_or(0, |found| found.places.len() - 1),
            readings: self.readings[hunk].clone(),
        }
    }
}

/// Whether most of a hunk stands at a place, line by line.
fn mostly(text: &Text, hunk: &Hunk, place: usize) -> bool {
    let (mut all, mut there) = (0.0, 0.0);
    for (offset, line) in hunk.old().into_iter().enumerate() {
        let weight = weight(line);
        all += weight;
        let stands = text.lines.get(place + offset).is_some_and(|own| body(own).trim() == line.trim());
        there += if stands { weight } else { 0.0 };
    }
    all >= 1.0 && there >= MOST * all
}

/// Where a hunk with no line of the file goes: where its header says, if all that is known agrees with headers.
fn unanchored(text: &Text, hunk: &Hunk, number: usize, drift: &Drift) -> Option<usize> {
    if text.lines.is_empty() {
        return Some(0);
    }
    let stated = hunk.stated.as_ref().filter(|stated| hunk.counted && stated.old_len == 0)?;
    let start = Side::Old.hint(stated) as i64 + drift.at(number);
    let start = usize::try_from(start).ok()?;
    (drift.noise() == 0 && start <= text.lines.len()).then_some(start)
}
