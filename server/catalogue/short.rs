//! The short form of a schema in `custom_tools`: `video_path: string` for a property, and no `type` at the root.

use serde_json::Value;

use super::node::{Node, NodeEntry, NodeKind};

/// What every tool says of its `why`.
pub const WHY: &str = "One sentence: the call's intent, not its mechanics.";

const TYPES: [&str; 7] = ["string", "number", "integer", "boolean", "array", "object", "null"];

/// A tool of `custom_tools` with its input schema written out.
pub(super) fn expanded(tool: &Node) -> Node {
    let mut tool = tool.clone();
    if let Some(schema) = member(&mut tool, "input_schema") {
        if schema.entry("type").is_none()
            && let NodeKind::Map(entries) = &mut schema.kind
        {
            entries.insert(0, entry("type", schema.line, "object"));
        }
        if let Some(Node { kind: NodeKind::Map(properties), .. }) = member(schema, "properties") {
            properties.iter_mut().for_each(write_out);
        }
    }
    tool
}

/// `video_path: string` becomes `video_path: { type: string, description: video path }`.
fn write_out(property: &mut NodeEntry) {
    let line = property.line;
    let Some(kind) = property.value.text().filter(|kind| TYPES.contains(kind)).map(str::to_owned) else {
        return;
    };
    let description =
        if property.key == "why" { WHY.to_owned() } else { property.key.replace(['_', '-'], " ") };
    let entries = vec![entry("type", line, &kind), entry("description", line, &description)];
    property.value = Node { line, kind: NodeKind::Map(entries) };
}

fn entry(key: &str, line: u32, text: &str) -> NodeEntry {
    let value = Node { line, kind: NodeKind::Scalar(Value::String(text.to_owned())) };
    NodeEntry { key: key.to_owned(), line, value }
}

fn member<'a>(node: &'a mut Node, key: &str) -> Option<&'a mut Node> {
    let NodeKind::Map(entries) = &mut node.kind else { return None };
    entries.iter_mut().find(|entry| entry.key == key).map(|entry| &mut entry.value)
}
