//! The words of identifiers and sentences: split where the case or the kind of character changes, without those that
//! carry no meaning, and cut to their stems.

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

/// Words of a request that say more about the asking than about what is asked for.
#[rustfmt::skip]
const ASKING: &[&str] = &[
    "help", "assist", "assistance", "provide", "look", "tell", "suggest", "recommend", "recommendation", "give", "let",
    "information", "info", "detail", "specific", "specifically", "various", "currently", "able", "interested", "wonder",
    "know", "understand", "ensure", "include", "really", "hello", "hi", "hey", "thank",
];

/// Words that relate a thing to another: what is behind them says where, of what, or how.
#[rustfmt::skip]
const RELATING: &[&str] = &[
    "in", "for", "from", "of", "to", "with", "by", "on", "at", "into", "using", "via", "about", "within", "under", "that",
    "which", "where", "and", "as", "whose", "so",
];

/// The longest word that is looked at, in bytes; what is longer is no word.
const LONGEST: usize = 64;

/// Splits text into words in lower case: `getHTTPUrl_v2` is `get`, `http`, `url`, `v`, `2`.
pub(super) fn split_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    each_word(text, |word| words.push(word.to_owned()));
    words
}

/// Calls `found` with each word of [`split_words`] in turn.
pub(super) fn each_word(text: &str, mut found: impl FnMut(&str)) {
    let mut lower = String::new();
    let mut part = |part: &str| {
        // Most words stand in lower case already.
        if part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()) {
            if part.len() <= LONGEST {
                found(part);
            }
            return;
        }
        lower.clear();
        match part.is_ascii() {
            true => lower.push_str(part),
            false => lower.push_str(&part.to_lowercase()),
        }
        lower.make_ascii_lowercase();
        if lower.len() <= LONGEST {
            found(&lower);
        }
    };
    match text.is_ascii() {
        true => each_ascii_part(text, &mut part),
        false => {
            let runs = text.split(|c: char| !c.is_alphanumeric()).filter(|run| !run.is_empty());
            runs.for_each(|run| each_part(run, &mut part));
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum CharKind {
    Upper,
    Lower,
    Digit,
}

fn char_kind(c: char) -> CharKind {
    match c {
        'a'..='z' => CharKind::Lower,
        'A'..='Z' => CharKind::Upper,
        c if c.is_numeric() => CharKind::Digit,
        c if c.is_uppercase() => CharKind::Upper,
        _ => CharKind::Lower,
    }
}

/// Returns whether a word begins at a character, by the kinds of the characters before it, of itself, and after it.
fn begins_word(before: CharKind, now: CharKind, next: impl FnOnce() -> Option<CharKind>) -> bool {
    match (before, now) {
        (CharKind::Upper, CharKind::Lower) => false,
        (CharKind::Upper, CharKind::Upper) => next() == Some(CharKind::Lower),
        (before, now) => before != now,
    }
}

/// The parts of a run of letters and digits.
fn each_part<'a>(run: &'a str, mut found: impl FnMut(&'a str)) {
    let (mut start, mut before) = (0, None);
    let mut chars = run.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let now = char_kind(c);
        let next = || chars.peek().map(|(_, c)| char_kind(*c));
        if before.is_some_and(|before| begins_word(before, now, next)) {
            found(&run[start..at]);
            start = at;
        }
        before = Some(now);
    }
    found(&run[start..]);
}

/// The kind of each byte that may be in an ASCII identifier.
const KINDS: [Option<CharKind>; 256] = {
    let mut kinds = [None; 256];
    let mut byte = 0;
    while byte < 128 {
        kinds[byte] = match byte as u8 {
            b'a'..=b'z' => Some(CharKind::Lower),
            b'A'..=b'Z' => Some(CharKind::Upper),
            b'0'..=b'9' => Some(CharKind::Digit),
            _ => None,
        };
        byte += 1;
    }
    kinds
};

/// The parts of every run in a text of ASCII alone, as nearly all are: a byte at a time.
fn each_ascii_part<'a>(text: &'a str, mut found: impl FnMut(&'a str)) {
    let bytes = text.as_bytes();
    let (mut start, mut before) = (0, None);
    for (at, byte) in bytes.iter().enumerate() {
        let now = KINDS[usize::from(*byte)];
        let next = || bytes.get(at + 1).and_then(|byte| KINDS[usize::from(*byte)]);
        match (before, now) {
            (None, None) => {}
            (None, Some(_)) => start = at,
            (Some(_), None) => found(&text[start..at]),
            (Some(before), Some(now)) if begins_word(before, now, next) => {
                found(&text[start..at]);
                start = at;
            }
            (Some(_), Some(_)) => {}
        }
        before = now;
    }
    if before.is_some() {
        found(&text[start..]);
    }
}

/// Returns the stem of a lower-case word; nothing where it carries no meaning.
pub(super) fn meaningful_stem(word: &str) -> Option<String> {
    (!is_stop(word)).then(|| stem_word(word))
}

/// Returns whether a stem is of a word of the request itself (as "find", "tool"), and not of its subject.
pub(super) fn is_asking(stem_of_word: &str) -> bool {
    static STEMS: LazyLock<std::collections::HashSet<String>> =
        LazyLock::new(|| ASKING.iter().map(|word| stem_word(word)).collect());
    STEMS.contains(stem_of_word)
}

/// Returns whether a lower-case word relates a thing to another, as "in" and "of".
pub(super) fn is_relating(word: &str) -> bool {
    RELATING.contains(&word)
}

/// Counts the words that are two neighbours of others written together: `filesystem` of `file` and `systems`.
pub(super) fn written_together(words: &[String], others: &[String]) -> usize {
    let is_both = |word: &str, two: &[String]| {
        let rest = word.strip_prefix(two[0].as_str()).filter(|rest| !rest.is_empty());
        // Most pairs are distinguished without their stems.
        rest.is_some_and(|rest| {
            rest.as_bytes()[0] == two[1].as_bytes()[0] && stem_word(rest) == stem_word(&two[1])
        })
    };
    words.iter().filter(|word| others.windows(2).any(|two| is_both(word, two))).count()
}

fn is_stop(word: &str) -> bool {
    static WORDS: LazyLock<std::collections::HashSet<&str>> =
        LazyLock::new(|| STOP.iter().copied().collect());
    WORDS.contains(word)
}

/// The stem of an English word in lower case.
pub(super) fn stem_word(word: &str) -> String {
    static STEMMER: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));
    STEMMER.stem(word).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_split_as_they_are_read() {
        let check = |text: &str, expected: &[&str]| {
            assert_eq!(split_words(text), expected, "{text}");
        };
        check("getHTTPUrl_v2", &["get", "http", "url", "v", "2"]);
        check("AddTagsToCertificate", &["add", "tags", "to", "certificate"]);
        check("search.lexical: find-it, EC2", &["search", "lexical", "find", "it", "ec", "2"]);
        check("Größe ändern", &["größe", "ändern"]);
        check("", &[]);
        check("HTTPServer2Go IP4 aB", &["http", "server", "2", "go", "ip", "4", "a", "b"]);
    }

    proptest::proptest! {
        #[test]
        fn ascii_is_split_as_any_text_is(text in "[a-cA-C0-1_ .]{0,24}") {
            let mut runs = Vec::new();
            for run in text.split(|c: char| !c.is_alphanumeric()).filter(|run| !run.is_empty()) {
                each_part(run, |part| runs.push(part.to_lowercase()));
            }
            proptest::prop_assert_eq!(split_words(&text), runs);
        }
    }

    #[test]
    fn words_written_together_are_known_from_their_parts() {
        let count = |words: &str, others: &str| written_together(&split_words(words), &split_words(others));
        assert_eq!(count("filesystems list", "list_file_system"), 1);
        assert_eq!(count("listFilenames", "file name"), 1);
        assert_eq!(count("file system", "file system"), 0, "these are words of their own");
        assert_eq!(count("profile", "pro files off"), 1);
        assert_eq!(count("files", "file"), 0);
    }

    #[test]
    fn words_are_cut_to_what_they_share() {
        let stems = |text: &str| {
            split_words(text).iter().filter_map(|word| meaningful_stem(word)).collect::<Vec<_>>()
        };
        assert_eq!(stems("Listing the files of my folders"), ["list", "file", "folder"]);
        assert_eq!(stems("list a file"), ["list", "file"]);
    }
}
