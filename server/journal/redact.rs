//! Secrets of known shapes are taken out before anything is written.

mod assign;
mod shapes;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use serde_json::{Map, Value};

use crate::base::hash;

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

/// All the words that a secret shows itself by, in one automaton: the shapes first, then the names.
static WORDS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .kind(Some(AhoCorasickKind::DFA))
        .build(shapes::SHAPES.iter().map(|shape| shape.word).chain(assign::NAMES))
        .ok()
});

/// The text with each secret replaced by `[redacted:KIND:HASH]`, where HASH is the first four digits of the
/// secret's hash: enough to see that two are the same, not enough to guess one.
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut found = find(text);
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    // Of several kinds that begin at one place the last found has the longest word: the closest kind.
    found.reverse();
    found.sort_by_key(|one| one.start);
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for one in found {
        if one.start < done {
            continue;
        }
        out.push_str(&text[done..one.start]);
        out.push_str(&mark(one.kind, &text[one.start..one.end]));
        done = one.end;
    }
    out.push_str(&text[done..]);
    Cow::Owned(out)
}

fn mark(kind: &str, secret: &str) -> String {
    let hash = hash::short(secret.as_bytes());
    format!("[redacted:{kind}:{}]", &hash[..4])
}

fn find(text: &str) -> Vec<Found> {
    // The shortest secret is a name, a sign and a value.
    let Some(words) = WORDS.as_ref().filter(|_| text.len() > 10) else { return Vec::new() };
    let bytes = text.as_bytes();
    let mut found: Vec<Found> = Vec::new();
    for hit in words.find_overlapping_iter(bytes) {
        let last = found.last().map_or((0, 0), |last| (last.start, last.end));
        if hit.start() < last.1 && hit.start() != last.0 {
            continue;
        }
        let one = match shapes::SHAPES.get(hit.pattern().as_usize()) {
            Some(shape) => shape.check(bytes, hit.start(), hit.end()),
            None => assign::check(bytes, hit.start(), hit.end()),
        };
        found.extend(one);
    }
    found.extend(shapes::dotted(text));
    found
}

/// Redacts every string of a value in place, keys too. Under a key that names a secret (`password`, `token`,
/// …) the whole string goes, whatever its shape.
pub fn redact_value(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(clean) = redact(text) {
                *text = clean;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(redact_value),
        Value::Object(map) => redact_map(map),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn redact_map(map: &mut Map<String, Value>) {
    for (key, value) in map.iter_mut() {
        match value.as_str().and_then(|text| redact_named(key, text)) {
            Some(mark) => *value = Value::String(mark),
            None => redact_value(value),
        }
    }
    if map.keys().any(|key| matches!(redact(key), Cow::Owned(_))) {
        let old = std::mem::take(map);
        map.extend(old.into_iter().map(|(key, value)| (redact(&key).into_owned(), value)));
    }
}

/// What stands for a string under a key that names a secret; nothing under another key.
pub(super) fn redact_named(key: &str, text: &str) -> Option<String> {
    (assign::is_name(key) && assign::is_value(text)).then(|| mark("value", text))
}
