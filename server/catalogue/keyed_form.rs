//! The form in which the tools of a file are keyed by their names, as the documents list them: `my.tool:` with a description and
//! an input schema below it.

use super::function_form::is_foreign_tool;
use super::node::{NodeKind, YamlNode};
use super::short_form::{text_entry, text_node};

/// Returns the tools of a file in this form, each with its name among its keys; nothing of another file.
pub(super) fn keyed_tools(root: &YamlNode) -> Option<Vec<YamlNode>> {
    let entries = root.entries();
    let is_tool = |node: &YamlNode| {
        let has = |key| node.entry(key).is_some();
        has("description") && (has("input_schema") || is_foreign_tool(node)) && !has("name")
    };
    if entries.is_empty() || !entries.iter().all(|entry| is_tool(&entry.value)) {
        return None;
    }
    let tools = entries.iter().map(|entry| {
        let mut keys = vec![text_entry("name", entry.line, text_node(&entry.key, entry.line))];
        keys.extend(entry.value.entries().iter().cloned());
        YamlNode { line: entry.line, kind: NodeKind::Map(keys) }
    });
    Some(tools.collect())
}
