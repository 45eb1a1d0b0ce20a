//! The lines of a hunk as items to place: a run of removed lines is one, each line of context another.

use std::ops::Range;
use std::rc::Rc;

use super::super::Level;
use super::super::hunk::{Hunk, Tag};
use super::super::index::dense;
use super::super::text::Text;
use super::{Alignment, TELLING, elided, weight};

/// How many places in all the items of a hunk may have.
const PAIRS: usize = 6000;

/// One item.
pub(super) struct Item {
    /// Its first line among those that the hunk expects, and how many it has.
    pub first: usize,
    pub len: usize,
    pub weight: f64,
    /// Whether it is removed, and so has to stand in the file.
    pub must: bool,
    /// Where it stands.
    pub places: Rc<[usize]>,
}

/// A hunk's items.
pub(super) struct Items<'h> {
    pub list: Vec<Item>,
    /// The lines that the hunk expects.
    pub old: Vec<&'h str>,
    removed: Vec<bool>,
    weights: Vec<f64>,
    elided: Vec<bool>,
    /// Which items tell where each change goes.
    changes: Vec<Vec<usize>>,
    /// Before which of the lines that the hunk expects it only adds some.
    inserts: Vec<usize>,
}

impl<'h> Items<'h> {
    /// None where removed lines stand nowhere, or in too many places.
    pub(super) fn new(text: &Text, hunk: &'h Hunk) -> Option<Self> {
        let index = text.index(Level::Whitespace);
        let old = hunk.old();
        let kept = hunk.lines.iter().filter(|line| line.tag != Tag::Add);
        let removed: Vec<bool> = kept.map(|line| line.tag == Tag::Remove).collect();
        let elided: Vec<bool> = old
            .iter()
            .zip(&removed)
            .map(|(line, removed)| !removed && elided::marks(line) && !index.has(line))
            .collect();
        let weights: Vec<f64> =
            old.iter().zip(&elided).map(|(line, elided)| if *elided { 0.0 } else { weight(line) }).collect();
        let (list, changes, inserts) = (Vec::new(), Vec::new(), Vec::new());
        let mut items = Self { list, old, removed, weights, elided, changes, inserts };
        let mut at = 0;
        for run in hunk.runs() {
            let len = run.iter().filter(|line| line.tag != Tag::Add).count();
            if run.iter().all(|line| line.tag == Tag::Keep) {
                (at..at + len).for_each(|line| items.keep(text, line));
            } else if len > 0 {
                // To the letter it may stand in a place like its own, and in its own with other space.
                let places = index.find(&items.old[at..at + len]);
                if places.is_empty() {
                    return None;
                }
                let weight = items.weights[at..at + len].iter().sum();
                items.changes.push(vec![items.list.len()]);
                items.list.push(Item { first: at, len, weight, must: true, places });
            }
            at += len;
        }
        items.thin()?;
        items.beside(hunk);
        Some(items)
    }

    fn keep(&mut self, text: &Text, line: usize) {
        if self.elided[line] || dense(self.old[line]).is_empty() {
            return;
        }
        let places = text.index(Level::Whitespace).find(&self.old[line..=line]);
        if !places.is_empty() {
            self.list.push(Item { first: line, len: 1, weight: self.weights[line], must: false, places });
        }
    }

    /// Leaves out context that stands in many places, until what is left can be tried.
    fn thin(&mut self) -> Option<()> {
        for most in [64, 16, 4, 1] {
            if self.pairs() <= PAIRS {
                break;
            }
            for item in self.list.iter_mut().filter(|item| !item.must && item.places.len() > most) {
                item.places = Rc::default();
            }
        }
        (self.pairs() <= PAIRS).then_some(())
    }

    fn pairs(&self) -> usize {
        self.list.iter().map(|item| item.places.len()).sum()
    }

    /// The same with removed lines as good as others: each alone, and none of them a must.
    pub(super) fn soft(&self, text: &Text) -> Self {
        let list = Vec::new();
        let (old, removed, weights) = (self.old.clone(), vec![false; self.old.len()], self.weights.clone());
        let (elided, inserts) = (self.elided.clone(), self.inserts.clone());
        let mut soft = Self { list, old, removed, weights, elided, changes: Vec::new(), inserts };
        (0..self.old.len()).for_each(|line| soft.keep(text, line));
        // What is too common to be tried here could not tell more than the rest.
        if soft.thin().is_none() {
            soft.list.clear();
        }
        soft
    }

