//! Several tools as one schema that a model fills, or as the list that a model's API takes.
//!
//! The schema is the Tool Protocol's: an array `calls` whose items are any of the tools, each with its meta fields
//! first. A filled item is a call: [`crate::protocol::RawCall::from_filled`] takes it as it is.

use serde_json::{Map, Value, json};

use super::render_definition::{DefinitionFormat, render_definition};
use crate::catalogue::ToolDef;
use crate::protocol::ComposeForm;

/// The JSON pointer to the tools in the schema.
const ITEMS: &str = "/properties/calls/items/anyOf";

/// Keywords whose values are data: what looks like a reference there is none.
const DATA: [&str; 5] = ["const", "enum", "default", "example", "examples"];

/// The tools in that form, each with the name of the activity that runs it, empty where it is latent.
pub fn compose_tools(tools: &[(&ToolDef, String)], form: ComposeForm) -> Value {
    let each =
        |format| tools.iter().map(|(def, activity)| render_definition(def, format, activity)).collect();
    match form {
        ComposeForm::Calls => calls_schema(tools),
        ComposeForm::Openai | ComposeForm::Ollama => Value::Array(each(DefinitionFormat::Function)),
        ComposeForm::Anthropic => Value::Array(each(DefinitionFormat::Anthropic)),
        ComposeForm::Mcp => json!({ "tools": Value::Array(each(DefinitionFormat::Mcp)) }),
    }
}

fn calls_schema(tools: &[(&ToolDef, String)]) -> Value {
    let item = |(at, (def, activity)): (usize, &(&ToolDef, String))| {
        let mut schema = render_definition(def, DefinitionFormat::ToolProtocol, activity);
        if let Value::Object(schema) = &mut schema {
            schema.shift_remove("$schema");
        }
        rebase_references(&mut schema, &format!("{ITEMS}/{at}"));
        schema
    };
    let items: Vec<Value> = tools.iter().enumerate().map(item).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": { "calls": { "type": "array", "items": { "anyOf": items } } },
        "required": ["calls"],
        "additionalProperties": false,
    })
}

/// Points the references inside `schema`, which is put at `place` in another one, to their original targets. A schema
/// with an `$id` is a document of its own and keeps them.
pub(super) fn rebase_references(schema: &mut Value, place: &str) {
    match schema {
        Value::Object(map) if !map.contains_key("$id") => rebase_members(map, place),
        Value::Array(items) => items.iter_mut().for_each(|item| rebase_references(item, place)),
        _ => {}
    }
}

fn rebase_members(map: &mut Map<String, Value>, place: &str) {
    for (key, value) in map.iter_mut() {
        match value {
            Value::String(target) if key == "$ref" || key == "$dynamicRef" => {
                if let Some(pointer) = target.strip_prefix('#').filter(|rest| is_pointer(rest)) {
                    *target = format!("#{place}{pointer}");
                }
            }
            _ if DATA.contains(&key.as_str()) => {}
            value => rebase_references(value, place),
        }
    }
}

/// Returns whether it is a JSON pointer, and no anchor's name.
fn is_pointer(fragment: &str) -> bool {
    fragment.is_empty() || fragment.starts_with('/')
}

#[cfg(test)]
mod tests;
