//! The Tool Protocol's own form of a definition: one schema whose `properties` hold `_tool`, `_activity`, `_output` and
//! `_reasoningForCall` as well as the arguments.

use std::borrow::Cow;

use super::function_form::{is_foreign_tool, is_function, written_from_foreign, written_from_function};
use super::node::{NodeEntry, NodeKind, YamlNode};
use super::reader::DefinitionReader;
use super::short_form::{WHY, described, text_entry, text_node};

/// The members of a schema that describe its arguments as a whole.
const OF_THE_ARGUMENTS: [&str; 6] =
    ["type", "properties", "required", "additionalProperties", "$defs", "$schema"];

/// Returns whether a map is a schema of the Tool Protocol.
pub(super) fn is_schema(node: &YamlNode) -> bool {
    node.entry("properties").is_some_and(|properties| properties.value.entry("_tool").is_some())
}

/// Returns a definition with the Tool Protocol's members moved to where wherefore's own form has them; unchanged if it has none.
pub(super) fn written_out<'a>(reader: &mut DefinitionReader, tool: &'a YamlNode) -> Cow<'a, YamlNode> {
    if is_function(tool) {
        return Cow::Owned(written_from_function(reader, tool));
    }
    if is_foreign_tool(tool) {
        return Cow::Owned(written_from_foreign(reader, tool));
    }
    if is_schema(tool) && tool.entry("input_schema").is_none() {
        ask_for_output(reader, tool, tool);
        let (inside, beside): (Vec<NodeEntry>, Vec<NodeEntry>) =
            entries(tool).partition(|entry| OF_THE_ARGUMENTS.contains(&entry.key.as_str()));
        return Cow::Owned(apart(reader, tool.line, beside, inside));
    }
    let Some(schema) = tool.entry("input_schema").filter(|schema| is_schema(&schema.value)) else {
        return Cow::Borrowed(tool);
    };
    ask_for_output(reader, tool, &schema.value);
    let beside = entries(tool).filter(|entry| entry.key != "input_schema").collect();
    let inside = entries(&schema.value).collect();
    Cow::Owned(apart(reader, schema.line, beside, inside))
}

/// Reports a schema without `_output`, which the Tool Protocol requires: no result breaks it.
fn ask_for_output(reader: &mut DefinitionReader, tool: &YamlNode, schema: &YamlNode) {
    let properties = schema.entry("properties").map(|properties| &properties.value);
    let has_output = properties.is_some_and(|properties| properties.entry("_output").is_some());
    if has_output || tool.entry("output_schema").is_some() || tool.entry("environment").is_some() {
        return;
    }
    let message =
        "`_output` is missing, so that anything passes as the tool's output; `_output: {}` says that it may";
    reader.remark(schema.line_at("/properties/_tool"), "missing-output", message);
}

fn entries(node: &YamlNode) -> impl Iterator<Item = NodeEntry> {
    node.entries().iter().cloned()
}

/// Returns the definition that has `beside` as its own entries, with the members of the schema `inside` moved to their places.
pub(super) fn apart(
    reader: &mut DefinitionReader,
    line: u32,
    mut beside: Vec<NodeEntry>,
    mut inside: Vec<NodeEntry>,
) -> YamlNode {
    let properties = inside.iter_mut().find(|entry| entry.key == "properties");
    let mut meta = Vec::new();
    if let Some(NodeEntry { value: YamlNode { kind: NodeKind::Map(properties), .. }, .. }) = properties {
        meta = properties.extract_if(.., |property| property.key.starts_with('_')).collect();
        let why = meta.iter().find(|entry| entry.key == "_reasoningForCall");
        if !properties.iter().any(|property| property.key == "why") {
            let line = why.map_or(line, |why| why.line);
            let text = why.and_then(|why| why.value.entry("description")?.value.text()).unwrap_or(WHY);
            let schema = vec![
                text_entry("type", line, text_node("string", line)),
                text_entry("description", line, text_node(text, line)),
            ];
            properties.push(map("why", line, schema));
        }
        properties.iter_mut().for_each(described);
    }
    require_why(line, &mut inside);
    for NodeEntry { key, line, value } in meta {
        match key.as_str() {
            "_tool" | "_activity" => take_const(reader, &mut beside, &key, line, &value),
            "_output" => beside.push(NodeEntry { key: "output_schema".to_owned(), line, value }),
            "_reasoningForCall" => {}
            _ => {
                let message = format!("`{key}`: names that start with `_` are kept for meta fields");
                reader.add_problem(line, "meta-field", message);
            }
        }
    }
    beside.push(map("input_schema", line, inside));
    YamlNode { line, kind: NodeKind::Map(beside) }
}

/// Takes the value that a meta field is fixed to as a key of the definition.
fn take_const(
    reader: &mut DefinitionReader,
    beside: &mut Vec<NodeEntry>,
    key: &str,
    line: u32,
    schema: &YamlNode,
) {
    let fixed = match schema.text() {
        Some(text) => Some(text),
        None => schema.entry("const").and_then(|fixed| fixed.value.text()),
    };
    let own = if key == "_tool" { "name" } else { "_activity" };
    let Some(fixed) = fixed else {
        let message = format!("`{key}` is fixed by a `const`, as {{ type: string, const: sendEmail }}");
        return reader.add_problem(line, "meta-field", message);
    };
    match beside.iter().find(|entry| entry.key == own).map(|entry| entry.value.text()) {
        Some(stated) if stated != Some(fixed) => {
            reader.add_problem(
                line,
                "meta-field",
                format!("`{key}` is {fixed:?}, and `{own}` says otherwise"),
            );
        }
        Some(_) => {}
        None => beside.push(text_entry(own, line, text_node(fixed, line))),
    }
}

/// Adds `why` to the required arguments of a schema, and removes the meta fields (`_…`) from them.
fn require_why(line: u32, schema: &mut Vec<NodeEntry>) {
    if !schema.iter().any(|entry| entry.key == "required") {
        let list = YamlNode { line, kind: NodeKind::List(Vec::new()) };
        schema.push(NodeEntry { key: "required".to_owned(), line, value: list });
    }
    let required = schema.iter_mut().find(|entry| entry.key == "required");
    let Some(NodeEntry { value: YamlNode { kind: NodeKind::List(names), .. }, line, .. }) = required else {
        return;
    };
    names.retain(|name| !name.text().is_some_and(|name| name.starts_with('_')));
    if !names.iter().any(|name| name.text() == Some("why")) {
        names.push(text_node("why", *line));
    }
}

pub(super) fn map(key: &str, line: u32, entries: Vec<NodeEntry>) -> NodeEntry {
    NodeEntry { key: key.to_owned(), line, value: YamlNode { line, kind: NodeKind::Map(entries) } }
}
