//! A hunk whose lines do not stand as one run: matched line by line, in order.
//!
//! Lines that it removes have to stand in the file, each run of them in one piece. Context may skip lines, leave
//! some out behind a mark such as `...`, differ by a few letters, or be wrapped otherwise. What it adds needs a
//! neighbour that matches. Places that are nearly as good are rivals: they are returned too, the best first.

mod chain;
mod elided;
mod fill;
mod inserts;
mod items;
mod similar;
mod torn;

use std::cell::Cell;

use super::hunk::{Hunk, Tag};
use super::index::dense;
use super::lines::body;
use super::place::Side;
use super::text::Text;
use chain::Chain;
use fill::Filled;
use inserts::inserts;
use items::Items;
use torn::{torn, untorn};

pub(super) use elided::leaves_out;
pub(super) use similar::cut;

/// How much of a hunk has to match, by the weight of its lines.
const ENOUGH: f64 = 0.55;
/// How much of one that only adds lines, where the file has other lines beside them.
const SURE: f64 = 0.75;
/// A place with this share of the best one's score is its rival.
const RIVAL: f64 = 0.8;
/// How much more of a hunk may stand in order where its removed lines do not.
const SURPLUS: f64 = 0.3;
/// Lines at least so alike are one line, changed.
const ALIKE: f64 = 0.8;
/// A line of such a weight tells something of where it stands.
pub(super) const TELLING: f64 = 0.4;
/// How many lines may be passed over lightly.
const NEAR: usize = 3;
/// What a hunk costs of the budget at least.
const HUNK: usize = 5_000;
/// How many rivals are looked for.
const RIVALS: usize = 4;

/// Where the lines of a hunk stand.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Alignment {
    /// Where the hunk begins, counted from 0.
    pub start: usize,
    /// For each line that it expects, the line of the file.
    pub spots: Vec<Option<usize>>,
    /// For each run of lines that it only adds, the line of the file before which they go.
    pub inserts: Vec<usize>,
    /// How much of each line that it expects matched, from 0 to 1.
    pub shares: Vec<f64>,
    /// How much of all of it did.
    pub score: f64,
    /// Whether what the hunk removes is not there, so that it cannot be applied.
    pub stale: bool,
    /// Whether another line stands where the hunk has context beside a change.
    pub replaced: bool,
}

/// How much work aligning may take for one diff, so that no text makes it endless.
pub(super) struct Budget(Cell<usize>);

impl Budget {
    pub(super) fn new() -> Self {
        Self(Cell::new(60_000_000))
    }

    /// Takes a part of what is left; false where that is not enough.
    fn spend(&self, amount: usize) -> bool {
        match self.0.get().checked_sub(amount) {
            Some(left) => {
                self.0.set(left);
                true
            }
            None => {
                self.0.set(0);
                false
            }
        }
    }
}

/// The places where enough of a hunk matches, the best first; none where there is no such place.
pub(super) fn align(text: &Text, hunk: &Hunk, budget: &Budget) -> Vec<Alignment> {
    if !budget.spend(HUNK) {
        return Vec::new();
    }
    // One that states no change may have lost its signs.
    let Some(items) = Items::new(text, hunk).filter(|_| hunk.changes()) else { return Vec::new() };
    let Some((best, filled)) = untorn(text, &items, budget) else { return Vec::new() };
    let Some(first) = settled(text, hunk, &items, filled) else { return Vec::new() };
    let mut found = vec![first];
    let known = |found: &mut Vec<Alignment>, rival: Alignment| {
        let lesser = rival.replaced && !found[0].replaced && rival.score < found[0].score;
        let rivals = rival.score >= RIVAL * found[0].score && !lesser && !items.clearly(&found[0], &rival);
        if rivals && !found.iter().any(|known| same_change(hunk, known, &rival)) {
            found.push(rival);
        }
    };
    // Each change put elsewhere, all else free.
    for change in items.changes() {
        let mut barred: Vec<(usize, usize)> = Vec::new();
        let mut taken = best.clone();
        for _ in 0..RIVALS {
            barred.extend(change.iter().filter_map(|item| Some((*item, taken.place(*item)?))));
            let Some(other) = Chain::best(&items, &barred, budget) else { break };
            if other.score < RIVAL * best.score || other.picks == taken.picks {
                break;
            }
            if let Some(rival) = settle(text, hunk, &items, &other, budget) {
                known(&mut found, rival);
            }
            taken = other;
        }
    }
    // Where its lines stand but for those that it removes, it may be what became of its place: a place that still
    // has those is then only a sibling.
    let soft = items.soft(text);
    let Some(all) = Chain::best(&soft, &[], budget) else { return Vec::new() };
    let surplus = |all: &Chain| all.score > best.score + SURPLUS;
    // More of it than stands in any one place tells nothing.
    if surplus(&all) && untorn(text, &soft, budget).is_none_or(|(all, _)| surplus(&all)) {
        return Vec::new();
    }
    let mut barred = soft.of(&found[0]);
    for _ in 0..RIVALS {
        // What is left of it to find line by line could not make up for less.
        let Some(other) = Chain::best(&soft, &barred, budget).filter(|other| 2.0 * other.score >= best.score)
        else {
            break;
        };
        let Some((stale, torn)) = settle_stale(text, &soft, &other, budget) else { break };
        barred.extend(other.picks);
        if !torn && soft.better_somewhere(&stale, &found[0]) {
            known(&mut found, stale);
        }
    }
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    found
}

