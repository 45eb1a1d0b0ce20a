//! Schemas: what a definition's must be like, and compiled ones.

use jsonschema::{Draft, PatternOptions, Validator};
use serde_json::Value;

use super::node::{NodeKind, YamlNode};
use super::reader::DefinitionReader;
use crate::base::nearest::likely_name;

/// Compiles a schema as JSON Schema 2020-12. References to other documents are not followed, and patterns
/// run in linear time.
///
/// # Errors
/// The problem of the schema, after a JSON pointer to it.
pub fn compile_schema(schema: &Value) -> Result<Validator, (String, String)> {
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .with_pattern_options(PatternOptions::regex().size_limit(1 << 20))
        .offline()
        .build(schema)
        .map_err(|error| (error.instance_path().as_str().to_owned(), clip_text(&error.to_string())))
}

fn clip_text(text: &str) -> String {
    text.chars().take(300).collect()
}

/// Reports what is wrong with a tool's input schema; gives it back compiled where nothing is.
pub(super) fn check_input_schema(reader: &mut DefinitionReader, node: &YamlNode) -> Option<Validator> {
    let before = reader.problem_count();
    if node.entry("type").and_then(|entry| entry.value.text()) != Some("object") {
        reader.add_problem(
            node.line_at("/type"),
            "schema-root",
            "the root of `input_schema` needs `type: object`",
        );
    }
    let properties = node.entry("properties");
    for entry in properties.iter().flat_map(|entry| entry.value.entries()) {
        if entry.key.starts_with('_') {
            let message = format!("`{}`: names that start with `_` are kept for meta fields", entry.key);
            reader.add_problem(entry.line, "meta-field", message);
        }
    }
    walk_schema(reader, node, true);
    check_why(reader, node);
    // A schema that breaks our own rules is often no schema at all; the library's errors then add nothing.
    if reader.problem_count() > before || !reader.thorough { None } else { compile_checked(reader, node) }
}

/// Reports what is wrong with a tool's output schema; gives it back compiled where nothing is.
pub(super) fn check_output_schema(reader: &mut DefinitionReader, node: &YamlNode) -> Option<Validator> {
    let before = reader.problem_count();
    if !matches!(node.kind, NodeKind::Map(_)) {
        reader.add_problem(
            node.line,
            "schema",
            "`output_schema` is a map, as `type: object` with `properties`",
        );
    }
    walk_schema(reader, node, false);
    if reader.problem_count() > before || !reader.thorough { None } else { compile_checked(reader, node) }
}

/// Compiles what keeps our rules; all that JSON Schema itself has against it is reported.
fn compile_checked(reader: &mut DefinitionReader, node: &YamlNode) -> Option<Validator> {
    let value = node.to_value();
    let before = reader.problem_count();
    for error in jsonschema::draft202012::meta::validator().iter_errors(&value).take(10) {
        let line = node.line_at(error.instance_path().as_str());
        reader.add_problem(line, "schema", clip_text(&error.to_string()));
    }
    if reader.problem_count() > before {
        return None;
    }
    compile_schema(&value)
        .map_err(|(pointer, message)| reader.add_problem(node.line_at(&pointer), "schema", message))
        .ok()
}

fn check_why(reader: &mut DefinitionReader, node: &YamlNode) {
    let line = node.line_at("/properties/why");
    let kind = node.entry("properties").and_then(|all| all.value.entry("why"));
    let kind = kind.and_then(|why| why.value.entry("type")).and_then(|kind| kind.value.text());
    if kind != Some("string") {
        reader.add_problem(line, "why", "`input_schema.properties` needs `why`, of `type: string`");
    }
    let required = node.entry("required").map(|entry| &entry.value);
    let listed = required.is_some_and(|list| match &list.kind {
        NodeKind::List(items) => items.iter().any(|item| item.text() == Some("why")),
        _ => false,
    });
    if !listed {
        reader.add_problem(node.line_at("/required"), "why", "`input_schema.required` needs `why` in it");
    }
}

