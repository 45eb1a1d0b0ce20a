//! A text as lines, each known by a hash of what stands before its end: so other line ends make no other lines.

use std::hash::{BuildHasher, Hasher};

/// The lines of a text without their ends.
pub(crate) fn split(text: &str) -> Vec<&str> {
    let body = |line| {
        let line: &str = line;
        let line = line.strip_suffix('\n').unwrap_or(line);
        line.strip_suffix('\r').unwrap_or(line)
    };
    text.split_inclusive('\n').map(body).collect()
}

/// What tells one line from another, with or without its end.
pub fn hash(line: &str) -> u64 {
    let line = line.strip_suffix('\n').unwrap_or(line);
    let line = line.strip_suffix('\r').unwrap_or(line);
    let mut hasher = foldhash::quality::FixedState::with_seed(7).build_hasher();
    hasher.write(line.as_bytes());
    hasher.finish()
}

/// Letters and digits of lines that are not written twice: several `return false;` are found in any file.
const TELLING: usize = 12;

/// Whether lines are written once, so that the same elsewhere was moved there.
pub(crate) fn is_telling(lines: &str) -> bool {
    lines.chars().filter(|c| c.is_alphanumeric()).take(TELLING).count() == TELLING
}

/// Whether a line is found in many places of any file: nothing follows from two of them being equal.
pub(crate) fn is_trivial(line: &str) -> bool {
    line.chars().filter(|c| c.is_alphanumeric()).take(3).count() < 3
}
