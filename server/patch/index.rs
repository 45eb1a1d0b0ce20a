//! Where runs of lines stand in a text: a hash for each line, and a list of places for each hash.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::BuildHasher;
use std::rc::Rc;

use foldhash::{fast, quality};

use super::Level;
use super::lines::body;
use super::normalize::normalize;

/// The lines of a text under one level's reading. Lines are told apart by 64 bits of a hash with a seed of this
/// process: that two different ones of a text with a million lines meet has odds of one in a hundred million.
pub(super) struct Index {
    level: Level,
    seed: quality::RandomState,
    text: Vec<u64>,
    /// How far a hash is shifted to give its bucket.
    shift: u32,
    /// Where each bucket begins in `places`; one more entry ends the last.
    bounds: Vec<u32>,
    /// The lines, by hash, those of one hash in order.
    places: Vec<u32>,
    /// Runs sought before: a diff may hold many equal hunks.
    found: RefCell<HashMap<Vec<u64>, Rc<[usize]>, fast::RandomState>>,
}

impl Index {
    /// The index of a text of fewer than 2³² lines.
    pub(super) fn new(lines: &[&str], level: Level) -> Self {
        let seed = quality::RandomState::default();
        let mut key = Key::default();
        let text: Vec<u64> = lines.iter().map(|line| seed.hash_one(key.of(body(line), level))).collect();
        let bits = lines.len().next_power_of_two().trailing_zeros().max(1);
        let shift = u64::BITS - bits;
        let mut bounds = vec![0_u32; (1 << bits) + 1];
        for hash in &text {
            bounds[(hash >> shift) as usize + 1] += 1;
        }
        for bucket in 1..bounds.len() {
            bounds[bucket] += bounds[bucket - 1];
        }
        let mut next = bounds.clone();
        let mut places = vec![0_u32; text.len()];
        for (place, hash) in text.iter().enumerate() {
            let next = &mut next[(hash >> shift) as usize];
            places[*next as usize] = place as u32;
            *next += 1;
        }
        for bucket in bounds.windows(2).filter(|bucket| bucket[1] - bucket[0] > 1) {
            places[bucket[0] as usize..bucket[1] as usize].sort_by_key(|place| text[*place as usize]);
        }
        Self { level, seed, text, shift, bounds, places, found: RefCell::default() }
    }

    fn hash(&self, line: &str) -> u64 {
        self.seed.hash_one(Key::default().of(line, self.level))
    }

    /// Whether a line stands anywhere.
    pub(super) fn has(&self, line: &str) -> bool {
        !self.of(self.hash(line)).is_empty()
    }

    /// Where a run of lines begins, in order. An empty run is nowhere.
    pub(super) fn find(&self, run: &[&str]) -> Rc<[usize]> {
        let run: Vec<u64> = run.iter().map(|line| self.hash(line)).collect();
        let rarest = run.iter().enumerate().map(|(at, &hash)| (at, self.of(hash)));
        let Some((at, places)) = rarest.min_by_key(|(_, places)| places.len()) else { return Rc::default() };
        if places.is_empty() {
            return Rc::default();
        }
        if let Some(found) = self.found.borrow().get(&run) {
            return found.clone();
        }
        let starts = places.iter().filter_map(|place| (*place as usize).checked_sub(at));
        // Trying each place is quick, unless both are long and alike.
        let found: Rc<[usize]> = match places.len().saturating_mul(run.len()) > 8 * self.text.len() {
            false => starts.filter(|&start| self.text[start..].starts_with(&run)).collect(),
            true => occurrences(&self.text, &run).collect(),
        };
        self.found.borrow_mut().insert(run, found.clone());
        found
    }

    /// The lines with a hash.
    fn of(&self, hash: u64) -> &[u32] {
        let bucket = (hash >> self.shift) as usize;
        let bucket = &self.places[self.bounds[bucket] as usize..self.bounds[bucket + 1] as usize];
        let at = |place: &u32| self.text[*place as usize];
        let from = bucket.partition_point(|place| at(place) < hash);
        let to = from + bucket[from..].partition_point(|place| at(place) == hash);
        &bucket[from..to]
    }
}

/// Where a run begins in a text, in one pass over each (Knuth, Morris and Pratt).
fn occurrences<'t>(text: &'t [u64], run: &'t [u64]) -> impl Iterator<Item = usize> + use<'t> {
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
#[derive(Default)]
struct Key(Vec<u8>);

impl Key {
    fn of<'k>(&'k mut self, line: &'k str, level: Level) -> &'k [u8] {
        match level {
            Level::Exact => line.as_bytes(),
            Level::TrailingSpace => line.trim_end().as_bytes(),
            Level::Unicode => match normalize(line) {
                Cow::Borrowed(line) => line.trim_end().as_bytes(),
                Cow::Owned(line) => self.put(line.trim_end().bytes()),
            },
            Level::Whitespace | Level::Aligned => match line.trim() {
                line if line.is_ascii() => self.without_space(line.as_bytes()),
                line => self.put(dense(line).bytes()),
            },
        }
    }

    fn without_space(&mut self, line: &[u8]) -> &[u8] {
        self.0.resize(self.0.len().max(line.len()), 0);
        let mut len = 0;
        for &byte in line {
            // Written in any case and kept or not: no branch that a processor has to guess.
            self.0[len] = byte;
            len += usize::from(!matches!(byte, b' ' | b'\t'));
        }
        &self.0[..len]
    }

    fn put(&mut self, bytes: impl Iterator<Item = u8>) -> &[u8] {
        self.0.clear();
        self.0.extend(bytes);
        &self.0
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
        false => Cow::Owned(normalize(trimmed).split_whitespace().collect()),
    }
}
