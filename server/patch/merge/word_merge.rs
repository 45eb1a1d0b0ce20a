//! The changes of a hunk, word by word, in a text that is like its old lines.

use std::ops::Range;

use super::super::hunk::{DiffHunk, DiffLine, LineTag};
use super::super::words::{match_words, split_words};
use super::{is_telling, join_lines};

/// A text that was merged.
pub(super) struct MergedWords {
    pub text: String,
    /// The part of the old words that was there.
    pub score: f64,
}

/// Words that take the place of others.
#[derive(Clone, Debug)]
struct WordEdit {
    range: Range<usize>,
    words: Vec<String>,
}

impl WordEdit {
    /// Returns the edit as one of a text in which `words` come first.
    fn shift(self, words: usize) -> Self {
        Self { range: self.range.start + words..self.range.end + words, ..self }
    }
}

/// Merges what a hunk changes into `there`, a text that is like its old lines.
pub(super) fn merge_words(hunk: &DiffHunk, there: &str) -> Option<MergedWords> {
    let old_text = join_lines(hunk.old_lines().into_iter());
    let (old, there) = (split_words(&old_text), split_words(there));
    let places = match_words(&old, &there)?;
    let telling = old.iter().filter(|word| is_telling(word)).count();
    let found = old.iter().zip(&places).filter(|(word, place)| is_telling(word) && place.is_some()).count();
    let score = found as f64 / telling.max(1) as f64;
    let words = PlacedWords { old: &old, there: &there, places: &places };
    let mut edits = Vec::new();
    for edit in hunk_edits(hunk)? {
        edits.extend(words.place_edit(&edit)?);
    }
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    if edits.windows(2).any(|pair| pair[1].range.start < pair[0].range.end) {
        return None;
    }
    let (mut text, mut at) = (String::new(), 0);
    for edit in &edits {
        text.extend(there[at..edit.range.start].iter().copied());
        text.extend(edit.words.iter().map(String::as_str));
        at = edit.range.end;
    }
    text.extend(there[at..].iter().copied());
    Some(MergedWords { text, score })
}

/// Returns the changes of a hunk in its old words: lines that only come or only go are whole, others are compared word by
/// word. None where that takes too long.
fn hunk_edits(hunk: &DiffHunk) -> Option<Vec<WordEdit>> {
    let (mut edits, mut at) = (Vec::new(), 0);
    for run in hunk.runs() {
        let side = |tag: LineTag| join_lines(run.iter().filter(|line| line.tag != tag).map(DiffLine::text));
        let (old_text, new_text) = (side(LineTag::Add), side(LineTag::Remove));
        let (old, new) = (split_words(&old_text), split_words(&new_text));
        if run.iter().any(|line| line.tag != LineTag::Keep) {
            edits.extend(word_edits(&old, &new)?.into_iter().map(|edit| edit.shift(at)));
        }
        at += old.len();
    }
    Some(edits)
}

/// The old words of a hunk, and the place of each in a text.
struct PlacedWords<'w, 't> {
    old: &'w [&'t str],
    there: &'w [&'t str],
    places: &'w [Option<usize>],
}

impl PlacedWords<'_, '_> {
    /// Returns an edit of the old words as one of the text: an inner none if the text has it already, none if the text
    /// has other words there.
    fn place_edit(&self, edit: &WordEdit) -> Option<Option<WordEdit>> {
        let Range { start, end } = edit.range;
        let before = start.checked_sub(1).map(|at| self.places[at]);
        let after = self.places.get(end).copied();
        if let (Some(Some(before)), Some(Some(after))) = (before, after)
            && self.there.get(before + 1..after).is_some_and(|there| there == edit.words)
        {
            return Some(None);
        }
        let range = match start == end {
            true => self.place_between(start, before, after)?,
            false => match self.place_run(start..end) {
                Some(range) => range,
                None if edit.words.is_empty() => return Some(Some(self.remove_rest(start..end)?)),
                None => return None,
            },
        };
        Some(Some(WordEdit { range, words: edit.words.clone() }))
    }

    /// Returns where words go that are added before an old word. None where other words came between those that are still
    /// there on both sides, or where nothing beside it is there.
    fn place_between(
        &self,
        at: usize,
        before: Option<Option<usize>>,
        after: Option<Option<usize>>,
    ) -> Option<Range<usize>> {
        let is_there = |at: &usize| is_telling(self.old[*at]) && self.places[*at].is_some();
        let around = ((0..at).rev().find(is_there), (at..self.old.len()).find(is_there));
        let is_alone = match around {
            (Some(before), Some(after)) => {
                let between = self.there.get(self.places[before]? + 1..self.places[after]?)?;
                if between.iter().any(|word| is_telling(word)) {
                    return None;
                }
                true
            }
            _ => false,
        };
        let place = match (before, after) {
            (Some(Some(before)), Some(Some(after))) if is_alone || after == before + 1 => before + 1,
            (Some(Some(before)), None) => before + 1,
            (Some(Some(before)), Some(None)) if is_alone => before + 1,
            (None | Some(None), Some(Some(after))) if is_alone || before.is_none() => after,
            _ => return None,
        };
        Some(place..place)
    }

    /// Returns where old words are, if they are one run there too.
    fn place_run(&self, words: Range<usize>) -> Option<Range<usize>> {
        let first = self.places[words.start]?;
        let is_run = words.clone().all(|at| self.places[at] == Some(first + at - words.start));
        is_run.then_some(first..first + words.len())
    }

    /// Returns the removal of old words of which a part is gone already: nothing else may stand between the words beside
    /// them.
    fn remove_rest(&self, words: Range<usize>) -> Option<WordEdit> {
        let (before, after) = self.telling_beside(words.clone());
        let (before, after) = (before?, after?);
        let range = self.places[before]? + 1..self.places[after]?;
        let is_rest =
            |at: usize| !is_telling(self.there[at]) || self.places[words.clone()].contains(&Some(at));
        let stays = [before + 1..words.start, words.end..after];
        let words = stays.into_iter().flat_map(|range| &self.old[range]).map(|word| (*word).to_owned());
        (range.start <= range.end && range.clone().all(is_rest))
            .then(|| WordEdit { range, words: words.collect() })
    }

    /// The nearest old words on both sides that are no blanks.
    fn telling_beside(&self, words: Range<usize>) -> (Option<usize>, Option<usize>) {
        let before = (0..words.start).rev().find(|at| is_telling(self.old[*at]));
        (before, (words.end..self.old.len()).find(|at| is_telling(self.old[*at])))
    }
}

/// Returns the edits that lead from some words to others; none where that takes too long.
fn word_edits(old: &[&str], new: &[&str]) -> Option<Vec<WordEdit>> {
    let places = match_words(old, new)?;
    let mut edits = Vec::new();
    let (mut from, mut at) = (0, 0);
    let kept = places.iter().enumerate().filter_map(|(word, place)| Some((word, (*place)?)));
    for (word, place) in kept.chain([(old.len(), new.len())]) {
        if from < word || at < place {
            edits.push(WordEdit {
                range: from..word,
                words: new[at..place].iter().map(|word| (*word).to_owned()).collect(),
            });
        }
        (from, at) = (word + 1, place + 1);
    }
    Some(edits)
}
