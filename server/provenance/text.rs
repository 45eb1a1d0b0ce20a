//! A text as lines, each known by a hash of its contents without the end: so other line ends make no other lines.

use std::hash::{BuildHasher, Hasher};

/// The lines of a text without their ends.
pub(crate) fn split_lines(text: &str) -> Vec<&str> {
    let body = |line| {
        let line: &str = line;
        let line = line.strip_suffix('\n').unwrap_or(line);
        line.strip_suffix('\r').unwrap_or(line)
    };
    text.split_inclusive('\n').map(body).collect()
}

/// Returns a hash of a line, with or without its end.
pub fn hash_line(line: &str) -> u64 {
    let line = line.strip_suffix('\n').unwrap_or(line);
    let line = line.strip_suffix('\r').unwrap_or(line);
    let mut hasher = foldhash::quality::FixedState::with_seed(7).build_hasher();
    hasher.write(line.as_bytes());
    hasher.finish()
}

/// Returns a hash of a line without its spaces: an indented line has an equal hash.
pub(crate) fn spaceless_hash(line: &str) -> u64 {
    hash_line(&line.split_whitespace().collect::<String>())
}

/// Returns whether two lines differ in nothing but spaces.
pub(crate) fn is_same_but_spaces(one: &str, other: &str) -> bool {
    let chars = |line| str::chars(line).filter(|c| !c.is_whitespace());
    chars(one).eq(chars(other))
}

/// Letters and digits of lines that are not written twice: several `return false;` are found in any file.
const TELLING: usize = 12;

/// Returns whether lines are written once, so that an equal one elsewhere was moved there.
pub(crate) fn is_telling(lines: &str) -> bool {
    lines.chars().filter(|c| c.is_alphanumeric()).take(TELLING).count() == TELLING
}

/// Returns whether a line is found in many places of any file: nothing follows from two of them being equal.
pub(crate) fn is_trivial(line: &str) -> bool {
    line.chars().filter(|c| c.is_alphanumeric()).take(3).count() < 3
}
