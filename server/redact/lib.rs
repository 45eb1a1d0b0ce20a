//! Secrets are taken out of texts before they are written anywhere, or sent to a model.
//!
//! One automaton looks for the words that a secret shows itself by; what stands around a word says whether it is one: the shape of
//! a vendor's key (`shapes`, and `vendors` with the rules of gitleaks), the name it is given to (`assign`), a header, a flag, a
//! field. Escapes and base64 are undone where there are any.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod assign;
mod command;
mod decode;
mod encoded;
mod headers;
mod line;
mod mapping;
mod names;
mod places;
mod shapes;
mod value;
mod vendors;

#[cfg(test)]
mod tests;

use wherefore_base as base;

use std::borrow::Cow;
use std::cmp::Reverse;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use crate::base::hash;

pub use mapping::{names_value, redact_argument, redact_named, redact_value};

/// A secret found in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Found {
    /// What it is.
    kind: &'static str,
    /// Where it starts, in bytes.
    start: usize,
    /// Where it ends.
    end: usize,
}

/// Who looks at what stands around a word.
#[derive(Clone, Copy, Debug)]
enum Looks {
    Shape(usize),
    Vendor(usize),
    Header(usize),
    Command(usize),
    Place(usize),
    Name,
}

/// All the words that a secret shows itself by, in one automaton, and who looks at each.
struct Words {
    automaton: AhoCorasick,
    looks: Vec<Looks>,
}

static WORDS: LazyLock<Option<Words>> = LazyLock::new(|| {
    let mut words: Vec<(&str, Looks)> = Vec::new();
    words.extend(shapes::SHAPES.iter().enumerate().map(|(at, shape)| (shape.word, Looks::Shape(at))));
    words.extend(vendors::TABLE.words.iter().enumerate().map(|(at, (word, _))| (*word, Looks::Vendor(at))));
    words.extend(headers::WORDS.iter().enumerate().map(|(at, word)| (*word, Looks::Header(at))));
    words.extend(command::words().enumerate().map(|(at, word)| (word, Looks::Command(at))));
    words.extend(places::WORDS.iter().enumerate().map(|(at, word)| (*word, Looks::Place(at))));
    words.extend(names::NAMES.iter().map(|word| (*word, Looks::Name)));
    let automaton = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .kind(Some(AhoCorasickKind::DFA))
        .build(words.iter().map(|(word, _)| word));
    Some(Words { automaton: automaton.ok()?, looks: words.iter().map(|(_, looks)| *looks).collect() })
});

/// The text with each secret replaced by `[redacted:KIND:HASH]`, where HASH is the first four digits of the
/// secret's hash: enough to see that two are the same, not enough to guess one.
pub fn redact(text: &str) -> Cow<'_, str> {
    // The shortest secret is a name, a sign and a value.
    if text.len() <= 8 {
        return Cow::Borrowed(text);
    }
    let bytes = text.as_bytes();
    let mut found = find(bytes);
    for decoded in decode::Decoded::all(bytes) {
        let behind = find(&decoded.text).into_iter();
        found.extend(behind.filter_map(|one| {
            let (start, end) = decoded.place(one.start, one.end)?;
            Some(Found { start, end, ..one })
        }));
    }
    encoded::runs(bytes, |plain| !find(plain).is_empty(), &mut found);
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    found.sort_by_key(|one| one.start);
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for one in joined(text, &found) {
        out.push_str(&text[done..one.start]);
        out.push_str(&mark(one.kind, &text[one.start..one.end]));
        done = one.end;
    }
    out.push_str(&text[done..]);
    Cow::Owned(out)
}

/// Those that overlap as one, on the bounds of characters.
fn joined(text: &str, found: &[Found]) -> Vec<Found> {
    let mut all: Vec<Found> = Vec::new();
    for one in found {
        let start = text.floor_char_boundary(one.start);
        let end = text.ceil_char_boundary(one.end);
        match all.last_mut() {
            Some(last) if start < last.end => last.end = last.end.max(end),
            _ if start < end => all.push(Found { start, end, ..*one }),
            _ => {}
        }
    }
    all
}

fn mark(kind: &str, secret: &str) -> String {
    let hash = hash::short(secret.as_bytes());
    format!("[redacted:{kind}:{}]", &hash[..4])
}

/// The secrets of a text as it stands; of those that begin at one place the closest kind first.
fn find(text: &[u8]) -> Vec<Found> {
    let Some(words) = WORDS.as_ref() else { return Vec::new() };
    let mut found: Vec<(usize, Reverse<usize>, Reverse<usize>, Found)> = Vec::new();
    let (mut seen, mut last) = (0, (0, 0));
    for hit in words.automaton.find_overlapping_iter(text) {
        let (start, end) = (hit.start(), hit.end());
        if start > last.0 && start < last.1 {
            continue;
        }
        let (rank, one) = match words.looks[hit.pattern().as_usize()] {
            Looks::Shape(at) => (4, shapes::SHAPES[at].check(text, start, end)),
            Looks::Header(at) => (3, headers::check(at, text, start, end)),
            Looks::Place(at) => (2, places::check(at, text, start, end)),
            Looks::Command(at) => (2, command::check(at, text, start, end)),
            Looks::Vendor(at) => (1, vendors::TABLE.check(at, text, start, end)),
            Looks::Name => (0, assign::check(text, start, end, &mut seen)),
        };
        let Some(one) = one else { continue };
        if one.end > last.1 {
            last = (one.start, one.end);
        }
        let beside =
            Some(one).filter(|one| one.kind == "aws-access-key").and_then(|id| places::beside(text, id));
        let length = end - start;
        found.extend(
            [Some(one), beside]
                .into_iter()
                .flatten()
                .map(|one| (one.start, Reverse(rank), Reverse(length), one)),
        );
    }
    found.extend(shapes::dotted(text).into_iter().map(|one| (one.start, Reverse(0), Reverse(0), one)));
    found.sort_by_key(|(start, rank, length, _)| (*start, *rank, *length));
    found.into_iter().map(|(_, _, _, one)| one).collect()
}
