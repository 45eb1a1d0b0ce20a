//! Where runs of lines stand in a text: a number for each different line, and a list of places for each number.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use foldhash::fast::RandomState;

use super::Level;
use super::fold::fold;
use super::lines::body;

/// The lines of a text under one level's reading.
pub(super) struct Index<'a> {
    level: Level,
    numbers: HashMap<Cow<'a, str>, u32, RandomState>,
    text: Vec<u32>,
    /// For each number, where its places begin in `places`; one more entry ends the last.
    bounds: Vec<usize>,
    places: Vec<usize>,
    /// Runs sought before: a diff may hold many equal hunks.
    found: RefCell<HashMap<Vec<u32>, Rc<[usize]>, RandomState>>,
}

impl<'a> Index<'a> {
    pub(super) fn new(lines: &[&'a str], level: Level) -> Self {
        let mut numbers = HashMap::with_capacity_and_hasher(lines.len(), RandomState::default());
        let text: Vec<u32> = lines
            .iter()
            .map(|line| {
                let next = numbers.len() as u32;
                *numbers.entry(key(body(line), level)).or_insert(next)
            })
            .collect();
        let mut bounds = vec![0; numbers.len() + 1];
        for &number in &text {
            bounds[number as usize + 1] += 1;
        }
        for number in 1..bounds.len() {
            bounds[number] += bounds[number - 1];
        }
        let mut next = bounds.clone();
        let mut places = vec![0; text.len()];
        for (place, &number) in text.iter().enumerate() {
            places[next[number as usize]] = place;
            next[number as usize] += 1;
        }
        Self { level, numbers, text, bounds, places, found: RefCell::default() }
    }

    /// Where a line stands.
    pub(super) fn places(&self, line: &str) -> &[usize] {
        self.numbers.get(&key(line, self.level)).map_or(&[], |&number| self.of(number))
    }

    /// Whether a line stands anywhere.
    pub(super) fn has(&self, line: &str) -> bool {
        !self.places(line).is_empty()
    }

    /// Where a run of lines begins, in order. An empty run is nowhere.
    pub(super) fn find(&self, run: &[&str]) -> Rc<[usize]> {
        let numbers = run.iter().map(|line| self.numbers.get(&key(line, self.level)).copied()).collect();
        let Some(numbers): Option<Vec<u32>> = numbers else { return Rc::default() };
        if let Some(found) = self.found.borrow().get(&numbers) {
            return found.clone();
        }
        let rarest = numbers.iter().enumerate().min_by_key(|&(_, &number)| self.of(number).len());
        let Some((at, &number)) = rarest else { return Rc::default() };
        let starts = self.of(number).iter().filter_map(|place| place.checked_sub(at));
        // Trying each place is quick, unless both are long and alike.
        let found: Rc<[usize]> =
            match self.of(number).len().saturating_mul(numbers.len()) > 8 * self.text.len() {
                false => starts.filter(|&start| self.text[start..].starts_with(&numbers)).collect(),
                true => occurrences(&self.text, &numbers).collect(),
            };
        self.found.borrow_mut().insert(numbers, found.clone());
        found
    }

    fn of(&self, number: u32) -> &[usize] {
        let number = number as usize;
        &self.places[self.bounds[number]..self.bounds[number + 1]]
    }
}

/// Where a run begins in a text, in one pass over each (Knuth, Morris and Pratt).
fn occurrences<'t>(text: &'t [u32], run: &'t [u32]) -> impl Iterator<Item = usize> + use<'t> {
    // For each length that matched, the longest shorter one that then matches too.
    let mut back = vec![0; run.len() + 1];
    let mut matched = 0;
    for at in 1..run.len() {
        while matched > 0 && run[at] != run[matched] {
            matched = back[matched];
        }
        matched += usize::from(run[at] == run[matched]);
        back[at + 1] = matched;
    }
    let mut matched = 0;
    text.iter().enumerate().filter_map(move |(at, number)| {
        while matched > 0 && run.get(matched) != Some(number) {
            matched = back[matched];
        }
        matched += usize::from(run.get(matched) == Some(number));
        (matched == run.len()).then(|| at + 1 - run.len())
    })
}

/// What of a line has to agree at a level.
fn key(line: &str, level: Level) -> Cow<'_, str> {
    match level {
        Level::Exact => Cow::Borrowed(line),
        Level::TrailingSpace => Cow::Borrowed(line.trim_end()),
        Level::Unicode => match fold(line) {
            Cow::Borrowed(line) => Cow::Borrowed(line.trim_end()),
            Cow::Owned(line) => Cow::Owned(line.trim_end().to_owned()),
        },
        Level::Whitespace | Level::Aligned => dense(line),
    }
}

/// A line with no space in it.
pub(super) fn dense(line: &str) -> Cow<'_, str> {
    let trimmed = line.trim();
    match trimmed.is_ascii() {
        true if !trimmed.contains([' ', '\t']) => Cow::Borrowed(trimmed),
        true => {
            let mut dense = String::with_capacity(trimmed.len());
            trimmed.split([' ', '\t']).for_each(|part| dense.push_str(part));
            Cow::Owned(dense)
        }
        false => Cow::Owned(fold(trimmed).split_whitespace().collect()),
    }
}
