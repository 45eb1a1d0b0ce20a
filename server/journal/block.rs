//! The form of one event in the log: a heading or a line, a reason for people, a YAML block, one comment for programs.
//!
//! ````text
//! ## 12:00:05 c-0007 fs.read src/parser.ts
//!
//! Check if the parser handles nested expressions
//!
//! ```yaml
//! type: tool_call
//! tool: fs.read
//! args:
//!   …
//! ```
//! <!-- {"seq":12,"time":"2026-07-01T12:00:05.123Z","type":"tool_call","call_id":"c-0007",…,"last":{"c":7},"prev":"…","hash":"…"} -->
//!
//! **ok** c-0007 in 1.5 ms
//! ```yaml
//! …
//! ````
//! An event that belongs to a call has a line that begins with `**` in place of the heading. The event's fields are those of
//! the comment and those of the YAML block together. `hash` is the hash of every byte of the block above its own member,
//! under the key that `session_start` names, and `prev` the `hash` of the block before.
//! No line that begins with `## ` or `**` in the first column comes from a value, so blocks can be found from
//! either end of the file. Blocks of earlier versions hold all of it in the YAML ([`super::former`]); they still read.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Map, Value};

use super::former;
use super::heading::BlockHeading;
use super::key::LogKey;
use super::split::{Fed, Splitter};
use super::yaml::{self, KeyComments};
use crate::base::hidden;
use crate::base::markdown;

/// The most bytes of a block; a longer run of lines is no block.
pub(super) const MAX_BLOCK_BYTES: usize = 8 << 20;
/// The beginning of the comment for programs.
pub(super) const OPEN: &str = "<!-- ";
/// The end of the comment.
pub(super) const CLOSE: &str = " -->\n";
/// The text between the fields and the hash, in the comment.
const HASH: &str = ",\"hash\":\"";
const PREV: &str = ",\"prev\":\"";

/// The last number that was given out of each kind of id, by prefix: `c` for calls.
pub(super) type IdNumbers = BTreeMap<String, u64>;

/// The parts of an event's block that do not depend on its place in the log.
#[derive(Debug)]
pub(super) struct PreparedEvent {
    /// The first lines of the block, safe.
    pub heading: BlockHeading,
    /// The line for people, safe, or empty.
    pub reason: String,
    /// The event's type.
    pub kind: String,
    /// The fields that a person reads, as YAML, or empty.
    pub shown: String,
    /// The other fields, as members of a JSON object, each after a comma.
    pub facts: String,
    /// The numbers of the ids that it names.
    pub numbers: IdNumbers,
}

impl PreparedEvent {
    /// Lays out the fields of an event, which were redacted and sealed: those `shown` as YAML, with each of the comments
    /// above its key, the others as facts.
    pub(super) fn new(
        heading: BlockHeading,
        reason: String,
        kind: String,
        shown: &Map<String, Value>,
        facts: &Map<String, Value>,
        mut comments: KeyComments,
    ) -> Self {
        let numbers = collect_id_numbers(facts);
        let mut text = String::with_capacity(512);
        yaml::write_mapping(&mut text, shown, &mut comments);
        let facts: String =
            facts.iter().map(|(key, value)| format!(",{}:{value}", Value::from(key.as_str()))).collect();
        Self { heading, reason, kind, shown: text, facts: in_comment(&facts), numbers }
    }

    /// Writes the block into `out`, which is emptied first, and returns its hash under `key`.
    pub(super) fn compose_block(&self, out: &mut String, place: &ChainPosition<'_>, key: &LogKey) -> String {
        out.clear();
        let clock = place.time.get(11..19).unwrap_or_default();
        // Writing to a string does not fail.
        let _ = match &self.heading {
            BlockHeading::Section(title) => write!(out, "## {clock} {title}\n\n"),
            BlockHeading::Line { word, rest } => writeln!(out, "**{word}** {rest}"),
        };
        if !self.reason.is_empty() {
            let _ = writeln!(out, "{}", self.reason);
        }
        if !self.shown.is_empty() {
            let fence = markdown::code_fence(&self.shown);
            let _ = write!(out, "{fence}yaml\ntype: {}\n{}{fence}\n", self.kind, self.shown);
        }
        let last: Vec<String> =
            place.last.iter().map(|(prefix, number)| format!("\"{prefix}\":{number}")).collect();
        let _ = write!(
            out,
            "{OPEN}{{\"seq\":{},\"time\":\"{}\",\"type\":\"{}\"{},\"last\":{{{}}}{PREV}{}\"",
            place.seq,
            place.time,
            self.kind,
            self.facts,
            last.join(","),
            place.prev
        );
        let hash = key.hash_bytes(out.as_bytes());
        let _ = writeln!(out, "{HASH}{hash}\"}}{CLOSE}");
        hash
    }
}

/// Escapes JSON for a comment of HTML: nothing in it ends or begins one, and nothing in it is hidden.
fn in_comment(json: &str) -> String {
    // Both characters occur only inside strings.
    hidden::escape_in_json(json).replace('<', "\\u003c").replace('>', "\\u003e").replace('\u{7f}', "\\u007f")
}

