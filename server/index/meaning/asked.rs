//! What a query asks for: its terms, what of it is written as code, and what it says of where to look.

use super::digest::{exact, folded};
use super::words::{Form, Stem, Term, each_run, each_run_at, with_terms};

/// Words of a query that are looked at.
const WORDS: usize = 64;
/// The bytes of a query that are looked at.
const LONGEST: usize = 8_192;

/// Words that say nothing of what is looked for.
#[rustfmt::skip]
const STOP: &[&str] = &[
    "a", "an", "the", "this", "that", "these", "those", "it", "its", "is", "are", "was", "were", "be", "been", "being",
    "do", "does", "did", "has", "had", "have", "will", "shall", "may", "might", "should", "can", "could", "would", "must",
    "i", "me", "my", "we", "us", "our", "you", "your", "they", "them", "their", "there", "here",
    "to", "of", "in", "on", "at", "by", "for", "from", "with", "into", "about", "as", "and", "or", "between", "through",
    "not", "no", "so", "if", "than", "then", "such", "what", "which", "who", "how", "when", "where", "why", "while",
    "some", "any", "also", "just", "only", "more", "most", "via", "using", "used", "uses", "per", "don", "t", "s",
    "across", "during", "without", "within", "after", "before", "instead", "rather", "e", "g", "re",
];

/// Words that say more of the work than of the code.
#[rustfmt::skip]
const WORK: &[&str] = &[
    "fix", "fixes", "fixed", "add", "added", "adds", "support", "supports", "implement", "implementation", "implemented",
    "make", "makes", "ensure", "improve", "improvement", "allow", "allows", "avoid", "update", "use", "handle", "handling",
    "handled", "work", "works", "properly", "correctly", "correct", "bug", "issue", "feat", "chore", "refactor", "change",
    "changes", "introduce", "prevent", "new", "code", "defined", "logic", "way", "mechanism", "find", "show", "get",
];

/// Words that ask for tests, and the like.
#[rustfmt::skip]
const TESTS: &[&str] = &[
    "test", "tests", "testing", "spec", "specs", "mock", "mocks", "fixture", "fixtures", "benchmark", "benchmarks", "bench",
    "fuzz",
];

/// A term that is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Wanted {
    pub(super) term: Term,
    pub(super) form: Form,
    /// What it is worth beside the others, before how rare it is.
    pub(super) weight: f32,
}

/// A name that may be a definition's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) folded: u32,
    pub(super) exact: u32,
    /// Whether it is written as no plain word is.
    pub(super) is_code: bool,
}

/// What a query asks for.
#[derive(Clone, Debug, Default)]
pub(super) struct Asked {
    pub(super) wanted: Vec<Wanted>,
    pub(super) names: Vec<Named>,
    /// Whether the query is one name and no more.
    pub(super) is_symbol: bool,
    /// The words before a colon at its start, as subjects of commits have them.
    pub(super) topic: Vec<Term>,
    pub(super) tests: bool,
    pub(super) examples: bool,
    pub(super) prose: bool,
}

fn is_listed(list: &[&str], word: &str) -> bool {
    list.iter().any(|one| one.eq_ignore_ascii_case(word))
}

/// Whether a word is written as names in code are.
fn looks_like_code(word: &str, is_quoted: bool, before: Option<u8>, after: Option<u8>) -> bool {
    let inner = word.trim_matches('_');
    let upper = inner.chars().skip(1).filter(|c| c.is_uppercase()).count();
    let lower = inner.chars().any(char::is_lowercase);
    is_quoted
        || word.contains('_')
        || upper > 0 && lower
        || after == Some(b'(')
        || before == Some(b'.')
        || before == Some(b'@')
}

impl Asked {
    /// Reads a query.
    pub(super) fn of(query: &str) -> Self {
        let query = &query[..query.floor_char_boundary(LONGEST)];
        let mut asked = Self::default();
        let bytes = query.as_bytes();
        let mut runs: Vec<(usize, &str)> = Vec::new();
        each_run_at(query, |at, run| {
            if runs.len() < WORDS {
                runs.push((at, run));
            }
        });
        let is_meant = |run: &str| !is_listed(STOP, run);
        let only_stops = !runs.iter().any(|(_, run)| is_meant(run));
        let names_only = query.split_whitespace().count() <= 1 || is_declaration(query);
        let mut before: Vec<(usize, Stem)> = Vec::new();
        with_terms(|terms| {
            let (mut quotes, mut counted) = (0, 0);
            for (at, run) in &runs {
                quotes += bytes[counted..*at].iter().filter(|byte| **byte == b'`').count();
                counted = *at;
                let ahead = at.checked_sub(1).map(|at| bytes[at]);
                let behind = bytes.get(at + run.len()).copied();
                let is_code = looks_like_code(run, quotes % 2 == 1, ahead, behind) && run.len() > 1;
                if !only_stops && !is_code && !is_meant(run) {
                    continue;
                }
                let is_work = is_listed(WORK, run) && !is_code;
                if run.len() > 1 {
                    asked.names.push(Named {
                        folded: folded(run),
                        exact: exact(run),
                        is_code: is_code || names_only,
                    });
                }
                let weight = if is_work { 0.35 } else { 1.0 };
                terms.each(run, |stem, form| {
                    let weight = if form == Form::Joined { 0.8 } else { weight };
                    let term = stem.term();
                    asked.want(Wanted { term, form, weight });
                });
                // Neighbours may be written together.
                let mut parts = Vec::new();
                terms.each(run, |term, form| {
                    if form == Form::Part {
                        parts.push(term);
                    }
                });
                if let (Some((end, last)), Some(first)) = (before.last(), parts.first())
                    && at.saturating_sub(*end) <= 1
                {
                    asked.want(Wanted { term: last.with(*first).term(), form: Form::Joined, weight: 0.5 });
                }
                before.extend(parts.last().map(|last| (at + run.len(), *last)));
            }
            if let Some((topic, _)) = query.split_once(':')
                && topic.len() < 40
                && topic.split_whitespace().count() <= 2
            {
                each_run(topic, |run| {
                    terms.each(run, |term, form| {
                        if form == Form::Part && !is_listed(WORK, run) {
                            asked.topic.push(term.term());
                        }
                    })
                });
            }
        });
        asked.is_symbol = names_only && !runs.is_empty();
        let has = |words: &[&str]| runs.iter().any(|(_, run)| is_listed(words, run));
        asked.tests = has(TESTS);
        asked.examples = has(&["example", "examples", "sample", "samples", "demo", "tutorial"]);
        asked.prose = has(&["readme", "docs", "changelog", "documentation", "license", "guide"]);
        asked
    }

    /// Whether nothing is asked for.
    pub(super) fn is_empty(&self) -> bool {
        self.wanted.is_empty()
    }

    fn want(&mut self, wanted: Wanted) {
        match self.wanted.iter_mut().find(|one| one.term == wanted.term) {
            Some(one) => {
                one.weight = one.weight.max(wanted.weight);
            }
            None => self.wanted.push(wanted),
        }
    }
}

/// Whether a query is the beginning of a definition: `fn spawn_blocking`, `class Foo`.
fn is_declaration(query: &str) -> bool {
    let mut words = query.split_whitespace();
    let first = words.next().unwrap_or("");
    let keywords = [
        "fn",
        "def",
        "class",
        "struct",
        "enum",
        "trait",
        "func",
        "function",
        "interface",
        "type",
        "impl",
        "module",
        "fun",
        "const",
    ];
    keywords.contains(&first) && words.next().is_some() && words.next().is_none()
}
