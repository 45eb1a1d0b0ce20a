//! The lines of a hunk as items to place: a run of removed lines is one, each line of context another.

use std::ops::Range;
use std::rc::Rc;

use super::super::MatchLevel;
use super::super::hunk::{DiffHunk, LineTag};
use super::super::index::strip_space;
use super::super::text::IndexedText;
use super::{Alignment, TELLING, elision, line_weight};

/// The highest number of places of all the items of a hunk.
const PAIRS: usize = 6000;

/// An item.
pub(super) struct HunkItem {
    /// Its first line among those that the hunk expects, and their number.
    pub first: usize,
    pub len: usize,
    pub weight: f64,
    /// True if it is removed, and so has to be in the file.
    pub must: bool,
    /// Its positions in the file.
    pub places: Rc<[usize]>,
}

/// A hunk's items.
pub(super) struct HunkItems<'h> {
    pub list: Vec<HunkItem>,
    /// The lines that the hunk expects.
    pub old: Vec<&'h str>,
    removed: Vec<bool>,
    weights: Vec<f64>,
    elided: Vec<bool>,
    /// The items that indicate the position of each change.
    changes: Vec<Vec<usize>>,
    /// The expected lines before which the hunk only adds some.
    inserts: Vec<usize>,
}

impl<'h> HunkItems<'h> {
    /// `None` if removed lines stand nowhere, or in too many places.
    pub(super) fn new(text: &IndexedText, hunk: &'h DiffHunk) -> Option<Self> {
        let index = text.index(MatchLevel::Whitespace);
        let old = hunk.old_lines();
        let kept = hunk.lines.iter().filter(|line| line.tag != LineTag::Add);
        let removed: Vec<bool> = kept.map(|line| line.tag == LineTag::Remove).collect();
        let elided: Vec<bool> = old
            .iter()
            .zip(&removed)
            .map(|(line, removed)| !removed && elision::is_elision_mark(line) && !index.has_line(line))
            .collect();
        let weights: Vec<f64> = old
            .iter()
            .zip(&elided)
            .map(|(line, elided)| if *elided { 0.0 } else { line_weight(line) })
            .collect();
        let (list, changes, inserts) = (Vec::new(), Vec::new(), Vec::new());
        let mut items = Self { list, old, removed, weights, elided, changes, inserts };
        let mut at = 0;
        for run in hunk.runs() {
            let len = run.iter().filter(|line| line.tag != LineTag::Add).count();
            if run.iter().all(|line| line.tag == LineTag::Keep) {
                (at..at + len).for_each(|line| items.add_context(text, line));
            } else if len > 0 {
                // It may match to the letter at a similar place, and at its own with other space.
                let places = index.find_run(&items.old[at..at + len]);
                if places.is_empty() {
                    return None;
                }
                let weight = items.weights[at..at + len].iter().sum();
                items.changes.push(vec![items.list.len()]);
                items.list.push(HunkItem { first: at, len, weight, must: true, places });
            }
            at += len;
        }
        items.drop_common()?;
        items.note_neighbours(hunk);
        Some(items)
    }

    fn add_context(&mut self, text: &IndexedText, line: usize) {
        if self.elided[line] || strip_space(self.old[line]).is_empty() {
            return;
        }
        let places = text.index(MatchLevel::Whitespace).find_run(&self.old[line..=line]);
        if !places.is_empty() {
            self.list.push(HunkItem { first: line, len: 1, weight: self.weights[line], must: false, places });
        }
    }

    /// Drops context with many places, until the rest can be tried.
    fn drop_common(&mut self) -> Option<()> {
        for most in [64, 16, 4, 1] {
            if self.count_places() <= PAIRS {
                break;
            }
            for item in self.list.iter_mut().filter(|item| !item.must && item.places.len() > most) {
                item.places = Rc::default();
            }
        }
        (self.count_places() <= PAIRS).then_some(())
    }

    fn count_places(&self) -> usize {
        self.list.iter().map(|item| item.places.len()).sum()
    }

    /// The items with removed lines treated like others: each alone, and none required.
    pub(super) fn to_soft(&self, text: &IndexedText) -> Self {
        let list = Vec::new();
        let (old, removed, weights) = (self.old.clone(), vec![false; self.old.len()], self.weights.clone());
        let (elided, inserts) = (self.elided.clone(), self.inserts.clone());
        let mut soft = Self { list, old, removed, weights, elided, changes: Vec::new(), inserts };
        (0..self.old.len()).for_each(|line| soft.add_context(text, line));
        // Lines that are too common here give no more evidence than the rest.
        if soft.drop_common().is_none() {
            soft.list.clear();
        }
        soft
    }

    /// Returns its items at the places of an alignment.
    pub(super) fn items_of(&self, alignment: &Alignment) -> Vec<(usize, usize)> {
        let at = |(number, item): (usize, &HunkItem)| Some((number, (*alignment.spots.get(item.first)?)?));
        self.list.iter().enumerate().filter_map(at).collect()
    }

    /// Returns whether one place has a better line than another does, or has its lines closer together.
    pub(super) fn better_somewhere(&self, one: &Alignment, other: &Alignment) -> bool {
        let mut shares = one.shares.iter().zip(&other.shares).zip(&self.weights);
        self.passed_over(one) + 1 < self.passed_over(other)
            || shares.any(|((one, other), weight)| *weight >= 0.1 && *one > other + 0.02)
    }

