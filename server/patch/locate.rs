//! Where each hunk of a diff stands: as one run at the strictest level that has it, in what other hunks leave, or
//! aligned line by line.

use super::Level;
use super::align::{Budget, TELLING, align, weight};
use super::assemble::{Placed, assemble};
use super::hunk::{Hunk, Line, Tag};
use super::lines::body;
use super::place::{Found, Side, choose};
use super::text::{RUNS, Text};

/// How many hunks are put into what others left.
const LATER: usize = 64;

/// How many lines are read again for that.
const LINES: usize = 1_000_000;

/// What was found of a diff.
pub(super) enum Located {
    /// Every hunk that states a line.
    All(Vec<Option<Found>>),
    /// Every hunk's result, and of none what it changes.
    Already,
    /// Not every hunk.
    Some(Open),
}

/// What is found, and what is not.
pub(super) struct Open {
    pub found: Vec<Option<Found>>,
    /// Which hunks' results stand in the text while what they change does not.
    pub already: Vec<bool>,
}

impl Open {
    /// The hunks that are not found.
    pub(super) fn open<'s>(&'s self, hunks: &'s [Hunk]) -> impl Iterator<Item = usize> + 's {
        let open = |(found, hunk): (&Option<Found>, &Hunk)| found.is_none() && hunk.anchored();
        (0..hunks.len()).filter(move |number| open((&self.found[*number], &hunks[*number])))
    }
}

/// Every hunk where its header says, if each stands there to the letter: then no other place is looked for.
pub(super) fn as_stated(text: &Text, hunks: &[Hunk]) -> Option<Vec<Option<Found>>> {
    let one = |hunk: &Hunk| {
        let old = hunk.old();
        let start = Side::Old.hint(hunk.stated.as_ref()?);
        let there = text.lines.get(start..start + old.len())?;
        let same = !old.is_empty() && there.iter().zip(&old).all(|(own, line)| body(own) == *line);
        // What is added at an edge of the hunk may be there already, unless it is an edge of the text.
        let added = |line: Option<&Line>| line.is_some_and(|line| line.tag == Tag::Add);
        let first = added(hunk.lines.first()) && start > 0;
        let last = added(hunk.lines.last()) && start + old.len() < text.lines.len();
        (same && !first && !last)
            .then(|| Some(Found { level: Level::Exact, places: [start].into(), aligned: None }))
    };
    hunks.iter().map(one).collect()
}

/// Seeks each hunk as one run. What is applied already is told before a looser level may find its old lines anew.
pub(super) fn locate(text: &Text, hunks: &[Hunk]) -> Located {
    let mut open = Open { found: vec![None; hunks.len()], already: vec![false; hunks.len()] };
    for level in RUNS {
        for (hunk, found) in hunks.iter().zip(&mut open.found).filter(|(_, found)| found.is_none()) {
            *found = text.find(hunk, Side::Old, level);
        }
        if open.open(hunks).next().is_none() {
            return match hunks.iter().zip(&open.found).all(|(hunk, found)| added_at_edge(text, hunk, found)) {
                true => Located::Already,
                false => Located::All(open.found),
            };
        }
        // Where only space agrees with what a hunk would leave, it is not applied.
        if level >= Level::Whitespace {
            break;
        }
        let already = already(text, hunks, &open.found, level);
        open.already.iter_mut().zip(already).for_each(|(known, already)| *known |= already);
        if open.already.iter().zip(hunks).all(|(already, hunk)| *already || !hunk.changes()) {
            return Located::Already;
        }
    }
    for (found, already) in open.found.iter().zip(&mut open.already) {
        *already &= found.is_none();
    }
    Located::Some(open)
}

/// Aligns what is not found as a run; false where a hunk stays open.
pub(super) fn align_rest(text: &Text, hunks: &[Hunk], open: &mut Open, later: &[usize]) -> bool {
    let budget = Budget::new();
    let rest: Vec<usize> = open.open(hunks).filter(|number| !later.contains(number)).collect();
    rest.into_iter().all(|number| {
        let aligned = align(text, &hunks[number], &budget);
        let mut places: Vec<usize> = aligned.iter().map(|alignment| alignment.start).collect();
        places.sort_unstable();
        if aligned.is_empty() {
            return false;
        }
        open.found[number] =
            Some(Found { level: Level::Aligned, places: places.into(), aligned: Some(aligned.into()) });
        true
    })
}

