//! Secrets are taken out of texts before they are written anywhere, or sent to a model.
//!
//! An automaton looks for the words that mark a secret; the text around such a word decides if it is one: the shape of
//! a vendor's key (`shapes`, and `vendors` with the rules of gitleaks), the name it is given to (`assign`), a header, a flag, a
//! field. Escapes and base64 are undone where there are any.
//!
//! # Invariants
//!
//! - No known secret reaches the log, nor a model that makes vectors of texts.
//!   Test: `secrets_do_not_reach_the_disk`, `each_form_of_a_secret_goes`, `code_and_prose_stay_as_they_are`,
//!   `a_model_is_sent_no_secret`
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod assign;
mod bare;
mod base64_runs;
mod command;
mod decode;
mod headers;
mod line;
mod mapping;
mod names;
mod places;
mod shapes;
mod statement;
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
struct FoundSecret {
    /// The kind of secret.
    kind: &'static str,
    /// The start, in bytes.
    start: usize,
    /// The end.
    end: usize,
}

/// The check of the text around a word.
#[derive(Clone, Copy, Debug)]
enum WordCheck {
    Shape(usize),
    Vendor(usize),
    Header(usize),
    Command(usize),
    Place(usize),
    Statement(usize),
    Name,
}

/// All typical words of secrets, in one automaton, and the check for each.
struct SecretWords {
    automaton: AhoCorasick,
    looks: Vec<WordCheck>,
}

static WORDS: LazyLock<Option<SecretWords>> = LazyLock::new(|| {
    let mut words: Vec<(&str, WordCheck)> = Vec::new();
    words.extend(shapes::SHAPES.iter().enumerate().map(|(at, shape)| (shape.word, WordCheck::Shape(at))));
    words.extend(
        vendors::TABLE.words.iter().enumerate().map(|(at, (word, _))| (*word, WordCheck::Vendor(at))),
    );
    words.extend(headers::WORDS.iter().enumerate().map(|(at, word)| (*word, WordCheck::Header(at))));
    words.extend(command::command_words().enumerate().map(|(at, word)| (word, WordCheck::Command(at))));
    words.extend(places::WORDS.iter().enumerate().map(|(at, word)| (*word, WordCheck::Place(at))));
    words.extend(statement::WORDS.iter().enumerate().map(|(at, word)| (*word, WordCheck::Statement(at))));
    words.extend(names::NAMES.iter().map(|word| (*word, WordCheck::Name)));
    let automaton = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .kind(Some(AhoCorasickKind::DFA))
        .build(words.iter().map(|(word, _)| word));
    Some(SecretWords { automaton: automaton.ok()?, looks: words.iter().map(|(_, looks)| *looks).collect() })
});

/// The text with each secret replaced by `[redacted:KIND:HASH]`, where HASH is the first four digits of the
/// secret's hash: enough to see that two are the same, not enough to guess one.
pub fn redact(text: &str) -> Cow<'_, str> {
    // The shortest secret is a name, a sign and a value.
    if text.len() <= 8 {
        return Cow::Borrowed(text);
    }
    let bytes = text.as_bytes();
    let mut found = find_secrets(bytes);
    for decoded in decode::UnescapedText::unescape_parts(bytes) {
        let behind = find_secrets(&decoded.text).into_iter();
        found.extend(behind.filter_map(|one| {
            let (start, end) = decoded.original_place(one.start, one.end)?;
            Some(FoundSecret { start, end, ..one })
        }));
    }
    base64_runs::find_runs(bytes, |plain| !find_secrets(plain).is_empty(), &mut found);
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    found.sort_by_key(|one| one.start);
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for one in join_overlaps(text, &found) {
        out.push_str(&text[done..one.start]);
        out.push_str(&redaction_mark(one.kind, &text[one.start..one.end]));
        done = one.end;
    }
    out.push_str(&text[done..]);
    Cow::Owned(out)
}

/// Joins overlapping secrets, and moves their bounds to the bounds of characters.
fn join_overlaps(text: &str, found: &[FoundSecret]) -> Vec<FoundSecret> {
    let mut all: Vec<FoundSecret> = Vec::new();
    for one in found {
        let start = text.floor_char_boundary(one.start);
        let end = text.ceil_char_boundary(one.end);
        match all.last_mut() {
            Some(last) if start < last.end => last.end = last.end.max(end),
            _ if start < end => all.push(FoundSecret { start, end, ..*one }),
            _ => {}
        }
    }
    all
}

fn redaction_mark(kind: &str, secret: &str) -> String {
    let hash = hash::short_hash(secret.as_bytes());
    format!("[redacted:{kind}:{}]", &hash[..4])
}

/// Returns the secrets of a text without decoding it; of those that begin at one place the closest kind first.
fn find_secrets(text: &[u8]) -> Vec<FoundSecret> {
    let Some(words) = WORDS.as_ref() else { return Vec::new() };
    let mut found: Vec<(usize, Reverse<usize>, Reverse<usize>, FoundSecret)> = Vec::new();
    let (mut seen, mut last) = (0, (0, 0));
    for hit in words.automaton.find_overlapping_iter(text) {
        let (start, end) = (hit.start(), hit.end());
        if start > last.0 && start < last.1 {
            continue;
        }
        let (rank, one) = match words.looks[hit.pattern().as_usize()] {
            WordCheck::Shape(at) => (4, shapes::SHAPES[at].check(text, start, end)),
            WordCheck::Header(at) => (3, headers::check_header(at, text, start, end)),
            WordCheck::Place(at) => (2, places::check_place(at, text, start, end)),
            WordCheck::Statement(at) => (2, statement::check_statement(at, text, start, end)),
            WordCheck::Command(at) => (2, command::check_command(at, text, start, end)),
            WordCheck::Vendor(at) => (1, vendors::TABLE.check(at, text, start, end)),
            WordCheck::Name => (0, assign::check_name(text, start, end, &mut seen)),
        };
        let Some(one) = one else { continue };
        if one.end > last.1 {
            last = (one.start, one.end);
        }
        let beside = Some(one)
            .filter(|one| one.kind == "aws-access-key")
            .and_then(|id| places::secret_beside(text, id));
        let length = end - start;
        found.extend(
            [Some(one), beside]
                .into_iter()
                .flatten()
                .map(|one| (one.start, Reverse(rank), Reverse(length), one)),
        );
    }
    let shown = shapes::dotted_tokens(text).into_iter().chain(bare::aws_secrets(text));
    found.extend(shown.map(|one| (one.start, Reverse(0), Reverse(0), one)));
    found.sort_by_key(|(start, rank, length, _)| (*start, *rank, *length));
    found.into_iter().map(|(_, _, _, one)| one).collect()
}
