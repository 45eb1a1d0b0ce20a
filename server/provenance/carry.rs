//! The marks of a text's lines are carried over to the next text.

use std::collections::HashSet;

use crate::WrittenBy;
use crate::align::{HunkSpan, LineRun, differing_runs, recorded_runs};
use crate::author::{ChangeAuthor, ReplacedLine};
use crate::indents::indented_runs;
use crate::mark::LineMark;
use crate::moves::moved_lines;
use crate::record::TypedRun;
use crate::reflow::reflowed_lines;
use crate::similar_lines::pair_lines;
use crate::slide;
use crate::text::{hash_line, is_same_but_spaces, is_telling, is_trivial, split_lines};

/// Pairs of a line that went and one that came that are compared at most, beyond those of one run.
const COMPARED: usize = 20_000;
/// The distance from a run in which a line may be mistaken for one of the run.
const NEAR: usize = 3;
/// Lines that stay between two runs and tell nothing, at most.
const ISLAND: usize = 2;

/// A text, with who wrote each line of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct MarkedText {
    /// The text; `None` if it is not kept any more.
    pub text: Option<String>,
    /// A hash of each line.
    pub hashes: Vec<u64>,
    /// The mark of each line.
    pub marks: Vec<LineMark>,
}

/// The text after a change, and the lines that the change removed.
pub(crate) struct CarriedText {
    pub now: MarkedText,
    pub removed: Vec<(u64, LineMark)>,
}

impl MarkedText {
    /// A text of which each line has one mark.
    pub(crate) fn with_one_mark(text: String, mark: LineMark) -> Self {
        let hashes: Vec<u64> = split_lines(&text).into_iter().map(hash_line).collect();
        let marks = vec![mark; hashes.len()];
        Self { text: Some(text), hashes, marks }
    }