/// The open hunks that stand, once and strictly, in what the other hunks leave: their writer made them one after
/// another.
pub(super) fn later(text: &Text, hunks: &[Hunk], open: &Open, crlf: bool) -> Vec<usize> {
    let Ok(chosen) = choose(text, hunks, &open.found, Side::Old) else { return Vec::new() };
    let placed: Vec<Placed> = chosen
        .iter()
        .enumerate()
        .filter_map(|(hunk, start)| {
            let level = open.found[hunk].as_ref()?.level;
            Some(Placed { hunk, start: (*start)?, level, aligned: None })
        })
        .collect();
    if placed.is_empty() {
        return Vec::new();
    }
    let Ok(mut after) = assemble(&text.lines, hunks, &placed, crlf) else { return Vec::new() };
    let mut rest: Vec<usize> = open.open(hunks).collect();
    let mut later = Vec::new();
    // One after another, each in what those before it leave; more than a few are no such series.
    while later.len() < LATER && later.len() * text.lines.len() < LINES {
        let text = Text::new(&after);
        let next = rest.iter().position(|number| stands(&text, &hunks[*number]).is_some());
        let Some(number) = next.map(|next| rest.remove(next)) else { break };
        let Some((_, next)) = follow(&text, hunks, number, crlf) else { break };
        after = next;
        later.push(number);
    }
    later
}

/// Where a hunk stands, strictly and once.
fn stands(text: &Text, hunk: &Hunk) -> Option<Found> {
    let strict = [Level::Exact, Level::TrailingSpace];
    let found = strict.into_iter().find_map(|level| text.find(hunk, Side::Old, level))?;
    (found.places.len() == 1).then_some(found)
}

/// A hunk applied to what other hunks left, and where it stood there.
pub(super) fn follow(text: &Text, hunks: &[Hunk], number: usize, crlf: bool) -> Option<(Found, String)> {
    let found = stands(text, &hunks[number])?;
    let placed = [Placed { hunk: number, start: found.places[0], level: found.level, aligned: None }];
    let after = assemble(&text.lines, hunks, &placed, crlf).ok()?;
    Some((found, after))
}

/// Whether a hunk that adds lines at one end of a file stands there with them, though not at that end without them.
fn added_at_edge(text: &Text, hunk: &Hunk, found: &Option<Found>) -> bool {
    let added = |line: Option<&Line>| line.is_some_and(|line| line.tag == Tag::Add);
    let (first, last) = (added(hunk.lines.first()), added(hunk.lines.last()));
    let (Some(found), true) =
        (found, first != last && !hunk.lines.iter().any(|line| line.tag == Tag::Remove))
    else {
        return false;
    };
    let Some(after) = text.find(hunk, Side::New, found.level) else { return false };
    let len = text.lines.len();
    let edge = |place: usize, lines: usize| if last { place + lines == len } else { place == 0 };
    let telling =
        hunk.lines.iter().any(|line| line.tag == Tag::Add && line.text().contains(char::is_alphanumeric));
    telling
        && !found.places.iter().any(|place| edge(*place, hunk.count(Tag::Add)))
        && after.places.iter().any(|place| edge(*place, hunk.count(Tag::Remove)))
}

/// Which hunks' results stand in the text while what they change does not.
fn already(text: &Text, hunks: &[Hunk], found: &[Option<Found>], level: Level) -> Vec<bool> {
    let result = |(hunk, found): (&Hunk, &Option<Found>)| match found {
        None if hunk.changes() => text.find(hunk, Side::New, level),
        _ => None,
    };
    let results: Vec<Option<Found>> = hunks.iter().zip(found).map(result).collect();
    let Ok(chosen) = choose(text, hunks, &results, Side::New) else { return vec![false; hunks.len()] };
    let stands = |(hunk, place): (&Hunk, Option<usize>)| place.is_some_and(|place| proves(hunk, place, text));
    hunks.iter().zip(chosen).map(stands).collect()
}

/// Whether a hunk's result at a place shows that the hunk was applied: its added lines are there to the letter, and
/// lines on both sides of what it only removes.
fn proves(hunk: &Hunk, place: usize, text: &Text) -> bool {
    let left: Vec<&Line> = hunk.lines.iter().filter(|line| line.tag != Tag::Remove).collect();
    let runs: Vec<&[Line]> = hunk.runs().collect();
    let closed = |(number, run): (usize, &&[Line])| {
        let adds = run.iter().any(|line| line.tag != Tag::Remove);
        let opens = number > 0 || place == 0;
        let closes = number + 1 < runs.len() || place + left.len() == text.lines.len();
        adds || opens && closes
    };
    let stands = |(line, own): (&&Line, &&str)| line.tag == Tag::Keep || line.text() == body(own);
    let adds = hunk.lines.iter().any(|line| line.tag == Tag::Add);
    // Where it only removes, what it removes has to be gone.
    let gone = || {
        let removed = hunk.lines.iter().filter(|line| line.tag == Tag::Remove);
        let telling: Vec<&str> = removed.map(Line::text).filter(|line| weight(line) >= TELLING).collect();
        let there = telling.iter().filter(|line| text.index(Level::Exact).has(line)).count();
        2 * there <= telling.len()
    };
    (adds || gone())
        && left.iter().any(|line| line.text().contains(char::is_alphanumeric))
        && left.iter().zip(&text.lines[place..]).all(stands)
        && runs.iter().enumerate().all(closed)
}
