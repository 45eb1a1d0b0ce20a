//! Takes a definition's keys one by one, and collects what is wrong with them.

use std::sync::Arc;

use serde_json::Value;

use super::DefinitionProblem;
use super::node::{NodeEntry, NodeKind, YamlNode};
use super::tree::OntologyTree;
use crate::base::nearest::likely_name;

/// The number of problems of one file that are reported.
const REPORTED: usize = 50;

/// The problems of one file.
pub(super) struct DefinitionReader {
    path: String,
    /// True where schemas are compiled and examples run against them.
    pub(super) thorough: bool,
    problems: Vec<DefinitionProblem>,
    /// The nodes that tools may stand under.
    pub(super) tree: Arc<OntologyTree>,
    /// The problems that make no definition invalid.
    remarks: Vec<DefinitionProblem>,
    /// The remarks on nodes that are not there.
    pub(super) missing_nodes: Vec<DefinitionProblem>,
    /// The names that are defined, so far as they can be read.
    pub(super) names: Vec<String>,
}

impl DefinitionReader {
    pub(super) fn new(path: &str, thorough: bool, tree: Arc<OntologyTree>) -> Self {
        Self {
            path: path.to_owned(),
            thorough,
            tree,
            problems: Vec::new(),
            remarks: Vec::new(),
            missing_nodes: Vec::new(),
            names: Vec::new(),
        }
    }

    /// The file.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// The number of problems so far.
    pub(super) fn problem_count(&self) -> usize {
        self.problems.len()
    }

    /// The first problem so far.
    pub(super) fn first_problem(&self) -> Option<&DefinitionProblem> {
        self.problems.first()
    }

    /// The problems, by line.
    pub(super) fn into_problems(mut self) -> Vec<DefinitionProblem> {
        self.problems.sort_by_key(|problem| problem.line);
        self.problems.truncate(REPORTED);
        self.problems
    }

    pub(super) fn add_problem(&mut self, line: u32, rule: &'static str, message: impl Into<String>) {
        self.problems.push(DefinitionProblem {
            path: self.path.clone(),
            line,
            rule,
            message: message.into(),
            is_warning: false,
        });
    }

    /// Reports what does not keep the definition from counting.
    pub(super) fn remark(&mut self, line: u32, rule: &'static str, message: impl Into<String>) {
        let (path, message) = (self.path.clone(), message.into());
        self.remarks.push(DefinitionProblem { path, line, rule, message, is_warning: true });
    }

    /// The remarks so far, taken out.
    pub(super) fn take_remarks(&mut self) -> Vec<DefinitionProblem> {
        std::mem::take(&mut self.remarks)
    }

    /// The map in `node`, whose keys are all among `known`.
    pub(super) fn check_map<'a>(
        &mut self,
        node: &'a YamlNode,
        what: &str,
        known: &[&str],
    ) -> &'a [NodeEntry] {
        if !matches!(node.kind, NodeKind::Map(_)) {
            self.add_problem(node.line, "type", format!("{what} is a map with {}", known.join(", ")));
        }
        for entry in node.entries().iter().filter(|entry| !known.contains(&entry.key.as_str())) {
            let hint = match likely_name(&entry.key, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("it has {}", known.join(", ")),
            };
            let key: String = entry.key.chars().take(60).collect();
            self.add_problem(entry.line, "unknown-key", format!("`{key}` is no key of {what}; {hint}"));
        }
        node.entries()
    }

    /// The text under `key`: not blank.
    pub(super) fn read_text(&mut self, node: &YamlNode, key: &str) -> Option<String> {
        let entry = node.entry(key)?;
        let text = entry.value.text().map(str::trim).filter(|text| !text.is_empty());
        if text.is_none() {
            self.add_problem(
                entry.line,
                "type",
                format!("`{key}` is a text that is not empty{}", quoting_advice(&entry.value)),
            );
        }
        text.map(str::to_owned)
    }

    /// The text under `key`, which has to be there.
    pub(super) fn required_text(&mut self, node: &YamlNode, key: &str) -> Option<String> {
        self.required_entry(node, key)?;
        self.read_text(node, key)
    }

    /// The entry of `key`, which has to be there.
    pub(super) fn required_entry<'a>(&mut self, node: &'a YamlNode, key: &str) -> Option<&'a NodeEntry> {
        let entry = node.entry(key);
        if entry.is_none() {
            self.add_problem(node.line, "missing-key", format!("`{key}` is missing"));
        }
        entry
    }

    /// The texts listed under `key`; none where it is not there.
    pub(super) fn read_texts(&mut self, node: &YamlNode, key: &str) -> Vec<String> {
        let mut texts = Vec::new();
        for item in self.read_list(node, key) {
            match item.text() {
                Some(text) => texts.push(text.to_owned()),
                None => self.add_problem(item.line, "type", format!("`{key}` is a list of texts")),
            }
        }
        texts
    }

    /// The items listed under `key`; none where it is not there.
    pub(super) fn read_list<'a>(&mut self, node: &'a YamlNode, key: &str) -> &'a [YamlNode] {
        match node.entry(key).map(|entry| (entry.line, &entry.value.kind)) {
            None | Some((_, NodeKind::Scalar(Value::Null))) => &[],
            Some((_, NodeKind::List(items))) => items,
            Some((line, _)) => {
                self.add_problem(line, "type", format!("`{key}` is a list"));
                &[]
            }
        }
    }

    /// The whole number under `key`, within those bounds.
    pub(super) fn read_number(&mut self, node: &YamlNode, key: &str, least: u64, most: u64) -> Option<u64> {
        let entry = node.entry(key)?;
        let number = match &entry.value.kind {
            NodeKind::Scalar(value) => value.as_u64().filter(|number| (least..=most).contains(number)),
            _ => None,
        };
        if number.is_none() {
            self.add_problem(entry.line, "type", format!("`{key}` is a whole number from {least} to {most}"));
        }
        number
    }

    /// The boolean under `key`.
    pub(super) fn read_boolean(&mut self, node: &YamlNode, key: &str) -> Option<bool> {
        let entry = node.entry(key)?;
        match &entry.value.kind {
            NodeKind::Scalar(Value::Bool(value)) => Some(*value),
            _ => {
                self.add_problem(entry.line, "type", format!("`{key}` is true or false"));
                None
            }
        }
    }
}

/// Returns the advice to use quotes, where YAML read another type than a text.
fn quoting_advice(node: &YamlNode) -> &'static str {
    match node.kind {
        NodeKind::Scalar(Value::Bool(_) | Value::Number(_)) => "; put it in quotes",
        _ => "",
    }
}
