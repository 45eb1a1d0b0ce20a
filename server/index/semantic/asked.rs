//! What a query asks for: its terms, what of it is written as code, and what it says of where to look.

use super::digest::{exact, folded};
use super::words::{Form, Stem, Term, Terms, each_run, each_run_at, with_terms};

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
pub(super) struct WantedTerm {
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
    pub(super) wanted: Vec<WantedTerm>,
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

/// A run of letters and digits in a query.
#[derive(Clone, Copy)]
struct Run<'q> {
    text: &'q str,
    /// Where it begins.
    at: usize,
    /// Whether it is written as a name in code is.
    is_code: bool,
}

/// The runs of a query that are looked at.
fn runs(query: &str) -> Vec<Run<'_>> {
    let bytes = query.as_bytes();
    let mut runs: Vec<Run<'_>> = Vec::new();
    let (mut quotes, mut counted) = (0, 0);
    each_run_at(query, |at, text| {
        if runs.len() == WORDS {
            return;
        }
        quotes += bytes[counted..at].iter().filter(|byte| **byte == b'`').count();
        counted = at;
        let before = at.checked_sub(1).map(|at| bytes[at]);
        let after = bytes.get(at + text.len()).copied();
        let is_code = looks_like_code(text, quotes % 2 == 1, before, after) && text.len() > 1;
        runs.push(Run { text, at, is_code });
    });
    runs
}

impl Asked {
    /// Reads a query.
    pub(super) fn of(query: &str) -> Self {
        let query = &query[..query.floor_char_boundary(LONGEST)];
        let mut asked = Self::default();
        let runs = runs(query);
        let only_stops = runs.iter().all(|run| is_listed(STOP, run.text));
        let names_only = query.split_whitespace().count() <= 1 || is_declaration(query);
        let is_meant = |run: &&Run| only_stops || run.is_code || !is_listed(STOP, run.text);
        with_terms(|terms| {
            let mut before = None;
            for run in runs.iter().filter(is_meant) {
                before = asked.add(terms, run, before).or(before);
            }
            asked.add_topic(terms, query);
        });
        for run in runs.iter().filter(is_meant).filter(|run| run.text.len() > 1) {
            let is_code = run.is_code || names_only;
            asked.names.push(Named { folded: folded(run.text), exact: exact(run.text), is_code });
        }
        asked.is_symbol = names_only && !runs.is_empty();
        let has = |words: &[&str]| runs.iter().any(|run| is_listed(words, run.text));
        asked.tests = has(TESTS);
        asked.examples = has(&["example", "examples", "sample", "samples", "demo", "tutorial"]);
        asked.prose = has(&["readme", "docs", "changelog", "documentation", "license", "guide"]);
        asked
    }

    /// Asks for the terms of a run, and for its first word joined with the last word before it. Gives the run's end and
    /// last word.
    fn add(
        &mut self,
        terms: &mut Terms,
        run: &Run<'_>,
        before: Option<(usize, Stem)>,
    ) -> Option<(usize, Stem)> {
        let is_work = is_listed(WORK, run.text) && !run.is_code;
        let part_weight = if is_work { 0.35 } else { 1.0 };
        let (mut first, mut last) = (None, None);
        terms.each(run.text, |stem, form| {
            let weight = if form == Form::Joined { 0.8 } else { part_weight };
            self.want(WantedTerm { term: stem.term(), form, weight });
            if form == Form::Part {
                first = first.or(Some(stem));
                last = Some(stem);
            }
        });
        // Neighbours may be written together.
        if let (Some((end, last)), Some(first)) = (before, first)
            && run.at.saturating_sub(end) <= 1
        {
            self.want(WantedTerm { term: last.with(first).term(), form: Form::Joined, weight: 0.5 });
        }
        last.map(|last| (run.at + run.text.len(), last))
    }

    /// Takes the words before a colon at the query's start for its topic.
    fn add_topic(&mut self, terms: &mut Terms, query: &str) {
        let Some((topic, _)) = query.split_once(':') else { return };
        if topic.len() >= 40 || topic.split_whitespace().count() > 2 {
            return;
        }
        each_run(topic, |run| {
            terms.each(run, |term, form| {
                if form == Form::Part && !is_listed(WORK, run) {
                    self.topic.push(term.term());
                }
            });
        });
    }

    /// Whether nothing is asked for.
    pub(super) fn is_empty(&self) -> bool {
        self.wanted.is_empty()
    }

    fn want(&mut self, wanted: WantedTerm) {
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
