//! The form of one event in the log: a heading, a reason for people, a YAML block for programs.
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
//! `hash` is the hash of every byte of the block above its own line, under the key that `session_start` names, and `prev`
//! the `hash` of the block before.
//! No line that begins with `## ` in the first column comes from a value, so blocks can be told apart from
//! either end of the file.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Map, Value};

use super::key::Key;
use super::yaml::{self, Comments};

/// Bytes that one block may have; a longer run of lines is no block.
pub(super) const LARGEST: usize = 8 << 20;

/// The last number given out of each kind of id, by prefix: `c` for calls.
pub(super) type Numbers = BTreeMap<String, u64>;

/// All of an event's block that does not depend on its place in the log.
#[derive(Debug, Default)]
pub(super) struct Prepared {
    /// What stands behind the time in the heading, safe.
    pub heading: String,
    /// The line for people, safe, or empty.
    pub reason: String,
    /// The event's type.
    pub kind: String,
    /// The event's fields as YAML.
    pub fields: String,
    /// The numbers of the ids it names.
    pub numbers: Numbers,
}

impl Prepared {
    /// Lays out the fields of an event, which were redacted and sealed, each of the comments above its key.
    pub(super) fn new(
        heading: String,
        reason: String,
        kind: String,
        body: &Map<String, Value>,
        mut comments: Comments,
    ) -> Self {
        let numbers = numbers(body);
        let mut fields = String::with_capacity(512);
        yaml::mapping(&mut fields, body, &mut comments);
        Self { heading, reason, kind, fields, numbers }
    }

    /// Writes the block into `out`, which is emptied first, and gives its hash under `key`.
    pub(super) fn compose(&self, out: &mut String, place: &Place<'_>, key: &Key) -> String {
        let fence = "`".repeat(longest_run(&self.fields).max(2) + 1);
        out.clear();
        let clock = place.time.get(11..19).unwrap_or_default();
        let _ = write!(out, "## {clock} — {}\n\n", self.heading);
        if !self.reason.is_empty() {
            let _ = write!(out, "{}\n\n", self.reason);
        }
        let _ =
            write!(out, "{fence}yaml\ntype: {}\nseq: {}\ntime: \"{}\"\n", self.kind, place.seq, place.time);
        out.push_str(&self.fields);
        out.push_str("last: {");
        for (at, (prefix, number)) in place.last.iter().enumerate() {
            let _ = write!(out, "{}{prefix}: {number}", if at == 0 { "" } else { ", " });
        }
        let _ = write!(out, "}}\nprev: \"{}\"\n", place.prev);
        let hash = key.hash(out.as_bytes());
        let _ = write!(out, "hash: \"{hash}\"\n{fence}\n\n");
        hash
    }
}

/// Where a block stands in the log.
#[derive(Debug)]
pub(super) struct Place<'a> {
    /// Its number, from 1.
    pub seq: u64,
    /// When, RFC 3339 in UTC.
    pub time: &'a str,
    /// The last number of each kind of id, its own among them.
    pub last: &'a Numbers,
    /// The hash of the block before.
    pub prev: &'a str,
}

/// The numbers of the ids that an event gives out or names.
fn numbers(body: &Map<String, Value>) -> Numbers {
    let ids = ["call_id", "proposal", "undo_id"].iter().filter_map(|key| body.get(*key)?.as_str());
    ids.filter_map(|id| {
        let (prefix, digits) = id.split_once('-')?;
        let plain = (1..=3).contains(&prefix.len()) && prefix.bytes().all(|b| b.is_ascii_lowercase());
        let number = digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok())??;
        plain.then(|| (prefix.to_owned(), number))
    })
    .collect()
}