/// A place that has much of a hunk, but not what it removes, and whether it is put together from two.
fn settle_stale(text: &Text, items: &Items, chain: &Chain, budget: &Budget) -> Option<(Alignment, bool)> {
    let filled = fill::fill(text, items, chain, budget)?;
    let torn = torn(text, items, &filled).is_some();
    let (weight, all) = items.weights(&filled.shares);
    let (first, spot) = filled.spots.iter().enumerate().find_map(|(at, spot)| Some((at, (*spot)?)))?;
    let (spots, shares) = (filled.spots, filled.shares);
    let start = spot.saturating_sub(first);
    let stale = Alignment {
        start,
        spots,
        shares,
        inserts: Vec::new(),
        score: weight / all,
        stale: true,
        replaced: false,
    };
    Some((stale, torn))
}

/// The whole alignment around a chain of lines, if it holds enough of the hunk.
fn settle(text: &Text, hunk: &Hunk, items: &Items, chain: &Chain, budget: &Budget) -> Option<Alignment> {
    let filled = fill::fill(text, items, chain, budget)?;
    if torn(text, items, &filled).is_some() {
        return None;
    }
    settled(text, hunk, items, filled)
}

/// The alignment of lines that are not of two places, if it holds enough of the hunk.
fn settled(text: &Text, hunk: &Hunk, items: &Items, filled: Filled) -> Option<Alignment> {
    let (weight, all) = items.weights(&filled.shares);
    let score = weight / all;
    if score < ENOUGH || !items.proven(&filled.shares) && !whole(text, hunk, items, &filled) {
        return None;
    }
    if unknown(items, &filled) {
        return None;
    }
    let (inserts, replaced) = inserts(text, hunk, &filled, items)?;
    let removes = (0..items.old.len()).any(|line| items.removed(line));
    if replaced && !removes && score < SURE && !stated_there(hunk, &filled) {
        return None;
    }
    let (first, spot) = filled.spots.iter().enumerate().find_map(|(at, spot)| Some((at, (*spot)?)))?;
    let (spots, shares) = (filled.spots, filled.shares);
    Some(Alignment {
        start: spot.saturating_sub(first),
        spots,
        inserts,
        shares,
        score,
        stale: false,
        replaced,
    })
}

/// Whether a hunk stands as one run, and in the right place: what it removes is where its header says, or every telling
/// line is, nearly to the letter; or each line but for ones cut short stands to the letter.
fn whole(text: &Text, hunk: &Hunk, items: &Items, filled: &Filled) -> bool {
    let placed = (0..items.old.len()).find_map(|line| filled.spots[line]?.checked_sub(line));
    let Some(start) = placed else { return false };
    let stated = stated_there(hunk, filled);
    let here = |line: usize| filled.spots[line] == Some(start + line);
    let exact = |line: usize| here(line) && filled.shares[line] > 0.99;
    let cut = |line: usize| {
        let own = text.lines.get(start + line).map(|own| dense(body(own)));
        here(line) && own.is_some_and(|own| similar::cut(&dense(items.old[line]), &own))
    };
    let telling = |line: &usize| weight(items.old[*line]) >= TELLING;
    let mut lines = 0..items.old.len();
    if stated && lines.clone().any(|line| items.removed(line) && telling(&line) && exact(line)) {
        return lines.all(|line| !items.removed(line) || exact(line));
    }
    let light = |line: usize| weight(items.old[line]) < 0.2;
    let count = lines.clone().filter(telling).count();
    match stated {
        true => count >= 1 && lines.clone().any(exact) && lines.all(|line| here(line) || light(line)),
        false => {
            let anchored = lines.clone().any(|line| telling(&line) && exact(line));
            count >= 2 && anchored && lines.all(|line| exact(line) || cut(line) || light(line))
        }
    }
}

/// Whether the lines of a hunk stand where its header says.
fn stated_there(hunk: &Hunk, filled: &Filled) -> bool {
    let placed = filled.spots.iter().enumerate().find_map(|(line, spot)| (*spot)?.checked_sub(line));
    hunk.stated.as_ref().is_some_and(|stated| placed == Some(Side::Old.hint(stated)))
}

/// Whether the file has nothing at all in the place of a telling line of context: it may be an added line that lost its
/// sign.
fn unknown(items: &Items, filled: &Filled) -> bool {
    (0..items.old.len()).any(|line| {
        let before = || filled.ends[..line].iter().rev().find_map(|end| *end);
        let after = || filled.spots[line..].iter().find_map(|spot| *spot);
        let known = filled.spots[line].is_some() || items.elided(line) || weight(items.old[line]) < TELLING;
        !known && before().zip(after()).is_some_and(|(before, after)| before + 1 == after)
    })
}

/// Whether two alignments remove and add at the same places.
fn same_change(hunk: &Hunk, one: &Alignment, other: &Alignment) -> bool {
    let old = hunk.lines.iter().filter(|line| line.tag != Tag::Add);
    let removed = old.enumerate().filter(|(_, line)| line.tag == Tag::Remove).map(|(at, _)| at);
    !one.stale
        && !other.stale
        && one.inserts == other.inserts
        && removed.into_iter().all(|at| one.spots[at] == other.spots[at])
}

/// The weight of a line: how much it tells of where it stands.
pub(super) fn weight(line: &str) -> f64 {
    let letters = dense(line).chars().filter(|c| c.is_alphanumeric()).count();
    match letters {
        0 if line.trim().is_empty() => 0.05,
        0 => 0.15,
        letters => 0.25 + 0.75 * (letters.min(20) as f64 / 20.0),
    }
}
