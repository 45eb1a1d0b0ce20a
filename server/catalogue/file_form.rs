//! The forms of a file that holds definitions without a frame of ours: a list of them, a listing of a server's tools, one by
//! itself, or tools keyed by their names.

use super::function_form::{is_foreign_tool, unframed_tool};
use super::keyed_form::keyed_tools;
use super::node::{NodeKind, YamlNode};

/// Returns the definitions of such a file; nothing of a file in another form.
pub(super) fn unframed_tools(root: &YamlNode) -> Option<Vec<YamlNode>> {
    let list = match (&root.kind, root.entry("tools").map(|entry| &entry.value.kind)) {
        (NodeKind::List(tools), _) | (_, Some(NodeKind::List(tools))) => tools.as_slice(),
        _ if is_unframed(root) => std::slice::from_ref(root),
        _ => return keyed_tools(root),
    };
    Some(list.iter().map(listed_tool).collect())
}

/// Returns whether a definition stands by itself.
fn is_unframed(root: &YamlNode) -> bool {
    let has = |key| root.entry(key).is_some();
    has("name") && !has("tool") && (has("input_schema") || is_foreign_tool(root))
}

/// Returns the definition of an item, which may have our own frame.
fn listed_tool(item: &YamlNode) -> YamlNode {
    match item.entries() {
        [only] if only.key == "tool" => only.value.clone(),
        _ => unframed_tool(item),
    }
}
