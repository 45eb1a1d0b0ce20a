//! What is known of the lines of a text is carried over to the text that it became.

use std::collections::HashSet;

use crate::align::{Run, Span, runs, said};
use crate::author::{Author, Replaced};
use crate::mark::LineMark;
use crate::moves::moved;
use crate::similar_lines::pairs;
use crate::slide;
use crate::text::{hash, is_trivial, split};

/// Pairs of a line that went and one that came that are compared at most, beyond those of one run.
const COMPARED: usize = 20_000;
/// Lines beside a run that one of its lines may be mistaken for.
const NEAR: usize = 3;
/// Lines that stay between two runs and tell nothing, at most.
const ISLAND: usize = 2;

/// A text, with who wrote each line of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct MarkedText {
    /// The text.
    pub text: String,
    /// A hash of each line.
    pub hashes: Vec<u64>,
    /// Who wrote each line.
    pub marks: Vec<LineMark>,
}

/// What a change left, and the lines that it removed.
pub(crate) struct Carried {
    pub now: MarkedText,
    pub removed: Vec<(u64, LineMark)>,
}

impl MarkedText {
    /// A text of which each line has one mark.
    pub(crate) fn whole(text: String, mark: LineMark) -> Self {
        let hashes: Vec<u64> = split(&text).into_iter().map(hash).collect();
        let marks = vec![mark; hashes.len()];
        Self { text, hashes, marks }
    }

    /// What is known of each line of `text`, which this one became by a change of `author`.
    pub(crate) fn carry(&self, text: String, mut author: Author, spans: &[Span]) -> Carried {
        let old_lines = split(&self.text);
        let new_lines = split(&text);
        let hashes: Vec<u64> = new_lines.iter().map(|line| hash(line)).collect();
        let said = { Some(spans) }
            .filter(|spans| !spans.is_empty())
            .and_then(|spans| said(&self.hashes, &hashes, spans));
        let is_said = said.is_some();
        let runs = said.unwrap_or_else(|| runs(&self.hashes, &hashes));
        let mut marks = self.stayed(&runs, hashes.len());
        if author.is_person() {
            self.doubt_neighbors(&runs, &hashes, &old_lines, &mut marks);
        }
        let moved = match author.writes_over() {
            true => moved(&runs, (&self.hashes, &old_lines), &hashes),
            false => std::collections::HashMap::default(),
        };
        let is_gone = |old: &usize| !moved.values().any(|from| from == old);
        let personal: Vec<usize> = match matches!(author, Author::Agent(_)) {
            true => { runs.iter().flat_map(|run| run.old.clone()) }
                .filter(|old| self.marks[*old].by.is_personal() && is_gone(old))
                .collect(),
            false => Vec::new(),
        };
        let twins: HashSet<&str> = match is_said {
            true => HashSet::new(),
            false => self.personal_lines(&author, &old_lines, &runs),
        };
        let everywhere = personal.len() * runs.iter().map(|run| run.new.len()).sum::<usize>() <= COMPARED;
        for (at, run) in runs.iter().enumerate() {
            let made = match author.writes_over() {
                true => pairs(&old_lines[run.old.clone()], &new_lines[run.new.clone()]),
                false => vec![None; run.new.len()],
            };
            // A comparison may have found the wrong lines to stay: then one was written over in another run.
            let near = |old: &usize| run.old.contains(old) || everywhere && !is_said;
            let replaced: Vec<Replaced<'_>> = { personal.iter().copied() }
                .filter(near)
                .map(|old| Replaced { text: old_lines[old], mark: self.marks[old] })
                .collect();
            let hunk = author.hunk(&runs, at);
            for (line, made) in run.new.clone().zip(made) {
                marks[line] = match moved.get(&line) {
                    Some(from) => self.marks[*from],
                    None => {
                        let from = made.map(|made| self.marks[run.old.start + made]);
                        let text = (hashes[line], new_lines[line]);
                        let mark = author.mark(text, hunk, from, &replaced);
                        match twins.contains(text.1.trim()) && mark.by == crate::WrittenBy::Agent {
                            true => LineMark::mixed(mark.origin),
                            false => mark,
                        }
                    }
                };
            }
        }
        for run in runs.iter().filter(|_| !is_said) {
            slide::settle(run, (&self.hashes, &self.marks), (&hashes, &mut marks));
        }
        let gone = runs.iter().flat_map(|run| run.old.clone());
        let removed = gone.map(|at| (self.hashes[at], self.marks[at])).collect();
        Carried { now: Self { text, hashes, marks }, removed }
    }

    /// Lines of a person, where an agent's change is not known but by comparing: one that is like it may be theirs.
    fn personal_lines<'t>(&self, author: &Author, old_lines: &[&'t str], runs: &[Run]) -> HashSet<&'t str> {
        let near = |run: &Run| run.old.start.saturating_sub(NEAR)..(run.old.end + NEAR).min(old_lines.len());
        let personal =
            |line: &usize| self.marks[*line].by.is_personal() && matches!(author, Author::Agent(_));
        runs.iter().flat_map(near).filter(personal).map(|line| old_lines[line].trim()).collect()
    }

    /// The marks of the lines that stay; the others are unknown yet.
    fn stayed(&self, runs: &[Run], lines: usize) -> Vec<LineMark> {
        let mut marks = Vec::with_capacity(lines);
        let mut from = 0;
        for run in runs {
            marks.extend_from_slice(&self.marks[from..run.old.start]);
            marks.extend(std::iter::repeat_n(LineMark::UNKNOWN, run.new.len()));
            from = run.old.end;
        }
        marks.extend_from_slice(&self.marks[from..]);
        marks
    }

    /// Beside what a person changed, an equal line may be the one that was typed: it does not count as an agent's.
    fn doubt_neighbors(&self, runs: &[Run], hashes: &[u64], old_lines: &[&str], marks: &mut [LineMark]) {
        let mut doubted = Vec::new();
        for (at, run) in runs.iter().enumerate() {
            let nearby = &runs[at.saturating_sub(1)..(at + 2).min(runs.len())];
            let changed: HashSet<u64> = { nearby.iter() }
                .flat_map(|run| self.hashes[run.old.clone()].iter().chain(&hashes[run.new.clone()]))
                .copied()
                .collect();
            let low = at.checked_sub(1).map_or(0, |before| runs[before].new.end);
            let high = runs.get(at + 1).map_or(hashes.len(), |next| next.new.start);
            let is_like = |line: &usize| changed.contains(&hashes[*line]);
            doubted.extend((low..run.new.start).rev().take_while(is_like));
            doubted.extend((run.new.end..high).take_while(is_like));
            let island = run.new.end..high;
            let both = runs.get(at + 1).is_some_and(|next| !next.new.is_empty()) && !run.new.is_empty();
            let is_dull = |line: usize| is_trivial(old_lines[run.old.end + (line - island.start)]);
            let is_island = both && island.len() <= ISLAND;
            doubted.extend(island.clone().filter(|line| is_island && (is_dull(*line) || is_like(line))));
        }
        for line in doubted {
            if marks[line].by == crate::WrittenBy::Agent {
                marks[line] = LineMark::HUMAN;
            }
        }
    }
}
