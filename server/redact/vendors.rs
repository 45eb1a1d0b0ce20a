//! Secrets of vendors, by the public rules of gitleaks and by vendors' own pages: data, compiled rule by rule when a
//! word of one first turns up.

use std::sync::{LazyLock, OnceLock};

use regex::bytes::{Regex, RegexBuilder};

use super::FoundSecret;

/// The most bytes between a word and the end of its secret.
const REACH: usize = 1200;
/// The most bytes between the start of a pattern and its word.
const BEFORE: usize = 64;
/// The text between a vendor's name and the value, and the end of the value.
const FRAME: (&str, &str) =
    (r#"^[ \t\w.-]{0,20}[\s'"\\]{0,4}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=\\]{0,5}("#, r")(?:[^\w-]|$)");

/// The position of a rule's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WordPlace {
    /// They begin the secret.
    Start,
    /// They name the vendor, before a sign and the secret.
    Name,
    /// They are anywhere in the secret.
    Near,
}

/// A rule of the table.
#[derive(Debug)]
pub(super) struct VendorRule {
    id: &'static str,
    place: WordPlace,
    entropy: f64,
    pattern: &'static str,
    compiled: OnceLock<Option<Regex>>,
}

/// The rules, and each of their words with the place of its rule.
#[derive(Debug, Default)]
pub(super) struct VendorTable {
    rules: Vec<VendorRule>,
    /// The words, each with its rule.
    pub(super) words: Vec<(&'static str, usize)>,
}

/// The table of both data files.
pub(super) static TABLE: LazyLock<VendorTable> = LazyLock::new(|| {
    let mut table = VendorTable::default();
    let lines = include_str!("gitleaks.txt").lines().chain(include_str!("vendors.txt").lines());
    for line in lines.filter(|line| !line.starts_with('#')) {
        let mut columns = line.splitn(5, '\t');
        let mut next = || columns.next().unwrap_or_default();
        let place = match next() {
            "start" => WordPlace::Start,
            "name" => WordPlace::Name,
            _ => WordPlace::Near,
        };
        let (id, entropy, words, pattern) = (next(), next().parse().unwrap_or_default(), next(), next());
        table.words.extend(words.split(',').map(|word| (word, table.rules.len())));
        table.rules.push(VendorRule { id, place, entropy, pattern, compiled: OnceLock::new() });
    }
    table
});

impl VendorTable {
    /// Returns the secret of the word at `start..end`.
    pub(super) fn check(&self, word: usize, text: &[u8], start: usize, end: usize) -> Option<FoundSecret> {
        let (word, rule) = self.words.get(word)?;
        self.rules.get(*rule)?.check(word, text, start, end)
    }
}

impl VendorRule {
    fn check(&self, word: &str, text: &[u8], start: usize, end: usize) -> Option<FoundSecret> {
        let shouted = word.bytes().any(|b| b.is_ascii_uppercase());
        if shouted && !self.pattern.starts_with("(?i)") && &text[start..end] != word.as_bytes() {
            return None;
        }
        let from = match self.place {
            WordPlace::Start => start,
            WordPlace::Name => end,
            WordPlace::Near => start.saturating_sub(BEFORE),
        };
        // A word of letters only counts only if it is not the end of another.
        let telling = word.len() > 4 || word.bytes().any(|b| b == b'_' || b == b'-');
        if self.place == WordPlace::Start && !telling && start > 0 && text[start - 1].is_ascii_alphanumeric()
        {
            return None;
        }
        let regex = self.compiled.get_or_init(|| self.compile_pattern()).as_ref()?;
        let window = &text[from..text.len().min(end + REACH)];
        let captures = regex.captures(window)?;
        let secret = captures.get(1).or_else(|| captures.get(0))?;
        let value = secret.as_bytes();
        let named = self.place != WordPlace::Name || value.iter().any(u8::is_ascii_digit);
        if !named || byte_entropy(value) < self.entropy {
            return None;
        }
        Some(FoundSecret { kind: self.id, start: from + secret.start(), end: from + secret.end() })
    }

    fn compile_pattern(&self) -> Option<Regex> {
        let pattern = match self.place {
            WordPlace::Start => format!("^(?:{})", self.pattern),
            WordPlace::Name => format!("{}{}{}", FRAME.0, self.pattern, FRAME.1),
            WordPlace::Near => self.pattern.to_owned(),
        };
        RegexBuilder::new(&pattern).unicode(false).build().ok()
    }
}

/// Bits a character, as Shannon has it.
fn byte_entropy(value: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    value.iter().for_each(|b| counts[usize::from(*b)] += 1);
    let of = |count: &u32| {
        let share = f64::from(*count) / value.len() as f64;
        -share * share.log2()
    };
    counts.iter().filter(|count| **count > 0).map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::{TABLE, WordPlace};

    #[test]
    fn every_rule_compiles_and_has_a_word() {
        assert!(TABLE.rules.len() > 150, "{}", TABLE.rules.len());
        for (at, rule) in TABLE.rules.iter().enumerate() {
            assert!(rule.compile_pattern().is_some(), "{}: {}", rule.id, rule.pattern);
            assert!(TABLE.words.iter().any(|(word, of)| *of == at && !word.is_empty()), "{}", rule.id);
            assert!(rule.place != WordPlace::Near || rule.entropy > 0.0, "{}", rule.id);
        }
    }
}