/// The most backticks in a row.
fn longest_run(text: &str) -> usize {
    let Some(first) = memchr::memchr(b'`', text.as_bytes()) else { return 0 };
    let mut longest = 0;
    let mut run = 0;
    for byte in text.bytes().skip(first) {
        run = if byte == b'`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

/// A block as it stands in the file, taken apart but not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block<'a> {
    /// Its bytes.
    pub text: &'a str,
    /// Its number.
    pub seq: u64,
    /// The YAML between the fences.
    pub yaml: &'a str,
    /// The hash it names for the block before.
    pub prev: &'a str,
    /// The hash it names for itself.
    pub hash: &'a str,
    /// Whether that hash is right.
    pub intact: bool,
}

impl<'a> Block<'a> {
    /// Takes the block apart that `bytes` begins with; nothing where they do not begin with a whole one.
    pub(super) fn parse(bytes: &'a [u8], key: &Key) -> Option<Self> {
        let mut splitter = Splitter::default();
        let end = bytes.split_inclusive(|b| *b == b'\n').find_map(|line| match splitter.feed(line) {
            Fed::Block(length) => Some(Some(length)),
            Fed::More => None,
            Fed::Other | Fed::Broken(_) => Some(None),
        })??;
        let text = str::from_utf8(&bytes[..end]).ok()?;
        let open = text.find("\n```").map(|at| at + 1)?;
        let start = open + text[open..].find('\n')? + 1;
        let fence = text[open..].bytes().take_while(|b| *b == b'`').count();
        let yaml = text.get(start..text.len().checked_sub(fence + 2)?)?;
        let (above, hash) = last_line(yaml, "hash: ")?;
        let (_, prev) = last_line(above, "prev: ")?;
        let seq = yaml.lines().nth(1)?.strip_prefix("seq: ")?.parse().ok()?;
        let intact = key.fits(&bytes[..start + above.len()], hash);
        Some(Self { text, seq, yaml, prev, hash, intact })
    }

    /// The last number given out of each kind of id, as of this block.
    pub(super) fn numbers(&self) -> Numbers {
        let line =
            self.yaml.lines().rev().nth(2).and_then(|line| line.strip_prefix("last: {")?.strip_suffix('}'));
        let pairs = line.unwrap_or_default().split(", ").filter_map(|pair| pair.split_once(": "));
        pairs.filter_map(|(prefix, number)| Some((prefix.to_owned(), number.parse().ok()?))).collect()
    }
}

/// Splits off the last line where it is `KEY"VALUE"`.
fn last_line<'a>(yaml: &'a str, key: &str) -> Option<(&'a str, &'a str)> {
    let body = yaml.strip_suffix('\n')?;
    let start = body.rfind('\n')? + 1;
    let value = body[start..].strip_prefix(key)?.strip_prefix('"')?.strip_suffix('"')?;
    Some((&yaml[..start], value))
}

/// What a line did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fed {
    /// It belongs to a block that goes on.
    More,
    /// It ends a block of so many bytes.
    Block(usize),
    /// It is outside of any block.
    Other,
    /// It does not go on with the block that so many bytes began; feed it again.
    Broken(usize),
}

/// Finds blocks in a stream of lines, whatever else the lines are.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Splitter {
    expect: Expect,
    length: usize,
}

#[derive(Clone, Copy, Debug, Default)]
enum Expect {
    #[default]
    Heading,
    BlankAfterHeading,
    ReasonOrFence,
    BlankAfterReason,
    Fence,
    Body(usize),
    BlankAfterBody,
}

impl Splitter {
    /// Takes the next line, with its line feed.
    pub(super) fn feed(&mut self, line: &[u8]) -> Fed {
        let blank = line == b"\n";
        let next = match self.expect {
            Expect::Heading if line.starts_with(b"## ") && line.ends_with(b"\n") => Expect::BlankAfterHeading,
            Expect::Heading => return Fed::Other,
            Expect::BlankAfterHeading if blank => Expect::ReasonOrFence,
            Expect::BlankAfterReason if blank => Expect::Fence,
            Expect::ReasonOrFence | Expect::Fence if fence(line).is_some() => {
                Expect::Body(fence(line).unwrap_or_default())
            }
            Expect::ReasonOrFence if !blank && !line.starts_with(b"#") => Expect::BlankAfterReason,
            Expect::Body(ticks) if is_close(line, ticks) => Expect::BlankAfterBody,
            Expect::Body(ticks) if !line.starts_with(b"## ") && self.length + line.len() <= LARGEST => {
                Expect::Body(ticks)
            }
            Expect::BlankAfterBody if blank => {
                let length = self.length + 1;
                *self = Self::default();
                return Fed::Block(length);
            }
            _ => {
                let length = self.length;
                *self = Self::default();
                return Fed::Broken(length);
            }
        };
        self.expect = next;
        self.length += line.len();
        Fed::More
    }
}

/// The backticks of a line that opens a YAML block.
fn fence(line: &[u8]) -> Option<usize> {
    let ticks = line.iter().take_while(|b| **b == b'`').count();
    (ticks >= 3 && &line[ticks..] == b"yaml\n").then_some(ticks)
}

fn is_close(line: &[u8], ticks: usize) -> bool {
    line.len() == ticks + 1 && line[..ticks].iter().all(|b| *b == b'`') && line[ticks] == b'\n'
}