/// Keywords whose value is a map of schemas, one schema, or a list of schemas.
pub(super) const MAPS: &[&str] = &["properties", "patternProperties", "$defs", "dependentSchemas"];
pub(super) const ONES: &[&str] = &[
    "items",
    "additionalProperties",
    "contains",
    "propertyNames",
    "not",
    "if",
    "then",
    "else",
    "unevaluatedProperties",
];
pub(super) const LISTS: &[&str] = &["anyOf", "oneOf", "allOf", "prefixItems"];
/// The others that say something, for the nearest name to a misspelt one.
const OTHERS: &[&str] = &[
    "type",
    "description",
    "title",
    "default",
    "enum",
    "const",
    "required",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "examples",
    "deprecated",
    "readOnly",
    "dependentRequired",
    "$schema",
    "$anchor",
    "$ref",
    "$comment",
];
/// The keywords that stand in for a type where a property has none.
const TYPE_KEYWORDS: &[&str] = &["type", "$ref", "anyOf", "oneOf", "allOf"];

/// Goes through a schema and the schemas in it. Depth is bounded where the file is read.
fn walk_schema(reader: &mut DefinitionReader, schema: &YamlNode, strict: bool) {
    for entry in schema.entries() {
        let key = entry.key.as_str();
        match &entry.value.kind {
            NodeKind::Map(members) if MAPS.contains(&key) => {
                for member in members {
                    if key == "properties" {
                        check_property(reader, &member.key, member.line, &member.value, strict);
                    }
                    walk_schema(reader, &member.value, strict);
                }
            }
            NodeKind::Map(_) if ONES.contains(&key) => walk_schema(reader, &entry.value, strict),
            NodeKind::List(items) if LISTS.contains(&key) => {
                items.iter().for_each(|item| walk_schema(reader, item, strict));
            }
            _ if key == "$ref" && !entry.value.text().is_some_and(|to| to.starts_with('#')) => {
                reader.add_problem(entry.line, "schema", "a `$ref` stays in its file, as `#/$defs/size`");
            }
            _ => check_keyword(reader, key, entry.line),
        }
    }
}

/// Checks a keyword: one that JSON Schema does not know has no effect, and may be misspelt.
fn check_keyword(reader: &mut DefinitionReader, key: &str, line: u32) {
    let mut known = MAPS.iter().chain(ONES).chain(LISTS).chain(OTHERS).copied();
    if known.clone().any(|one| one == key) {
        return;
    }
    if let Some(near) = likely_name(key, known.by_ref()) {
        reader.add_problem(
            line,
            "unknown-key",
            format!("`{key}` is no keyword of a schema; did you mean `{near}`?"),
        );
    }
}

fn check_property(reader: &mut DefinitionReader, name: &str, line: u32, schema: &YamlNode, strict: bool) {
    if let Some(kind) = schema.text() {
        let message =
            format!("`{name}: {kind}` is no schema; write `{name}: {{ type: {kind}, description: … }}`");
        return reader.add_problem(line, "property-type", message);
    }
    if !matches!(schema.kind, NodeKind::Map(_)) {
        return reader.add_problem(
            line,
            "property-type",
            format!("`{name}` needs a schema: a map with a `type`"),
        );
    }
    if !strict {
        return;
    }
    if !TYPE_KEYWORDS.iter().any(|key| schema.entry(key).is_some()) {
        reader.add_problem(line, "property-type", format!("`{name}` needs a `type`"));
    }
    match schema.entry("description").map(|entry| (entry.line, entry.value.text())) {
        Some((_, Some(text))) if !text.trim().is_empty() => {}
        Some((line, _)) => reader.add_problem(
            line,
            "property-description",
            format!("`{name}` needs words in its `description`"),
        ),
        None => reader.add_problem(line, "property-description", format!("`{name}` needs a `description`")),
    }
}
