//! The similarity of two lines, by their common ends and by pairs of letters.

use std::collections::HashMap;

use foldhash::fast::RandomState;

/// Lines with at least this similarity may be the same line, mistyped or changed in a word.
pub(super) const SIMILAR: f64 = 0.6;
/// A line cut short behind dots has to show so many characters.
const SHOWN: usize = 8;
/// A line that stops without dots has to show so many.
const STOPPED: usize = 12;

/// The similarity of two lines without spaces, from 0 to 1.
pub(super) fn line_similarity(ours: &str, theirs: &str) -> f64 {
    if ours.is_empty() || theirs.is_empty() {
        return 0.0;
    }
    if cut_short(ours, theirs) {
        return 0.9;
    }
    let (a, b) = (ours.as_bytes(), theirs.as_bytes());
    let (short, long) = (a.len().min(b.len()), a.len().max(b.len()));
    if short * 3 < long {
        return 0.0;
    }
    if is_cut_of(ours, theirs) {
        return 0.85;
    }
    let head = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let tail = a[head..].iter().rev().zip(b[head..].iter().rev()).take_while(|(a, b)| a == b).count();
    let ends = (head + tail) as f64 / long as f64;
    if ends >= SIMILAR { ends } else { ends.max(pair_similarity(a, b)) }
}

/// Returns whether a line is the beginning of another one, or omits a part of it behind dots.
pub(in super::super) fn is_cut_of(ours: &str, theirs: &str) -> bool {
    ours.len() >= STOPPED && theirs.starts_with(ours) || cut_short(ours, theirs)
}

/// Returns whether a line is another one up to, or from, three dots.
fn cut_short(ours: &str, theirs: &str) -> bool {
    let dots = |text: &'static str| {
        let head = ours.strip_suffix(text).filter(|head| head.len() >= SHOWN && theirs.starts_with(head));
        let tail = || ours.strip_prefix(text).filter(|tail| tail.len() >= SHOWN && theirs.ends_with(tail));
        head.or_else(tail).is_some()
    };
    dots("...") || dots("…")
}

/// The share of pairs of letters that both have.
fn pair_similarity(a: &[u8], b: &[u8]) -> f64 {
    if a.len() < 2 || b.len() < 2 {
        return 0.0;
    }
    let mut counts: HashMap<&[u8], i32, RandomState> = HashMap::default();
    a.windows(2).for_each(|pair| *counts.entry(pair).or_default() += 1);
    let mut both = 0;
    for pair in b.windows(2) {
        if let Some(count) = counts.get_mut(pair).filter(|count| **count > 0) {
            *count -= 1;
            both += 1;
        }
    }
    2.0 * f64::from(both) / (a.len() + b.len() - 2) as f64
}
