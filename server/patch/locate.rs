//! The position of each hunk of a diff: as one run at the strictest matching level, in the result of other hunks, or
//! aligned line by line.

use super::MatchLevel;
use super::align::{AlignBudget, TELLING, align_hunk, line_weight};
use super::assemble::{PlacedHunk, assemble_text};
use super::hunk::{DiffHunk, DiffLine, LineTag};
use super::lines::line_body;
use super::place::{HunkPlaces, HunkSide, choose_places};
use super::text::{IndexedText, RUNS};

/// The number of hunks that are applied to the result of others.
const LATER: usize = 64;

/// The number of lines that are read again for that.
const LINES: usize = 1_000_000;

/// The outcome of locating a diff's hunks.
pub(super) enum LocateOutcome {
    /// The places of every hunk that states a line.
    All(Vec<Option<HunkPlaces>>),
    /// Every hunk's result is there, and nothing that it changes.
    Already,
    /// Some hunks were not found.
    Some(OpenHunks),
}

/// The hunks that were found, and those that were not.
pub(super) struct OpenHunks {
    pub found: Vec<Option<HunkPlaces>>,
    /// True for each hunk whose result is in the text while the lines that it changes are not.
    pub already: Vec<bool>,
}

impl OpenHunks {
    /// The hunks that are not found.
    pub(super) fn open_hunks<'s>(&'s self, hunks: &'s [DiffHunk]) -> impl Iterator<Item = usize> + 's {
        let open = |(found, hunk): (&Option<HunkPlaces>, &DiffHunk)| found.is_none() && hunk.is_anchored();
        (0..hunks.len()).filter(move |number| open((&self.found[*number], &hunks[*number])))
    }
}

/// Locates every hunk at its header's line, if each matches there to the letter: then no other place is looked for.
pub(super) fn as_stated(text: &IndexedText, hunks: &[DiffHunk]) -> Option<Vec<Option<HunkPlaces>>> {
    let one = |hunk: &DiffHunk| {
        let old = hunk.old_lines();
        let start = HunkSide::Old.hinted_line(hunk.stated.as_ref()?);
        let there = text.lines.get(start..start + old.len())?;
        let same = !old.is_empty() && there.iter().zip(&old).all(|(own, line)| line_body(own) == *line);
        // Lines that are added at an edge of the hunk may be there already, unless it is an edge of the text.
        let added = |line: Option<&DiffLine>| line.is_some_and(|line| line.tag == LineTag::Add);
        let first = added(hunk.lines.first()) && start > 0;
        let last = added(hunk.lines.last()) && start + old.len() < text.lines.len();
        (same && !first && !last)
            .then(|| Some(HunkPlaces { level: MatchLevel::Exact, places: [start].into(), aligned: None }))
    };
    hunks.iter().map(one).collect()
}

/// Seeks each hunk as one run. Applied hunks are detected before a looser level may find their old lines again.
pub(super) fn locate_hunks(text: &IndexedText, hunks: &[DiffHunk]) -> LocateOutcome {
    let mut open = OpenHunks { found: vec![None; hunks.len()], already: vec![false; hunks.len()] };
    for level in RUNS {
        for (hunk, found) in hunks.iter().zip(&mut open.found).filter(|(_, found)| found.is_none()) {
            *found = text.find_side(hunk, HunkSide::Old, level);
        }
        if open.open_hunks(hunks).next().is_none() {
            return match hunks.iter().zip(&open.found).all(|(hunk, found)| added_at_edge(text, hunk, found)) {
                true => LocateOutcome::Already,
                false => LocateOutcome::All(open.found),
            };
        }
        // If the result of a hunk agrees only up to space, it does not count as applied.
        if level >= MatchLevel::Whitespace {
            break;
        }
        let already = find_already_applied(text, hunks, &open.found, level);
        open.already.iter_mut().zip(already).for_each(|(known, already)| *known |= already);
        if open.already.iter().zip(hunks).all(|(already, hunk)| *already || !hunk.has_change()) {
            return LocateOutcome::Already;
        }
    }
    for (found, already) in open.found.iter().zip(&mut open.already) {
        *already &= found.is_none();
    }
    LocateOutcome::Some(open)
}

/// Aligns what is not found as a run; false if a hunk stays open.
pub(super) fn align_rest(
    text: &IndexedText,
    hunks: &[DiffHunk],
    open: &mut OpenHunks,
    later: &[usize],
) -> bool {
    let budget = AlignBudget::new();
    let rest: Vec<usize> = open.open_hunks(hunks).filter(|number| !later.contains(number)).collect();
    rest.into_iter().all(|number| {
        let aligned = align_hunk(text, &hunks[number], &budget);
        let mut places: Vec<usize> = aligned.iter().map(|alignment| alignment.start).collect();
        places.sort_unstable();
        if aligned.is_empty() {
            return false;
        }
        open.found[number] = Some(HunkPlaces {
            level: MatchLevel::Aligned,
            places: places.into(),
            aligned: Some(aligned.into()),
        });
        true
    })
}

