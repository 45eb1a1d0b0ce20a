//! A hunk whose own lines were typed into: what was typed is merged with what the hunk changes, word by word.

use std::ops::Range;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

use super::ChangedLines;
use super::lines::split_lines;
use super::relocate::LineMoves;
use super::words::split_words;

/// The longest time that one comparison takes: it runs at every key.
const PATIENCE: Duration = Duration::from_millis(50);
/// The most bytes of a hunk that is merged.
const MOST: usize = 256 << 10;

/// The words of one side that take the place of those of the text that both sides began with.
struct WordEdit<'t> {
    base: Range<usize>,
    words: &'t [&'t str],
}

impl LineMoves<'_> {
    /// Returns a hunk of the first text as it is in the second, in which its own lines were changed: its old lines as they
    /// are now, and its new lines with that change too. `None` where both change the same words or words that touch, and
    /// where what changed reaches beyond the hunk.
    pub fn merge_retyped(&self, cut: &ChangedLines) -> Option<ChangedLines> {
        let (place, now) = self.changed_place(cut)?;
        let (base, new, typed) = (cut.old.concat(), cut.new.concat(), now.concat());
        if typed.is_empty() || base.len().max(new.len()).max(typed.len()) > MOST {
            return None;
        }
        let merged = merge_words(&base, &new, &typed)?;
        let lines = |text: &str| split_lines(text).into_iter().map(str::to_owned).collect();
        (merged != typed).then(|| ChangedLines { old_start: place, old: lines(&typed), new: lines(&merged) })
    }
}

/// Merges two versions of a text word by word; none where both change the same words, or words that touch.
fn merge_words(base: &str, one: &str, other: &str) -> Option<String> {
    let (base, one, other) = (split_words(base), split_words(one), split_words(other));
    let (mine, theirs) = (word_edits(&base, &one)?, word_edits(&base, &other)?);
    let touches = |edit: &WordEdit<'_>| {
        theirs.iter().any(|their| {
            let is_same = their.base == edit.base && their.words == edit.words;
            !is_same && edit.base.start <= their.base.end && their.base.start <= edit.base.end
        })
    };
    if mine.iter().any(touches) {
        return None;
    }
    let mut all: Vec<&WordEdit<'_>> = mine.iter().chain(&theirs).collect();
    all.sort_by_key(|edit| (edit.base.start, edit.base.end));
    all.dedup_by(|one, other| one.base == other.base);
    let (mut merged, mut at) = (String::new(), 0);
    for edit in all {
        merged.extend(base[at..edit.base.start].iter().chain(edit.words).copied());
        at = edit.base.end;
    }
    merged.extend(base[at..].iter().copied());
    Some(merged)
}

/// Returns the edits that lead from some words to others; none where the comparison takes too long to be a good one.
fn word_edits<'t>(base: &[&str], side: &'t [&'t str]) -> Option<Vec<WordEdit<'t>>> {
    let until = Instant::now() + PATIENCE;
    let ops = capture_diff_slices_deadline(Algorithm::Myers, base, side, Some(until));
    if Instant::now() > until {
        return None;
    }
    let edits = ops.iter().filter(|op| !matches!(op, DiffOp::Equal { .. }));
    Some(edits.map(|op| WordEdit { base: op.old_range(), words: &side[op.new_range()] }).collect())
}
