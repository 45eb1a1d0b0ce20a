//! Blocks as earlier versions wrote them: number, time and hashes stood in the YAML, and every event had a heading.
//!
//! ````text
//! ## 12:00:05 — Tool call: fs.read
//!
//! Check if the parser handles nested expressions
//!
//! ```yaml
//! type: tool_call
//! seq: 12
//! time: "2026-07-01T12:00:05.123Z"
//! …
//! last: {c: 7}
//! prev: "…"
//! hash: "…"
//! ```
//!
//! ````

use super::block::{IdNumbers, LogBlock};
use super::key::LogKey;

/// Takes a block apart; nothing where it is none.
pub(super) fn parse<'a>(text: &'a str, key: &LogKey) -> Option<LogBlock<'a>> {
    let open = text.find("\n```").map(|at| at + 1)?;
    let start = open + text[open..].find('\n')? + 1;
    let fence = text[open..].bytes().take_while(|b| *b == b'`').count();
    let yaml = text.get(start..text.len().checked_sub(fence + 2)?)?;
    let (above, hash) = last_line(yaml, "hash: ")?;
    let (_, prev) = last_line(above, "prev: ")?;
    let seq = yaml.lines().nth(1)?.strip_prefix("seq: ")?.parse().ok()?;
    let intact = key.is_hash_of(&text.as_bytes()[..start + above.len()], hash);
    Some(LogBlock { text, seq, yaml, facts: None, prev, hash, intact })
}

/// The last number given out of each kind of id, as of the block with this YAML.
pub(super) fn numbers(yaml: &str) -> IdNumbers {
    let line = yaml.lines().rev().nth(2).and_then(|line| line.strip_prefix("last: {")?.strip_suffix('}'));
    let pairs = line.unwrap_or_default().split(", ").filter_map(|pair| pair.split_once(": "));
    pairs.filter_map(|(prefix, number)| Some((prefix.to_owned(), number.parse().ok()?))).collect()
}

/// Splits off the last line where it is `KEY"VALUE"`.
fn last_line<'a>(yaml: &'a str, key: &str) -> Option<(&'a str, &'a str)> {
    let body = yaml.strip_suffix('\n')?;
    let start = body.rfind('\n')? + 1;
    let value = body[start..].strip_prefix(key)?.strip_prefix('"')?.strip_suffix('"')?;
    Some((&yaml[..start], value))
}