/// The open hunks that stand, once and strictly, in what the other hunks leave: their writer made them one after
/// another.
pub(super) fn find_later(text: &IndexedText, hunks: &[DiffHunk], open: &OpenHunks, crlf: bool) -> Vec<usize> {
    let Ok(chosen) = choose_places(text, hunks, &open.found, HunkSide::Old) else { return Vec::new() };
    let placed: Vec<PlacedHunk> = chosen
        .iter()
        .enumerate()
        .filter_map(|(hunk, start)| {
            let level = open.found[hunk].as_ref()?.level;
            Some(PlacedHunk { hunk, start: (*start)?, level, aligned: None })
        })
        .collect();
    if placed.is_empty() {
        return Vec::new();
    }
    let Ok(mut after) = assemble_text(&text.lines, hunks, &placed, crlf) else { return Vec::new() };
    let mut rest: Vec<usize> = open.open_hunks(hunks).collect();
    let mut later = Vec::new();
    // The hunks are placed one after another, each in the result of the last; more than a few are no such series.
    while later.len() < LATER && later.len() * text.lines.len() < LINES {
        let text = IndexedText::new(&after);
        let next = rest.iter().position(|number| find_once(&text, &hunks[*number]).is_some());
        let Some(number) = next.map(|next| rest.remove(next)) else { break };
        let Some((_, next)) = apply_later(&text, hunks, number, crlf) else { break };
        after = next;
        later.push(number);
    }
    later
}

/// The single strict place of a hunk.
fn find_once(text: &IndexedText, hunk: &DiffHunk) -> Option<HunkPlaces> {
    let strict = [MatchLevel::Exact, MatchLevel::TrailingSpace];
    let found = strict.into_iter().find_map(|level| text.find_side(hunk, HunkSide::Old, level))?;
    (found.places.len() == 1).then_some(found)
}

/// Applies a hunk to the result of other hunks; returns its place there and the text.
pub(super) fn apply_later(
    text: &IndexedText,
    hunks: &[DiffHunk],
    number: usize,
    crlf: bool,
) -> Option<(HunkPlaces, String)> {
    let found = find_once(text, &hunks[number])?;
    let placed = [PlacedHunk { hunk: number, start: found.places[0], level: found.level, aligned: None }];
    let after = assemble_text(&text.lines, hunks, &placed, crlf).ok()?;
    Some((found, after))
}

/// Returns whether a hunk that adds lines at one end of a file matches there with them, though not at that end
/// without them.
fn added_at_edge(text: &IndexedText, hunk: &DiffHunk, found: &Option<HunkPlaces>) -> bool {
    let added = |line: Option<&DiffLine>| line.is_some_and(|line| line.tag == LineTag::Add);
    let (first, last) = (added(hunk.lines.first()), added(hunk.lines.last()));
    let (Some(found), true) =
        (found, first != last && !hunk.lines.iter().any(|line| line.tag == LineTag::Remove))
    else {
        return false;
    };
    let Some(after) = text.find_side(hunk, HunkSide::New, found.level) else { return false };
    let len = text.lines.len();
    let edge = |place: usize, lines: usize| if last { place + lines == len } else { place == 0 };
    let telling =
        hunk.lines.iter().any(|line| line.tag == LineTag::Add && line.text().contains(char::is_alphanumeric));
    telling
        && !found.places.iter().any(|place| edge(*place, hunk.count_without(LineTag::Add)))
        && after.places.iter().any(|place| edge(*place, hunk.count_without(LineTag::Remove)))
}

/// Finds the hunks whose result is in the text while the lines that they change are not.
fn find_already_applied(
    text: &IndexedText,
    hunks: &[DiffHunk],
    found: &[Option<HunkPlaces>],
    level: MatchLevel,
) -> Vec<bool> {
    let result = |(hunk, found): (&DiffHunk, &Option<HunkPlaces>)| match found {
        None if hunk.has_change() => text.find_side(hunk, HunkSide::New, level),
        _ => None,
    };
    let results: Vec<Option<HunkPlaces>> = hunks.iter().zip(found).map(result).collect();
    let Ok(chosen) = choose_places(text, hunks, &results, HunkSide::New) else {
        return vec![false; hunks.len()];
    };
    let stands = |(hunk, place): (&DiffHunk, Option<usize>)| {
        place.is_some_and(|place| proves_applied(hunk, place, text))
    };
    hunks.iter().zip(chosen).map(stands).collect()
}

/// Returns whether a hunk's result at a place shows that the hunk was applied: its added lines are there to the
/// letter, and lines on both sides of those that it only removes.
fn proves_applied(hunk: &DiffHunk, place: usize, text: &IndexedText) -> bool {
    let left: Vec<&DiffLine> = hunk.lines.iter().filter(|line| line.tag != LineTag::Remove).collect();
    let runs: Vec<&[DiffLine]> = hunk.runs().collect();
    let closed = |(number, run): (usize, &&[DiffLine])| {
        let adds = run.iter().any(|line| line.tag != LineTag::Remove);
        let opens = number > 0 || place == 0;
        let closes = number + 1 < runs.len() || place + left.len() == text.lines.len();
        adds || opens && closes
    };
    let stands =
        |(line, own): (&&DiffLine, &&str)| line.tag == LineTag::Keep || line.text() == line_body(own);
    let adds = hunk.lines.iter().any(|line| line.tag == LineTag::Add);
    // If it only removes lines, those have to be gone.
    let gone = || {
        let removed = hunk.lines.iter().filter(|line| line.tag == LineTag::Remove);
        let telling: Vec<&str> =
            removed.map(DiffLine::text).filter(|line| line_weight(line) >= TELLING).collect();
        let there = telling.iter().filter(|line| text.index(MatchLevel::Exact).has_line(line)).count();
        2 * there <= telling.len()
    };
    (adds || gone())
        && left.iter().any(|line| line.text().contains(char::is_alphanumeric))
        && left.iter().zip(&text.lines[place..]).all(stands)
        && runs.iter().enumerate().all(closed)
}
