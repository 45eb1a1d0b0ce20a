//! What an agent is offered: each tool with its schema, or only the operations that find, show and call tools.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool};
use serde_json::{Map, Value, json};

use crate::catalogue::ToolDef;
use crate::hub::{CALL, CALL_DESCRIPTION, Hub, Operation, RESULT, call_schema};
use crate::registry::{Format, render};

/// An operation that finds tools, as it is listed.
fn finding(found: Operation) -> Tool {
    operation(found.name(), found.description(), found.schema(), true)
}

fn call() -> Tool {
    operation(CALL, CALL_DESCRIPTION, call_schema(), false)
}

fn operation(name: &str, description: &str, schema: Value, looks: bool) -> Tool {
    let tool = json!({
        "name": name,
        "description": description,
        "inputSchema": schema,
        "annotations": {
            "readOnlyHint": looks, "destructiveHint": !looks, "idempotentHint": looks, "openWorldHint": !looks,
        },
        "_meta": always_load(),
    });
    serde_json::from_value(tool).unwrap_or_default()
}

/// What Claude Code takes as a wish not to hide a tool behind a search of its own.
fn always_load() -> Value {
    json!({ "anthropic/alwaysLoad": true })
}

/// Whether agents of that folder find tools instead of being shown all of them.
pub(super) fn is_discovery(hub: &Hub, root: &str) -> bool {
    // In a folder that is gone nothing is to be found.
    let Ok(folder) = hub.folder(Some(root)) else { return false };
    folder.is_discovery()
}

/// The tools that an agent of that folder is offered.
pub(super) fn tools(hub: &Hub, root: &str) -> Vec<Tool> {
    let definitions = hub.folder(Some(root)).map(|folder| folder.definitions()).unwrap_or_default();
    if !is_discovery(hub, root) {
        return definitions.iter().map(|(tool, latent)| listed(tool.def(), *latent)).collect();
    }
    let is_task = |def: &ToolDef| def.source.is_none() && matches!(def.category.as_str(), "task" | "review");
    let tasks = definitions.iter().filter(|(tool, _)| is_task(tool.def()));
    let tasks = tasks.map(|(tool, latent)| brief(tool.def(), listed(tool.def(), *latent)));
    Operation::ALL.into_iter().map(finding).chain([call()]).chain(tasks).collect()
}

/// A tool as it is listed, under its name without dots.
pub(super) fn listed(def: &ToolDef, latent: bool) -> Tool {
    let mut tool = render(def, Format::Mcp, "");
    if let Some(members) = tool.as_object_mut() {
        members.remove("outputSchema");
        // A latent call answers with the schema to fill, not by it.
        if let Some(schema) = def.output_schema.as_ref().filter(|_| !latent) {
            members.insert("outputSchema".to_owned(), Value::Object(output(schema)));
        }
        if def.source.is_none() {
            // A model needs no word for it: what is not declared is refused, with the nearest name.
            if let Some(input) = members.get_mut("inputSchema").and_then(Value::as_object_mut) {
                input.remove("additionalProperties");
            }
            members.insert("_meta".to_owned(), always_load());
        }
    }
    serde_json::from_value(tool).unwrap_or_default()
}

/// A tool in as few words as will do, for a surface that is to be small: `expand_tool` has the rest.
fn brief(def: &ToolDef, tool: Tool) -> Tool {
    let mut schema = (*tool.input_schema).clone();
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for (name, property) in properties.into_iter().flatten() {
        let Some(property) = property.as_object_mut() else { continue };
        property.retain(|name, _| matches!(name.as_str(), "type" | "description" | "items" | "enum"));
        if name == "why" {
            property
                .insert("description".to_owned(), json!("What the call is to accomplish, in one sentence"));
        }
    }
    let mut tool = tool;
    tool.description = Some(def.summary.clone().into());
    tool.input_schema = Arc::new(schema);
    tool
}

/// The schema of `structuredContent`: warnings and decisions may stand beside the result, and one that is no object
/// stands under a name.
fn output(schema: &Value) -> JsonObject {
    match schema {
        Value::Object(members) if members.get("type") == Some(&json!("object")) => {
            let mut members = members.clone();
            members.remove("additionalProperties");
            members.remove("unevaluatedProperties");
            members
        }
        other => {
            let mut inner = other.clone();
            let defs = inner.as_object_mut().and_then(|inner| inner.remove("$defs"));
            let mut members = Map::new();
            members.insert("type".to_owned(), json!("object"));
            members.insert("properties".to_owned(), json!({ RESULT: inner }));
            members.insert("required".to_owned(), json!([RESULT]));
            members.extend(defs.map(|defs| ("$defs".to_owned(), defs)));
            members
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_says_no_more_than_it_must() {
        let tool = json!(finding(Operation::List));
        assert_eq!(
            tool["inputSchema"],
            json!({
                "type": "object",
                "properties": {
                    "path": { "description": "The node, from the root; the root when empty.", "type": "array", "items": { "type": "string" } },
                    "tags": { "description": "Only tools with all of these tags.", "type": "array", "items": { "type": "string" } },
                    "query": { "description": "Only what answers this request, best first.", "type": "string" },
                    "limit": { "type": "integer", "default": 10, "maximum": 50 },
                    "cursor": { "description": "The `next_cursor` to go on from.", "type": "string" },
                },
            })
        );
        assert_eq!(json!(call())["inputSchema"]["required"], json!(["tool_id", "arguments"]));
    }

    #[test]
    fn what_is_no_object_stands_under_a_name() {
        let schema = json!({ "type": "array", "items": { "$ref": "#/$defs/a" }, "$defs": { "a": {} } });
        let wrapped = json!({
            "type": "object",
            "properties": { "result": { "type": "array", "items": { "$ref": "#/$defs/a" } } },
            "required": ["result"],
            "$defs": { "a": {} },
        });
        assert_eq!(Value::Object(output(&schema)), wrapped);
    }
}
