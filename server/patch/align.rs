//! The alignment of a hunk whose lines are not in one run: matched line by line, in order.
//!
//! Lines that it removes have to stand in the file, each run of them in one piece. Context may skip lines, leave
//! some out behind a mark such as `...`, differ by a few letters, or be wrapped otherwise. What it adds needs a
//! neighbour that matches. Places that are nearly as good are rivals: they are returned too, the best first.

mod chain;
mod elision;
mod fill;
mod inserts;
mod items;
mod seams;
mod similar;

use std::cell::Cell;

use super::hunk::{DiffHunk, LineTag};
use super::index::strip_space;
use super::lines::line_body;
use super::place::HunkSide;
use super::text::IndexedText;
use chain::ItemChain;
use fill::LinePlacement;
use inserts::insert_places;
use items::HunkItems;
use seams::{best_whole_chain, find_seam};

pub(super) use elision::leaves_out;
pub(super) use similar::is_cut_of;

/// The part of a hunk that has to match, by the weight of its lines.
const ENOUGH: f64 = 0.55;
/// The part of a hunk that only adds lines, if the file has other lines next to them.
const SURE: f64 = 0.75;
/// A place with this share of the best one's score is its rival.
const RIVAL: f64 = 0.8;
/// The surplus of a hunk that may match in order elsewhere, if its removed lines do not.
const SURPLUS: f64 = 0.3;
/// Lines with at least this similarity are one line, changed.
const ALIKE: f64 = 0.8;
/// A line of this weight indicates its position.
pub(super) const TELLING: f64 = 0.4;
/// The number of lines that may be skipped at low cost.
const NEAR: usize = 3;
/// The lowest cost of a hunk in the budget.
const HUNK: usize = 5_000;
/// The number of rivals that are looked for.
const RIVALS: usize = 4;

/// The positions of a hunk's lines in the file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Alignment {
    /// The line where the hunk begins, counted from 0.
    pub start: usize,
    /// The line of the file for each line that it expects.
    pub spots: Vec<Option<usize>>,
    /// The line of the file before which each run of only added lines goes.
    pub inserts: Vec<usize>,
    /// The matched share of each expected line, from 0 to 1.
    pub shares: Vec<f64>,
    /// The matched share of the whole hunk.
    pub score: f64,
    /// True if the lines that the hunk removes are missing, so that it cannot be applied.
    pub stale: bool,
    /// True if the file has another line in place of a context line next to a change.
    pub replaced: bool,
}

/// The budget of work for aligning one diff, so that no text makes it endless.
pub(super) struct AlignBudget(Cell<usize>);

impl AlignBudget {
    pub(super) fn new() -> Self {
        Self(Cell::new(60_000_000))
    }

