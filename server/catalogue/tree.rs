//! The nodes that tools stand under.

use std::sync::LazyLock;

use serde::Deserialize;

/// One node of the ontology.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TreeNode {
    /// Its name, unique among its siblings.
    pub name: String,
    /// One line.
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
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Tree {
    nodes: Vec<TreeNode>,
}

/// The root's nodes.
pub fn tree() -> &'static [TreeNode] {
    static TREE: LazyLock<Tree> =
        LazyLock::new(|| serde_saphyr::from_str(include_str!("../../schemas/tree.yaml")).unwrap_or_default());
    &TREE.nodes
}

/// Every category there is.
pub(super) fn categories() -> Vec<&'static str> {
    fn add(nodes: &'static [TreeNode], all: &mut Vec<&'static str>) {
        for node in nodes {
            all.extend(node.categories.iter().map(String::as_str));
            add(&node.nodes, all);
        }
    }
    let mut all = Vec::new();
    add(tree(), &mut all);
    all
}

/// Whether the names lead from the root to a node.
pub(super) fn has_path(names: &[String]) -> bool {
    let mut nodes = tree();
    let step = |name: &String| {
        let found = nodes.iter().find(|node| node.name == *name)?;
        nodes = &found.nodes;
        Some(())
    };
    !names.is_empty() && names.iter().map(step).all(|found| found.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_is_read_and_walked() {
        assert_eq!(
            categories(),
            ["fs", "search", "git", "web", "exec", "memory", "review", "task", "custom"]
        );
        assert!(has_path(&["Files".to_owned()]));
        assert!(!has_path(&["Files".to_owned(), "Search".to_owned()]));
        assert!(!has_path(&[]));
    }
}
