//! The terms of code and of sentences: identifiers split by case and underscore, stemmed, and kept whole.

use std::cell::RefCell;
use std::collections::HashMap;

use foldhash::fast::RandomState;
use rust_stemmers::{Algorithm, Stemmer};

/// The number of a term. Terms are not kept as text: two different ones share a number once in four thousand million
/// pairs, which has no effect on a ranking.
pub(super) type Term = u32;

/// The longest word that is looked at, in bytes; what is longer is data.
const LONGEST: usize = 64;
/// Parts of one identifier that are looked at.
const PARTS: usize = 12;
/// Stems that a thread remembers.
const REMEMBERED: usize = 1 << 14;

/// The form of a term in its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TermForm {
    /// A word, or a part of an identifier.
    Part,
    /// An identifier of several parts, or two neighbours among three or more.
    Joined,
}

/// Makes terms, with a memory of the stems that it met.
pub(super) struct TermMaker {
    stemmer: Stemmer,
    /// The stem of a word in lower case, by the word's hash.
    stems: HashMap<u64, WordStem, RandomState>,
    lower: String,
}

thread_local! {
    static TERMS: RefCell<TermMaker> = RefCell::new(TermMaker {
        stemmer: Stemmer::create(Algorithm::English),
        stems: HashMap::default(),
        lower: String::new(),
    });
}

/// Runs `work` with this thread's [`TermMaker`].
pub(super) fn with_terms<T>(work: impl FnOnce(&mut TermMaker) -> T) -> T {
    TERMS.with_borrow_mut(work)
}

const BASE: u64 = 0x9E37_79B9_7F4A_7C15;

/// A stem by its letters, as a number that can be written together with others: `thread` and `pool` make that of
/// `threadpool`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WordStem {
    sum: u64,
    /// The base to the power of its length.
    power: u64,
}

impl WordStem {
    const NONE: Self = Self { sum: 0, power: 1 };

    /// The stem of these letters.
    pub(super) fn from_letters(letters: &[u8]) -> Self {
        letters.iter().fold(Self::NONE, |stem, letter| Self {
            sum: stem.sum.wrapping_mul(BASE).wrapping_add(u64::from(*letter) + 1),
            power: stem.power.wrapping_mul(BASE),
        })
    }

    /// Returns the term of this and another, written together.
    pub(super) fn join_with(self, next: Self) -> Self {
        Self {
            sum: self.sum.wrapping_mul(next.power).wrapping_add(next.sum),
            power: self.power.wrapping_mul(next.power),
        }
    }

    /// Returns the number of the term.
    pub(super) fn to_term(self) -> Term {
        let mixed = (self.sum ^ self.sum >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        (mixed ^ mixed >> 32) as Term
    }
}

/// British spelling as American: what is asked for in the one is written in the other.
fn to_american(word: &mut String) {
    if word.len() < 6 {
        return;
    }
    for (british, american) in [
        ("isation", "ization"),
        ("ising", "izing"),
        ("ised", "ized"),
        ("iser", "izer"),
        ("ise", "ize"),
        ("ises", "izes"),
    ] {
        if let Some(start) = word.strip_suffix(british) {
            let keep = start.len();
            word.truncate(keep);
            return word.push_str(american);
        }
    }
    if let Some(at) = word
        .find("our")
        .filter(|at| matches!(&word[..*at], "col" | "behavi" | "fav" | "neighb" | "hon" | "lab" | "flav"))
    {
        word.remove(at + 1);
    }
}

impl TermMaker {
    /// The stem of one word, in any case.
    pub(super) fn stem_word(&mut self, word: &str) -> WordStem {
        self.lower.clear();
        if word.is_ascii() {
            self.lower.push_str(word);
            self.lower.make_ascii_lowercase();
        } else {
            self.lower.extend(word.chars().flat_map(char::to_lowercase));
        }
        let key = WordStem::from_letters(self.lower.as_bytes()).sum;
        if let Some(known) = self.stems.get(&key) {
            return *known;
        }
        let stem = if self.lower.is_ascii() {
            to_american(&mut self.lower);
            WordStem::from_letters(self.stemmer.stem(&self.lower).as_bytes())
        } else {
            WordStem::from_letters(self.lower.as_bytes())
        };
        if self.stems.len() >= REMEMBERED {
            self.stems.clear();
        }
        self.stems.insert(key, stem);
        stem
    }

