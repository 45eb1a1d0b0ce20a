//! Elision marks: lines such as `...` that replace omitted lines.

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

/// The text of a mark without its dots.
fn strip_dots(line: &str) -> Option<&str> {
    let bare = line.trim().trim_start_matches(|c: char| "/#*-<!;%{('\"".contains(c) || c.is_whitespace());
    let bare = bare.trim_end_matches(|c: char| "*/->})'\"".contains(c) || c.is_whitespace());
    let strip = |text: &'static str| bare.strip_prefix(text).or_else(|| bare.strip_suffix(text));
    let rest = strip("...").or_else(|| strip("…"))?;
    Some(rest.trim_matches(['.', '…', ' ']))
}

/// Returns whether a context line is an elision mark.
pub(super) fn is_elision_mark(line: &str) -> bool {
    strip_dots(line).is_some_and(|rest| rest.is_empty() || says_left_out(rest))
}

/// Returns whether an added line is an elision mark with words: it must not be written.
pub(in super::super) fn leaves_out(line: &str) -> bool {
    strip_dots(line).is_some_and(|rest| !rest.is_empty() && says_left_out(rest))
}

fn says_left_out(rest: &str) -> bool {
    let rest = rest.to_lowercase();
    rest.len() <= 60 && WORDS.iter().any(|word| rest.contains(word))
}
