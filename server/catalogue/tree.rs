//! The nodes that tools stand under: ours, and those that the person and the project define.

use std::sync::{Arc, LazyLock};

use serde::Deserialize;

/// Characters of a summary at most.
pub(super) const SUMMARY: usize = 120;

/// A node of the ontology.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TreeNode {
    /// Its name, unique among its siblings.
    pub name: String,
    /// A summary of one line.
    pub summary: String,
    /// Words to find it by.
    #[serde(default)]
    pub tags: Vec<String>,
    /// The categories of the tools that stand directly under it.
    #[serde(default)]
    pub categories: Vec<String>,
    /// The nodes below it.
    #[serde(default)]
    pub nodes: Vec<TreeNode>,
    /// True if the person or the project defined it.
    #[serde(skip)]
    pub is_own: bool,
}

/// Every node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OntologyTree {
    /// The root's nodes.
    pub nodes: Vec<TreeNode>,
}

impl TreeNode {
    /// The summary; for a node that only a longer path made, the names of those below it.
    pub(super) fn summary_or_names(&self) -> String {
        if !self.summary.is_empty() {
            return self.summary.clone();
        }
        let names: Vec<&str> = self.nodes.iter().map(|node| node.name.as_str()).collect();
        let all = names.join(", ");
        match all.char_indices().nth(SUMMARY) {
            Some((at, _)) => format!("{}…", &all[..at]),
            None => all,
        }
    }
}

impl OntologyTree {
    /// The nodes of `schemas/tree.yaml`.
    pub fn built_in() -> Arc<Self> {
        static TREE: LazyLock<Arc<OntologyTree>> = LazyLock::new(|| {
            Arc::new(serde_saphyr::from_str(include_str!("../../schemas/tree.yaml")).unwrap_or_default())
        });
        TREE.clone()
    }

    /// Every category there is.
    pub(super) fn all_categories(&self) -> Vec<&str> {
        let mut all = Vec::new();
        self.each(&mut |_, node| all.extend(node.categories.iter().map(String::as_str)));
        all
    }

    /// The paths of the nodes that list a category.
    pub(super) fn of_category(&self, category: &str) -> Vec<Vec<String>> {
        let mut found = Vec::new();
        self.each(&mut |path, node| {
            if node.categories.iter().any(|own| own == category) {
                found.push(path.to_vec());
            }
        });
        found
    }

    /// The paths of the nodes of that name.
    pub(super) fn named(&self, name: &str) -> Vec<Vec<String>> {
        let mut found = Vec::new();
        self.each(&mut |path, node| {
            if node.name.eq_ignore_ascii_case(name) {
                found.push(path.to_vec());
            }
        });
        found
    }

    /// Hands out every node with its path, those above before those below.
    pub(super) fn each<'t>(&'t self, see: &mut dyn FnMut(&[String], &'t TreeNode)) {
        fn walk<'t>(nodes: &'t [TreeNode], above: &[String], see: &mut dyn FnMut(&[String], &'t TreeNode)) {
            for node in nodes {
                let path = [above, std::slice::from_ref(&node.name)].concat();
                see(&path, node);
                walk(&node.nodes, &path, see);
            }
        }
        walk(&self.nodes, &[], see);
    }

    /// The node at a path.
    pub(super) fn at(&self, path: &[String]) -> Option<&TreeNode> {
        let (first, rest) = path.split_first()?;
        let mut node = self.nodes.iter().find(|node| node.name == *first)?;
        for name in rest {
            node = node.nodes.iter().find(|node| node.name == *name)?;
        }
        Some(node)
    }

    /// The node at a path, made with those above it where it is missing.
    pub(super) fn made_at(&mut self, path: &[String]) -> Option<&mut TreeNode> {
        let (first, rest) = path.split_first()?;
        let mut node = child(&mut self.nodes, first);
        for name in rest {
            node = child(&mut node.nodes, name);
        }
        Some(node)
    }
}

/// The node of that name, made where it is missing.
fn child<'a>(nodes: &'a mut Vec<TreeNode>, name: &str) -> &'a mut TreeNode {
    let at = nodes.iter().position(|node| node.name == name).unwrap_or_else(|| {
        nodes.push(TreeNode { name: name.to_owned(), is_own: true, ..TreeNode::default() });
        nodes.len() - 1
    });
    &mut nodes[at]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn the_tree_is_read_and_walked() {
        let tree = OntologyTree::built_in();
        assert_eq!(
            tree.all_categories(),
            ["fs", "search", "git", "editor", "web", "exec", "memory", "review", "task", "custom"]
        );
        assert!(tree.at(&path(&["Files"])).is_some());
        assert!(tree.at(&path(&["Files", "Search"])).is_none());
        assert!(tree.at(&[]).is_none());
        assert_eq!(tree.of_category("fs"), [path(&["Files"])]);
    }

    #[test]
    fn nodes_are_made_with_those_above_them() {
        let mut tree = OntologyTree::clone(&OntologyTree::built_in());
        tree.made_at(&path(&["Coding", "Refactoring"])).unwrap().summary = "Change code".to_owned();
        tree.made_at(&path(&["Files", "Archives"])).unwrap();
        assert_eq!(tree.at(&path(&["Coding", "Refactoring"])).unwrap().summary, "Change code");
        assert!(tree.at(&path(&["Files"])).is_some_and(|files| !files.is_own && files.nodes.len() == 1));
        assert_eq!(tree.named("refactoring"), [path(&["Coding", "Refactoring"])]);
    }
}