/// The position of a block in the log.
#[derive(Debug)]
pub(super) struct ChainPosition<'a> {
    /// Its number, from 1.
    pub seq: u64,
    /// The time, RFC 3339 in UTC.
    pub time: &'a str,
    /// The last number of each kind of id, this block's own included.
    pub last: &'a IdNumbers,
    /// The hash of the block before.
    pub prev: &'a str,
}

/// Collects the numbers of the ids that an event gives out or names.
fn collect_id_numbers(body: &Map<String, Value>) -> IdNumbers {
    let ids = ["call_id", "proposal", "undo_id"].iter().filter_map(|key| body.get(*key)?.as_str());
    ids.filter_map(|id| {
        let (prefix, digits) = id.split_once('-')?;
        let plain = (1..=3).contains(&prefix.len()) && prefix.bytes().all(|b| b.is_ascii_lowercase());
        let number = digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok())??;
        plain.then(|| (prefix.to_owned(), number))
    })
    .collect()
}

/// A block of the file, split into its parts but not yet parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LogBlock<'a> {
    /// Its bytes.
    pub text: &'a str,
    /// Its number.
    pub seq: u64,
    /// The YAML between the fences; empty if there is none.
    pub yaml: &'a str,
    /// The JSON of the comment; none in a block of an earlier version.
    pub facts: Option<&'a str>,
    /// The hash it names for the block before.
    pub prev: &'a str,
    /// The hash it names for itself.
    pub hash: &'a str,
    /// True if that hash is correct.
    pub intact: bool,
}

impl<'a> LogBlock<'a> {
    /// Parses the block at the start of `bytes`; none if `bytes` do not begin with a whole one.
    pub(super) fn parse(bytes: &'a [u8], key: &LogKey) -> Option<Self> {
        let mut splitter = Splitter::default();
        let end = bytes.split_inclusive(|b| *b == b'\n').find_map(|line| match splitter.feed(line) {
            Fed::Block(length) => Some(Some(length)),
            Fed::More => None,
            Fed::Other | Fed::Broken(_) => Some(None),
        })??;
        let text = str::from_utf8(&bytes[..end]).ok()?;
        let Some(above) = text.strip_suffix(CLOSE_BLANK) else { return former::parse(text, key) };
        let start = above.rfind('\n')? + 1;
        let facts = above[start..].strip_prefix(OPEN)?;
        let members = facts.strip_suffix("\"}")?;
        let at = members.rfind(HASH)?;
        let (body, hash) = (&members[..at], &members[at + HASH.len()..]);
        let prev = body.strip_suffix('"')?;
        let prev = &prev[prev.rfind(PREV)? + PREV.len()..];
        let seq = facts.strip_prefix("{\"seq\":")?;
        let seq = seq[..seq.find(',')?].parse().ok()?;
        let intact = key.is_hash_of(&bytes[..start + OPEN.len() + at], hash);
        Some(Self { text, seq, yaml: fenced(&text[..start])?, facts: Some(facts), prev, hash, intact })
    }

    /// Returns the event's type; none if the block names none.
    pub(super) fn kind(&self) -> Option<&'a str> {
        match self.facts {
            None => Some(self.yaml.lines().next()?.strip_prefix("type: ")?),
            Some(facts) => {
                let rest = &facts[facts.find(",\"type\":\"")? + 9..];
                Some(&rest[..rest.find('"')?])
            }
        }
    }

    /// Parses its fields: those of the comment and of the YAML block together.
    ///
    /// # Errors
    /// A sentence about the problem.
    pub(super) fn fields(&self) -> Result<Map<String, Value>, String> {
        let Some(facts) = self.facts else { return yaml::read_mapping(self.yaml) };
        let mut all: Map<String, Value> = serde_json::from_str(facts).map_err(|error| error.to_string())?;
        if !self.yaml.is_empty() {
            all.extend(yaml::read_mapping(self.yaml)?);
        }
        Ok(all)
    }

    /// Returns the last number that was given out of each kind of id, as of this block.
    pub(super) fn id_numbers(&self) -> IdNumbers {
        let Some(facts) = self.facts else { return former::numbers(self.yaml) };
        let read = serde_json::from_str::<Map<String, Value>>(facts).ok();
        let last = read.and_then(|mut facts| serde_json::from_value(facts.remove("last")?).ok());
        last.unwrap_or_default()
    }
}

/// The end of a block: the end of its comment, and a blank line.
const CLOSE_BLANK: &str = " -->\n\n";

/// Returns the text between the fences; empty if there are none. The closing fence is the last line.
fn fenced(text: &str) -> Option<&str> {
    let Some(open) = text.find("\n```").map(|at| at + 1) else { return Some("") };
    let start = open + text[open..].find('\n')? + 1;
    let fence = text[open..].bytes().take_while(|b| *b == b'`').count();
    text.get(start..text.len().checked_sub(fence + 1)?)
}