    /// The number of file lines between those of an alignment, except at elision marks.
    fn passed_over(&self, alignment: &Alignment) -> usize {
        let placed = alignment.spots.iter().enumerate().filter_map(|(line, spot)| Some((line, (*spot)?)));
        let placed: Vec<(usize, usize)> = placed.collect();
        let gap = |pair: &[(usize, usize)]| match (pair[0].0..pair[1].0).any(|line| self.is_elided(line)) {
            true => 0,
            false => pair[1].1.saturating_sub(pair[0].1).saturating_sub(pair[1].0 - pair[0].0),
        };
        placed.windows(2).map(gap).sum()
    }

    /// Returns whether one place has all that another has, and two telling lines that the other lacks.
    pub(super) fn is_clearly_better(&self, best: &Alignment, rival: &Alignment) -> bool {
        let lacks = |has: &Alignment, lacks: &Alignment| {
            let shares = has.shares.iter().zip(&lacks.shares).zip(&self.weights);
            shares
                .filter(|((has, lacks), weight)| **weight >= TELLING && **has > 0.99 && **lacks < 0.01)
                .count()
        };
        best.score >= 0.95 && lacks(best, rival) >= 2 && lacks(rival, best) == 0
    }

    /// Notes the neighbours of each run that only adds lines.
    fn note_neighbours(&mut self, hunk: &DiffHunk) {
        let mut at = 0;
        for run in hunk.runs() {
            let len = run.iter().filter(|line| line.tag != LineTag::Add).count();
            if len == 0 {
                let before =
                    self.list.iter().rposition(|item| item.first + item.len <= at && at - item.first <= 2);
                let after = self.list.iter().position(|item| item.first >= at && item.first - at <= 1);
                self.changes.push(before.into_iter().chain(after).collect());
                self.inserts.push(at);
            }
            at += len;
        }
    }

    /// Returns for each change the items that indicate its position.
    pub(super) fn changes(&self) -> impl Iterator<Item = &[usize]> {
        self.changes.iter().map(Vec::as_slice)
    }

    /// Returns whether a line is an elision mark.
    pub(super) fn is_elided(&self, line: usize) -> bool {
        self.elided.get(line).copied().unwrap_or(false)
    }

    /// Returns whether a line is removed.
    pub(super) fn is_removed(&self, line: usize) -> bool {
        self.removed.get(line).copied().unwrap_or(false)
    }

    /// Returns whether the placed lines in a range are one or two of context, and the others many.
    pub(super) fn is_stray(&self, placed: &[usize], range: Range<usize>) -> bool {
        let here = placed.iter().filter(|line| range.contains(line)).count();
        let changes = range.clone().any(|line| self.is_removed(line));
        here <= 2 && !changes && placed.len() - here >= 4
    }

    /// The items on one side of a line, at their places and at those further from the other side: the side with no
    /// change, or else with less; none if both have one.
    pub(super) fn lesser_side(&self, picks: &[(usize, usize)], line: usize) -> Vec<(usize, usize)> {
        let side =
            |head: bool| picks.iter().filter(move |(item, _)| (self.list[*item].first <= line) == head);
        let heft = |head: bool| -> (bool, f64) {
            let musts = side(head).any(|(item, _)| self.list[*item].must);
            (musts, side(head).map(|(item, _)| self.list[*item].weight).sum())
        };
        let (head, tail) = (heft(true), heft(false));
        // Lines that are added next to others go with them.
        let adds = |head: bool| self.inserts.iter().any(|at| if head { *at <= line + 1 } else { *at > line });
        if (head.0 || adds(true)) && (tail.0 || adds(false)) {
            return Vec::new();
        }
        let (head, tail) = ((head.0 || adds(true), head.1), (tail.0 || adds(false), tail.1));
        let lesser = if head.0 != tail.0 { tail.0 } else { head.1 < tail.1 };
        let beyond = |&(item, place): &(usize, usize)| {
            let further = move |other: &&usize| if lesser { **other <= place } else { **other >= place };
            self.list[item].places.iter().filter(further).map(move |other| (item, *other))
        };
        side(lesser).flat_map(beyond).collect()
    }

    /// The matched weight and that of the whole hunk.
    pub(super) fn weights(&self, shares: &[f64]) -> (f64, f64) {
        let matched = self.weights.iter().zip(shares).map(|(weight, share)| weight * share).sum();
        (matched, self.weights.iter().sum::<f64>().max(f64::MIN_POSITIVE))
    }

    /// Returns whether the match is more than a chance: two telling lines and half of the weight to the letter, or
    /// nearly all of it around lines that are removed.
    pub(super) fn is_proven(&self, shares: &[f64]) -> bool {
        let exact = |line: usize| shares[line] > 0.99;
        let telling = (0..shares.len()).filter(|line| exact(*line) && self.weights[*line] >= TELLING).count();
        let weight: f64 = (0..shares.len()).filter(|line| exact(*line)).map(|line| self.weights[line]).sum();
        let all: f64 = self.weights.iter().sum();
        let nearly = shares.iter().zip(&self.weights).all(|(share, weight)| *share > 0.0 || *weight < 0.2);
        let half = 2.0 * weight >= all;
        let around = || nearly && 3.0 * weight >= all && self.removed.contains(&true);
        telling >= 2 && half || telling >= 1 && (half && nearly || around())
    }
}
