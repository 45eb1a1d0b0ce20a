//! Marks that stand for lines left out.

const WORDS: [&str; 12] = [
    "rest",
    "existing",
    "unchanged",
    "remain",
    "omitted",
    "same as",
    "as before",
    "skipped",
    "snip",
    "truncated",
    "other ",
    "previous",
];

/// What a mark says with its dots and what else is on its line.
fn dots(line: &str) -> Option<&str> {
    let bare = line.trim().trim_start_matches(|c: char| "/#*-<!;%{('\"".contains(c) || c.is_whitespace());
    let bare = bare.trim_end_matches(|c: char| "*/->})'\"".contains(c) || c.is_whitespace());
    let strip = |text: &'static str| bare.strip_prefix(text).or_else(|| bare.strip_suffix(text));
    let rest = strip("...").or_else(|| strip("…"))?;
    Some(rest.trim_matches(['.', '…', ' ']))
}

/// Whether a context line stands for lines left out.
pub(super) fn marks(line: &str) -> bool {
    dots(line).is_some_and(|rest| rest.is_empty() || says(rest))
}

/// Whether an added line says that lines were left out: it is not meant to be written.
pub(in super::super) fn leaves_out(line: &str) -> bool {
    dots(line).is_some_and(|rest| !rest.is_empty() && says(rest))
}

fn says(rest: &str) -> bool {
    let rest = rest.to_lowercase();
    rest.len() <= 60 && WORDS.iter().any(|word| rest.contains(word))
}
