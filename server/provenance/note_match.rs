//! Lines of a commit next to those that a note describes, which may have been written for an earlier form of that commit.
//!
//! # Invariants
//!
//! - No note makes a line an agent's that is not the line of that note.
//!   Test: `lines_that_moved_are_found_and_what_was_added_is_not`,
//!   `an_amended_commit_keeps_its_note_and_a_persons_line_in_it_is_theirs`

use std::collections::HashMap;

use crate::text::{hash_line, is_trivial};

/// Returns the hash that a note keeps of a line in place of its text.
pub fn note_hash(line: &str) -> u32 {
    (hash_line(line) >> 32) as u32
}

/// For each of `lines`, with its number, returns the noted line, by number and hash, that it is; `None` if it is none
/// of them, or if that is not certain. Both are in the order of their numbers. A line is found if it is telling and
/// occurs once on both sides, next to a line that is found, or at its number if no line has moved.
pub fn find_noted(noted: &[(u32, u32)], lines: &[(u32, &str)]) -> Vec<Option<usize>> {
    let hashes: Vec<u32> = lines.iter().map(|(_, text)| note_hash(text)).collect();
    if noted.len() == lines.len() && noted.iter().zip(&hashes).all(|((_, noted), hash)| noted == hash) {
        return (0..lines.len()).map(Some).collect();
    }
    let mut matches = NoteMatches {
        noted,
        lines,
        hashes: &hashes,
        found: vec![None; lines.len()],
        taken: vec![false; noted.len()],
    };
    matches.anchor_lines();
    let has_moved =
        matches.found.iter().zip(lines).any(|(found, (line, _))| {
            found.and_then(|at| noted.get(at)).is_some_and(|(noted, _)| noted != line)
        });
    (1..lines.len()).for_each(|at| matches.follow_line(at, at - 1));
    (1..lines.len()).rev().for_each(|at| matches.follow_line(at - 1, at));
    if !has_moved {
        (0..lines.len()).for_each(|at| matches.keep_in_place(at));
    }
    matches.found
}

/// The lines that are found so far.
struct NoteMatches<'m> {
    noted: &'m [(u32, u32)],
    lines: &'m [(u32, &'m str)],
    hashes: &'m [u32],
    found: Vec<Option<usize>>,
    taken: Vec<bool>,
}

impl NoteMatches<'_> {
    /// Finds the lines that stand once on both sides and say something.
    fn anchor_lines(&mut self) {
        let mut places: HashMap<u32, (Vec<usize>, Vec<usize>)> = HashMap::new();
        for (at, (_, hash)) in self.noted.iter().enumerate() {
            places.entry(*hash).or_default().0.push(at);
        }
        for (at, hash) in self.hashes.iter().enumerate() {
            places.entry(*hash).or_default().1.push(at);
        }
        for (noted, lines) in places.into_values() {
            if let ([noted], [line]) = (noted.as_slice(), lines.as_slice())
                && self.lines.get(*line).is_some_and(|(_, text)| !is_trivial(text))
            {
                self.take_match(*line, *noted);
            }
        }
    }

    /// Finds a line next to one that is found, if both are next to each other in the note too.
    fn follow_line(&mut self, at: usize, beside: usize) {
        let (Some(found), None) = (self.found[beside], self.found[at]) else { return };
        let next = if at > beside { found.checked_add(1) } else { found.checked_sub(1) };
        let Some(next) = next.filter(|next| *next < self.noted.len()) else { return };
        let is_beside = self.noted[next].0.abs_diff(self.noted[found].0) == 1
            && self.lines[at].0.abs_diff(self.lines[beside].0) == 1;
        if is_beside && self.noted[next].1 == self.hashes[at] && !self.taken[next] {
            self.take_match(at, next);
        }
    }

    /// Finds a line at its own number.
    fn keep_in_place(&mut self, at: usize) {
        if self.found[at].is_some() {
            return;
        }
        let place = self.noted.binary_search_by_key(&self.lines[at].0, |(line, _)| *line);
        if let Ok(place) = place
            && self.noted[place].1 == self.hashes[at]
            && !self.taken[place]
        {
            self.take_match(at, place);
        }
    }

    fn take_match(&mut self, line: usize, noted: usize) {
        self.found[line] = Some(noted);
        self.taken[noted] = true;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn noted(first: u32, lines: &[&str]) -> Vec<(u32, u32)> {
        (first..).zip(lines).map(|(line, text)| (line, note_hash(text))).collect()
    }

    fn at<'l>(first: u32, lines: &[&'l str]) -> Vec<(u32, &'l str)> {
        (first..).zip(lines.iter().copied()).collect()
    }

    #[test]
    fn lines_that_moved_are_found_and_what_was_added_is_not() {
        let note = noted(5, &["fn a() {", "    one();", "}"]);
        assert_eq!(find_noted(&note, &at(5, &["fn a() {", "    one();", "}"])), [Some(0), Some(1), Some(2)]);
        assert_eq!(find_noted(&note, &at(9, &["fn a() {", "    one();", "}"])), [Some(0), Some(1), Some(2)]);
        // A person's function with the same last line.
        let both = at(2, &["fn b() {", "}", "fn a() {", "    two();", "    one();", "}", "}"]);
        assert_eq!(find_noted(&note, &both), [None, None, Some(0), None, Some(1), Some(2), None]);
        let after = at(5, &["fn a() {", "    one();", "}", "fn b() {", "}"]);
        assert_eq!(find_noted(&note, &after), [Some(0), Some(1), Some(2), None, None]);
    }

    #[test]
    fn lines_that_say_nothing_are_found_only_where_they_stood() {
        let note = noted(5, &["}", "", "}"]);
        assert_eq!(find_noted(&note, &at(7, &["}"])), [Some(2)]);
        assert_eq!(find_noted(&note, &at(8, &["}"])), [None]);
        let moved = noted(5, &["fn a() {", "}", "last();", "}"]);
        assert_eq!(find_noted(&moved, &at(6, &["fn a() {", "x"])), [Some(0), None]);
        assert_eq!(find_noted(&moved, &[(6, "}"), (10, "fn a() {")]), [None, Some(0)]);
    }

    #[test]
    fn a_line_that_stands_twice_is_taken_once() {
        let note = noted(1, &["call();"]);
        assert_eq!(find_noted(&note, &at(1, &["call();", "call();"])), [Some(0), None]);
        assert_eq!(find_noted(&note, &at(2, &["call();", "call();"])), [None, None]);
        assert_eq!(find_noted(&[], &at(1, &["call();"])), [None]);
    }
}
