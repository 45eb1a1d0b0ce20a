//! Hunks for a text whose lines are others than they state: what a hunk changes is merged word by word with what is there.

mod word_merge;

use std::collections::HashMap;
use std::ops::Range;

use super::edit::EditResult;
use super::hunk::DiffHunk;
use super::place::HunkSide;
use super::words::split_words;
use super::{HunkReport, MatchLevel};
use word_merge::merge_words;

/// The part of a hunk's old words that its place must have.
const LEAST: f64 = 0.5;
/// The same where it shares no whole line with the text.
const LEAST_WITHOUT_LINES: f64 = 0.8;
/// The part of a place's likeness from which another one is as good.
const RIVAL: f64 = 0.9;
/// Pairs of lines that are compared at most to find a place for a hunk that shares no whole line with the text.
const COMPARED: usize = 2_000_000;
/// The most lines of a hunk, each with each line of the text.
const MOST: usize = 50_000_000;
/// Places of a line from which on it says nothing of where a hunk goes.
const COMMON: usize = 256;
/// Lines beside a hunk's place that may belong to it, beyond as many as it has.
const BESIDE: usize = 2;

/// Puts the hunks into a text one after another: as they are, where their lines are there, else word by word. None where
/// the text has other words than those that a hunk changes, or no one place for it.
pub(super) fn merge_hunks(before: &str, hunks: &[DiffHunk]) -> Option<EditResult> {
    let has_returns = before.contains('\r');
    let plain = if has_returns { before.replace("\r\n", "\n") } else { before.to_owned() };
    if has_returns && plain.replace('\n', "\r\n") != before {
        return None;
    }
    let is_open = !plain.is_empty() && !plain.ends_with('\n');
    let mut text = MergedText { lines: plain.lines().map(str::to_owned).collect(), drift: 0 };
    let mut reports = Vec::new();
    for (number, hunk) in hunks.iter().enumerate() {
        reports.push(HunkReport { hunk: number + 1, ..text.put_hunk(hunk)? });
    }
    let mut after = text.lines.join("\n");
    if !is_open && !text.lines.is_empty() {
        after.push('\n');
    }
    let after = if has_returns { after.replace('\n', "\r\n") } else { after };
    Some(EditResult { after: Some(after), hunks: reports })
}

/// A text into which hunks are put.
struct MergedText {
    /// Its lines, without their ends.
    lines: Vec<String>,
    /// The distance of the last hunk from the line that its header states.
    drift: i64,
}

impl MergedText {
    fn put_hunk(&mut self, hunk: &DiffHunk) -> Option<HunkReport> {
        let (old, new) = (hunk.old_lines(), hunk.new_lines());
        if old.is_empty() || old.len().saturating_mul(self.lines.len()) > MOST {
            return None;
        }
        let hint = hunk.stated.as_ref().map(|stated| HunkSide::Old.hinted_line(stated) as i64);
        let expected = hint.map(|hint| hint + self.drift);
        let (start, level, score) = match self.find_run(&old, expected) {
            RunPlace::One(start) => {
                self.lines.splice(start..start + old.len(), new.iter().map(|line| (*line).to_owned()));
                (start, MatchLevel::Exact, 1.0)
            }
            RunPlace::Several => return None,
            RunPlace::None => {
                let HunkRegion { start, lines: region, least } = self.find_region(&old, expected)?;
                let there = join_lines(self.lines.get(region.clone())?.iter().map(String::as_str));
                let merged = merge_words(hunk, &there).filter(|merged| merged.score >= least)?;
                self.lines.splice(region, merged.text.lines().map(str::to_owned));
                (start, MatchLevel::Merged, merged.score)
            }
        };
        let offset = hint.map(|hint| start as i64 - hint);
        if level == MatchLevel::Exact {
            self.drift = offset.unwrap_or_default() + new.len() as i64 - old.len() as i64;
        }
        Some(HunkReport { hunk: 0, level, line: start + 1, offset, score, rivals: 0, readings: Vec::new() })
    }

    /// Finds lines as one run: its only place, or the one that is nearer to the expected line than any other.
    fn find_run(&self, old: &[&str], expected: Option<i64>) -> RunPlace {
        let is_here = |start: &usize| old.iter().zip(&self.lines[*start..]).all(|(old, line)| old == line);
        let last = (self.lines.len() + 1).saturating_sub(old.len());
        let mut places: Vec<usize> = (0..last).filter(is_here).collect();
        let distance = |place: &usize| expected.map_or(0, |expected| (*place as i64 - expected).abs());
        places.sort_by_key(distance);
        match places[..] {
            [] => RunPlace::None,
            [place] => RunPlace::One(place),
            [place, next, ..] if distance(&place) < distance(&next) => RunPlace::One(place),
            _ => RunPlace::Several,
        }
    }

