//! Takes a definition's keys one by one, and collects what is wrong with them.

use serde_json::Value;

use super::Problem;
use super::node::{Node, NodeEntry, NodeKind};
use crate::base::nearest::meant;

/// How many problems of one file are reported.
const REPORTED: usize = 50;

/// The problems of one file.
pub(super) struct FileReader {
    path: String,
    /// Whether schemas are compiled and examples run against them.
    pub(super) thorough: bool,
    problems: Vec<Problem>,
    /// The names that are defined, as far as they can be read.
    pub(super) names: Vec<String>,
}

impl FileReader {
    pub(super) fn new(path: &str, thorough: bool) -> Self {
        Self { path: path.to_owned(), thorough, problems: Vec::new(), names: Vec::new() }
    }

    /// The file.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// How many problems there are so far.
    pub(super) fn count(&self) -> usize {
        self.problems.len()
    }

    /// The problems, by line.
    pub(super) fn finish(mut self) -> Vec<Problem> {
        self.problems.sort_by_key(|problem| problem.line);
        self.problems.truncate(REPORTED);
        self.problems
    }

    pub(super) fn problem(&mut self, line: u32, rule: &'static str, message: impl Into<String>) {
        self.problems.push(Problem { path: self.path.clone(), line, rule, message: message.into() });
    }

    /// The map in `node`, whose keys are all among `known`.
    pub(super) fn map<'a>(&mut self, node: &'a Node, what: &str, known: &[&str]) -> &'a [NodeEntry] {
        if !matches!(node.kind, NodeKind::Map(_)) {
            self.problem(node.line, "type", format!("{what} is a map with {}", known.join(", ")));
        }
        for entry in node.entries().iter().filter(|entry| !known.contains(&entry.key.as_str())) {
            let hint = match meant(&entry.key, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("it has {}", known.join(", ")),
            };
            let key: String = entry.key.chars().take(60).collect();
            self.problem(entry.line, "unknown-key", format!("`{key}` is no key of {what}; {hint}"));
        }
        node.entries()
    }

    /// The text under `key`: not blank.
    pub(super) fn text(&mut self, node: &Node, key: &str) -> Option<String> {
        let entry = node.entry(key)?;
        let text = entry.value.text().map(str::trim).filter(|text| !text.is_empty());
        if text.is_none() {
            self.problem(
                entry.line,
                "type",
                format!("`{key}` is a text that is not empty{}", quoting(&entry.value)),
            );
        }
        text.map(str::to_owned)
    }

    /// The text under `key`, which has to be there.
    pub(super) fn required_text(&mut self, node: &Node, key: &str) -> Option<String> {
        self.required(node, key)?;
        self.text(node, key)
    }

    /// The entry of `key`, which has to be there.
    pub(super) fn required<'a>(&mut self, node: &'a Node, key: &str) -> Option<&'a NodeEntry> {
        let entry = node.entry(key);
        if entry.is_none() {
            self.problem(node.line, "missing-key", format!("`{key}` is missing"));
        }
        entry
    }

    /// The texts listed under `key`; none where it is not there.
    pub(super) fn texts(&mut self, node: &Node, key: &str) -> Vec<String> {
        let mut texts = Vec::new();
        for item in self.list(node, key) {
            match item.text() {
                Some(text) => texts.push(text.to_owned()),
                None => self.problem(item.line, "type", format!("`{key}` is a list of texts")),
            }
        }
        texts
    }

    /// The items listed under `key`; none where it is not there.
    pub(super) fn list<'a>(&mut self, node: &'a Node, key: &str) -> &'a [Node] {
        match node.entry(key).map(|entry| (entry.line, &entry.value.kind)) {
            None => &[],
            Some((_, NodeKind::List(items))) => items,
            Some((line, _)) => {
                self.problem(line, "type", format!("`{key}` is a list"));
                &[]
            }
        }
    }

    /// The whole number under `key`, within those bounds.
    pub(super) fn number(&mut self, node: &Node, key: &str, least: u64, most: u64) -> Option<u64> {
        let entry = node.entry(key)?;
        let number = match &entry.value.kind {
            NodeKind::Scalar(value) => value.as_u64().filter(|number| (least..=most).contains(number)),
            _ => None,
        };
        if number.is_none() {
            self.problem(entry.line, "type", format!("`{key}` is a whole number from {least} to {most}"));
        }
        number
    }

    /// The boolean under `key`.
    pub(super) fn boolean(&mut self, node: &Node, key: &str) -> Option<bool> {
        let entry = node.entry(key)?;
        match &entry.value.kind {
            NodeKind::Scalar(Value::Bool(value)) => Some(*value),
            _ => {
                self.problem(entry.line, "type", format!("`{key}` is true or false"));
                None
            }
        }
    }
}

/// A word on quotes, where YAML read something else than a text.
fn quoting(node: &Node) -> &'static str {
    match node.kind {
        NodeKind::Scalar(Value::Bool(_) | Value::Number(_)) => "; put it in quotes",
        _ => "",
    }
}
