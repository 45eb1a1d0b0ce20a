//! The analysis of a query: its terms, the parts written as code, and hints on the kind of file.

use super::digest::{fold_name, hash_name};
use super::words::{Term, TermForm, TermMaker, WordStem, each_run, each_run_at, with_terms};

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
    pub(super) form: TermForm,
    /// Its weight relative to the others, before its rarity is taken into account.
    pub(super) weight: f32,
}

/// A name that may be a definition's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct QueryName {
    pub(super) folded: u32,
    pub(super) exact: u32,
    /// True if it is written as no plain word is.
    pub(super) is_code: bool,
}

/// The parts of a query.
#[derive(Clone, Debug, Default)]
pub(super) struct ParsedQuery {
    pub(super) wanted: Vec<WantedTerm>,
    pub(super) names: Vec<QueryName>,
    /// True if the query is one name and no more.
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

/// Returns whether a word has the form of a name in code.
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
struct WordRun<'q> {
    text: &'q str,
    /// The position of its start.
    at: usize,
    /// True if it is written as a name in code is.
    is_code: bool,
}

/// The runs of a query that are looked at.
fn query_runs(query: &str) -> Vec<WordRun<'_>> {
    let bytes = query.as_bytes();
    let mut runs: Vec<WordRun<'_>> = Vec::new();
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
        runs.push(WordRun { text, at, is_code });
    });
    runs
}

impl ParsedQuery {
    /// Reads a query.
    pub(super) fn from_query(query: &str) -> Self {
        let query = &query[..query.floor_char_boundary(LONGEST)];
        let mut asked = Self::default();
        let runs = query_runs(query);
        let only_stops = runs.iter().all(|run| is_listed(STOP, run.text));
        let names_only = query.split_whitespace().count() <= 1 || is_declaration(query);
        let is_meant = |run: &&WordRun| only_stops || run.is_code || !is_listed(STOP, run.text);
        with_terms(|terms| {
            let mut before = None;
            for run in runs.iter().filter(is_meant) {
                before = asked.add_run(terms, run, before).or(before);
            }
            asked.add_topic(terms, query);
        });
        for run in runs.iter().filter(is_meant).filter(|run| run.text.len() > 1) {
            let is_code = run.is_code || names_only;
            asked.names.push(QueryName { folded: fold_name(run.text), exact: hash_name(run.text), is_code });
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
    fn add_run(
        &mut self,
        terms: &mut TermMaker,
        run: &WordRun<'_>,
        before: Option<(usize, WordStem)>,
    ) -> Option<(usize, WordStem)> {
        let is_work = is_listed(WORK, run.text) && !run.is_code;
        let part_weight = if is_work { 0.35 } else { 1.0 };
        let (mut first, mut last) = (None, None);
        terms.for_each_term(run.text, |stem, form| {
            let weight = if form == TermForm::Joined { 0.8 } else { part_weight };
            self.add_term(WantedTerm { term: stem.to_term(), form, weight });
            if form == TermForm::Part {
                first = first.or(Some(stem));
                last = Some(stem);
            }
        });
        // Neighbours may be written together.
        if let (Some((end, last)), Some(first)) = (before, first)
            && run.at.saturating_sub(end) <= 1
        {
            self.add_term(WantedTerm {
                term: last.join_with(first).to_term(),
                form: TermForm::Joined,
                weight: 0.5,
            });
        }
        last.map(|last| (run.at + run.text.len(), last))
    }

    /// Takes the words before a colon at the query's start for its topic.
    fn add_topic(&mut self, terms: &mut TermMaker, query: &str) {
        let Some((topic, _)) = query.split_once(':') else { return };
        if topic.len() >= 40 || topic.split_whitespace().count() > 2 {
            return;
        }
        each_run(topic, |run| {
            terms.for_each_term(run, |term, form| {
                if form == TermForm::Part && !is_listed(WORK, run) {
                    self.topic.push(term.to_term());
                }
            });
        });
    }

    /// Returns whether the query has no terms.
    pub(super) fn is_empty(&self) -> bool {
        self.wanted.is_empty()
    }

    fn add_term(&mut self, wanted: WantedTerm) {
        match self.wanted.iter_mut().find(|one| one.term == wanted.term) {
            Some(one) => {
                one.weight = one.weight.max(wanted.weight);
            }
            None => self.wanted.push(wanted),
        }
    }
}

/// Returns whether a query is the beginning of a definition: `fn spawn_blocking`, `class Foo`.
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
