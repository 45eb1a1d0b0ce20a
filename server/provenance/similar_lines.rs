//! Pairs old and new lines that were both written over.

use std::collections::{HashMap, HashSet};

use crate::align::{LineRun, differing_runs};
use crate::text::{hash_line, is_telling, spaceless_hash, split_lines};
use crate::{LineRecord, WrittenBy};

/// The similarity, from 0 to 1, from which on a line counts as the other, edited.
const ALIKE: f64 = 0.5;
/// Pairs of lines that are compared at most in one run.
const PAIRS: usize = 40_000;
/// Characters of a line that are compared.
const LONGEST: usize = 400;

/// Returns for each new line the old line that it was made from: in order, each used once.
pub(crate) fn pair_lines(old: &[&str], new: &[&str]) -> Vec<Option<usize>> {
    let mut found = vec![None; new.len()];
    if old.is_empty() || new.is_empty() {
        return found;
    }
    if old.len().saturating_mul(new.len()) > PAIRS {
        // Too many to compare each with each: those that were indented, or all in their order, if that is plain.
        pair_indented(old, new, &mut found);
        if old.len() == new.len() {
            let alike = |at: usize| line_similarity(old[at], new[at]) >= ALIKE;
            let in_order: Vec<_> = (0..new.len()).map(|at| alike(at).then_some(at)).collect();
            let count = |pairs: &[Option<usize>]| pairs.iter().flatten().count();
            if count(&in_order) > count(&found) {
                return in_order;
            }
        }
        return found;
    }
    let width = new.len() + 1;
    let mut likeness = vec![0.0; old.len() * new.len()];
    let mut best = vec![0.0_f64; (old.len() + 1) * width];
    for (i, one) in old.iter().enumerate().rev() {
        for (j, other) in new.iter().enumerate().rev() {
            let alike = line_similarity(one, other);
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

/// Pairs the lines that differ in nothing but spaces.
fn pair_indented(old: &[&str], new: &[&str], found: &mut [Option<usize>]) {
    let hashes = |lines: &[&str]| lines.iter().map(|line| spaceless_hash(line)).collect::<Vec<_>>();
    let (mut from, mut to) = (0, 0);
    let end = LineRun { old: old.len()..old.len(), new: new.len()..new.len(), hunk: None };
    for run in differing_runs(&hashes(old), &hashes(new)).into_iter().chain([end]) {
        for (old, new) in (from..run.old.start).zip(to..run.new.start) {
            found[new] = Some(old);
        }
        (from, to) = (run.old.end, run.new.end);
    }
}

/// Returns the similarity of two lines, from 0 to 1: of their beginnings and ends, or of their pairs of characters.
pub(crate) fn line_similarity(one: &str, other: &str) -> f64 {
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
    let ends = share_of(head + tail, longest);
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
    ends.max(share_of(2 * common, pairs))
}

fn share_of(part: usize, whole: usize) -> f64 {
    let number = |size| f64::from(u32::try_from(size).unwrap_or(u32::MAX));
    number(part) / number(whole)
}

/// Returns the author of each line of a hunk that a person changed before they accepted it: for
/// [`LineRecord::Edited`].
pub fn edited_lines(proposed: &str, accepted: &str) -> Vec<(u64, WrittenBy)> {
    let (old, new) = (split_lines(proposed), split_lines(accepted));
    let hashes = |lines: &[&str]| lines.iter().map(|line| hash_line(line)).collect::<Vec<_>>();
    let (old_hashes, new_hashes) = (hashes(&old), hashes(&new));
    let mut by = vec![WrittenBy::Agent; new.len()];
    let runs = differing_runs(&old_hashes, &new_hashes);
    // Next to an edited line, one that it was made from may have been typed again.
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
        let made = pair_lines(&old[run.old.clone()], &new[run.new.clone()]);
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

/// Parses a stored line as a record; `None` if it is none.
pub(crate) fn parse_record(line: &str) -> Option<LineRecord> {
    serde_json::from_str(line).ok()
}
