//! `tools/tree.yaml`: nodes that the person and the project define, added to the built-in tree.

use super::node::{self, NodeKind, YamlNode};
use super::reader::DefinitionReader;
use super::tree::{OntologyTree, SUMMARY};
use crate::base::hidden::escape_hidden;

/// Characters of a node's name at most.
const NAME: usize = 60;
/// Nodes of all files at most.
const MOST: usize = 10_000;

const KEYS: &[&str] = &["name", "path", "summary", "tags", "categories", "nodes"];

/// Returns whether a file of that path defines nodes, and not tools.
pub(super) fn is_tree(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    ["tree.yaml", "tree.yml", "tree.json"].contains(&name)
}

/// Takes the nodes of a file into the tree. A node that is wrong is left out with those below it, and the others count.
pub(super) fn take(reader: &mut DefinitionReader, text: &str, tree: &mut OntologyTree) {
    let root = match node::read_yaml(reader.path(), text) {
        Ok(root) => root,
        Err(problem) => return reader.add_problem(problem.line, problem.rule, problem.message),
    };
    reader.check_map(&root, "a tree", &["nodes"]);
    let mut taking = Taking { reader, tree, left: MOST };
    taking.nodes(&root, &[]);
}

struct Taking<'a> {
    reader: &'a mut DefinitionReader,
    tree: &'a mut OntologyTree,
    left: usize,
}

impl Taking<'_> {
    fn nodes(&mut self, above: &YamlNode, path: &[String]) {
        for node in self.reader.read_list(above, "nodes") {
            let Some(left) = self.left.checked_sub(1) else {
                return self.reader.add_problem(
                    node.line,
                    "nodes",
                    format!("there are at most {MOST} nodes"),
                );
            };
            self.left = left;
            self.node(node, path);
        }
    }

    fn node(&mut self, node: &YamlNode, above: &[String]) {
        let before = self.reader.problem_count();
        self.reader.check_map(node, "a node", KEYS);
        let name = self.reader.read_text(node, "name");
        let path = match node.entry("path") {
            None => name.clone().map(|name| vec![name]),
            Some(entry) => {
                let path = path_of(&entry.value);
                if path.is_none() {
                    let message = "`path` is a list of names from the node above, as [Coding, Refactoring]";
                    self.reader.add_problem(entry.line, "nodes", message);
                }
                path
            }
        };
        let Some(path) = path else {
            if self.reader.problem_count() == before {
                self.reader.add_problem(node.line, "missing-key", "`name` is missing");
            }
            return;
        };
        if let Some(name) = name.filter(|name| path.last() != Some(name)) {
            let message = format!("`name` is {name:?}, and `path` ends otherwise");
            self.reader.add_problem(node.line_at("/name"), "nodes", message);
        }
        for name in path.iter().filter(|name| !is_node_name(name)) {
            let name: String = name.chars().take(NAME).collect();
            let message = format!(
                "{:?} is no name of a node: it has at most {NAME} characters, and neither `/` nor hidden ones",
                escape_hidden(&name)
            );
            self.reader.add_problem(node.line, "nodes", message);
        }
        let summary =
            self.reader.read_text(node, "summary").map(|summary| escape_hidden(&summary).replace('\n', " "));
        if summary.as_ref().is_some_and(|summary| summary.chars().count() > SUMMARY) {
            let message = format!("`summary` is one line of at most {SUMMARY} characters");
            self.reader.add_problem(node.line_at("/summary"), "summary", message);
        }
        let texts = |reader: &mut DefinitionReader, key| -> Vec<String> {
            reader.read_texts(node, key).iter().map(|text| escape_hidden(text).into_owned()).collect()
        };
        let (tags, categories) = (texts(self.reader, "tags"), texts(self.reader, "categories"));
        if self.reader.problem_count() > before {
            return;
        }
        let whole = [above, path.as_slice()].concat();
        let Some(own) = self.tree.made_at(&whole) else { return };
        let is_told = own.summary.is_empty();
        match summary {
            Some(summary) if is_told => own.summary = summary,
            Some(summary) if summary != own.summary => {
                let message = format!("the node has a summary already: {:?} counts", own.summary);
                self.reader.remark(node.line_at("/summary"), "nodes", message);
            }
            None if is_told => {
                let message = "the node has no `summary`: nobody is told what it holds".to_owned();
                self.reader.remark(node.line, "nodes", message);
            }
            _ => {}
        }
        own.tags.extend(tags.into_iter().filter(|tag| !own.tags.contains(tag)).collect::<Vec<_>>());
        let new = categories.into_iter().filter(|one| !own.categories.contains(one)).collect::<Vec<_>>();
        own.categories.extend(new);
        self.nodes(node, &whole);
    }
}

/// A path of names: a list of them, or one text with `/` between.
pub(super) fn path_of(node: &YamlNode) -> Option<Vec<String>> {
    let names: Vec<String> = match &node.kind {
        NodeKind::List(names) => {
            names.iter().map(|name| name.text().map(str::to_owned)).collect::<Option<_>>()?
        }
        _ => node.text()?.split('/').map(|name| name.trim().to_owned()).collect(),
    };
    (!names.is_empty()).then_some(names)
}

/// Returns whether a text can be the name of a node.
pub(super) fn is_node_name(name: &str) -> bool {
    !name.trim().is_empty()
        && name.chars().count() <= NAME
        && !name.contains(['/', '\n'])
        && escape_hidden(name) == name
}
