//! What a person's own search asks and is answered: `wherefore/search`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a search goes by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchKind {
    /// Lines that match a pattern.
    Lexical,
    /// Files that are about what is asked for.
    #[default]
    Vector,
}

/// Whether capitals count in a pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchCase {
    /// They do.
    #[default]
    Sensitive,
    /// They do not.
    Insensitive,
    /// They do where the pattern has one.
    Smart,
}

/// Params of `wherefore/search`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SearchParams {
    /// The workspace folder meant, where a server has several: an absolute path inside it.
    pub root: Option<String>,
    /// What is sought: a regular expression, a plain text with `literal`, or words.
    pub query: String,
    /// What the search goes by.
    pub kind: SearchKind,
    /// The folder or the file to search, relative to the root; the whole workspace where it is left out.
    pub scope: Option<String>,
    /// Only files that match, as `*.rs`; for patterns.
    pub glob: Option<String>,
    /// Whether capitals count; for patterns.
    pub case: SearchCase,
    /// Whether the query is plain text; for patterns.
    pub literal: bool,
    /// Lines to give on each side of a match; for patterns.
    pub context: u32,
    /// The most results; 10 files or 100 lines where it is left out.
    pub limit: Option<u32>,
    /// Where an earlier answer ended, to go on from there; for patterns.
    pub cursor: Option<String>,
    /// Milliseconds to wait for vectors of files that are not made yet, where the person set a model; for files.
    pub wait_ms: u64,
}

/// A place that was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SearchHit {
    /// The file, relative to the root.
    pub path: String,
    /// Its first line, counted from 1.
    pub start: u32,
    /// Its last line.
    pub end: u32,
    /// The line of it to be shown first: where a piece holds most of what is asked for.
    pub line: u32,
    /// How well it fits beside the others of the same answer; 1 for each line that matches a pattern.
    pub score: f32,
    /// The line, or the piece of the file.
    pub text: String,
    /// The lines before it that were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<String>,
    /// The lines after it that were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
}

/// Answer of `wherefore/search`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SearchAnswer {
    /// What was found: lines by path and number, files best first.
    pub results: Vec<SearchHit>,
    /// What ranked the files: `words`, or `words+` and a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranker: Option<String>,
    /// The share of the files' pieces that have a vector, 0 to 1; absent where no model is set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedded: Option<f32>,
    /// Why the model that is set was not heard, or why none is where the settings are wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
    /// Where the next answer goes on; absent where there is no more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}
