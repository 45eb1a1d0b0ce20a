//! Names and comments of the server's code, measured as a whole: what a newcomer meets stays in plain words.

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;

use super::tree::{File, Finding, Tree};

/// Functions of one word, of a thousand. One word is right where the receiver's type gives the rest.
const ONE_WORD_FUNCTIONS: usize = 200;
/// Functions that are named by a participle (`told`, `kept`), of a thousand.
const PARTICIPLES: usize = 10;
/// Types that share their name with another, of a thousand.
const SHARED_TYPES: usize = 20;
/// Types of one word, of a thousand.
const ONE_WORD_TYPES: usize = 80;
/// Comment lines that begin with a relative clause, of a thousand.
const RELATIVE_CLAUSES: usize = 5;

/// Words in `-ed` that are no participles.
const VERBS_IN_ED: [&str; 7] = ["feed", "embed", "need", "seed", "shed", "speed", "proceed"];
/// Participles without `-ed`.
const IRREGULAR: [&str; 16] = [
    "told", "said", "heard", "meant", "held", "kept", "made", "given", "taken", "shown", "known", "left",
    "gone", "found", "written", "met",
];

/// The server's files without those of tests.
fn shipped(tree: &Tree) -> impl Iterator<Item = &File> {
    tree.server().filter(|file| !file.path.contains("/tests/") && !file.path.ends_with("tests.rs"))
}

/// The code of a file above its test module.
fn above_tests(file: &File) -> &str {
    file.text.find("#[cfg(test)]\nmod ").map_or(&file.text, |at| &file.text[..at])
}

/// The first group of every match in the server's code.
fn names(tree: &Tree, pattern: &str) -> Vec<String> {
    let pattern = Regex::new(pattern).expect("a pattern");
    let lines = shipped(tree).flat_map(|file| above_tests(file).lines());
    lines.filter_map(|line| Some(pattern.captures(line)?[1].to_owned())).collect()
}

/// A finding where more than `limit` of a thousand of `all` are `counted`.
fn over(counted: usize, all: usize, limit: usize, rule: &str) -> Option<Finding> {
    let share = counted * 1000 / all.max(1);
    let rule =
        format!("{share} of 1,000 {rule}; {limit} is the limit: CONTRIBUTING says how things are named");
    (share > limit).then(|| Finding { place: "server".to_owned(), rule })
}

/// Functions are verbs with their objects.
pub(crate) fn functions(tree: &Tree) -> Vec<Finding> {
    let all = names(tree, r#"^\s*(?:pub(?:\([^)]*\))? )?(?:const |async |unsafe |extern "C" )*fn (\w+)"#);
    let one_word = all.iter().filter(|name| !name.trim_matches('_').contains('_'));
    let is_participle = |name: &&String| {
        let name = name.as_str();
        (name.ends_with("ed") && !VERBS_IN_ED.contains(&name)) || IRREGULAR.contains(&name)
    };
    let findings = [
        over(one_word.clone().count(), all.len(), ONE_WORD_FUNCTIONS, "functions have a name of one word"),
        over(
            one_word.filter(is_participle).count(),
            all.len(),
            PARTICIPLES,
            "functions are named by a participle",
        ),
    ];
    findings.into_iter().flatten().collect()
}

/// A type says of what it is, and is the only one of its name.
pub(crate) fn types(tree: &Tree) -> Vec<Finding> {
    let all = names(tree, r"^\s*(?:pub(?:\([^)]*\))? )?(?:struct|enum|trait|union) (\w+)");
    let mut counts = BTreeMap::<&String, usize>::new();
    for name in &all {
        *counts.entry(name).or_default() += 1;
    }
    let shared = counts.values().filter(|count| **count > 1).sum();
    let words = |name: &str| name.chars().filter(char::is_ascii_uppercase).count();
    let one_word = all.iter().filter(|name| words(name) == 1).count();
    let findings = [
        over(shared, all.len(), SHARED_TYPES, "types share their name with another"),
        over(one_word, all.len(), ONE_WORD_TYPES, "types have a name of one word"),
    ];
    findings.into_iter().flatten().collect()
}

/// A comment begins with a noun or a verb.
pub(crate) fn comments(tree: &Tree) -> Vec<Finding> {
    let starts: BTreeSet<&str> = ["What", "Whether", "How"].into();
    let lines = shipped(tree).flat_map(|file| above_tests(file).lines().map(str::trim_start));
    let all: Vec<&str> = lines.filter_map(|line| line.strip_prefix("//")).collect();
    let text = |line: &&&str| {
        line.trim_start_matches(['/', '!', ' ']).split(' ').next().is_some_and(|word| starts.contains(word))
    };
    let relative = all.iter().filter(text).count();
    over(relative, all.len(), RELATIVE_CLAUSES, "comment lines begin with What, Whether or How")
        .into_iter()
        .collect()
}
