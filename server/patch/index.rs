//! An index of the positions of lines in a text: a hash for each line, and a list of places for each hash.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::BuildHasher;
use std::rc::Rc;

use foldhash::{fast, quality};

use super::MatchLevel;
use super::lines::line_body;
use super::normalize::normalize_line;

/// The lines of a text at one level of normalisation. Lines are distinguished by 64 bits of a hash with a seed of
/// this process: the odds that two different lines of a text of a million lines collide are one in a hundred million.
pub(super) struct LineIndex {
    level: MatchLevel,
    seed: quality::RandomState,
    text: Vec<u64>,
    /// The number of bits by which a hash is shifted to give its bucket.
    shift: u32,
    /// The start of each bucket in `places`; one more entry ends the last.
    bounds: Vec<u32>,
    /// The lines, by hash, those of one hash in order.
    places: Vec<u32>,
    /// Runs sought before: a diff may hold many equal hunks.
    found: RefCell<HashMap<Vec<u64>, Rc<[usize]>, fast::RandomState>>,
}

impl LineIndex {
    /// The index of a text of fewer than 2³² lines.
    pub(super) fn new(lines: &[&str], level: MatchLevel) -> Self {
        let seed = quality::RandomState::default();
        let mut key = LineKey::default();
        let text: Vec<u64> =
            lines.iter().map(|line| seed.hash_one(key.key_for(line_body(line), level))).collect();
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

    fn hash_line(&self, line: &str) -> u64 {
        self.seed.hash_one(LineKey::default().key_for(line, self.level))
    }

    /// Returns whether a line occurs anywhere.
    pub(super) fn has_line(&self, line: &str) -> bool {
        !self.lines_with_hash(self.hash_line(line)).is_empty()
    }

    /// The lines where a run begins, in order. An empty run has none.
    pub(super) fn find_run(&self, run: &[&str]) -> Rc<[usize]> {
        let run: Vec<u64> = run.iter().map(|line| self.hash_line(line)).collect();
        let rarest = run.iter().enumerate().map(|(at, &hash)| (at, self.lines_with_hash(hash)));
        let Some((at, places)) = rarest.min_by_key(|(_, places)| places.len()) else { return Rc::default() };
        if places.is_empty() {
            return Rc::default();
        }
        if let Some(found) = self.found.borrow().get(&run) {
            return found.clone();
        }
        let starts = places.iter().filter_map(|place| (*place as usize).checked_sub(at));
        // Trying each place is quick, unless both are long and repetitive.
        let found: Rc<[usize]> = match places.len().saturating_mul(run.len()) > 8 * self.text.len() {
            false => starts.filter(|&start| self.text[start..].starts_with(&run)).collect(),
            true => run_occurrences(&self.text, &run).collect(),
        };
        self.found.borrow_mut().insert(run, found.clone());
        found
    }

    /// The lines with a hash.
    fn lines_with_hash(&self, hash: u64) -> &[u32] {
        let bucket = (hash >> self.shift) as usize;
        let bucket = &self.places[self.bounds[bucket] as usize..self.bounds[bucket + 1] as usize];
        let at = |place: &u32| self.text[*place as usize];
        let from = bucket.partition_point(|place| at(place) < hash);
        let to = from + bucket[from..].partition_point(|place| at(place) == hash);
        &bucket[from..to]
    }
}

/// The positions of a run in a text, in one pass over each (Knuth, Morris and Pratt).
fn run_occurrences<'t>(text: &'t [u64], run: &'t [u64]) -> impl Iterator<Item = usize> + use<'t> {
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

/// The part of a line that has to agree at a level.
#[derive(Default)]
struct LineKey(Vec<u8>);

impl LineKey {
    fn key_for<'k>(&'k mut self, line: &'k str, level: MatchLevel) -> &'k [u8] {
        match level {
            MatchLevel::Exact => line.as_bytes(),
            MatchLevel::TrailingSpace => line.trim_end().as_bytes(),
            MatchLevel::Unicode => match normalize_line(line) {
                Cow::Borrowed(line) => line.trim_end().as_bytes(),
                Cow::Owned(line) => self.put_bytes(line.trim_end().bytes()),
            },
            _ => match line.trim() {
                line if line.is_ascii() => self.without_space(line.as_bytes()),
                line => self.put_bytes(strip_space(line).bytes()),
            },
        }
    }

    fn without_space(&mut self, line: &[u8]) -> &[u8] {
        self.0.resize(self.0.len().max(line.len()), 0);
        let mut len = 0;
        for &byte in line {
            // Written unconditionally and then kept or not, to avoid a branch.
            self.0[len] = byte;
            len += usize::from(!matches!(byte, b' ' | b'\t'));
        }
        &self.0[..len]
    }

    fn put_bytes(&mut self, bytes: impl Iterator<Item = u8>) -> &[u8] {
        self.0.clear();
        self.0.extend(bytes);
        &self.0
    }
}

/// A line with no space in it.
pub(super) fn strip_space(line: &str) -> Cow<'_, str> {
    let trimmed = line.trim();
    match trimmed.is_ascii() {
        true if !trimmed.contains([' ', '\t']) => Cow::Borrowed(trimmed),
        true => {
            let mut dense = String::with_capacity(trimmed.len());
            trimmed.split([' ', '\t']).for_each(|part| dense.push_str(part));
            Cow::Owned(dense)
        }
        false => Cow::Owned(normalize_line(trimmed).split_whitespace().collect()),
    }
}
