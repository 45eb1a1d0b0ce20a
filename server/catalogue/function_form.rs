//! A definition as others' interfaces have it: a function of a model's API, in `function` or by itself, and a tool of the
//! Model Context Protocol. `why` comes to their arguments.

use super::node::{NodeEntry, NodeKind, YamlNode};
use super::reader::DefinitionReader;
use super::short_form::{text_entry, text_node};
use super::tool_protocol::{apart, map};

/// The keys of a function. `strict` says how closely a model's API keeps to the schema: calls are checked in any case.
const KEYS: &[&str] = &["name", "description", "parameters", "strict"];

/// The keys under which others' interfaces have the schema of the arguments.
const SCHEMAS: [&str; 3] = ["parameters", "inputSchema", "input_schema"];
/// The keys of theirs that say nothing of a call: how a client treats or shows the tool.
const OF_CLIENTS: [&str; 8] =
    ["type", "strict", "annotations", "_meta", "icons", "execution", "cache_control", "defer_loading"];

/// Returns whether a map is a tool as others' interfaces have it: their key holds the schema of the arguments.
pub(super) fn is_foreign_tool(node: &YamlNode) -> bool {
    !is_function(node) && SCHEMAS[..2].iter().any(|key| node.entry(key).is_some())
}

/// Returns a definition that stands without a frame of ours, with the key of its schema as others' interfaces have it; unchanged
/// if it is in a form of its own.
pub(super) fn unframed_tool(tool: &YamlNode) -> YamlNode {
    let mut tool = tool.clone();
    if let NodeKind::Map(entries) = &mut tool.kind
        && !entries.iter().any(|entry| SCHEMAS[..2].contains(&entry.key.as_str()))
        && let Some(schema) = entries.iter_mut().find(|entry| entry.key == "input_schema")
    {
        "inputSchema".clone_into(&mut schema.key);
    }
    tool
}

/// Returns the definition of a tool as others' interfaces have it.
pub(super) fn written_from_foreign(reader: &mut DefinitionReader, tool: &YamlNode) -> YamlNode {
    let (mut beside, mut inside): (Vec<NodeEntry>, Option<&NodeEntry>) = (Vec::new(), None);
    for entry in tool.entries() {
        match entry.key.as_str() {
            key if SCHEMAS.contains(&key) => match inside {
                Some(first) => {
                    let message = format!("`{key}` and `{}` are both the schema of the arguments", first.key);
                    reader.add_problem(entry.line, "input-schema", message);
                }
                None => inside = Some(entry),
            },
            key if OF_CLIENTS.contains(&key) => {}
            "outputSchema" => beside.push(NodeEntry { key: "output_schema".to_owned(), ..entry.clone() }),
            _ => beside.push(entry.clone()),
        }
    }
    with_arguments(reader, tool, beside, inside.map(|entry| &entry.value))
}

/// Returns whether a map is a function of a model's API.
pub(super) fn is_function(node: &YamlNode) -> bool {
    node.entry("function").is_some_and(|function| matches!(function.value.kind, NodeKind::Map(_)))
}

/// Returns the definition of a function, with `why` among its arguments. Other keys of a definition may stand beside `function`.
pub(super) fn written_from_function(reader: &mut DefinitionReader, tool: &YamlNode) -> YamlNode {
    let mut beside = Vec::new();
    let mut inside = None;
    for entry in tool.entries() {
        match entry.key.as_str() {
            "function" => {}
            "type" if entry.value.text() == Some("function") => {}
            "type" => reader.add_problem(entry.line, "type", "`type` is `function`"),
            "name" | "description" | "input_schema" => {
                let message = format!("`{}` stands in `function`: as `parameters` the schema", entry.key);
                reader.add_problem(entry.line, "unknown-key", message);
            }
            _ => beside.push(entry.clone()),
        }
    }
    let function = tool.entry("function").map_or(tool, |function| &function.value);
    reader.check_map(function, "`function`", KEYS);
    for entry in function.entries() {
        match entry.key.as_str() {
            "name" | "description" => beside.push(entry.clone()),
            "parameters" => inside = Some(&entry.value),
            _ => {}
        }
    }
    with_arguments(reader, tool, beside, inside)
}

/// Returns the definition with the entries `beside` and the schema `inside` of its arguments.
fn with_arguments(
    reader: &mut DefinitionReader,
    tool: &YamlNode,
    beside: Vec<NodeEntry>,
    inside: Option<&YamlNode>,
) -> YamlNode {
    let line = inside.map_or(tool.line, |schema| schema.line);
    let mut schema = inside.map_or_else(Vec::new, |schema| schema.entries().to_vec());
    let has = |schema: &[NodeEntry], key: &str| schema.iter().any(|entry| entry.key == key);
    if !has(&schema, "type") {
        schema.push(text_entry("type", line, text_node("object", line)));
    }
    if !has(&schema, "properties") {
        schema.push(map("properties", line, Vec::new()));
    }
    apart(reader, line, beside, schema)
}