    /// Returns the marks of the lines of `text`, which this one turned into by a change of `author`.
    pub(crate) fn carry_to(&self, text: String, mut author: ChangeAuthor, spans: &[HunkSpan]) -> CarriedText {
        // With no text a line is known to be the same as another, not to be made from it.
        let old_text = self.text.as_deref().map(split_lines);
        let new_lines = split_lines(&text);
        let hashes: Vec<u64> = new_lines.iter().map(|line| hash_line(line)).collect();
        let said = { Some(spans) }
            .filter(|spans| !spans.is_empty())
            .and_then(|spans| recorded_runs(&self.hashes, &hashes, spans, |line| author.is_typed(line)));
        let is_said = said.is_some();
        author.set_said(is_said);
        let exact = said.unwrap_or_else(|| differing_runs(&self.hashes, &hashes));
        let indented = old_text
            .as_ref()
            .filter(|_| author.is_person())
            .and_then(|old_lines| indented_runs(&exact, (&self.hashes, old_lines), (&hashes, &new_lines)));
        let is_indented = indented.is_some();
        let runs = indented.unwrap_or(exact);
        let mut marks = self.marks_of_kept(&runs, hashes.len());
        if author.is_person() {
            self.doubt_neighbors(&runs, is_indented, (&hashes, &new_lines), &mut marks);
        }
        if !is_said {
            for (mark, line) in marks.iter_mut().zip(&hashes) {
                *mark = author.doubt_mark(*line, *mark);
            }
        }
        let moved = match author.writes_over() {
            true => moved_lines(&runs, &self.hashes, (&hashes, &new_lines)),
            false => std::collections::HashMap::default(),
        };
        let is_gone = |old: &usize| !moved.values().any(|from| from == old);
        let personal: Vec<usize> = match matches!(author, ChangeAuthor::Agent(_)) {
            true => { runs.iter().flat_map(|run| run.old.clone()) }
                .filter(|old| self.marks[*old].is_personal() && is_gone(old))
                .collect(),
            false => Vec::new(),
        };
        let twins: HashSet<&str> = match is_said {
            true => HashSet::new(),
            false => self.personal_lines(&author, old_text.as_deref().unwrap_or_default(), &runs),
        };
        let everywhere = personal.len() * runs.iter().map(|run| run.new.len()).sum::<usize>() <= COMPARED;
        for (at, run) in runs.iter().enumerate() {
            let made = match &old_text {
                Some(lines) if author.writes_over() => {
                    pair_lines(&lines[run.old.clone()], &new_lines[run.new.clone()])
                }
                _ => vec![None; run.new.len()],
            };
            // A comparison may have found the wrong lines to stay: then one was written over in another run.
            let near = |old: &usize| run.old.contains(old) || everywhere && !is_said && old_text.is_some();
            let replaced: Vec<ReplacedLine<'_>> = { personal.iter().copied() }
                .filter(near)
                .map(|old| ReplacedLine {
                    text: old_text.as_ref().map(|lines| lines[old]),
                    mark: self.marks[old],
                })
                .collect();
            let hunk = author.hunk_of(&runs, at);
            let reflowed = old_text
                .as_ref()
                .filter(|_| author.is_person())
                .and_then(|lines| reflowed_lines(&lines[run.old.clone()], &new_lines[run.new.clone()]));
            for (place, (line, made)) in run.new.clone().zip(made).enumerate() {
                let sources = reflowed.as_ref().and_then(|reflowed| reflowed[place].clone());
                // Of a line that was put together from several, a person's part counts.
                let source = sources.and_then(|sources| {
                    let is_personal = |at: &usize| self.marks[run.old.start + at].is_personal();
                    sources.clone().find(is_personal).or(Some(sources.start))
                });
                let made = source.or(made);
                let from = made.map(|made| self.marks[run.old.start + made]);
                // Who moves a line to the right, or breaks it, did not write it.
                let stays = author.is_person()
                    && from.is_some_and(|from| from.by == WrittenBy::Earlier)
                    && old_text.as_ref().zip(made).is_some_and(|(lines, made)| {
                        source.is_some() || is_same_but_spaces(lines[run.old.start + made], new_lines[line])
                    });
                marks[line] = match moved.get(&line).filter(|_| !author.is_typed(hashes[line])) {
                    // It takes the place of a line of a person's that is like it.
                    Some(at) if from.is_some_and(|from| from.is_personal()) => match self.marks[*at] {
                        mark if mark.by == WrittenBy::Agent => LineMark::of_mixed(mark.origin),
                        mark => mark,
                    },
                    Some(from) => self.marks[*from],
                    None if stays => self.marks[run.old.start + made.unwrap_or_default()],
                    None => {
                        let text = (hashes[line], new_lines[line]);
                        let mark = author.mark_line(text, hunk, from, &replaced);
                        match twins.contains(text.1.trim()) && mark.by == WrittenBy::Agent {
                            true => LineMark::of_mixed(mark.origin),
                            false => mark,
                        }
                    }
                };
            }
        }
        for run in runs.iter().filter(|_| !is_said) {
            slide::settle_slides(run, (&self.hashes, &self.marks), (&hashes, &mut marks));
        }
        let gone = runs.iter().flat_map(|run| run.old.clone());
        let removed = gone.map(|at| (self.hashes[at], self.marks[at])).collect();
        CarriedText { now: Self { text: Some(text), hashes, marks }, removed }
    }