    /// Takes a part of what is left; false if that is not enough.
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

/// The places where enough of a hunk matches, the best first; none if there is no such place.
pub(super) fn align_hunk(text: &IndexedText, hunk: &DiffHunk, budget: &AlignBudget) -> Vec<Alignment> {
    if !budget.spend(HUNK) {
        return Vec::new();
    }
    // A hunk without any change may have lost its signs.
    let Some(items) = HunkItems::new(text, hunk).filter(|_| hunk.has_change()) else { return Vec::new() };
    let Some((best, filled)) = best_whole_chain(text, &items, budget) else { return Vec::new() };
    let Some(first) = build_alignment(text, hunk, &items, filled) else { return Vec::new() };
    let mut found = vec![first];
    let known = |found: &mut Vec<Alignment>, rival: Alignment| {
        let lesser = rival.replaced && !found[0].replaced && rival.score < found[0].score;
        let rivals =
            rival.score >= RIVAL * found[0].score && !lesser && !items.is_clearly_better(&found[0], &rival);
        if rivals && !found.iter().any(|known| same_change(hunk, known, &rival)) {
            found.push(rival);
        }
    };
    // Each change put elsewhere, all else free.
    for change in items.changes() {
        let mut barred: Vec<(usize, usize)> = Vec::new();
        let mut taken = best.clone();
        for _ in 0..RIVALS {
            barred.extend(change.iter().filter_map(|item| Some((*item, taken.place_of(*item)?))));
            let Some(other) = ItemChain::best(&items, &barred, budget) else { break };
            if other.score < RIVAL * best.score || other.picks == taken.picks {
                break;
            }
            if let Some(rival) = settle_chain(text, hunk, &items, &other, budget) {
                known(&mut found, rival);
            }
            taken = other;
        }
    }
    // If its other lines match without the removed ones, that may be its changed place: a place that still has the
    // removed lines is then only similar.
    let soft = items.to_soft(text);
    let Some(all) = ItemChain::best(&soft, &[], budget) else { return Vec::new() };
    let surplus = |all: &ItemChain| all.score > best.score + SURPLUS;
    // If more of it matches in order than at any single place, that is no evidence.
    if surplus(&all) && best_whole_chain(text, &soft, budget).is_none_or(|(all, _)| surplus(&all)) {
        return Vec::new();
    }
    let mut barred = soft.items_of(&found[0]);
    for _ in 0..RIVALS {
        // The rest of it, found line by line, could not make up for less.
        let Some(other) =
            ItemChain::best(&soft, &barred, budget).filter(|other| 2.0 * other.score >= best.score)
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
fn settle_stale(
    text: &IndexedText,
    items: &HunkItems,
    chain: &ItemChain,
    budget: &AlignBudget,
) -> Option<(Alignment, bool)> {
    let filled = fill::fill_gaps(text, items, chain, budget)?;
    let torn = find_seam(text, items, &filled).is_some();
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
fn settle_chain(
    text: &IndexedText,
    hunk: &DiffHunk,
    items: &HunkItems,
    chain: &ItemChain,
    budget: &AlignBudget,
) -> Option<Alignment> {
    let filled = fill::fill_gaps(text, items, chain, budget)?;
    if find_seam(text, items, &filled).is_some() {
        return None;
    }
    build_alignment(text, hunk, items, filled)
}

/// The alignment of lines that are not of two places, if it holds enough of the hunk.
fn build_alignment(
    text: &IndexedText,
    hunk: &DiffHunk,
    items: &HunkItems,
    filled: LinePlacement,
) -> Option<Alignment> {
    let (weight, all) = items.weights(&filled.shares);
    let score = weight / all;
    if score < ENOUGH || !items.is_proven(&filled.shares) && !stands_whole(text, hunk, items, &filled) {
        return None;
    }
    if has_unknown_context(items, &filled) {
        return None;
    }
    let (inserts, replaced) = insert_places(text, hunk, &filled, items)?;
    let removes = (0..items.old.len()).any(|line| items.is_removed(line));
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

/// Returns whether a hunk matches as one run, and in the right place: the removed lines are where its header places them, or
/// every telling line nearly matches to the letter; or each line except shortened ones matches to the letter.
fn stands_whole(text: &IndexedText, hunk: &DiffHunk, items: &HunkItems, filled: &LinePlacement) -> bool {
    let placed = (0..items.old.len()).find_map(|line| filled.spots[line]?.checked_sub(line));
    let Some(start) = placed else { return false };
    let stated = stated_there(hunk, filled);
    let here = |line: usize| filled.spots[line] == Some(start + line);
    let exact = |line: usize| here(line) && filled.shares[line] > 0.99;
    let cut = |line: usize| {
        let own = text.lines.get(start + line).map(|own| strip_space(line_body(own)));
        here(line) && own.is_some_and(|own| similar::is_cut_of(&strip_space(items.old[line]), &own))
    };
    let telling = |line: &usize| line_weight(items.old[*line]) >= TELLING;
    let mut lines = 0..items.old.len();
    if stated && lines.clone().any(|line| items.is_removed(line) && telling(&line) && exact(line)) {
        return lines.all(|line| !items.is_removed(line) || exact(line));
    }
    let light = |line: usize| line_weight(items.old[line]) < 0.2;
    let count = lines.clone().filter(telling).count();
    match stated {
        true => count >= 1 && lines.clone().any(exact) && lines.all(|line| here(line) || light(line)),
        false => {
            let anchored = lines.clone().any(|line| telling(&line) && exact(line));
            count >= 2 && anchored && lines.all(|line| exact(line) || cut(line) || light(line))
        }
    }
}

/// Returns whether the lines of a hunk are where its header places them.
fn stated_there(hunk: &DiffHunk, filled: &LinePlacement) -> bool {
    let placed = filled.spots.iter().enumerate().find_map(|(line, spot)| (*spot)?.checked_sub(line));
    hunk.stated.as_ref().is_some_and(|stated| placed == Some(HunkSide::Old.hinted_line(stated)))
}

/// Returns whether the file has no line in the place of a telling context line: it may be an added line that lost its
/// sign.
fn has_unknown_context(items: &HunkItems, filled: &LinePlacement) -> bool {
    (0..items.old.len()).any(|line| {
        let before = || filled.ends[..line].iter().rev().find_map(|end| *end);
        let after = || filled.spots[line..].iter().find_map(|spot| *spot);
        let known =
            filled.spots[line].is_some() || items.is_elided(line) || line_weight(items.old[line]) < TELLING;
        !known && before().zip(after()).is_some_and(|(before, after)| before + 1 == after)
    })
}

/// Returns whether two alignments remove and add at the same places.
fn same_change(hunk: &DiffHunk, one: &Alignment, other: &Alignment) -> bool {
    let old = hunk.lines.iter().filter(|line| line.tag != LineTag::Add);
    let removed = old.enumerate().filter(|(_, line)| line.tag == LineTag::Remove).map(|(at, _)| at);
    !one.stale
        && !other.stale
        && one.inserts == other.inserts
        && removed.into_iter().all(|at| one.spots[at] == other.spots[at])
}

/// The weight of a line: the evidence that it gives for its position.
pub(super) fn line_weight(line: &str) -> f64 {
    let letters = strip_space(line).chars().filter(|c| c.is_alphanumeric()).count();
    match letters {
        0 if line.trim().is_empty() => 0.05,
        0 => 0.15,
        letters => 0.25 + 0.75 * (letters.min(20) as f64 / 20.0),
    }
}