    /// Calls `found` with every term of a run of letters, digits and underscores.
    pub(super) fn for_each_term(&mut self, run: &str, mut found: impl FnMut(WordStem, TermForm)) {
        if run.len() > LONGEST {
            return;
        }
        let (mut parts, mut count) = ([WordStem::NONE; PARTS], 0);
        each_part(run, |part| {
            if count < PARTS {
                parts[count] = self.stem_word(part);
                count += 1;
            }
        });
        let parts = &parts[..count];
        if let [only] = parts {
            return found(*only, TermForm::Part);
        }
        parts.iter().for_each(|part| found(*part, TermForm::Part));
        if !parts.is_empty() {
            found(parts.iter().fold(WordStem::NONE, |all, part| all.join_with(*part)), TermForm::Joined);
        }
        if parts.len() > 2 {
            parts.windows(2).for_each(|two| found(two[0].join_with(two[1]), TermForm::Joined));
        }
    }
}

/// Returns whether a character belongs to words that have no spaces around them.
fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c), 0x2E80..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF)
}

/// [`each_run_at`] without the places.
pub(super) fn each_run<'a>(text: &'a str, mut found: impl FnMut(&'a str)) {
    each_run_at(text, |_, run| found(run));
}

/// The runs of letters, digits and underscores in a text, with where each begins. Writing without spaces is cut into
/// its pairs of characters.
pub(super) fn each_run_at<'a>(text: &'a str, mut found: impl FnMut(usize, &'a str)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        while at < bytes.len() && is_word(bytes[at]) {
            at += 1;
        }
        if at == bytes.len() || bytes[at] < 128 {
            if at > start {
                found(start, &text[start..at]);
            }
            at += 1;
            continue;
        }
        // Other scripts, with the text directly before them.
        let rest = &text[start..];
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let run = &rest[..end];
        if run.chars().any(is_unspaced) {
            each_pair(start, run, &mut found);
        } else if !run.is_empty() {
            found(start, run);
        }
        at = start + end;
        at += text[at..].chars().next().map_or(1, char::len_utf8);
    }
}

fn each_pair<'a>(start: usize, run: &'a str, found: &mut impl FnMut(usize, &'a str)) {
    let mut before: Option<usize> = None;
    for (at, c) in run.char_indices() {
        let end = at + c.len_utf8();
        match before {
            Some(first) if is_unspaced(c) => found(start + first, &run[first..end]),
            None if end == run.len() => found(start, run),
            _ => {}
        }
        before = Some(at);
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[derive(Clone, Copy, PartialEq)]
enum LetterKind {
    Upper,
    Lower,
    Digit,
    None,
}

fn char_kind(c: char) -> LetterKind {
    match c {
        'a'..='z' => LetterKind::Lower,
        'A'..='Z' => LetterKind::Upper,
        '0'..='9' => LetterKind::Digit,
        '_' => LetterKind::None,
        c if c.is_uppercase() => LetterKind::Upper,
        c if c.is_numeric() => LetterKind::Digit,
        _ => LetterKind::Lower,
    }
}

/// The parts of a run: split at underscores, where the case changes, and between letters and digits.
pub(super) fn each_part<'a>(run: &'a str, mut found: impl FnMut(&'a str)) {
    let mut chars = run.char_indices().map(|(at, c)| (at, char_kind(c))).peekable();
    let (mut start, mut before) = (0, LetterKind::None);
    while let Some((at, now)) = chars.next() {
        let begins = match (before, now) {
            (LetterKind::Upper, LetterKind::Lower) => false,
            (LetterKind::Upper, LetterKind::Upper) => {
                chars.peek().is_some_and(|(_, next)| *next == LetterKind::Lower)
            }
            (before, now) => before != now,
        };
        if begins {
            if before != LetterKind::None {
                found(&run[start..at]);
            }
            start = at;
        }
        before = now;
    }
    if before != LetterKind::None {
        found(&run[start..]);
    }
}

#[cfg(test)]
mod tests;