    /// Its items at the places where an alignment has them.
    pub(super) fn of(&self, alignment: &Alignment) -> Vec<(usize, usize)> {
        let at = |(number, item): (usize, &Item)| Some((number, (*alignment.spots.get(item.first)?)?));
        self.list.iter().enumerate().filter_map(at).collect()
    }

    /// Whether one place has a line better than another does, or has them closer together.
    pub(super) fn better_somewhere(&self, one: &Alignment, other: &Alignment) -> bool {
        let mut shares = one.shares.iter().zip(&other.shares).zip(&self.weights);
        self.passed_over(one) + 1 < self.passed_over(other)
            || shares.any(|((one, other), weight)| *weight >= 0.1 && *one > other + 0.02)
    }

    /// How many lines of the file lie between those of an alignment, where no mark stands for them.
    fn passed_over(&self, alignment: &Alignment) -> usize {
        let placed = alignment.spots.iter().enumerate().filter_map(|(line, spot)| Some((line, (*spot)?)));
        let placed: Vec<(usize, usize)> = placed.collect();
        let gap = |pair: &[(usize, usize)]| match (pair[0].0..pair[1].0).any(|line| self.elided(line)) {
            true => 0,
            false => pair[1].1.saturating_sub(pair[0].1).saturating_sub(pair[1].0 - pair[0].0),
        };
        placed.windows(2).map(gap).sum()
    }

    /// Whether one place has all that another has, and two telling lines that the other lacks.
    pub(super) fn clearly(&self, best: &Alignment, rival: &Alignment) -> bool {
        let lacks = |has: &Alignment, lacks: &Alignment| {
            let shares = has.shares.iter().zip(&lacks.shares).zip(&self.weights);
            shares
                .filter(|((has, lacks), weight)| **weight >= TELLING && **has > 0.99 && **lacks < 0.01)
                .count()
        };
        best.score >= 0.95 && lacks(best, rival) >= 2 && lacks(rival, best) == 0
    }

    /// Notes the neighbours of each run that only adds lines.
    fn beside(&mut self, hunk: &Hunk) {
        let mut at = 0;
        for run in hunk.runs() {
            let len = run.iter().filter(|line| line.tag != Tag::Add).count();
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

    /// For each change the items that tell where it goes.
    pub(super) fn changes(&self) -> impl Iterator<Item = &[usize]> {
        self.changes.iter().map(Vec::as_slice)
    }

    /// Whether a line stands for lines left out.
    pub(super) fn elided(&self, line: usize) -> bool {
        self.elided.get(line).copied().unwrap_or(false)
    }

    /// Whether a line is removed.
    pub(super) fn removed(&self, line: usize) -> bool {
        self.removed.get(line).copied().unwrap_or(false)
    }

    /// Whether of the lines that have a place those in a range are one or two of context, and the others many.
    pub(super) fn stray(&self, placed: &[usize], range: Range<usize>) -> bool {
        let here = placed.iter().filter(|line| range.contains(line)).count();
        let changes = range.clone().any(|line| self.removed(line));
        here <= 2 && !changes && placed.len() - here >= 4
    }

    /// The items on one side of a line, at their places and at those further from the other side: the side with no
    /// change, or else with less; none where both have one.
    pub(super) fn lesser(&self, picks: &[(usize, usize)], line: usize) -> Vec<(usize, usize)> {
        let side =
            |head: bool| picks.iter().filter(move |(item, _)| (self.list[*item].first <= line) == head);
        let heft = |head: bool| -> (bool, f64) {
            let musts = side(head).any(|(item, _)| self.list[*item].must);
            (musts, side(head).map(|(item, _)| self.list[*item].weight).sum())
        };
        let (head, tail) = (heft(true), heft(false));
        // What is added beside lines goes with them.
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

    /// The weight that matched and that of the whole hunk.
    pub(super) fn weights(&self, shares: &[f64]) -> (f64, f64) {
        let matched = self.weights.iter().zip(shares).map(|(weight, share)| weight * share).sum();
        (matched, self.weights.iter().sum::<f64>().max(f64::MIN_POSITIVE))
    }

    /// Whether what matched is more than a chance: two telling lines and half of the weight to the letter, or nearly
    /// all of it around lines that are removed.
    pub(super) fn proven(&self, shares: &[f64]) -> bool {
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