    /// Returns the marks of the lines after a person's typing, or `None` if the record does not fit.
    pub(crate) fn type_in(&self, typed: &[TypedRun], text: Option<String>) -> Option<Self> {
        let (mut runs, mut hashes) = (Vec::new(), Vec::new());
        let mut from = 0;
        for run in typed {
            let (start, gone) = (run.start as usize, run.gone as usize);
            hashes.extend_from_slice(self.hashes.get(from..start)?);
            let to = hashes.len();
            hashes.extend(run.lines.iter().map(|line| line.hash));
            from = start + gone;
            runs.push(LineRun { old: start..from, new: to..hashes.len(), hunk: None });
        }
        hashes.extend_from_slice(self.hashes.get(from..)?);
        let is_it = |text: &String| split_lines(text).into_iter().map(hash_line).eq(hashes.iter().copied());
        if !text.as_ref().is_none_or(is_it) {
            return None;
        }
        let mut marks = self.marks_of_kept(&runs, hashes.len());
        let mut used = HashSet::new();
        let texts = self.text.as_deref().map(split_lines).zip(text.as_deref().map(split_lines));
        let is_indented = |old: usize, new: usize| {
            let lines = texts.as_ref().and_then(|(was, now)| was.get(old).zip(now.get(new)));
            lines.is_some_and(|(old, new)| is_same_but_spaces(old, new))
        };
        for (run, typed) in runs.iter().zip(typed) {
            for (at, line) in run.new.clone().zip(&typed.lines) {
                let sources: Vec<usize> = line.from.iter().map(|from| *from as usize).collect();
                marks[at] = match sources[..] {
                    [source] if self.hashes.get(source) == Some(&line.hash) && used.insert(source) => {
                        self.marks[source]
                    }
                    [source]
                        if { self.marks.get(source) }.is_some_and(|mark| mark.by == WrittenBy::Earlier)
                            && is_indented(source, at)
                            && used.insert(source) =>
                    {
                        self.marks[source]
                    }
                    _ => {
                        let agent = |source: &usize| self.marks.get(*source)?.origin;
                        LineMark::of_mixed(sources.iter().find_map(agent))
                    }
                };
            }
        }
        // Some editors tell the next of two equal lines for the one that was typed or taken out.
        for run in &runs {
            slide::settle_slides(run, (&self.hashes, &self.marks), (&hashes, &mut marks));
        }
        Some(Self { text, hashes, marks })
    }

    /// Lines of a person, if an agent's change is not known but by comparing: one that is like it may be theirs.
    fn personal_lines<'t>(
        &self,
        author: &ChangeAuthor,
        old_lines: &[&'t str],
        runs: &[LineRun],
    ) -> HashSet<&'t str> {
        let near =
            |run: &LineRun| run.old.start.saturating_sub(NEAR)..(run.old.end + NEAR).min(old_lines.len());
        let personal =
            |line: &usize| self.marks[*line].is_personal() && matches!(author, ChangeAuthor::Agent(_));
        runs.iter().flat_map(near).filter(personal).map(|line| old_lines[line].trim()).collect()
    }

    /// The marks of the lines that stay; the others are unknown yet.
    fn marks_of_kept(&self, runs: &[LineRun], lines: usize) -> Vec<LineMark> {
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

    /// Next to a person's change, an equal line may be the typed one: it does not count as an agent's. Where lines were moved to
    /// the right or to the left, lines are equal past their spaces.
    fn doubt_neighbors(
        &self,
        runs: &[LineRun],
        is_indented: bool,
        (hashes, lines): (&[u64], &[&str]),
        marks: &mut [LineMark],
    ) {
        let mut doubted = Vec::new();
        for (at, run) in runs.iter().enumerate() {
            let nearby = &runs[at.saturating_sub(1)..(at + 2).min(runs.len())];
            let changed: HashSet<u64> = { nearby.iter() }
                .flat_map(|run| self.hashes[run.old.clone()].iter().chain(&hashes[run.new.clone()]))
                .copied()
                .collect();
            let low = at.checked_sub(1).map_or(0, |before| runs[before].new.end);
            let high = runs.get(at + 1).map_or(hashes.len(), |next| next.new.start);
            let is_in_one = |line: &str| {
                let typed = nearby.iter().flat_map(|run| &lines[run.new.clone()]);
                !is_telling(line)
                    && !is_trivial(line)
                    && typed.clone().any(|typed| typed.contains(line.trim()))
            };
            let is_one_past_spaces = |line: &str| {
                let mut typed = nearby.iter().flat_map(|run| &lines[run.new.clone()]);
                is_indented && typed.any(|typed| is_same_but_spaces(typed, line))
            };
            let is_like = |line: &usize| {
                changed.contains(&hashes[*line])
                    || is_in_one(lines[*line])
                    || is_one_past_spaces(lines[*line])
            };
            doubted.extend((low..run.new.start).rev().take_while(is_like));
            doubted.extend((run.new.end..high).take_while(is_like));
            let island = run.new.end..high;
            let is_island = at + 1 < runs.len() && island.len() <= ISLAND;
            let is_dull = |line: &usize| !is_telling(lines[*line]) || is_like(line);
            doubted.extend(island.filter(|line| is_island && is_dull(line)));
        }
        for line in doubted {
            marks[line] = marks[line].as_doubtful(LineMark::HUMAN);
        }
    }
}
