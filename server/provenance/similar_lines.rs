//! Which line became which other where both were written over.

use std::collections::{HashMap, HashSet};

use crate::align::runs;
use crate::text::{hash, is_telling, split};
use crate::{LineRecord, WrittenBy};

/// How alike two lines have to be, from 0 to 1, for one to count as the other edited.
const ALIKE: f64 = 0.5;
/// Pairs of lines that are compared at most in one run.
const PAIRS: usize = 40_000;
/// Characters of a line that are compared.
const LONGEST: usize = 400;

/// For each new line the old line that it was made from: in order, each used once.
pub(crate) fn pairs(old: &[&str], new: &[&str]) -> Vec<Option<usize>> {
    let mut found = vec![None; new.len()];
    if old.is_empty() || new.is_empty() {
        return found;
    }
    if old.len().saturating_mul(new.len()) > PAIRS {
        // Too many to compare each with each: in their order, where that is plain.
        if old.len() == new.len() {
            for (at, (old, new)) in old.iter().zip(new).enumerate() {
                found[at] = (alike(old, new) >= ALIKE).then_some(at);
            }
        }
        return found;
    }
    let width = new.len() + 1;
    let mut likeness = vec![0.0; old.len() * new.len()];
    let mut best = vec![0.0_f64; (old.len() + 1) * width];
    for (i, one) in old.iter().enumerate().rev() {
        for (j, other) in new.iter().enumerate().rev() {
            let alike = alike(one, other);
            likeness[i * new.len() + j] = alike;
            let both = if alike >= ALIKE { alike + best[(i + 1) * width + j + 1] } else { 0.0 };
            best[i * width + j] = both.max(best[(i + 1) * width + j]).max(best[i * width + j + 1]);
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < old.len() && j < new.len() {
        let alike = likeness[i * new.len() + j];
        let here = best[i * width + j];
        if alike >= ALIKE && (here - (alike + best[(i + 1) * width + j + 1])).abs() < 1e-9 {
            found[j] = Some(i);
            (i, j) = (i + 1, j + 1);
        } else if best[(i + 1) * width + j] >= best[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    found
}

/// How alike two lines are, from 0 to 1: by what they begin and end with, or by their pairs of characters.
pub(crate) fn alike(one: &str, other: &str) -> f64 {
    let (one, other) = (one.trim(), other.trim());
    if one == other {
        return 1.0;
    }
    let chars = |text: &str| text.chars().filter(|c| !c.is_whitespace()).take(LONGEST).collect::<Vec<_>>();
    let (one, other) = (chars(one), chars(other));
    let longest = one.len().max(other.len());
    if one.is_empty() || other.is_empty() {
        return 0.0;
    }
    let same = |(a, b): &(&char, &char)| a == b;
    let head = one.iter().zip(&other).take_while(same).count();
    let tail = one[head..].iter().rev().zip(other[head..].iter().rev()).take_while(same).count();
    let ends = ratio(head + tail, longest);
    let mut counts: HashMap<(char, char), usize, _> =
        HashMap::with_hasher(foldhash::fast::FixedState::default());
    for pair in one.windows(2) {
        *counts.entry((pair[0], pair[1])).or_insert(0) += 1;
    }
    let mut common = 0;
    for pair in other.windows(2) {
        if let Some(count) = counts.get_mut(&(pair[0], pair[1])).filter(|count| **count > 0) {
            *count -= 1;
            common += 1;
        }
    }
    let pairs = (one.len() + other.len()).saturating_sub(2).max(1);
    ends.max(ratio(2 * common, pairs))
}

fn ratio(part: usize, whole: usize) -> f64 {
    let number = |size| f64::from(u32::try_from(size).unwrap_or(u32::MAX));
    number(part) / number(whole)
}

/// Who wrote each line of a hunk that a person changed before they accepted it: for [`LineRecord::Edited`].
pub fn edited_lines(proposed: &str, accepted: &str) -> Vec<(u64, WrittenBy)> {
    let (old, new) = (split(proposed), split(accepted));
    let hashes = |lines: &[&str]| lines.iter().map(|line| hash(line)).collect::<Vec<_>>();
    let (old_hashes, new_hashes) = (hashes(&old), hashes(&new));
    let mut by = vec![WrittenBy::Agent; new.len()];
    let runs = runs(&old_hashes, &new_hashes);
    // Beside an edited line one that it was made from may have been typed anew.
    for run in &runs {
        for at in [run.new.start.checked_sub(1), Some(run.new.end)].into_iter().flatten() {
            let Some(line) = new.get(at).map(|line| line.trim()) else { continue };
            if !is_telling(line)
                && !line.is_empty()
                && new[run.new.clone()].iter().any(|typed| typed.contains(line))
            {
                by[at] = WrittenBy::Human;
            }
        }
    }
    for run in runs {
        let made = pairs(&old[run.old.clone()], &new[run.new.clone()]);
        for (at, made) in run.new.zip(made) {
            by[at] = if made.is_some() { WrittenBy::Mixed } else { WrittenBy::Human };
        }
    }
    // Of equal lines it is not known which of them was typed.
    let typed: HashSet<u64> = { new_hashes.iter().zip(&by) }
        .filter(|(_, by)| **by != WrittenBy::Agent)
        .map(|(line, _)| *line)
        .collect();
    let settle = |(line, by)| match by {
        WrittenBy::Agent if typed.contains(&line) => (line, WrittenBy::Human),
        _ => (line, by),
    };
    new_hashes.into_iter().zip(by).map(settle).collect()
}

/// The longest text of a record that is read.
pub(crate) fn read(line: &str) -> Option<LineRecord> {
    serde_json::from_str(line).ok()
}
