//! The tools offered to an agent: each tool with its schema, or only the operations that find, show and call tools.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool};
use serde_json::{Map, Value, json};

use super::agent::ConnectionOptions;
use crate::catalogue::ToolDef;
use crate::hub::{
    CALL, CALL_ALL, CALL_ALL_DESCRIPTION, CALL_DESCRIPTION, FindOperation, Hub, RESULT, call_all_schema,
    call_schema,
};
use crate::registry::{DefinitionFormat, render_definition};

/// An operation that finds tools, as it is listed.
fn operation_tool(found: FindOperation) -> Tool {
    tool_entry(found.name(), found.description(), found.schema(), true)
}

fn call_tool_entry() -> Tool {
    tool_entry(CALL, CALL_DESCRIPTION, call_schema(), false)
}

fn call_all() -> Tool {
    tool_entry(CALL_ALL, CALL_ALL_DESCRIPTION, call_all_schema(), false)
}

fn tool_entry(name: &str, description: &str, schema: Value, looks: bool) -> Tool {
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

/// The metadata that keeps Claude Code from hiding a tool behind a search of its own.
fn always_load() -> Value {
    json!({ "anthropic/alwaysLoad": true })
}

/// Returns whether agents of that folder find tools instead of getting the full list.
pub(super) fn is_discovery(hub: &Hub, root: &str) -> bool {
    // A folder that is gone has nothing to find.
    let Ok(folder) = hub.folder_at(Some(root)) else { return false };
    folder.toolbox().is_discovery()
}

/// Returns whether a tool is listed with its schema beside the operations that find the others.
pub(super) fn is_always_listed(def: &ToolDef) -> bool {
    def.source.is_none() && matches!(def.category.as_str(), "task" | "review")
}

/// The tools that an agent let in on those terms is offered.
pub(super) fn offered_tools(hub: &Hub, terms: &ConnectionOptions) -> Vec<Tool> {
    let folder = hub.folder_at(Some(&terms.root));
    let definitions = folder
        .map(|folder| folder.toolbox().full_definitions(terms.environment.as_deref()))
        .unwrap_or_default();
    if !is_discovery(hub, &terms.root) {
        return definitions.iter().map(|(tool, latent)| listed_tool(tool.def(), *latent)).collect();
    }
    let tasks = definitions.iter().filter(|(tool, _)| is_always_listed(tool.def()));
    let tasks = tasks.map(|(tool, latent)| brief_tool(tool.def(), listed_tool(tool.def(), *latent)));
    FindOperation::ALL
        .into_iter()
        .map(operation_tool)
        .chain([call_tool_entry(), call_all()])
        .chain(tasks)
        .collect()
}

/// A tool as it is listed, under its name without dots.
pub(super) fn listed_tool(def: &ToolDef, latent: bool) -> Tool {
    let mut tool = render_definition(def, DefinitionFormat::Mcp, if latent { "" } else { &def.name });
    if let Some(members) = tool.as_object_mut() {
        members.remove("outputSchema");
        // A latent call may answer with the schema to fill, not by it.
        if let Some(schema) = def.output_schema.as_ref().filter(|_| !latent) {
            members.insert("outputSchema".to_owned(), Value::Object(output_schema(schema)));
        }
        if def.source.is_none() {
            // Strictness is not part of the model's schema: undeclared arguments are refused, with the nearest name.
            if let Some(input) = members.get_mut("inputSchema").and_then(Value::as_object_mut) {
                input.remove("additionalProperties");
            }
            members.insert("_meta".to_owned(), always_load());
        }
    }
    serde_json::from_value(tool).unwrap_or_default()
}

/// A tool with a short description, for a small surface: `expand_tool` has the rest.
fn brief_tool(def: &ToolDef, tool: Tool) -> Tool {
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

/// The schema of `structuredContent`: warnings and decisions may be next to the result, and a result that is no object
/// is under a name.
fn output_schema(schema: &Value) -> JsonObject {
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
        let tool = json!(operation_tool(FindOperation::List));
        assert_eq!(
            tool["inputSchema"],
            json!({
                "type": "object",
                "properties": {
                    "path": { "description": "The node, from the root; the root when empty.", "type": "array", "items": { "type": "string" } },
                    "tags": { "description": "Only nodes and tools with all of these tags.", "type": "array", "items": { "type": "string" } },
                    "query": { "description": "Only nodes and tools that match this request, best first.", "type": "string" },
                    "limit": { "type": "integer", "default": 10, "minimum": 1, "maximum": 50 },
                    "cursor": { "description": "The `next_cursor` to go on from.", "type": "string" },
                },
            })
        );
        assert_eq!(json!(call_tool_entry())["inputSchema"]["required"], json!(["tool_id", "arguments"]));
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
        assert_eq!(Value::Object(output_schema(&schema)), wrapped);
    }
}
