//! The short form of schemas: `path: string` for a property, `string[]` for a list, `int` and `any` for types, and no `type` at
//! the root of an input schema.

use serde_json::Value;

use super::node::{NodeEntry, NodeKind, YamlNode};
use super::schema::{LISTS, MAPS, ONES};

/// The description of every tool's `why`.
pub const WHY: &str = "One sentence: the call's intent, not its mechanics.";

const TYPES: [&str; 7] = ["string", "number", "integer", "boolean", "array", "object", "null"];
/// Other names of types, as people write them.
const ALIASES: [(&str, &str); 5] =
    [("int", "integer"), ("float", "number"), ("double", "number"), ("bool", "boolean"), ("str", "string")];
/// The type of anything.
const ANY: &str = "any";

/// A tool with its schemas written out.
pub(super) fn expand_tool(tool: &YamlNode) -> YamlNode {
    let mut tool = tool.clone();
    if let Some(schema) = member_mut(&mut tool, "input_schema") {
        if schema.entry("type").is_none()
            && let NodeKind::Map(entries) = &mut schema.kind
        {
            entries.insert(0, text_entry("type", schema.line, text_node("object", schema.line)));
        }
        write_out(schema);
    }
    if let Some(schema) = member_mut(&mut tool, "output_schema") {
        write_out(schema);
    }
    tool
}

/// Writes out what is short in a schema and in those below it.
fn write_out(schema: &mut YamlNode) {
    let NodeKind::Map(entries) = &mut schema.kind else { return };
    for NodeEntry { key, value, .. } in entries.iter_mut() {
        match (key.as_str(), &mut value.kind) {
            ("type", NodeKind::Scalar(Value::String(name))) => {
                if let Some((_, kind)) = ALIASES.iter().find(|(alias, _)| alias == name) {
                    *name = (*kind).to_owned();
                } else if name == ANY {
                    value.kind = any_type(value.line);
                }
            }
            ("properties", NodeKind::Map(properties)) => properties.iter_mut().for_each(write_out_property),
            ("items" | "additionalProperties", NodeKind::Scalar(_)) => {
                if let Some(entries) = value.text().and_then(|kind| type_entries(kind, value.line)) {
                    value.kind = NodeKind::Map(entries);
                }
            }
            ("items" | "additionalProperties", NodeKind::Map(_)) => write_out(value),
            ("anyOf" | "oneOf" | "allOf", NodeKind::List(schemas)) => schemas.iter_mut().for_each(write_out),
            _ => {}
        }
    }
}

/// `video_path: string` becomes `video_path: { type: string, description: video path }`.
fn write_out_property(property: &mut NodeEntry) {
    let line = property.line;
    let Some(mut entries) = property.value.text().and_then(|kind| type_entries(kind, line)) else {
        return write_out(&mut property.value);
    };
    entries.push(text_entry("description", line, text_node(&words_of(&property.key), line)));
    property.value = YamlNode { line, kind: NodeKind::Map(entries) };
}

/// Gives a property that has no description one: its name in words.
pub(super) fn described(property: &mut NodeEntry) {
    write_out_property(property);
    describe_member(property, &mut Vec::new());
}

/// Gives the arguments that have no description one: their names in words. Returns their names, but for `why`, each with its
/// line.
pub(super) fn describe_arguments(tool: &mut YamlNode) -> Vec<(String, u32)> {
    let mut named = Vec::new();
    if let Some(schema) = member_mut(tool, "input_schema") {
        describe_members(schema, &mut named);
    }
    named
}

fn describe_members(schema: &mut YamlNode, named: &mut Vec<(String, u32)>) {
    let NodeKind::Map(entries) = &mut schema.kind else { return };
    for NodeEntry { key, value, .. } in entries.iter_mut() {
        match &mut value.kind {
            NodeKind::Map(members) if MAPS.contains(&key.as_str()) => {
                for member in members {
                    describe_members(&mut member.value, named);
                    if key == "properties" {
                        describe_member(member, named);
                    }
                }
            }
            NodeKind::Map(_) if ONES.contains(&key.as_str()) => describe_members(value, named),
            NodeKind::List(schemas) if LISTS.contains(&key.as_str()) => {
                schemas.iter_mut().for_each(|schema| describe_members(schema, named));
            }
            _ => {}
        }
    }
}

fn describe_member(member: &mut NodeEntry, named: &mut Vec<(String, u32)>) {
    let (line, words) = (member.line, words_of(&member.key));
    let NodeKind::Map(schema) = &mut member.value.kind else { return };
    if schema.iter().any(|entry| entry.key == "description") {
        return;
    }
    if member.key != "why" {
        named.push((member.key.clone(), line));
    }
    schema.push(text_entry("description", line, text_node(&words, line)));
}

/// The description that the name of an argument makes.
fn words_of(name: &str) -> String {
    if name == "why" { WHY.to_owned() } else { name.replace(['_', '-'], " ") }
}

/// Returns the schema of a short form, as `string`, `int`, `string[]` or `any`; none for another text.
fn type_entries(kind: &str, line: u32) -> Option<Vec<NodeEntry>> {
    if let Some(items) = kind.strip_suffix("[]") {
        let items = YamlNode { line, kind: NodeKind::Map(type_entries(items, line)?) };
        return Some(vec![
            text_entry("type", line, text_node("array", line)),
            text_entry("items", line, items),
        ]);
    }
    if kind == ANY {
        return Some(vec![text_entry("type", line, YamlNode { line, kind: any_type(line) })]);
    }
    let alias = ALIASES.iter().find(|(alias, _)| *alias == kind).map(|(_, kind)| *kind);
    let kind = alias.or_else(|| TYPES.into_iter().find(|known| *known == kind))?;
    Some(vec![text_entry("type", line, text_node(kind, line))])
}

fn any_type(line: u32) -> NodeKind {
    NodeKind::List(
        TYPES.iter().filter(|kind| **kind != "integer").map(|kind| text_node(kind, line)).collect(),
    )
}

pub(super) fn text_node(text: &str, line: u32) -> YamlNode {
    YamlNode { line, kind: NodeKind::Scalar(Value::String(text.to_owned())) }
}

pub(super) fn text_entry(key: &str, line: u32, value: YamlNode) -> NodeEntry {
    NodeEntry { key: key.to_owned(), line, value }
}

fn member_mut<'a>(node: &'a mut YamlNode, key: &str) -> Option<&'a mut YamlNode> {
    let NodeKind::Map(entries) = &mut node.kind else { return None };
    entries.iter_mut().find(|entry| entry.key == key).map(|entry| &mut entry.value)
}