    /// Finds the lines of which most are like a hunk's: where most of its lines stand, or else most of its words.
    fn find_region(&self, old: &[&str], expected: Option<i64>) -> Option<HunkRegion> {
        let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, line) in self.lines.iter().enumerate() {
            places.entry(line).or_default().push(at);
        }
        let mut votes: HashMap<i64, f64> = HashMap::new();
        for (at, line) in old.iter().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let found = places.get(line).map(Vec::as_slice).unwrap_or_default();
            for place in found.iter().filter(|_| found.len() <= COMMON) {
                *votes.entry(*place as i64 - at as i64).or_default() += 1.0 / (found.len() as f64).sqrt();
            }
        }
        let least = if votes.is_empty() { LEAST_WITHOUT_LINES } else { LEAST };
        if votes.is_empty() && self.lines.len() * old.len() <= COMPARED {
            votes = self.compare_windows(old);
        }
        let len = old.len() as i64;
        let mut starts: Vec<i64> = votes.keys().copied().collect();
        starts.sort_unstable();
        // The votes up to each start: those around one are a difference.
        let sums: Vec<f64> = { starts.iter() }
            .scan(0.0, |sum, start| {
                *sum += votes[start];
                Some(*sum)
            })
            .collect();
        let up_to = |start: i64| match starts.partition_point(|other| *other <= start) {
            0 => 0.0,
            count => sums[count - 1],
        };
        // Sums of the same votes differ in their last digits.
        let near = |start: i64| ((up_to(start + len) - up_to(start - len - 1)) * 1e6).round();
        let distance = |start: i64| expected.map_or(0, |expected| (start - expected).abs());
        let best = starts.iter().copied().max_by(|one, other| {
            (near(*one).total_cmp(&near(*other)))
                .then_with(|| votes[one].total_cmp(&votes[other]))
                .then_with(|| distance(*other).cmp(&distance(*one)))
        })?;
        // Another place that has nearly as much of it is as good, unless the header points at this one.
        let is_rival = |other: &i64| {
            (other - best).abs() > len
                && near(*other) >= RIVAL * near(best)
                && expected.is_none_or(|_| distance(*other) < 3 * distance(best))
        };
        if starts.iter().any(is_rival) {
            return None;
        }
        let beside = len + BESIDE as i64;
        let clamp = |line: i64| line.clamp(0, self.lines.len() as i64) as usize;
        let lines = clamp(best - beside)..clamp(best + len + beside);
        Some(HunkRegion { start: clamp(best), lines, least })
    }

    /// The likeness of each run of as many lines as a hunk has, by the words that its lines share with the hunk's.
    fn compare_windows(&self, old: &[&str]) -> HashMap<i64, f64> {
        let wanted: Vec<Vec<&str>> = old.iter().map(|line| split_words(line)).collect();
        let there: Vec<Vec<&str>> = self.lines.iter().map(|line| split_words(line)).collect();
        let last = (there.len() + 1).saturating_sub(old.len()).max(1);
        let likeness = |start: usize| -> f64 {
            wanted.iter().zip(&there[start..]).map(|(wanted, there)| shared_part(wanted, there)).sum()
        };
        (0..last)
            .map(|start| (start as i64, likeness(start)))
            .filter(|(_, likeness)| *likeness > 0.0)
            .collect()
    }
}

/// The lines with which a hunk is merged.
struct HunkRegion {
    /// The line that is most likely its first one.
    start: usize,
    lines: Range<usize>,
    /// The part of the hunk's old words that must be there.
    least: f64,
}

/// The place of lines as one run.
enum RunPlace {
    None,
    One(usize),
    Several,
}

/// Joins lines, each with an end.
fn join_lines<'l>(lines: impl Iterator<Item = &'l str>) -> String {
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// The part of the words of two lines that they share, each word as often as it is in both.
fn shared_part(one: &[&str], other: &[&str]) -> f64 {
    let telling = |words: &[&str]| words.iter().filter(|word| is_telling(word)).count();
    let all = telling(one) + telling(other);
    let mut rest: Vec<&str> = other.iter().copied().filter(|word| is_telling(word)).collect();
    let mut shared = 0;
    for word in one.iter().filter(|word| is_telling(word)) {
        if let Some(at) = rest.iter().position(|other| other == word) {
            rest.swap_remove(at);
            shared += 1;
        }
    }
    if all == 0 { 0.0 } else { 2.0 * shared as f64 / all as f64 }
}

fn is_telling(word: &str) -> bool {
    !word.trim().is_empty()
}
