//! A definition as a model's API has it: `type: function`, and a `function` with a name, a description and `parameters`.

use super::node::{NodeEntry, NodeKind, YamlNode};
use super::reader::DefinitionReader;
use super::short_form::{text_entry, text_node};
use super::tool_protocol::{apart, map};

/// The keys of a function. `strict` says how closely a model's API keeps to the schema: calls are checked in any case.
const KEYS: &[&str] = &["name", "description", "parameters", "strict"];

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
    let line = inside.map_or(tool.line, |schema| schema.line);
    let mut schema = inside.map_or_else(Vec::new, |schema| schema.entries().to_vec());
    let has = |schema: &[NodeEntry], key: &str| schema.iter().any(|entry| entry.key == key);
    if schema.is_empty() {
        schema.push(text_entry("type", line, text_node("object", line)));
    }
    if !has(&schema, "properties") {
        schema.push(map("properties", line, Vec::new()));
    }
    apart(reader, line, beside, schema)
}
