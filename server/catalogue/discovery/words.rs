//! The words of identifiers and sentences: split where the case or the kind of character changes, without those that
//! carry no meaning, and cut to their stems.

use std::collections::HashMap;
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};

/// Words that every request has.
#[rustfmt::skip]
const STOP: &[&str] = &[
    "a", "an", "the", "this", "that", "these", "those", "it", "its", "is", "are", "was", "were", "be", "been", "being",
    "am", "do", "does", "did", "have", "has", "had", "will", "shall", "may", "might", "should", "can", "could", "would",
    "i", "me", "my", "we", "us", "our", "you", "your", "he", "him", "his", "she", "her", "they", "them", "their", "there",
    "to", "of", "in", "on", "at", "by", "for", "from", "with", "into", "over", "about", "up", "out", "as", "and", "or",
    "not", "no", "so", "if", "then", "than", "such", "what", "which", "who", "whom", "how", "when", "where", "why", "some",
    "any", "all", "each", "every", "also", "just", "only", "more", "most", "other", "please", "want", "need", "like", "use",
    "using", "used", "via",
];

/// The longest word that is looked at, in bytes; what is longer is no word.
const LONGEST: usize = 64;

/// Splits text into words in lower case: `getHTTPUrl_v2` is `get`, `http`, `url`, `v`, `2`.
pub(super) fn split(text: &str) -> impl Iterator<Item = String> {
    let runs = text.split(|c: char| !c.is_alphanumeric()).filter(|run| !run.is_empty());
    runs.flat_map(parts).filter(|part| part.len() <= LONGEST).map(str::to_lowercase)
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Upper,
    Lower,
    Digit,
}

fn kind(c: char) -> Kind {
    match c {
        c if c.is_numeric() => Kind::Digit,
        c if c.is_uppercase() => Kind::Upper,
        _ => Kind::Lower,
    }
}

/// The parts of a run of letters and digits.
fn parts(run: &str) -> Vec<&str> {
    let chars: Vec<(usize, Kind)> = run.char_indices().map(|(at, c)| (at, kind(c))).collect();
    let mut starts = vec![0];
    for (index, pair) in chars.windows(2).enumerate() {
        let ((_, before), (at, now)) = (pair[0], pair[1]);
        let next = chars.get(index + 2).map(|(_, kind)| *kind);
        let word_begins = match (before, now) {
            (Kind::Upper, Kind::Upper) => next == Some(Kind::Lower),
            (Kind::Upper, Kind::Lower) => false,
            (before, now) => before != now,
        };
        if word_begins {
            starts.push(at);
        }
    }
    let ends = starts[1..].iter().copied().chain([run.len()]);
    starts.iter().zip(ends).map(|(start, end)| &run[*start..end]).collect()
}

/// Stems words, each once.
#[derive(Default)]
pub(super) struct Stems {
    known: HashMap<String, Option<String>>,
}

impl Stems {
    /// The stems of a text's words, in order, without those that carry no meaning.
    pub(super) fn of(&mut self, text: &str) -> Vec<String> {
        split(text).filter_map(|word| self.one(word)).collect()
    }

    fn one(&mut self, word: String) -> Option<String> {
        if let Some(known) = self.known.get(&word) {
            return known.clone();
        }
        let found = (!is_stop(&word)).then(|| stem(&word));
        self.known.insert(word, found.clone());
        found
    }
}

fn is_stop(word: &str) -> bool {
    static WORDS: LazyLock<std::collections::HashSet<&str>> =
        LazyLock::new(|| STOP.iter().copied().collect());
    WORDS.contains(word)
}

/// The stem of an English word in lower case.
pub(super) fn stem(word: &str) -> String {
    static STEMMER: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));
    STEMMER.stem(word).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_split_as_they_are_read() {
        let check = |text: &str, expected: &[&str]| {
            assert_eq!(split(text).collect::<Vec<_>>(), expected, "{text}");
        };
        check("getHTTPUrl_v2", &["get", "http", "url", "v", "2"]);
        check("AddTagsToCertificate", &["add", "tags", "to", "certificate"]);
        check("search.lexical: find-it, EC2", &["search", "lexical", "find", "it", "ec", "2"]);
        check("Größe ändern", &["größe", "ändern"]);
        check("", &[]);
    }

    #[test]
    fn words_are_cut_to_what_they_share() {
        let mut stems = Stems::default();
        assert_eq!(stems.of("Listing the files of my folders"), ["list", "file", "folder"]);
        assert_eq!(stems.of("list a file"), ["list", "file"]);
    }
}
